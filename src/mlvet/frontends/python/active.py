"""The interpretation under way, so that library models read like the library and need not pass it along."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

_ACTIVE: ContextVar[Machine] = ContextVar("machine")


def machine() -> Machine:
    """The interpretation under way; library models run within one only."""
    return _ACTIVE.get()


@contextmanager
def interpreting(one: Machine) -> Iterator[Machine]:
    """Make an interpretation the one under way."""
    token = _ACTIVE.set(one)
    try:
        yield one
    finally:
        _ACTIVE.reset(token)


def store(cells: dict[Any, Any], key: Any, value: Any) -> None:
    """Change one cell of the program's state."""
    _ACTIVE.get().trail.write(cells, key, value)


def erase(cells: dict[Any, Any], key: Any) -> None:
    """Remove one cell of the program's state."""
    _ACTIVE.get().trail.erase(cells, key)
