"""Marks for programs: which values are inputs and outputs of an explanation.

    ranks = mlvet.provenance.input(ranks, "ranks")
    ...
    mlvet.provenance.output(ranks, "result")

In an ordinary run both give back the value and do nothing else. `mlvet why` takes what they mark.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Value = TypeVar("Value")
_marking: list[Callable[[Any, tuple[Any, ...]], Any]] = []
OUTPUTS: dict[str, Any] = {}
"""What the program has marked as outputs, in a replay."""


def input(value: Value, name: str = "input") -> Value:
    """The value; in a replay every number in it is an input, named by `name` and its place in the value."""
    return _marking[0](value, (name,)) if _marking else value


def output(value: Value, name: str = "output") -> Value:
    """The value; in a replay `mlvet why --of NAME` finds it."""
    if _marking:
        OUTPUTS[name] = value
    return value


def replayed(marked: Callable[[Any, tuple[Any, ...]], Any]) -> None:
    """From now on marks have a meaning: this process replays a program."""
    _marking[:] = [marked]
