"""The shape findings of a program that is given as text."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from mlvet.core.finding import Finding
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program


def judged(text: str, path: Path) -> list[Finding]:
    """All shape findings, also those that are only possible, in the order of their places."""
    text = dedent(text)
    file = path / "program.py"
    file.write_text(text, encoding="utf-8")
    outcome = vet_program(Program(file, Source("program.py", text), path))
    return sorted(outcome.findings, key=lambda finding: finding.order)


def line_of(text: str, mark: str = "# HERE") -> int:
    """The line of a text that carries a mark."""
    (line,) = (number for number, each in enumerate(dedent(text).splitlines(), 1) if mark in each)
    return line
