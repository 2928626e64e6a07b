"""What a user may set: the values of an option for which every demand can be met, where these are few or regular."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from mlvet.analyses.shapes.programs.contradictions import Search, claim, mentioned, outcomes
from mlvet.domains.claims import Outcome, Relation
from mlvet.domains.dims import Expr, Symbol, symbol
from mlvet.domains.solver import Solver, Status
from mlvet.ir.program import Demand, Setting

_MOST_VALUES = 3
"""More values than these are no list that a message can give."""
_MOST_QUESTIONS = 60
"""The most questions to Z3 about the settings of one program; those that are left are undecided."""


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
    last = search.figures.asked_z3 + _MOST_QUESTIONS
    for group in groups:
        values = _Values(group, search, last)
        for demand in group:
            for found in sorted(mentioned(demand), key=lambda each: each.name):
                setting = search.settings.get(found.name)
                told = None if setting is None else _restriction(setting, found, demand, values)
                if told is not None and not (told.setting.choices and all(map(told.allows, told.setting.choices))):
                    yield told


def _restriction(setting: Setting, found: Symbol, demand: Demand, values: _Values) -> Restriction | None:
    multiple = _multiple(found, demand)
    if multiple > 1:
        return Restriction(setting, demand, multiple=multiple)
    if demand.constraint.relation not in (Relation.EQUAL, Relation.BROADCAST):
        return None
    few = values.left(found, demand)
    return Restriction(setting, demand, few) if few else None


def _multiple(found: Symbol, demand: Demand) -> int:
    """The number of which a demand makes a symbol a multiple; 1 if it does not."""
    constraint = demand.constraint
    left, right = constraint.left, constraint.right
    if constraint.relation is not Relation.DIVISIBLE or not isinstance(right, int) or not isinstance(left, Expr):
        return 1
    if len(left.terms) != 1 or left.terms[0][0] != (found,):
        return 1
    return right // gcd(right, left.terms[0][1])


class _Values:
    """The values that demands leave a symbol.

    More demands leave fewer values. So a symbol that has many when all of them are met has many at each of them, and
    the demand that leaves it few is found by halving.
    """

    def __init__(self, group: Sequence[Demand], search: Search, last: int) -> None:
        self.group, self.search, self.last = group, search, last
        self._places = {id(demand): place for place, demand in enumerate(group)}
        self._firsts: dict[tuple[str, tuple[Outcome, ...]], int] = {}

    def left(self, found: Symbol, demand: Demand) -> tuple[int, ...]:
        """All values that a symbol can have when demands up to this one are met, if they are few, told once."""
        assumed = outcomes(demand)
        key = found.name, assumed
        if key not in self._firsts:
            self._firsts[key] = self._first(found, assumed)
        place = self._places[id(demand)]
        if place < self._firsts[key]:
            return ()
        self._firsts[key] = len(self.group)
        return tuple(sorted(self._few(found, place, assumed) or ()))

    def _first(self, found: Symbol, assumed: tuple[Outcome, ...]) -> int:
        """The place of the first demand with which a symbol has few values."""
        low, high = 0, len(self.group)
        if self._few(found, high - 1, assumed) is None:
            return high
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._few(found, middle, assumed) is None else (low, middle)
        return low

    def _few(self, found: Symbol, place: int, assumed: tuple[Outcome, ...]) -> list[int] | None:
        """The values of a symbol when demands up to a place are met, None if they are many or not known."""
        some = self._some(found, self._solver(self.group[: place + 1]), assumed)
        return None if some is None or len(some) > _MOST_VALUES else some

    def _solver(self, demands: Iterable[Demand]) -> Solver:
        solver = self.search.solver()
        for demand in demands:
            self.search.inhabit(solver, demand)
            solver.add(claim(demand, demand))
        return solver

    def _some(self, found: Symbol, solver: Solver, assumed: Sequence[Outcome]) -> list[int] | None:
        """The values of a symbol, one more than are few at most; nothing if the solver cannot say."""
        if self.search.figures.asked_z3 > self.last:
            self.search.figures.undecided += 1
            return None
        values: list[int] = []
        size = symbol(found.name, found.low, found.high)
        solver.push()
        while len(values) <= _MOST_VALUES:
            answer = self.search.asked(solver, assumed)
            if answer.status is Status.UNSAT:
                break
            if answer.status is Status.UNKNOWN or found.name not in answer.model:
                solver.pop()
                return None
            values.append(answer.model[found.name])
            solver.differ(size, values[-1], "another value")
        solver.pop()
        return values
