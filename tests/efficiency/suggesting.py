"""What the efficiency engine tells of a program given as text, and the program after the edits that it suggests."""

from __future__ import annotations

from pathlib import Path

from mlvet.analyses.efficiency.request import EfficiencyRequest
from mlvet.core.finding import Finding
from mlvet.core.fix import apply_edits
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program


def told(text: str, folder: Path, rule: str) -> list[Finding]:
    """The suggestions of one rule, in the order of the text."""
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    program = Program(path, Source(path.name, text), folder, shapes=False, efficiency=EfficiencyRequest())
    outcome = vet_program(program)
    assert outcome.problems == []
    assert outcome.notes == []
    return sorted((each for each in outcome.findings if each.rule == rule), key=lambda each: each.location.line or 0)


def lines(text: str, folder: Path, rule: str) -> list[int]:
    """The lines that a rule is told of."""
    return [each.location.line or 0 for each in told(text, folder, rule)]


def edited(text: str, found: list[Finding]) -> str:
    """The program after the edits of some findings, all of which must have some."""
    fixes = [each.fix for each in found if each.fix is not None]
    after, applied = apply_edits(text, fixes)
    assert applied == len(found)
    return after
