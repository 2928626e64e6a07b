"""Limits that libraries set to plain arguments: sizes above 0, names among a few, fractions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlvet.frontends.python.emission import demand


def positive(what: str, *sizes: Any) -> None:
    """Sizes, where they are numbers, must be at least 1."""
    _at_least(1, what, sizes)


def not_negative(what: str, *sizes: Any) -> None:
    """Sizes, where they are numbers, must not be negative."""
    _at_least(0, what, sizes)


def one_of(what: str, name: Any, names: Iterable[str]) -> None:
    """A name, where it is one, must be among those that the library knows."""
    known = list(names)
    if isinstance(name, str):
        demand(name in known, f"{what} must be {' or '.join(map(repr, known))}, but is {name!r}")


def fraction(what: str, number: Any) -> None:
    """A number, where it is known, must be from 0 to 1."""
    if isinstance(number, int | float) and not isinstance(number, bool):
        demand(0 <= number <= 1, f"{what} must be from 0 to 1, but is {number}")


def _at_least(least: int, what: str, sizes: Iterable[Any]) -> None:
    for size in sizes:
        if isinstance(size, int) and not isinstance(size, bool):
            demand(size >= least, f"{what} must be at least {least}, but is {size}")
