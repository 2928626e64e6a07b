"""Tensors that nothing reads: which are told, which twins are not, and that leaving them out changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from suggesting import edited, lines, told

from mlvet.core.fix import Applicability

RULE = "unused-tensor"
PROGRAM = """\
import torch
from torch import nn

norm = nn.BatchNorm1d(64)
kept = {{}}

{decorator}def mix(tokens):
    scores = tokens @ tokens.transpose(1, 2)
    {unused}
    {use}
    return (torch.softmax(scores, -1) @ tokens).sum()

torch.manual_seed(0)
total = mix(torch.randn(4, 64, 64))
"""
SIMILAR = "similar = tokens @ (tokens + 1)"


def program(unused: str = SIMILAR, use: str = "pass", decorator: str = "") -> str:
    return PROGRAM.format(unused=unused, use=use, decorator=decorator)


def test_what_nothing_reads_is_left_out(tmp_path: Path) -> None:
    text = program()
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [9]
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.SAFE
    after = edited(text, found)
    assert SIMILAR not in after
    assert ran(after)["total"] == ran(text)["total"]


def test_what_serves_the_unread_only_is_left_out_with_it(tmp_path: Path) -> None:
    text = program(use="near = torch.softmax(similar @ tokens, -1)")
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [9, 10]
    after = edited(text, found[:1])
    assert "similar" not in after
    assert "near" not in after
    assert ran(after)["total"] == ran(text)["total"]


@pytest.mark.parametrize(
    ("unused", "use"),
    [
        (SIMILAR, "print(similar.shape)"),
        (SIMILAR, "kept['last'] = similar"),
        (SIMILAR, "scores = scores + similar"),
        (SIMILAR, "del similar"),
        (SIMILAR, "near = norm(similar)"),
        (SIMILAR, "similar += 1"),
        (SIMILAR, "print(locals())"),
        (SIMILAR, "kept['last'] = near = similar + 1"),
        (SIMILAR, "near = kept['last'] = similar + 1"),
        (SIMILAR, "norm.last = near = similar + 1"),
        (SIMILAR, "kept['first'], near = torch.linalg.eigh(similar)"),
        (SIMILAR, "print((near := similar.sum()) > 3)"),
        ("_ = tokens @ (tokens + 1)", "pass"),
        ("seen = norm(tokens)", "pass"),
        ("noise = torch.randn(64, 64) @ torch.randn(64, 64)", "pass"),
        ("size = tokens.size(0)", "pass"),
        ("first, second = torch.linalg.eigh(scores)", "print(first)"),
    ],
)
def test_what_is_read_or_does_more_is_not_told(unused: str, use: str, tmp_path: Path) -> None:
    assert lines(program(unused, use), tmp_path, RULE) == []


def test_what_may_fail_is_tried(tmp_path: Path) -> None:
    tried = "try:\n        factor = torch.linalg.cholesky(scores)\n    except RuntimeError:\n        print('negative')"
    assert lines(program("pass", tried), tmp_path, RULE) == []


def test_a_compiler_drops_it_itself(tmp_path: Path) -> None:
    assert lines(program(decorator="@torch.compile\n"), tmp_path, RULE) == []


def test_names_of_the_file_may_be_read_by_others(tmp_path: Path) -> None:
    text = "import torch\nx = torch.randn(500, 500)\ny = x @ x\n"
    assert lines(text, tmp_path, RULE) == []


def ran(text: str) -> dict[str, object]:
    """The names of a program after it has run."""
    names: dict[str, object] = {}
    exec(compile(text, "program.py", "exec"), names)
    return names


def test_what_is_computed_between_looks_at_the_clock_is_measured(tmp_path: Path) -> None:
    text = """\
import time
import torch

def seconds(a, b):
    start = time.perf_counter()
    for _ in range(10):
        product = a @ b
    return time.perf_counter() - start

print(seconds(torch.randn(200, 200), torch.randn(200, 200)))
"""
    assert lines(text, tmp_path, RULE) == []
    assert lines(text.replace("time.perf_counter()", "0"), tmp_path, RULE) == [7]


FITTED = """\
import keras
import numpy as np

model = keras.Sequential([keras.Input((32,)), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
model.compile("sgd", "mse")
rows, targets = np.random.rand(64, 32), np.random.rand(64, 1)
for _ in range(5):
    guesses = model.predict(rows)
    {training}
"""


def test_what_is_small_beside_many_epochs_is_not_told(tmp_path: Path) -> None:
    evaluated, trained = "model.evaluate(rows, targets)", "model.fit(rows, targets, epochs=20)"
    assert lines(FITTED.format(training=evaluated), tmp_path, RULE) == [8]
    assert lines(FITTED.format(training=trained), tmp_path, RULE) == []
