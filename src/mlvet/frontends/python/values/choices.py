"""A value that differs from path to path: one alternative for each set of branch outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlvet.ir.graph import Literal

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

Guard = frozenset[Literal]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Alternatives whose guards exclude one another. None of them is a choice itself."""

    alternatives: tuple[tuple[Guard, Any], ...]

    def __repr__(self) -> str:
        return " | ".join(f"{value!r} if {', '.join(map(str, guard))}" for guard, value in self.alternatives)


def conjoined(left: Guard, right: Guard) -> Guard | None:
    """Both guards at once, None if they exclude one another."""
    for literal in left:
        if Literal(literal.condition, not literal.holds) in right:
            return None
    return left | right


class NeedsChoice(Exception):
    """A library model read a value that differs from path to path; it is run once for each alternative then."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        super().__init__()


def resolved(choice: Choice, machine: Machine) -> Any:
    """The one alternative that the path being taken leaves; raises NeedsChoice if it leaves several."""
    settled = machine.settled.get(id(choice))
    if settled is not None:
        return settled[1]
    here = frozenset(machine.path)
    possible = [value for guard, value in choice.alternatives if conjoined(here, guard) is not None]
    if len(possible) == 1:
        return possible[0]
    raise NeedsChoice(choice)


@contextmanager
def settling(machine: Machine, choice: Choice, value: Any) -> Iterator[None]:
    """Within, a choice is one of its alternatives."""
    before = machine.settled.get(id(choice))
    machine.settled[id(choice)] = (choice, value)
    try:
        yield
    finally:
        if before is None:
            del machine.settled[id(choice)]
        else:
            machine.settled[id(choice)] = before
