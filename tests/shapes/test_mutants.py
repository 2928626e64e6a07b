"""The mutants of the shape benchmark: each operator edits the sites it names, and the record fits its limits."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.shapes.bases import programs  # noqa: E402
from benchmarks.shapes.mutants import HELD_OUT, MOST, QUOTA, mutants, read  # noqa: E402
from benchmarks.shapes.mutations import OPERATORS, candidates  # noqa: E402
from benchmarks.shapes.running import Ending  # noqa: E402
from benchmarks.shapes.sites import Edit, Source  # noqa: E402

TORCH = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 5)
        self.fc = nn.Linear(16 * 4, 10)

    def forward(self, x):
        x = self.conv(x.permute(0, 3, 1, 2))
        x = x.view(-1, 64)
        return self.fc(x)
"""
KERAS = """
import keras
from keras import layers

inputs = keras.Input(shape=(28, 20, 1))
x = layers.Conv2D(8, 3)(inputs)
x = layers.Flatten()(x)
"""
CASES = [
    (TORCH, "torch", "feature-size", {"3", "16", "4", "10"}),
    (TORCH, "torch", "transpose", {"x.permute(0, 3, 1, 2)", "0, 3", "3, 1", "1, 2", "x"}),
    (TORCH, "torch", "reshape-constant", {"-1", "64"}),
    (TORCH, "torch", "dropped-flatten", {"x.view(-1, 64)"}),
    (TORCH, "torch", "channel-order", {"3, 16", "16 * 4, 10", "-1, 64", "x.permute(0, 3, 1, 2)"}),
    (KERAS, "keras", "feature-size", {"28", "20", "1", "8"}),
    (KERAS, "keras", "dropped-flatten", {"layers.Flatten()(x)"}),
    (KERAS, "keras", "channel-order", {"28, 20", "20, 1", ")", "inputs"}),
]


@pytest.mark.parametrize(("text", "framework", "operator", "olds"), CASES)
def test_an_operator_edits_the_sites_it_names(text: str, framework: str, operator: str, olds: set[str]) -> None:
    found = {edit.old for variants in OPERATORS[operator](Source(text), framework) for edit in variants}
    assert found == olds


@pytest.mark.parametrize(("text", "framework", "operator", "olds"), CASES)
def test_every_edit_changes_the_program_and_leaves_it_valid(
    text: str, framework: str, operator: str, olds: set[str]
) -> None:
    edits = candidates(text, framework, "program", operator)
    assert edits
    assert edits == candidates(text, framework, "program", operator)
    for edit in edits:
        assert edit.old in olds
        changed = edit.applied(text)
        compile(changed, "changed", "exec")
        assert changed != text


def test_an_edit_refuses_a_text_it_was_not_made_for() -> None:
    assert Edit(2, 4, "3", "4").applied("x\ny = 3\n") == "x\ny = 4\n"
    with pytest.raises(ValueError, match="no '3' here"):
        Edit(2, 4, "3", "4").applied("x\ny = 5\n")


@pytest.mark.parametrize(
    ("kind", "message", "about"),
    [
        ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (4x3 and 5x6)", True),
        ("ValueError", "not enough values to unpack (expected 4, got 3)", True),
        ("IndexError", "Target 9 is out of bounds.", False),
        ("NameError", "name 'shape' is not defined", False),
        ("RuntimeError", "a generator failed", False),
    ],
)
def test_only_exceptions_about_shapes_count(kind: str, message: str, about: bool) -> None:
    ending = Ending("raised", 1.0, kind, (kind, "Exception"), message, (("main.py", 3, "f"),))
    assert ending.about_shapes == about


def test_the_record_keeps_to_its_limits() -> None:
    kept = [mutant for mutant in read() if mutant.status == "kept"]
    assert kept
    assert max(Counter(mutant.program for mutant in kept).values()) <= MOST
    assert max(Counter(mutant.operator for mutant in kept).values()) <= QUOTA
    assert {mutant.operator for mutant in kept} == set(OPERATORS)
    assert set(Counter(mutant.operator for mutant in kept if mutant.held_out).values()) == {HELD_OUT}
    assert all(mutant.failing and mutant.message for mutant in kept)


def test_our_own_programs_are_as_recorded_and_their_edits_apply() -> None:
    ours = {program.name for program in programs() if not program.fetched}
    assert all(not program.altered(ROOT) for program in programs() if program.name in ours)
    told = [mutant for mutant in read() if mutant.program in ours]
    by_name = {program.name: program for program in programs()}
    for mutant in told:
        compile(mutant.edit.applied(by_name[mutant.program].text(ROOT)), mutant.id, "exec")
    assert any(mutant.status == "kept" for mutant in told)


def test_mutants_give_the_changed_text_of_the_fetched_file(tmp_path: Path) -> None:
    for program in programs():
        for name in program.files:
            place = program.source(tmp_path, name)
            if program.fetched:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="here"):
        list(mutants(tmp_path))
