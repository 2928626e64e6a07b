"""A step that is taken out of a loop is compiled once, however often the function around the loop runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlvet.analyses.efficiency.request import EfficiencyRequest
from mlvet.core.fix import apply_edits
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program

PROGRAM = """\
import tensorflow as tf

traced = []
data = tf.data.Dataset.from_tensor_slices((tf.ones((40, 4)), tf.ones((40, 1)))).batch(10)


def predicted(weights, x):
    traced.append(x)
    return tf.nn.tanh(x @ weights)


def train_one_epoch(weights, rate):
    for x, y in data:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((predicted(weights, x) - y) ** 2)
        gradient = tape.gradient(loss, weights)
        weights.assign_sub(rate * gradient)
    return loss


def main():
    weights = tf.Variable(tf.ones((4, 1)))
    rate = tf.constant(0.1)
    for epoch in range(20):
        loss = train_one_epoch(weights, rate)
    return float(loss)


result = main()
"""
ONCE = PROGRAM.replace("    for epoch in range(20):\n        loss =", "    loss =")


def refactored(text: str, folder: Path) -> str:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    program = Program(path, Source(path.name, text), folder, shapes=False, efficiency=EfficiencyRequest())
    fixes = [each.fix for each in vet_program(program).findings if each.rule == "eager-train-step"]
    assert len(fixes) == 1
    assert fixes[0] is not None
    return apply_edits(text, [fixes[0]])[0]


def ran(text: str) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(compile(text, "program.py", "exec"), names)
    return names


def test_a_step_in_a_function_of_an_epoch_is_traced_once(tmp_path: Path) -> None:
    before, after = ran(PROGRAM), ran(refactored(PROGRAM, tmp_path))
    assert len(before["traced"]) == 80  # type: ignore[arg-type]
    assert len(after["traced"]) == 1  # type: ignore[arg-type]
    assert after["result"] == pytest.approx(before["result"], rel=1e-5)


def test_a_step_in_a_function_that_runs_once_stays_in_it(tmp_path: Path) -> None:
    assert "    @tf.function\n    def train_step(x, y):" in refactored(ONCE, tmp_path)
