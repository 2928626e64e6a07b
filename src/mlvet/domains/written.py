"""Integers that remember where a program wrote them, so that a message can say 64*12*12 and an edit can replace it."""

from __future__ import annotations

from dataclasses import dataclass

from mlvet.core.location import Location


@dataclass(frozen=True, slots=True)
class Origin:
    """The expression that made an integer, and its place: `64*12*12` rather than 9216."""

    text: str
    location: Location | None = None

    @property
    def is_computed(self) -> bool:
        return not self.text.replace("_", "").isalnum()


class Int(int):
    """An integer with its origin. Arithmetic of Python on it yields plain integers."""

    origin: Origin

    def __new__(cls, value: int, origin: Origin) -> Int:
        self = super().__new__(cls, value)
        self.origin = origin
        return self

    def __getnewargs__(self) -> tuple[int, Origin]:  # type: ignore[override]
        return int(self), self.origin
