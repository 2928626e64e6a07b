"""Demands that cannot be met: alone, or together with demands of other operators on the same path.

Demands that hang on symbols become claims for the solver, in the order in which the program makes them, so that the
one that makes the claims contradictory is of the operator that fails [ShapeTracer V-C]. Claims that share no symbol
cannot contradict one another and are solved apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from time import monotonic

from mlvet.domains.claims import Claim, Outcome
from mlvet.domains.dims import Symbol, symbol, symbols
from mlvet.domains.solver import Answer, Solver, Status
from mlvet.ir.graph import Literal
from mlvet.ir.program import Demand, Run, Setting

_MILLISECONDS = 300
"""The longest time for one question to the solver."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A demand that is not met, with the others that it cannot hold together with and the settings at their defaults.

    It holds on the path on which all of them are made; `also` are others of the same sizes on other paths. `taken` says
    what sizes are taken to be.
    """

    demand: Demand
    others: tuple[Demand, ...] = ()
    defaults: tuple[Setting, ...] = ()
    taken: tuple[str, ...] = ()
    also: tuple[Contradiction, ...] = ()

    @property
    def run(self) -> Run | None:
        return self.demand.within

    @property
    def assumed(self) -> tuple[str, ...]:
        """What must be so for all of these demands to be made, and what sizes are taken to be."""
        found = (*self.taken, *(each.constraint.assumed for each in (self.demand, *self.others)))
        return tuple(dict.fromkeys(each for each in found if each))

    @property
    def path(self) -> tuple[Literal, ...]:
        """The branch outcomes under which it fails."""
        runs = [self.run.guards] if self.run is not None else []
        guards = [each.node.guards for each in (self.demand, *self.others)]
        return tuple(dict.fromkeys(literal for each in (*guards, *runs) for literal in each))


@dataclass(slots=True)
class Figures:
    """How the demands were decided."""

    decided: int = 0
    checks: int = 0
    without_z3: int = 0
    undecided: int = 0

    @property
    def asked_z3(self) -> int:
        return self.checks - self.without_z3


@dataclass(slots=True)
class Search:
    """Contradictions among demands, within a number of seconds for all questions together."""

    settings: Mapping[str, Setting]
    seconds: float = 3.0
    figures: Figures = field(default_factory=Figures)
    _spent: float = 0.0

    def contradictions(self, demands: Sequence[Demand], groups: Iterable[list[Demand]]) -> Iterator[Contradiction]:
        """All contradictions in the order of the program: those of single demands, and those within a group of them."""
        order = {id(demand): place for place, demand in enumerate(demands)}
        found = [Contradiction(demand) for demand in demands if demand.constraint.decided is False]
        self.figures.decided += len(found)
        for group in groups:
            sure = [demand for demand in group if not demand.constraint.assumed]
            failing = list(self._together(sure))
            if len(sure) < len(group):
                guilty = {id(each.demand) for each in failing}
                failing += self._contradictory([each for each in group if id(each) not in guilty], ())
            found += failing
        yield from sorted(found, key=lambda each: order[id(each.demand)])

    def _together(self, group: list[Demand]) -> Iterator[Contradiction]:
        failing = list(self._contradictory(group, ()))
        yield from failing
        guilty = {id(each.demand) for each in failing}
        usual = tuple(self._with_default(group))
        if usual:
            yield from self._contradictory([each for each in group if id(each) not in guilty], usual)

    def _with_default(self, group: Iterable[Demand]) -> Iterator[Setting]:
        """The settings that demands hang on and that have a default."""
        for name in dict.fromkeys(found.name for demand in group for found in mentioned(demand)):
            setting = self.settings.get(name)
            if setting is not None and setting.default is not None:
                yield setting

    def _contradictory(self, group: Iterable[Demand], usual: tuple[Setting, ...]) -> Iterator[Contradiction]:
        solver = self.solver()
        for setting in usual:
            assert setting.default is not None
            solver.equal(symbol(setting.name, -inf, inf), setting.default, setting)
        for demand in group:
            if self._spent > self.seconds:
                self.figures.undecided += 1
                continue
            solver.push()
            self.inhabit(solver, demand)
            solver.add(claim(demand, demand))
            answer = self.asked(solver, outcomes(demand))
            if answer.status is Status.UNSAT:
                solver.pop()
                others = tuple(each for each in answer.core if isinstance(each, Demand) and each is not demand)
                yield Contradiction(demand, others, tuple(each for each in answer.core if isinstance(each, Setting)))

    def inhabit(self, solver: Solver, demand: Demand) -> None:
        """Sizes of operands that a user sets are at least 1: tensors without elements are no use of a program."""
        for tensor in demand.operands:
            for size in tensor.dims if tensor is not None and tensor.ranked else ():
                if any(each.name in self.settings for each in symbols(size)):
                    solver.at_least(size, 1, "sizes are at least 1", outcomes(demand))

    def solver(self) -> Solver:
        preferred = {each.name: each.default for each in self.settings.values() if each.default is not None}
        return Solver(milliseconds=_MILLISECONDS, preferred=preferred)

    def asked(self, solver: Solver, assumptions: Iterable[Outcome]) -> Answer:
        """What the solver says, counted; its values need not be small ones, which take more questions."""
        started = monotonic()
        before = solver.statistics.without_z3
        answer = solver.check(assumptions, small=False)
        self._spent += monotonic() - started
        self.figures.checks += 1
        self.figures.without_z3 += solver.statistics.without_z3 - before
        self.figures.undecided += answer.status is Status.UNKNOWN
        return answer


def components(demands: Iterable[Demand], varying: frozenset[str]) -> list[list[Demand]]:
    """The demands that hang on symbols, in groups that share none; equal ones are there once.

    Demands on symbols that stand for another size each time say nothing of one another, so they are left out.
    """
    above: dict[str, str] = {}
    open_demands: list[tuple[Demand, str]] = []
    seen: set[Hashable] = set()
    for demand in demands:
        constraint = demand.constraint
        if constraint.decided is not None or constraint.relation is None:
            continue
        key = (constraint.relation, constraint.left, constraint.right, demand.node.guards)
        if key in seen:
            continue
        seen.add(key)
        first, *rest = names = [found.name for found in mentioned(demand)]
        if not varying.isdisjoint(names):
            continue
        for name in rest:
            above[_top(above, name)] = _top(above, first)
        open_demands.append((demand, first))
    groups: dict[str, list[Demand]] = {}
    for demand, name in open_demands:
        groups.setdefault(_top(above, name), []).append(demand)
    return list(groups.values())


def _top(above: dict[str, str], name: str) -> str:
    """The symbol that stands for all that a symbol is joined with."""
    top = name
    while (next_up := above.setdefault(top, top)) != top:
        top = next_up
    while name != top:
        above[name], name = top, above[name]
    return top


def mentioned(demand: Demand) -> frozenset[Symbol]:
    """The symbols that a demand hangs on."""
    return symbols(demand.constraint.left) | symbols(demand.constraint.right)


def claim(demand: Demand, origin: Hashable) -> Claim:
    """A demand as a claim that holds on its path."""
    constraint = demand.constraint
    assert constraint.relation is not None
    return Claim(constraint.relation, constraint.left, constraint.right, origin, outcomes(demand))


def outcomes(demand: Demand) -> tuple[Outcome, ...]:
    """The branch outcomes under which a demand is made."""
    run = demand.within.guards if demand.within is not None else ()
    return tuple(dict.fromkeys((each.condition, each.holds) for each in (*demand.node.guards, *run)))
