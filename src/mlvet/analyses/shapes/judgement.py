"""From what inference found to findings: the words, the places, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterator

from mlvet.analyses.place import place, source_line
from mlvet.analyses.shapes.inference import Demand, Disagreement, Inference
from mlvet.analyses.shapes.wording import broken
from mlvet.core.evidence import Assumption, Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Catalogue, Rule
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Graph, Node, Value
from mlvet.ops.require import Constraint

DECLARED = "declared-shape-differs"


def findings(graph: Graph, inference: Inference, rules: Catalogue) -> Iterator[Finding]:
    """One finding per node and rule that it violates, and one per value that the file declares wrongly."""
    if not inference.violated and not inference.disagreements:
        return
    born = {value: node for node in graph.nodes() for value in node.outputs}
    first = {(demand.node, demand.constraint.rule): demand for demand in reversed(inference.violated)}
    for demand in reversed(first.values()):
        yield _finding(graph, demand, rules[demand.constraint.rule], inference, born)
    for disagreement in inference.disagreements:
        yield _declared(graph, disagreement, rules[DECLARED])


def _finding(graph: Graph, demand: Demand, rule: type[Rule], inference: Inference, born: dict[Value, Node]) -> Finding:
    node, constraint = demand.node, demand.constraint
    operands = ", ".join("nothing" if tensor is None else str(tensor) for tensor in demand.operands)
    return Finding(
        rule=rule.name,
        code=rule.code,
        severity=rule.severity,
        certainty=Certainty.LIKELY if demand.assumed else Certainty.PROVED,
        message=f"`{node.source_op}` gets {operands}; {broken(constraint)}, so it cannot run",
        location=place(graph, node),
        related=(*source_line(graph, node), *_origins(graph, node, inference, born)),
        evidence=Evidence("constraint", {"operator": node.op, **_sides(constraint), "operands": operands.split(", ")}),
        assumptions=_assumptions(demand.assumed, graph),
    )


def _sides(constraint: Constraint) -> dict[str, str]:
    if constraint.relation is None:
        return {}
    return {"left": str(constraint.left), "right": str(constraint.right), "relation": constraint.relation.value}


def _origins(graph: Graph, node: Node, inference: Inference, born: dict[Value, Node]) -> Iterator[Related]:
    """Where each operand comes from."""
    for value in dict.fromkeys(value for value in node.inputs if value is not None):
        tensor = inference.type_of(value)
        source = born.get(value)
        if source is None:
            yield Related(f"`{value.name}` is {_plain(tensor)}", Location(graph.path))
        else:
            yield Related(f"`{value.name}` is {_plain(tensor)}, made by `{source.source_op}`", place(graph, source))


def _plain(tensor: Tensor) -> str:
    return str(tensor.without_value())


def _declared(graph: Graph, disagreement: Disagreement, rule: type[Rule]) -> Finding:
    value, node = disagreement.value, disagreement.node
    return Finding(
        rule=rule.name,
        code=rule.code,
        severity=rule.severity,
        certainty=Certainty.LIKELY if disagreement.assumed else Certainty.PROVED,
        message=f"the file declares `{value.name}` as {value.declared}, but `{node.source_op}` yields "
        f"{_plain(disagreement.inferred)}, so whoever relies on the declaration goes wrong",
        location=place(graph, node),
        evidence=Evidence("declaration", {"declared": str(value.declared), "inferred": _plain(disagreement.inferred)}),
        assumptions=_assumptions(disagreement.assumed, graph),
    )


def _assumptions(values: frozenset[Value], graph: Graph) -> tuple[Assumption, ...]:
    ordered = sorted(values, key=lambda value: value.name)
    return tuple(
        Assumption(f"`{value.name}` is {value.declared}, as the file says", Location(graph.path)) for value in ordered
    )
