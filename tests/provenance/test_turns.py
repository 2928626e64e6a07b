"""Turns of loops say what the rows said: the same parents, and the same bits of partial derivatives and of sweeps."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlvet.analyses.provenance.pairs import Between
from mlvet.analyses.provenance.paths import stopped
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.runtime.provenance import open_rows, rows_in_python
from mlvet.runtime.provenance.tape import Part, Rows, Step, Tape, Turn
from mlvet.runtime.provenance.tape_parts import NONE_ODD, size_in_bytes

INPUTS = 5
NEVER = 1 << 40
LOOP, OTHER = 0, 1


def rows_of(parts: Iterable[Part]) -> list[tuple[int, list[int], bytes]]:
    """Every row: its place, its parents and the bits of its partial derivatives."""
    found = []
    for part in parts:
        assert not isinstance(part, Step)
        rows = part.plain()
        start = 0
        for row, end in enumerate(rows.ends.tolist()):
            found.append((rows.first + row, rows.parents[start:end].tolist(), rows.partials[start:end].tobytes()))
            start = end
    return found


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a row of a loop: a parent that stays or one so many rows back, and what its partial follows."""

    back: int
    stays: bool
    value: int
    kind: str


def entries() -> st.SearchStrategy[Entry]:
    return st.builds(
        Entry,
        st.integers(0, 11),
        st.booleans(),
        st.integers(0, 3),
        st.sampled_from(["constant", "value", "value", "own"]),
    )


@dataclass(frozen=True, slots=True)
class Program:
    """A loop of rows, with iterations in which something differs."""

    loop: list[list[Entry]]
    iterations: int
    odd: frozenset[tuple[int, int]]
    cut: frozenset[int]
    special: dict[int, float]
    seed: int

    def write(self, tape: Tape) -> None:
        chance = np.random.default_rng(self.seed)
        first = tape.inputs(INPUTS)
        constants = chance.normal(size=4)
        place = first + INPUTS - 1
        for number in range(self.iterations):
            tape.open.turn(LOOP)
            values = chance.normal(size=4)
            values[0] = self.special.get(number, values[0])
            for row, listed in enumerate(self.loop[: -1 if number in self.cut else None]):
                if row % 3 == 1:
                    tape.open.turn(OTHER)
                parents = [1 + each.back % INPUTS if each.stays else max(1, place - each.back) for each in listed]
                own = chance.normal(size=len(listed))
                by = {"constant": constants, "value": values}
                slopes = [float(by[e.kind][e.value]) if e.kind in by else float(own[i]) for i, e in enumerate(listed)]
                if parents and (number, row) in self.odd:
                    parents[0] = 1 + (parents[0] + number) % INPUTS
                    slopes[-1] = float(number)
                place = tape.row(parents, slopes)
        tape.finish()


programs = st.builds(
    Program,
    loop=st.lists(st.lists(entries(), max_size=6), min_size=2, max_size=8),
    iterations=st.integers(3, 24),
    odd=st.frozensets(st.tuples(st.integers(0, 23), st.integers(0, 7)), max_size=4),
    cut=st.frozensets(st.integers(0, 23), max_size=2),
    special=st.dictionaries(
        st.integers(0, 23), st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0]), max_size=3
    ),
    seed=st.integers(0, 9),
)


