"""Branches that are taken under a guard, taken back, and merged where they meet [decision 6: guards, not copies]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mlvet.frontends.python.interpretation.conditions import decided
from mlvet.frontends.python.interpretation.joining import BY_PATH, merged
from mlvet.frontends.python.interpretation.signals import PythonRaise
from mlvet.frontends.python.trail import MISSING, Delta
from mlvet.frontends.python.values.choices import Choice, Guard, conjoined
from mlvet.frontends.python.values.placements import DEVICE
from mlvet.ir.graph import Literal

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine


MODES = frozenset(("training",))
"""Attributes of library objects that no shape hangs on; where paths meet they stay as they were."""


FIRST = frozenset(("@value", DEVICE))
"""What tensors and devices are, by which others that hold them are joined."""


@dataclass(frozen=True, slots=True)
class Exit:
    """A way out of a function or loop: under which outcomes, with what value, and with what state."""

    guard: tuple[Literal, ...]
    value: Any
    delta: Delta | None


class Boundary:
    """A function call or loop, to whose end `return`, `break` and `continue` go."""

    __slots__ = ("depth", "exits", "machine", "mark")

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.mark = machine.trail.mark()
        self.depth = len(machine.path)
        self.exits: list[Exit] = []

    def leave(self, value: Any = None) -> None:
        """Leave here, on the path being taken."""
        guard = self.machine.path[self.depth :]
        self.exits.append(Exit(guard, value, self.machine.trail.since(self.mark) if guard else None))

    def close(self, alive: bool, value: Any = None) -> tuple[bool, Any]:
        """Where all ways out meet: whether any gets here, and the value of those that do.

        Outcomes that all of them share stay on the path: after `if bad: raise` it is known that not bad.
        """
        machine = self.machine
        ways = list(self.exits)
        if alive:
            guard = machine.path[self.depth :]
            ways.append(Exit(guard, value, machine.trail.since(self.mark) if ways else None))
        base = machine.path[: self.depth]
        if not ways:
            machine.path = base
            return False, None
        shared = tuple(literal for literal in ways[0].guard if all(literal in way.guard for way in ways[1:]))
        if len(ways) == 1:
            only = ways[0]
            if not alive and only.delta is not None:
                machine.trail.undo(self.mark)
                machine.trail.redo(only.delta)
            machine.path = base + only.guard
            return True, only.value
        deltas = [way.delta if way.delta is not None else Delta() for way in ways]
        if any(way.delta is None for way in ways):
            deltas = [way.delta or machine.trail.since(self.mark) for way in ways]
        machine.trail.undo(self.mark)
        machine.path = base + shared
        merge_states(machine, [(frozenset(way.guard), delta) for way, delta in zip(ways, deltas, strict=True)])
        return True, merged(machine, [(frozenset(way.guard), way.value) for way in ways])


def unless_all_raise(body: Callable[[], bool], *boundaries: Boundary) -> bool:
    """Whether statements get past their end; what raises on one path leaves those that went out before it."""
    try:
        return body()
    except PythonRaise:
        if not any(boundary.exits for boundary in boundaries):
            raise
        return False


def merge_states(machine: Machine, states: Sequence[tuple[Guard, Delta]]) -> None:
    """Write into every cell that some branch changed what it holds where the branches meet.

    A cell that only some of them fill counts as filled, and is remembered as one that perhaps is not.
    """
    touched: dict[tuple[int, Any], list[tuple[dict[Any, Any], Any, Any]]] = {}
    for _, delta in states:
        for place, cell in delta.after.items():
            touched.setdefault(place, []).append(cell)
    first = {place: held for place, held in touched.items() if isinstance(place[1], str) and place[1] in FIRST}
    for place, held in (first | touched).items():  # Joining others looks at what tensors and devices are.
        cells, key, only = held[0]
        before = cells.get(key, MISSING)
        if before is MISSING and (len(held) < len(states) or any(each is MISSING for _, _, each in held)):
            machine.perhaps.setdefault(id(cells), (cells, set()))[1].add(key)
        if key in MODES and before is not MISSING:
            continue
        alike = (before is MISSING or len(held) == len(states)) and not isinstance(only, BY_PATH)
        if alike and all(each is only for _, _, each in held):
            value = only
        else:
            after = [(guard, delta.after.get(place)) for guard, delta in states]
            value = merged(machine, [(guard, before if cell is None else cell[2]) for guard, cell in after])
        if value is not before:
            machine.trail.put(cells, key, value)


def fork(machine: Machine, branches: Sequence[tuple[Guard, Callable[[], Any]]]) -> Any:
    """The value of an expression that is evaluated differently under different guards."""
    machine.step()
    here = frozenset(machine.path)
    at = machine.at
    results: list[tuple[Guard, Any, Delta]] = []
    raised: list[tuple[Guard, Delta]] = []
    for guard, body in branches:
        if conjoined(here, guard) is None or any(decided(machine, literal) is False for literal in guard):
            continue
        machine.at = at
        mark, path = machine.trail.mark(), machine.path
        machine.path = path + tuple(literal for literal in guard if literal not in path)
        try:
            value = body()
            results.append((guard, value, machine.trail.since(mark)))
        except PythonRaise:
            raised.append((guard, machine.trail.since(mark)))
        finally:
            machine.trail.undo(mark)
            machine.path = path
    machine.at = at
    if not results:
        merge_states(machine, raised)
        raise PythonRaise(None)
    machine.forks += 1
    if len(results) == 1:
        machine.trail.redo(results[0][2])
        return results[0][1]
    merge_states(machine, [(guard, delta) for guard, _, delta in results])
    return merged(machine, [(guard, value) for guard, value, _ in results])


def distributed(machine: Machine, choice: Choice, then: Callable[[Any], Any]) -> Any:
    """What a function yields on a value that differs from path to path."""
    here = frozenset(machine.path)
    possible = [each for each in choice.alternatives if conjoined(here, each[0]) is not None]
    if len(possible) == 1:
        return then(possible[0][1])
    return fork(machine, [(guard, partial(then, value)) for guard, value in possible])
