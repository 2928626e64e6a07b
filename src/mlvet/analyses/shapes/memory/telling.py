"""The finding that training does not fit a device."""

from __future__ import annotations

from mlvet.analyses.shapes.memory.estimate import Contributor, Estimate, estimates
from mlvet.analyses.shapes.memory.sizes import written
from mlvet.core.evidence import Assumption, Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Catalogue
from mlvet.ir.graph import Graph
from mlvet.ir.program import Demands

RULE = "memory-exceeds-device"
_NAMED = 3
"""How many contributors a message names."""


def memory_findings(graph: Graph, demands: Demands, rules: Catalogue, device: int) -> tuple[list[Finding], list[str]]:
    """A finding for the step that needs most, if a device has less, and what kept other steps from an estimate."""
    found, notes = estimates(graph, demands)
    largest = max(found, key=lambda each: each.total, default=None)
    if largest is None or largest.total <= device:
        return [], notes
    return [_finding(largest, device, rules, graph.path)], notes


def _finding(estimate: Estimate, device: int, rules: Catalogue, path: str) -> Finding:
    rule = rules[RULE]
    first, *others = estimate.contributors[:_NAMED]
    shares = [f"{each.words}{_line(each)} {written(each.bytes)}" for each in (first, *others)]
    place = first.location or estimate.step.location or Location(path)
    related = [
        Related(f"{each.words}: {written(each.bytes)}", each.location) for each in others if each.location is not None
    ]
    if estimate.step.location is not None and estimate.step.location != place:
        related.append(Related("gradients are computed here", estimate.step.location))
    return Finding(
        rule=rule.name,
        code=rule.code,
        severity=rule.severity,
        certainty=Certainty.LIKELY,
        message=f"training needs about {written(estimate.total)} at its peak, the device has {written(device)}; "
        f"most goes to {', '.join(shares)}, so it runs out of memory",
        location=place,
        related=tuple(related),
        evidence=Evidence(
            "memory",
            {
                "estimate": estimate.total,
                "device": device,
                "parameters": estimate.parameters,
                "gradients": estimate.gradients,
                "optimiser": estimate.state,
                "activations": estimate.activations,
                "temporary": estimate.temporary,
            },
        ),
        assumptions=tuple(Assumption(text) for text in estimate.assumed),
    )


def _line(each: Contributor) -> str:
    return f" (line {each.location.line})" if each.location is not None else ""
