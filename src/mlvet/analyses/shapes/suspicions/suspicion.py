"""A suspicion: what looks like a slip, at which operator or event of the program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mlvet.core.evidence import Related
from mlvet.core.location import Location
from mlvet.ir.graph import Literal, Value


@dataclass(frozen=True, slots=True)
class Suspicion:
    """The rule, the place, what was seen and what follows from it.

    `key` is the same for what is one slip; `about` is the value that it is seen in, if it is one.
    """

    rule: str
    location: Location | None
    message: str
    key: object
    guards: tuple[Literal, ...] = ()
    related: tuple[Related, ...] = ()
    seen: dict[str, str] = field(default_factory=dict)
    about: Value | None = None


Suspicions = Iterator[Suspicion]
