"""Findings of one cause that are told as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.core.location import Location


def joined(findings: Sequence[Finding]) -> Finding:
    """The first of them, which names the places of the others and does with its fix what all of them do."""
    first, *others = findings
    if not others:
        return first
    lines = ", ".join(str(each.location.line) for each in others)
    related = (*first.related, *(Related(each.message, each.location) for each in others))
    assumptions = tuple(dict.fromkeys(one for each in findings for one in each.assumptions))
    message = f"{first.message}; the same holds for line{'s' if len(others) > 1 else ''} {lines}"
    return replace(first, message=message, related=related, assumptions=assumptions, fix=_all(findings))


def _all(findings: Sequence[Finding]) -> Fix | None:
    """What all fixes do, with edits if each of them has some; what they put at one place comes in their order."""
    fixes = [each.fix for each in findings if each.fix is not None]
    if not fixes:
        return None
    title = "; ".join(each.title for each in fixes)
    if len(fixes) < len(findings) or not all(each.edits for each in fixes):
        return Fix(title)
    contents: dict[Location, str] = {}
    for edit in (edit for each in fixes for edit in each.edits):
        contents[edit.location] = contents.get(edit.location, "") + edit.content
    least = next((each for each in fixes if each.applicability is not Applicability.SAFE), fixes[0])
    return Fix(title, tuple(Edit(*each) for each in contents.items()), least.applicability, least.reason)
