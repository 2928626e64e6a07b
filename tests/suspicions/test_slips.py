"""Training programs with a slip that raises nothing, and the same programs put right.

`# told: RULE` stands above the line of the suggestion, `# instead: CODE` above a line that is CODE in the program that
is right, and `# add: CODE` where CODE is missing. Nothing else is said of either program.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mlvet.analyses.catalogue import catalogue
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted(FOLDER.glob("*.py"))
MARK = re.compile(r"^( *)# (told|instead|add): (.*)$")
RULES = {rule.name for rule in catalogue().values() if rule.code.startswith("SHP2")}


def findings(path: Path, text: str) -> list[Finding]:
    return vet_program(Program(path, Source(path.name, text), FOLDER)).findings


def expected(text: str) -> set[tuple[int, str]]:
    """The lines that are told, with their rules."""
    told: set[tuple[int, str]] = set()
    waiting: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        mark = MARK.match(line)
        if mark is None:
            told |= {(number, rule) for rule in waiting}
            waiting = set()
        elif mark[2] == "told":
            waiting.add(mark[3])
    return told


def put_right(text: str) -> str:
    right: list[str] = []
    instead = None
    for line in text.splitlines():
        mark = MARK.match(line)
        if mark is None:
            right.append(line if instead is None else instead)
            instead = None
        elif mark[2] == "instead":
            instead = mark[1] + mark[3]
        elif mark[2] == "add":
            right.append(mark[1] + mark[3])
    return "\n".join(right) + "\n"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_slip_is_told_on_its_line_and_nowhere_else(path: Path) -> None:
    text = path.read_text()
    found = findings(path, text)
    assert {(each.location.line, each.rule) for each in found} == expected(text) != set()
    assert all(each.certainty is Certainty.LIKELY and each.severity is Severity.SUGGESTION for each in found)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_nothing_is_said_of_the_program_put_right(path: Path) -> None:
    text = path.read_text()
    right = put_right(text)
    assert right != text
    compile(right, path.name, "exec")
    assert [f"{each.location}: {each.message}" for each in findings(path, right)] == []


def test_every_rule_has_programs() -> None:
    told = [rule for path in PROGRAMS for _, rule in expected(path.read_text())]
    assert {rule: told.count(rule) for rule in RULES if told.count(rule) < 2} == {}
