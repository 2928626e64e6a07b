"""All pairs are what one sweep per output says, in any block size, and never take more memory than allowed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from mlvet.analyses.provenance.pairs import Between, blocks, pairs
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.core.errors import UsageError
from mlvet.runtime.provenance.tape import Numbers, Places, Tape

INPUTS, MIDDLE, OUTPUTS = 30, 60, 17


@pytest.fixture
def chance() -> np.random.Generator:
    return np.random.default_rng(9)


def tape(chance: np.random.Generator, layers: int = 4) -> tuple[Tape, Places, Places]:
    """Layers of numbers, some with one parent, some with none in front, and numbers that no output needs."""
    made = Tape()
    first = made.inputs(INPUTS)
    before = np.arange(first, first + INPUTS)
    inputs = before
    for layer in range(layers):
        count = OUTPUTS if layer == layers - 1 else MIDDLE
        places = []
        for _ in range(count):
            parents = chance.choice(before, int(chance.integers(0, 4)), replace=False).tolist()
            places.append(made.row(parents, chance.normal(size=len(parents)).tolist()))
            made.row(parents, [1.0] * len(parents))
        before = np.array(places)
    made.close()
    return made, inputs, before


def one_by_one(sweeps: Sweeps, outputs: Places, inputs: Places) -> Numbers:
    return np.array([sweeps.backward({int(each): 1.0})[inputs] for each in outputs])


def gathered(sweeps: Sweeps, outputs: Places, inputs: Places, **options: float) -> Numbers:
    found = np.full((len(outputs), len(inputs)), np.nan)
    for first, rows in blocks(sweeps, outputs, inputs, threads=2, **options):
        found[first : first + len(rows)] = rows
    return found


def test_blocks_are_the_sweeps(chance: np.random.Generator) -> None:
    made, inputs, outputs = tape(chance)
    sweeps = Sweeps.of(made.parts, made.size)
    assert gathered(sweeps, outputs, inputs) == pytest.approx(one_by_one(sweeps, outputs, inputs), abs=1e-14)


@pytest.mark.parametrize("memory", [3e4, 1e5, 1e9])
def test_any_memory_gives_the_same(chance: np.random.Generator, memory: float) -> None:
    made, inputs, outputs = tape(chance)
    sweeps = Sweeps.of(made.parts, made.size)
    assert gathered(sweeps, outputs, inputs, memory=memory) == pytest.approx(one_by_one(sweeps, outputs, inputs))


def test_too_little_memory_is_said(chance: np.random.Generator) -> None:
    made, inputs, outputs = tape(chance)
    with pytest.raises(UsageError, match="--memory"):
        list(blocks(Sweeps.of(made.parts, made.size), outputs, inputs, memory=100.0))


def test_some_inputs_and_some_outputs(chance: np.random.Generator) -> None:
    made, inputs, outputs = tape(chance)
    sweeps = Sweeps.of(made.parts, made.size)
    some, few = outputs[::3], inputs[::4]
    assert gathered(sweeps, some, few) == pytest.approx(one_by_one(sweeps, some, few))
    assert Between.of(sweeps, some, few).size < Between.of(sweeps, outputs, inputs).size


def test_values_between_and_inputs_are_outputs_too(chance: np.random.Generator) -> None:
    made, inputs, outputs = tape(chance)
    sweeps = Sweeps.of(made.parts, made.size)
    every = np.array([*inputs[:3], *range(int(inputs[-1]) + 1, int(inputs[-1]) + 9), *outputs, outputs[0], 0])
    assert gathered(sweeps, every, inputs) == pytest.approx(one_by_one(sweeps, every, inputs))


def test_chains_of_single_parents_are_folded() -> None:
    made = Tape()
    place = first = made.inputs(1)
    for factor in (2.0, -3.0, 0.5, 7.0):
        place = made.row([place], [factor])
    end = made.row([place, first], [1.0, 1.0])
    made.close()
    sweeps = Sweeps.of(made.parts, made.size)
    between = Between.of(sweeps, np.array([end]), np.array([first]))
    assert between.size == 2
    assert gathered(sweeps, np.array([end]), np.array([first])).tolist() == [[2.0 * -3.0 * 0.5 * 7.0 + 1.0]]


def test_steps_of_whole_arrays(chance: np.random.Generator) -> None:
    made = Tape()
    first = made.inputs(3)
    matrix = chance.normal(size=(2, 3))

    def pullback(given: Numbers) -> Sequence[Numbers]:
        return [given @ matrix]

    product = made.step(2, [np.arange(first, first + 3)], pullback, "matmul")
    end = made.row([product, product + 1], [1.0, 2.0])
    made.close()
    sweeps = Sweeps.of(made.parts, made.size)
    found = gathered(sweeps, np.array([end, product]), np.arange(first, first + 3))
    assert found == pytest.approx(np.array([matrix[0] + 2 * matrix[1], matrix[0]]))


def test_the_first_inputs_of_each_output(chance: np.random.Generator) -> None:
    made, inputs, outputs = tape(chance)
    sweeps = Sweeps.of(made.parts, made.size)
    scales = chance.uniform(0.5, 2.0, INPUTS)
    found = pairs(sweeps, outputs, inputs, scales, top=4)
    derivatives = one_by_one(sweeps, outputs, inputs)
    weights: NDArray[np.float64] = np.abs(derivatives) * scales
    for row in range(len(outputs)):
        total = weights[row].sum()
        shares = np.sort(weights[row])[::-1][:4] / (total or 1.0)
        assert found.shares[row] == pytest.approx(shares)
        assert found.residual[row] == pytest.approx(1 - shares.sum() if total else 0.0)
        assert found.derivatives[row] == pytest.approx(derivatives[row, found.inputs[row]])
        assert found.acting[row] == np.count_nonzero(derivatives[row])


def test_all_inputs_where_more_are_asked_for(chance: np.random.Generator) -> None:
    made, inputs, outputs = tape(chance)
    found = pairs(Sweeps.of(made.parts, made.size), outputs, inputs, np.ones(INPUTS), top=99)
    assert found.inputs.shape == (OUTPUTS, INPUTS)
    assert found.residual == pytest.approx(np.zeros(OUTPUTS))
