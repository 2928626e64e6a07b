"""What is taken for granted where Python leaves it open: five classes, each with a switch of its own."""

from __future__ import annotations

from enum import StrEnum


class Speculation(StrEnum):
    """A class of things taken for granted, by the name of its switch."""

    ATTRIBUTE = "attribute"
    METHOD = "method-name"
    ELEMENTS = "uniform-elements"
    BRANCHES = "one-type"
    EFFECTS = "no-hidden-effect"

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]

    def about(self, text: str) -> str:
        """What is taken for granted of one expression, in words."""
        return _WORDS[self].format(text)


_MEANINGS = {
    Speculation.ATTRIBUTE: "reading an attribute or an item has no side effect and yields the same each time",
    Speculation.METHOD: "an object is what the well-known names of the methods called on it say",
    Speculation.ELEMENTS: "the elements of a list that becomes a tensor share one type",
    Speculation.BRANCHES: "branches yield values of one type",
    Speculation.EFFECTS: "input, output and calls of functions that are not known have no side effect on tensors",
}
_WORDS = {
    Speculation.ATTRIBUTE: "reading `{}` has no side effect and yields the same each time",
    Speculation.METHOD: "`{}` is a method of a tensor, as its name says",
    Speculation.ELEMENTS: "the elements of `{}` share one type",
    Speculation.BRANCHES: "`{}` has one type on every branch",
    Speculation.EFFECTS: "`{}` does not change its arguments",
}
