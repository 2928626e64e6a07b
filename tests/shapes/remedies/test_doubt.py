"""Programs of which no edit is sure: what could be meant is told in words, or nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest
from remedy_cases import TORCH

from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program


def judged(text: str, folder: Path, name: str = "program.py") -> list[Finding]:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return vet_program(Program(file, Source(name, text), folder)).findings


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TORCH + "a, b = torch.randn(3, 4), torch.randn(3, 4)\nc = a @ b\n", "transpose"),
        (TORCH + "a, b = torch.randn(3, 4), torch.randn(3)\nc = a + b\n", "perhaps"),
        (
            TORCH + "net = nn.Sequential(nn.Linear(8, 20), nn.ReLU(), nn.Linear(30, 5))\ny = net(torch.randn(2, 8))\n",
            "write 30 in place of 20, or write 20 in place of 30",
        ),
    ],
    ids=["either-side-of-a-product", "a-row-or-a-column", "either-number"],
)
def test_two_cures_are_told_in_words(text: str, words: str, tmp_path: Path) -> None:
    (found,) = judged(text, tmp_path)
    assert found.fix is not None
    assert found.fix.applicability is Applicability.MANUAL
    assert words in found.fix.title
    assert ", or " in found.fix.title


@pytest.mark.parametrize(
    "text",
    [
        TORCH + "a, b = torch.randn(3, 4), torch.randn(7, 5)\nc = a @ b\n",
        TORCH + "a, b = torch.randn(3, 4), torch.randn(4, 3)\nc = a + b[:, :2]\n",
    ],
    ids=["nothing-fits", "nothing-fits-either"],
)
def test_where_nothing_is_a_cure_no_edit_is_offered(text: str, tmp_path: Path) -> None:
    (found,) = judged(text, tmp_path)
    assert found.fix is None or found.fix.applicability is Applicability.MANUAL


def test_an_edit_that_another_error_follows_is_not_offered(tmp_path: Path) -> None:
    text = TORCH + "\n".join((
        "net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(100, 10))",
        "scores = net(torch.randn(16, 32, 32, 3))",
        "",
    ))  # fmt: skip
    (found,) = judged(text, tmp_path)
    assert found.fix is None or found.fix.applicability is Applicability.MANUAL


def test_a_number_that_others_need_stays(tmp_path: Path) -> None:
    text = TORCH + "\n".join((
        "WIDTH = 64",
        "table = torch.randn(2, 8, 8).view(2, WIDTH)",
        "y = nn.Linear(WIDTH, 3)(torch.randn(2, 65))",
        "",
    ))  # fmt: skip
    (found,) = judged(text, tmp_path)
    assert found.fix is not None
    (edit,) = found.fix.edits
    assert (edit.location.line, edit.content) == (6, "64")


def test_the_edit_is_of_the_module_that_fails(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(TORCH + "\n\ndef scores(v, w):\n    return v @ w\n", encoding="utf-8")
    text = "import torch\nfrom network import scores\n\nu = scores(torch.randn(5, 20), torch.randn(10, 20))\n"
    (found,) = judged(text, tmp_path)
    assert found.fix is not None
    (edit,) = found.fix.edits
    assert (edit.location.path, edit.content) == ("network.py", ".T")


def test_columns_are_characters(tmp_path: Path) -> None:
    text = TORCH + 'v, w = torch.randn(5, 20), torch.randn(10, 20)\ns = "größer"; u = v @ w\n'
    (found,) = judged(text, tmp_path)
    assert found.fix is not None
    (edit,) = found.fix.edits
    assert edit.location.column == len('s = "größer"; u = v @ w') + 1


FED = """
import numpy as np
import tensorflow as tf

rows = tf.placeholder(tf.float32, [None, 28, 28])
labels = tf.placeholder(tf.float32, [None, 10])
scores = tf.matmul(tf.reshape(rows, [-1, 784]), tf.Variable(tf.zeros([784, 10])))
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=scores, labels=labels))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    x, y = np.zeros((64, 784)), np.zeros(({labels}), "int64")
    session.run(loss, feed_dict={{rows: {rows}, labels: y}})
"""


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (FED.format(rows="x", labels="64, 10"), [".reshape(-1, 28, 28)"]),
        (FED.format(rows="x.reshape(64, 28, 28)", labels="64,"), ["np.eye(10)[", "]"]),
    ],
    ids=["rows-of-pixels", "class-numbers"],
)
def test_what_is_fed_is_brought_into_the_shape_of_its_placeholder(
    text: str, content: list[str], tmp_path: Path
) -> None:
    (found,) = judged(text, tmp_path)
    assert found.rule == "fed-shape-differs"
    assert found.fix is not None
    assert [edit.content for edit in found.fix.edits] == content
