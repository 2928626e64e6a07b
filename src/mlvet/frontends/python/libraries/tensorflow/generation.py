"""Which TensorFlow a program is written for: a version that it asks for, or the generation whose names it uses."""

from __future__ import annotations

import re

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.interpretation.conditions import known_of

_SUBJECT = "tensorflow.__version__"
_NUMBERS = re.compile(r"(\d+)\.(\d+)")

Version = tuple[int, int]


def version() -> Version | None:
    """The version that the path being taken compares with, its first two numbers."""
    here = machine()
    possible, excluded = known_of(here, _SUBJECT, here.path)
    found = {_numbers(each) for each in (possible or frozenset()) - excluded}
    return found.pop() if len(found) == 1 else None


def is_first() -> bool:
    """Whether the program can only run with TensorFlow 1: it uses names that `tensorflow` itself has lost since."""
    known = version()
    if known is not None:
        return known < (2, 0)
    used = machine().generations
    return "tensorflow" in used and "tensorflow.compat.v1" not in used


def refused_before(change: Version) -> str | None:
    """When something is refused that is allowed since a version: None for never, else what must be so, "" if it is."""
    known = version()
    if known is not None:
        return "" if known < change else None
    if not is_first():
        return None
    return "" if change >= (2, 0) else f"TensorFlow is older than {change[0]}.{change[1]}"


def _numbers(text: object) -> Version | None:
    found = _NUMBERS.match(text) if isinstance(text, str) else None
    return (int(found[1]), int(found[2])) if found is not None else None
