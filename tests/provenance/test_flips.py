"""Unstable comparisons: which are told, and in which order."""

from __future__ import annotations

import numpy as np
import pytest

from mlvet.analyses.provenance.flips import unstable
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.runtime.provenance.inputs import Inputs
from mlvet.runtime.provenance.predicates import Predicate
from mlvet.runtime.provenance.tape import Tape


def inputs(tape: Tape, **values: float) -> Inputs:
    first = tape.inputs(len(values))
    return Inputs([(name,) for name in values], list(range(first, first + len(values))), list(values.values()))


def compared(line: int, margin: float, parents: tuple[tuple[int, float], ...], ordinal: int = 1) -> Predicate:
    return Predicate(abs(margin), ("program.py", line, 0), ordinal, margin > 0, margin, parents, 1)


def test_a_comparison_is_unstable_when_the_slope_reaches_the_margin() -> None:
    tape = Tape()
    found = inputs(tape, x=1.0, y=1.0)
    sweeps = Sweeps.of(tape.parts, tape.size)
    told = unstable([compared(7, 0.02, ((1, 2.0), (2, -0.1)))], sweeps, found, 0.05, None)
    assert [(each.input, each.change) for each in told] == [(0, pytest.approx(-0.01))]


def test_ties_of_one_line_do_not_hide_another_line() -> None:
    tape = Tape()
    found = inputs(tape, **{f"x{number}": 1.0 for number in range(60)})
    sweeps = Sweeps.of(tape.parts, tape.size)
    ties = [compared(40, 0.0, ((place, 1.0), (place + 1, -1.0)), place) for place in range(1, 59)]
    told = unstable([*ties, compared(29, 1e-6, ((60, 1.0),))], sweeps, found, 1e-3, None)
    assert [each.place[1] for each in told[:3]] == [40, 29, 40]


def test_with_relative_deltas_the_nearest_input_is_the_one_with_the_least_part_to_go() -> None:
    tape = Tape()
    values = {f"small{number}": 1e-6 for number in range(3)}
    found = inputs(tape, **values, large=1e3)
    sweeps = Sweeps.of(tape.parts, tape.size)
    parents = (*((place, 1.0) for place in (1, 2, 3)), (4, 0.5))
    told = unstable([compared(7, 0.1, parents)], sweeps, found, 1e-3, None, relative=True)
    assert [each.input for each in told] == [3]
    assert np.isclose(told[0].change, -0.2)
