"""Shape findings of one program, and how they were come by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mlvet.analyses.shapes.programs.contradictions import Contradiction, Search, components
from mlvet.analyses.shapes.programs.feeding import Feeding
from mlvet.analyses.shapes.programs.once import Once
from mlvet.analyses.shapes.programs.restrictions import Restriction, restrictions
from mlvet.analyses.shapes.programs.runs import Runs, distinct
from mlvet.analyses.shapes.programs.telling import ANNOTATION, Teller
from mlvet.analyses.shapes.programs.usual import Usual
from mlvet.core.finding import Finding
from mlvet.core.rule import Catalogue
from mlvet.ir.graph import Graph
from mlvet.ir.program import Demand, Demands


@dataclass(slots=True)
class Outcome:
    """The findings, the contradictions that the first of them tell of, and how many demands were decided how."""

    findings: list[Finding] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    figures: Counter[str] = field(default_factory=Counter)


def vet(graph: Graph, demands: Demands, rules: Catalogue, *, replays: bool = False) -> Outcome:
    """Find the demands of a program that cannot be met, and the settings that they leave little choice.

    With `replays` the evidence of a finding has the failing call as `confirmation` wants it.
    """
    search = Search(demands.settings)
    usual = Usual(demands.settings, demands.full, demands.last)
    teller = Teller(graph, demands, rules, replays)
    outcome = Outcome()
    found: list[Contradiction] = []
    limited: list[Restriction] = []
    for part in _parts(graph, demands):
        groups = components(part, demands.varying)
        failing = list(search.contradictions(part, groups))
        known = {id(each.demand) for each in failing}
        failing += usual.contradictions(each for each in part if id(each) not in known)
        found += failing
        guilty = {id(each.demand) for each in failing if not each.defaults}
        left = [[each for each in group if id(each) not in guilty and not each.constraint.assumed] for group in groups]
        limited += restrictions(left, search)
    places = {id(demand): place for place, demand in enumerate(demands.all)}
    found.sort(key=lambda each: (_is_secondary(each), _place(each, places)))
    once = Once(graph)
    told = once.new(found)
    guilty = {id(each.demand) for each in told}
    limited = [each for each in limited if id(each.demand) in guilty or not once.follows(each.demand)]
    outcome.contradictions = told
    outcome.findings = list(teller.findings(told, limited))
    if demands.placeholders:
        outcome.findings += Feeding(graph, demands, rules).findings(demands.runs)
    figures = search.figures
    outcome.figures = Counter(
        demands=len(demands.all), checks=figures.checks + figures.decided,
        without_z3=figures.without_z3 + figures.decided, undecided=figures.undecided,
    )  # fmt: skip
    return outcome


def _is_secondary(found: Contradiction) -> bool:
    """Whether only an annotation is wrong, or only some versions or machines refuse: what all refuse is told first."""
    demand = found.demand
    hangs_on_machine = bool(demand.devices and demand.node.guards)
    return demand.constraint.rule == ANNOTATION or bool(demand.constraint.assumed) or hangs_on_machine


def _place(found: Contradiction, places: Mapping[int, int]) -> tuple[int, int]:
    """When the program gets there: with the demand, or with the run that makes it."""
    if found.run is not None:
        return found.run.place, 0
    return places[id(found.demand)], 1


def _parts(graph: Graph, demands: Demands) -> Iterator[list[Demand]]:
    """Demands that must hold together: those of the program itself, and those of each run of its graph."""
    yield [demand for demand in demands.all if demand.within is None]
    if demands.runs:
        runs = Runs(graph, demands)
        for run in distinct(demands.runs):
            yield runs.demands(run)
