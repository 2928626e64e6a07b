"""Fixes of what is only suspected: the rules' own examples, and programs of other shapes."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from textwrap import dedent

import pytest
from real_runs import run
from remedy_cases import KERAS, TENSORFLOW, TORCH, Case, case

from mlvet.analyses.catalogue import catalogue
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, apply_edits
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program

EXAMPLES = [
    "loss-broadcasts", "argmax-over-batch", "reshape-mixes-batch", "softmax-before-logits-loss",
    "scores-taken-for-probabilities", "relu-before-logits-loss", "scores-compared-with-half", "no-zero-grad",
    "no-eval-mode", "dropout-never-off",
]  # fmt: skip
CASES = [
    case(
        "softmax-in-forward", TORCH,
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(8, 10)

            def forward(self, x):
                return F.softmax(self.head(x), dim=1)  # HERE


        loss = nn.CrossEntropyLoss()(Net()(torch.randn(64, 8)), torch.zeros(64, dtype=torch.long))
        """,
        "return self.head(x)",
    ),
    case(
        "logits-said-of-probabilities", KERAS,
        """
        model = keras.Sequential([keras.Input((8,)), layers.Dense(10, activation="softmax")])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)  # HERE
        model.compile(optimizer="adam", loss=loss)
        model.fit(np.zeros((64, 8), "float32"), np.zeros((64,), "int64"), verbose=0)
        """,
        "loss = keras.losses.SparseCategoricalCrossentropy(from_logits=False)",
    ),
    case(
        "logits-not-said", KERAS,
        """
        model = keras.Sequential([keras.Input((8,)), layers.Dense(10)])
        loss = keras.losses.SparseCategoricalCrossentropy()  # HERE
        model.compile(optimizer="adam", loss=loss)
        model.fit(np.zeros((64, 8), "float32"), np.zeros((64,), "int64"), verbose=0)
        """,
        "loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
    ),
    case(
        "softmax-of-one-unit", KERAS,
        """
        model = keras.Sequential([keras.Input((8,)), layers.Dense(1, activation="softmax")])  # HERE
        model.compile(optimizer="adam", loss="binary_crossentropy")
        model.fit(np.zeros((64, 8), "float32"), np.zeros((64, 1), "float32"), verbose=0)
        """,
        'model = keras.Sequential([keras.Input((8,)), layers.Dense(1, activation="sigmoid")])',
    ),
    case(
        "argmax-without-axis", TENSORFLOW,
        """
        dense = tf.keras.layers.Dense(10)
        scores = dense(tf.ones((64, 8)))
        predicted = tf.argmax(scores)  # HERE
        """,
        "predicted = tf.argmax(scores, axis=1)",
    ),
    case(
        "reshape-in-place-of-permute", TORCH,
        """
        conv = nn.Conv2d(3, 8, 3)
        maps = conv(torch.randn(16, 3, 32, 40))
        last = maps.reshape(16, 30, 38, 8)  # HERE
        """,
        "last = maps.permute(0, 2, 3, 1)",
    ),
]  # fmt: skip


def judged(text: str, folder: Path) -> list[Finding]:
    file = folder / "program.py"
    file.write_text(text, encoding="utf-8")
    return vet_program(Program(file, Source("program.py", text), folder)).findings


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_rule_is_put_right(name: str, tmp_path: Path) -> None:
    said = re.search(r"## Example\n(.*?)\n## Use instead", inspect.cleandoc(catalogue()[name].__doc__ or ""), re.DOTALL)
    assert said is not None
    text = dedent(said.group(1)).strip() + "\n"
    (found,) = judged(text, tmp_path)
    assert found.rule == name
    assert found.fix is not None
    assert found.fix.applicability is Applicability.UNSAFE
    fixed, applied = apply_edits(text, [found.fix])
    assert applied == 1
    assert judged(fixed, tmp_path) == []


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_fix_is_offered_and_leaves_nothing_to_find(case: Case, tmp_path: Path) -> None:
    (found,) = judged(case.text, tmp_path)
    assert found.fix is not None
    text, _ = apply_edits(case.text, [found.fix])
    assert text == case.expected
    assert judged(text, tmp_path) == []


@pytest.mark.parametrize("library", ["torch", "keras"])
def test_the_programs_still_run(library: str) -> None:
    pytest.importorskip(library)
    chosen = {each.name: each.expected for each in CASES if each.library == library}
    assert run(chosen) == dict.fromkeys(chosen, "")


def test_columns_count_characters_not_bytes(tmp_path: Path) -> None:
    text = 'import torch\nprint("größe", torch.zeros(2, 3) @ torch.zeros(4, 5))\n'
    (found,) = judged(text, tmp_path)
    line = text.splitlines()[1]
    shown = line[(found.location.column or 0) - 1 : (found.location.end_column or 0) - 1]
    assert shown == "torch.zeros(2, 3) @ torch.zeros(4, 5)"


def test_an_edit_behind_letters_of_several_bytes_is_at_its_place(tmp_path: Path) -> None:
    text = 'import torch\nprint("größe", torch.nn.Linear(4, 2)(torch.zeros(7, 3)))\n'
    (found,) = judged(text, tmp_path)
    assert found.fix is not None
    fixed, _ = apply_edits(text, [found.fix])
    assert fixed == text.replace("Linear(4, 2)", "Linear(3, 2)")