@settings(max_examples=150, deadline=None)
@given(programs, st.sampled_from([3, 20, 10_000]), st.sampled_from([5, 60, 10_000]), st.integers(1, 12))
def test_rows_come_back_as_they_were_written(program: Program, full: int, waiting: int, apart: int) -> None:
    repeated, written = Tape(full=full, waiting=waiting, apart=apart), Tape(apart=NEVER)
    program.write(repeated)
    program.write(written)
    assert not any(isinstance(each, Turn) for each in written.parts)
    assert rows_of(repeated.parts) == rows_of(written.parts)
    one, other = (Sweeps.of(each.parts, each.size) for each in (repeated, written))
    seed = {repeated.size - 1: 1.0, repeated.size // 2 + 1: -0.5}
    with np.errstate(all="ignore"):
        assert np.nan_to_num(one.backward(seed)).tobytes() == np.nan_to_num(other.backward(seed)).tobytes()


def ranked(tape: Tape, iterations: int, odd: bool = False) -> None:
    """Rows like those of ranks on a graph: an edge's entries are by its weight, always alike, and by the last rank."""
    chance = np.random.default_rng(3)
    nodes = 40
    edges = [(node, chance.integers(0, nodes, 8).tolist()) for node in range(nodes)]
    weights = tape.inputs(8 * nodes)
    ranks, values = tape.inputs(nodes), chance.random(nodes)
    constants = chance.random((nodes, 8))
    for number in range(iterations):
        tape.open.turn(LOOP)
        places = []
        for node, sources in edges:
            parents = [
                place for at, source in enumerate(sources) for place in (weights + 8 * node + at, ranks + source)
            ]
            slopes = [slope for at, source in enumerate(sources) for slope in (values[source], constants[node, at])]
            if odd and node == number:
                parents[3], slopes[4] = 1, -1.0
            places.append(tape.row(parents, slopes))
        ranks, values = places[0], chance.random(nodes)
    tape.finish()


def made(iterations: int, *, odd: bool = False, apart: int = 1) -> Tape:
    tape = Tape(apart=apart)
    ranked(tape, iterations, odd)
    return tape


def test_a_further_iteration_takes_its_values_alone() -> None:
    few, many = made(20), made(60)
    assert many.bytes - few.bytes <= 40 * (40 + 1) * 8
    assert Sweeps.of(many.parts, many.size).entries == 60 * 40 * 16
    assert size_in_bytes(made(60, apart=NEVER).parts) > 5 * many.bytes


def test_few_entries_that_differ_do_not_end_a_pattern() -> None:
    tape = made(20, odd=True)
    turns = [each for each in tape.parts if isinstance(each, Turn)]
    assert len(turns) >= 18
    assert len({id(each.pattern) for each in turns}) == 1
    assert 0 < sum(len(each.odd.at) for each in turns) < 5 * len(turns)
    assert rows_of(tape.parts) == rows_of(made(20, odd=True, apart=NEVER).parts)


def test_both_forms_of_a_sweep_agree() -> None:
    tape = made(12, odd=True)
    stops = np.zeros(tape.size, np.bool_)
    stops[tape.size - 100 : tape.size - 90] = True
    met = set()
    for stop in (None, stops):
        found = []
        for sweep in (open_rows.swept, rows_in_python.swept):
            result = np.zeros(tape.size)
            result[:40] = 1.0
            for part in reversed(tape.parts):
                assert not isinstance(part, Step)
                if isinstance(part, Rows):
                    given_rows = part.first, part.ends, part.parents, None, part.partials
                    odd = NONE_ODD
                else:
                    index = None if part.groups is None else part.groups.index
                    given_rows = part.first, part.pattern.ends, part.pattern.parents, index, part.table()
                    odd = part.odd
                sweep(*given_rows, odd.at, odd.parents, odd.partials, stop, result)
            found.append(result.tobytes())
        assert found[0] == found[1]
        met.add(found[0])
    assert len(met) == 2


def test_other_readers_of_the_tape_find_the_same() -> None:
    one, other = (Sweeps.of(each.parts, each.size) for each in (made(12, odd=True), made(12, odd=True, apart=NEVER)))
    assert len(one.parts) > len(other.parts)
    last = one.size - 1
    for place in (last, last - 100, last - 250):
        assert one.row_of(place) == other.row_of(place)
    assert one.tainted(last).tobytes() == other.tainted(last).tobytes()
    cuts = [stopped(each, dict.fromkeys(range(last - 120, last - 80))).backward({last: 1.0}) for each in (one, other)]
    assert cuts[0].tobytes() == cuts[1].tobytes() != one.backward({last: 1.0}).tobytes()
    outputs, inputs = np.arange(last - 9, last + 1), np.arange(1, 361)
    between = [Between.of(each, outputs, inputs) for each in (one, other)]
    for name in ("ends", "users", "partials", "outputs", "inputs"):
        assert getattr(between[0], name).tobytes() == getattr(between[1], name).tobytes()


def test_steps_stand_between_turns() -> None:
    tapes = Tape(apart=1), Tape(apart=NEVER)
    for tape in tapes:
        ranked(tape, 6)
        first = tape.size - 3
        tape.step(2, [np.arange(first, first + 3)], lambda given: [np.full(3, given.sum())], "sum")
        ranked(tape, 6)
    turns, none = (sum(isinstance(each, Turn) for each in tape.parts) for tape in tapes)
    assert (turns >= 8, none) == (True, 0)
    one, other = (Sweeps.of(tape.parts, tape.size).backward({tape.size - 1: 1.0}) for tape in tapes)
    assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("rows", [open_rows.Rows, rows_in_python.Rows])
def test_marks_are_not_near_to_each_other(rows: type[rows_in_python.Rows]) -> None:
    open_ = rows(lambda: None, 1000, 6)
    for _ in range(10):
        open_.turn(20)
        open_.row([1], [1.0])
        open_.turn(3)
    assert open_.marks == [(3, 4), (20, 4), (3, 7), (20, 7), (3, 10), (20, 10)]
