"""Cures: text edits that can be applied, and advice that cannot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mlvet.core.location import Location
from mlvet.core.source import split_lines


class Applicability(StrEnum):
    """`safe` keeps the meaning of the program; `unsafe` may change it; `manual` is advice for a person."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text at `location` (a span, possibly empty) by `content`."""

    location: Location
    content: str

    def to_json(self) -> dict[str, Any]:
        return {"location": self.location.to_json(), "content": self.content}


@dataclass(frozen=True, slots=True)
class Fix:
    """A cure in words, with the edits that carry it out; `reason` says why an unsafe one is unsafe."""

    title: str
    edits: tuple[Edit, ...] = ()
    applicability: Applicability = Applicability.MANUAL
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.applicability is Applicability.MANUAL) == bool(self.edits):
            raise ValueError("a fix has edits exactly when it can be applied")
        if self.applicability is Applicability.UNSAFE and not self.reason:
            raise ValueError("an unsafe fix says why it is unsafe")

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "applicability": self.applicability.value,
            "reason": self.reason,
            "edits": [edit.to_json() for edit in self.edits],
        }


def offset_of(lines: list[str], line: int, column: int) -> int:
    """Offset in the joined text of a 1-based line and column; `lines` keep their line ends."""
    return sum(len(text) for text in lines[: line - 1]) + column - 1


def apply_edits(text: str, fixes: Iterable[Fix]) -> tuple[str, int]:
    """The text after the fixes, and how many were applied.

    A fix is applied whole or not at all; one that overlaps an earlier one is left for the next round.
    Identical edits of two fixes are made once.
    """
    lines = split_lines(text)
    chosen: dict[tuple[int, int], str] = {}
    applied = 0
    for fix in fixes:
        spans = {_span(lines, edit): edit.content for edit in fix.edits}
        if spans and all(_compatible(chosen, span, content) for span, content in spans.items()):
            chosen.update(spans)
            applied += 1
    for (start, end), content in sorted(chosen.items(), reverse=True):
        text = text[:start] + content + text[end:]
    return text, applied


def _span(lines: list[str], edit: Edit) -> tuple[int, int]:
    where = edit.location
    if where.line is None or where.column is None or where.end_line is None or where.end_column is None:
        raise ValueError(f"an edit needs a whole span, not {where}")
    return offset_of(lines, where.line, where.column), offset_of(lines, where.end_line, where.end_column)


def _compatible(chosen: dict[tuple[int, int], str], span: tuple[int, int], content: str) -> bool:
    if span in chosen:
        return chosen[span] == content
    start, end = span
    return all(end <= other_start or other_end <= start for other_start, other_end in chosen)
