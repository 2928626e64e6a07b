"""The suspicions of one program as findings, each slip once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mlvet.analyses.shapes.suspicions.accumulation import accumulation
from mlvet.analyses.shapes.suspicions.batch_axes import batch_axes
from mlvet.analyses.shapes.suspicions.broadcasts import broadcasts
from mlvet.analyses.shapes.suspicions.evaluation import evaluation, lasting_dropout
from mlvet.analyses.shapes.suspicions.freezing import late_freezing
from mlvet.analyses.shapes.suspicions.lineage import Lineage
from mlvet.analyses.shapes.suspicions.lone_classes import lone_classes
from mlvet.analyses.shapes.suspicions.optimisation import optimisation
from mlvet.analyses.shapes.suspicions.scores import halves_of_scores, misread_scores
from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.core.evidence import Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Catalogue
from mlvet.ir.graph import Graph
from mlvet.ir.program import Condition, Demands


def suspicions(graph: Graph, demands: Demands, rules: Catalogue, failing: Iterable[Location] = ()) -> Iterator[Finding]:
    """Findings of what is legal and looks like a slip.

    What leads to a place that is `failing`, or follows from it, is not suspected: the failure is told already.
    """
    told: set[object] = set()
    lineage = Lineage(graph)
    places = frozenset(failing)
    nodes = [node for node in lineage.nodes if node.location in places]
    before = lineage.origins(value for node in nodes for value in node.inputs if value is not None)
    after = {value for node in nodes for value in node.outputs}
    for each in _suspicions(lineage, demands):
        if each.about is not None and (each.about in before or not after.isdisjoint(lineage.origins([each.about]))):
            continue
        if (each.rule, each.key) not in told and (each.rule, each.location) not in told:
            told |= {(each.rule, each.key), (each.rule, each.location)}
            yield _finding(graph, each, demands.conditions, rules)


def _suspicions(lineage: Lineage, demands: Demands) -> Suspicions:
    yield from broadcasts(lineage)
    yield from lone_classes(lineage)
    yield from misread_scores(lineage, demands.events)
    yield from halves_of_scores(lineage, demands.events)
    yield from batch_axes(lineage)
    yield from accumulation(demands.events)
    yield from evaluation(lineage, demands.events)
    yield from lasting_dropout(demands.events)
    yield from optimisation(lineage, demands.events)
    yield from late_freezing(demands.events)


def _finding(graph: Graph, each: Suspicion, conditions: Mapping[str, Condition], rules: Catalogue) -> Finding:
    rule = rules[each.rule]
    path = [
        Related(f"on the path where {'' if literal.holds else 'not '}{known.text}", known.location)
        for literal in each.guards
        if (known := conditions.get(literal.condition)) is not None
    ]
    return Finding(
        rule=rule.name,
        code=rule.code,
        severity=rule.severity,
        certainty=Certainty.LIKELY,
        message=each.message,
        location=each.location or Location(graph.path),
        related=(*each.related, *path),
        evidence=Evidence("suspicion", each.seen),
    )
