"""What stands below the message of a finding: where each side came from, what is assumed, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix
from mlvet.core.location import Location


@dataclass(frozen=True, slots=True)
class Note:
    """One line: its label is `note` or `help`."""

    label: str
    text: str
    location: Location | None = None

    def __str__(self) -> str:
        place = f" ({self.location})" if self.location else ""
        return f"{self.label}: {self.text}{place}"


def notes(finding: Finding) -> Iterator[Note]:
    """The notes of a finding, in the order in which they are read: causes, assumptions, witnesses, cure."""
    for related in finding.related:
        yield Note("note", related.message, related.location)
    for assumption in finding.assumptions:
        yield Note("note", f"assuming {assumption.text}", assumption.location)
    if finding.evidence and finding.evidence.kind == "checkers":
        names = [_checker(entry) for entry in finding.evidence.data.get("checkers", ())]
        if names:
            yield Note("note", f"found by {_listed(names)}")
    if finding.fix:
        yield Note("help", f"{finding.fix.title}{how_to_apply(finding.fix)}")


def how_to_apply(fix: Fix) -> str:
    """The option that applies a fix, in brackets; empty for advice."""
    match fix.applicability:
        case Applicability.SAFE:
            return "   (apply with --fix)"
        case Applicability.UNSAFE:
            return f"   (apply with --unsafe-fixes: {fix.reason})"
        case Applicability.MANUAL:
            return ""


def _checker(entry: Mapping[str, Any]) -> str:
    code = entry.get("code")
    return f"{entry.get('name', '?')} ({code})" if code else str(entry.get("name", "?"))


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
