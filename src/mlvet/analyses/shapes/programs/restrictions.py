"""What a user may set: the values of an option for which every demand can be met, where these are few or regular."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from mlvet.analyses.shapes.programs.contradictions import Search, claim, mentioned, outcomes
from mlvet.domains.claims import Relation
from mlvet.domains.dims import Expr, Symbol, symbol
from mlvet.domains.solver import Status
from mlvet.ir.program import Demand, Setting

_MOST_VALUES = 3
"""More values than these are no list that a message can give."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """A setting that must be one of some values, or a multiple of a number, for a demand to be met."""

    setting: Setting
    demand: Demand
    values: tuple[int, ...] = ()
    multiple: int = 0

    @property
    def words(self) -> str:
        if self.multiple:
            return f"a multiple of {self.multiple}"
        return " or ".join(map(str, self.values))

    def allows(self, value: int) -> bool:
        return value % self.multiple == 0 if self.multiple else value in self.values


def restrictions(groups: Iterable[Sequence[Demand]], search: Search) -> Iterator[Restriction]:
    """The settings that groups of demands leave few values, or multiples of a number only."""
    for group in groups:
        for demand in group:
            for found in sorted(mentioned(demand), key=lambda each: each.name):
                setting = search.settings.get(found.name)
                told = None if setting is None else _restriction(setting, found, demand, group, search)
                if told is not None and not (told.setting.choices and all(map(told.allows, told.setting.choices))):
                    yield told


def _restriction(
    setting: Setting, found: Symbol, demand: Demand, group: Sequence[Demand], search: Search
) -> Restriction | None:
    multiple = _multiple(found, demand)
    if multiple > 1:
        return Restriction(setting, demand, multiple=multiple)
    if demand.constraint.relation not in (Relation.EQUAL, Relation.BROADCAST):
        return None
    values = _values(found, demand, group, search)
    return Restriction(setting, demand, values) if values else None


def _multiple(found: Symbol, demand: Demand) -> int:
    """The number of which a demand makes a symbol a multiple; 1 if it does not."""
    constraint = demand.constraint
    left, right = constraint.left, constraint.right
    if constraint.relation is not Relation.DIVISIBLE or not isinstance(right, int) or not isinstance(left, Expr):
        return 1
    if len(left.terms) != 1 or left.terms[0][0] != (found,):
        return 1
    return right // gcd(right, left.terms[0][1])


def _values(found: Symbol, demand: Demand, group: Sequence[Demand], search: Search) -> tuple[int, ...]:
    """All values that a symbol can have when demands up to this one are met, if they are few."""
    solver = search.solver()
    for other in group[: group.index(demand) + 1]:
        search.inhabit(solver, other)
        solver.add(claim(other, other))
    values: list[int] = []
    size = symbol(found.name, found.low, found.high)
    while len(values) <= _MOST_VALUES:
        answer = search.asked(solver, outcomes(demand))
        if answer.status is Status.UNSAT:
            return tuple(sorted(values))
        if answer.status is Status.UNKNOWN or found.name not in answer.model:
            return ()
        values.append(answer.model[found.name])
        solver.differ(size, values[-1], "another value")
    return ()
