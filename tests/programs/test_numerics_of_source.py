"""Pairs of training programs: one with a numerical bug on the line marked NUM, one without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlvet.analyses.numerics.request import NumericsRequest
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program

PAIRS = Path(__file__).parent / "pairs"
BUGGY = sorted(PAIRS.glob("*_buggy.py"))
FIXED = sorted(PAIRS.glob("*_fixed.py"))
MARK = "# NUM"


def findings(path: Path) -> list[Finding]:
    """What is said of the numbers of a program, without what is merely possible."""
    program = Program(path, Source(path.name, path.read_text()), PAIRS, numerics=NumericsRequest(witness_seconds=0.2))
    return [each for each in vet_program(program).findings if each.certainty.at_least(Certainty.LIKELY)]


def marked(path: Path) -> set[int]:
    return {number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith(MARK)}


def test_every_buggy_program_has_a_fixed_one() -> None:
    assert [path.name.replace("_buggy", "") for path in BUGGY] == [path.name.replace("_fixed", "") for path in FIXED]
    assert all(len(marked(path)) == 1 for path in BUGGY)
    assert not any(marked(path) for path in FIXED)


@pytest.mark.parametrize("path", BUGGY, ids=lambda path: path.stem)
def test_the_bug_is_found_on_its_line_and_nowhere_else(path: Path) -> None:
    found = findings(path)
    assert {(each.location.path, each.location.line) for each in found} == {(path.name, min(marked(path)))}
    assert all(each.code.startswith("NUM") for each in found)


@pytest.mark.parametrize("path", FIXED, ids=lambda path: path.stem)
def test_nothing_is_said_of_a_fixed_program(path: Path) -> None:
    assert [f"{each.location}: {each.message}" for each in findings(path)] == []


def test_a_message_has_the_names_of_the_program() -> None:
    [found] = findings(PAIRS / "torch_masked_mean_buggy.py")
    assert found.rule == "division-by-zero"
    assert found.message == "`/` divides by `count` in [0, 40], which reaches 0, so the result can be NaN or infinite"


def test_one_place_is_told_once_though_loops_and_calls_pass_it_often() -> None:
    found = findings(PAIRS / "torch_standardise_buggy.py")
    assert len(found) == 1
