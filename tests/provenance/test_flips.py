"""Unstable comparisons: which are told, and in which order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlvet.analyses.provenance.flips import unstable
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.runtime.provenance.inputs import Inputs
from mlvet.runtime.provenance.predicates import Predicate
from mlvet.runtime.provenance.tape import Tape
from tests.provenance.asked_programs import explanations


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


def test_a_comparison_of_array_elements_is_told_at_its_line(tmp_path: Path) -> None:
    program = (
        "import numpy as np\n\n\ndef f(x):\n    return 2.0 if x[0] * 37.1308 > x[1] else 1.0\n\n\n"
        "result = f(np.array([0.123, 4.567]))\nprint(result)\n"
    )
    told = explanations(tmp_path, program, ["result"], ["x@f"], "--delta", "0.01")[0]
    assert {(Path(each["path"]).name, each["line"]) for each in told["flips"]} == {("program.py", 5)}
    assert {each["jump"] for each in told["flips"] if each["confirmed"]} == {1.0}
    assert {each["rule"] for each in told["findings"]} == {"unstable-predicate"}


def test_equality_inside_containers_is_told_at_the_line_of_the_program(tmp_path: Path) -> None:
    program = "x = 1.5\nresult = 2.0 if (x, 1) == (1.5, 1) else 1.0\n"
    (told,) = explanations(tmp_path, program, ["result"], ["x@<module>"])
    assert any("(program.py:2)" in note for note in told["notes"]), told["notes"]
