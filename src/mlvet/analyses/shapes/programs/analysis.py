"""Shape findings of one program, and how they were come by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from mlvet.analyses.shapes.programs.contradictions import Contradiction, Search, components
from mlvet.analyses.shapes.programs.once import Once
from mlvet.analyses.shapes.programs.restrictions import Restriction, restrictions
from mlvet.analyses.shapes.programs.runs import Runs, distinct
from mlvet.analyses.shapes.programs.telling import ANNOTATION, Teller
from mlvet.core.finding import Finding
from mlvet.core.rule import Catalogue
from mlvet.ir.graph import Graph
from mlvet.ir.program import Demand, Demands


@dataclass(slots=True)
class Outcome:
    """The findings, and how many demands were decided how."""

    findings: list[Finding] = field(default_factory=list)
    figures: Counter[str] = field(default_factory=Counter)


def vet(graph: Graph, demands: Demands, rules: Catalogue, *, replays: bool = False) -> Outcome:
    """Find the demands of a program that cannot be met, and the settings that they leave little choice.

    With `replays` the evidence of a finding has the failing call as `confirmation` wants it.
    """
    search = Search(demands.settings)
    once = Once(graph)
    teller = Teller(graph, demands, rules, replays)
    outcome = Outcome()
    found: list[Contradiction] = []
    limited: list[Restriction] = []
    for part in _parts(graph, demands):
        groups = components(part, demands.varying)
        failing = list(search.contradictions(part, groups))
        found += once.new(sorted(failing, key=_is_annotation))
        guilty = {id(each.demand) for each in failing if not each.defaults}
        limited += restrictions([[each for each in group if id(each) not in guilty] for group in groups], search)
    outcome.findings = list(teller.findings(found, limited))
    figures = search.figures
    outcome.figures = Counter(
        demands=len(demands.all), checks=figures.checks + figures.decided,
        without_z3=figures.without_z3 + figures.decided, undecided=figures.undecided,
    )  # fmt: skip
    return outcome


def _is_annotation(found: Contradiction) -> bool:
    """Whether only an annotation is wrong; operators fail first."""
    return found.demand.constraint.rule == ANNOTATION


def _parts(graph: Graph, demands: Demands) -> Iterator[list[Demand]]:
    """Demands that must hold together: those of the program itself, and those of each run of its graph."""
    yield [demand for demand in demands.all if demand.within is None]
    if demands.runs:
        runs = Runs(graph, demands)
        for run in distinct(demands.runs):
            yield runs.demands(run)
