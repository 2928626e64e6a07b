"""Value numbering: which values of the graph are the same, because one operator makes them of the same values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from mlvet.analyses.efficiency.host.executions import node_effect
from mlvet.analyses.efficiency.host.facts import steady_node
from mlvet.ir.graph import OPAQUE, Graph, Node, Value

_MOST_ELEMENTS = 16
"""Constants up to this size are the same if their elements are."""


def equal_nodes(graph: Graph) -> Iterator[list[Node]]:
    """Nodes that yield the same as one another, in the order in which the program makes them.

    A node that draws, keeps something or is not known is like no other.
    """
    numbers: dict[Value, Hashable] = {}
    groups: dict[Hashable, list[Node]] = {}
    for node in graph.nodes():
        if node.op == OPAQUE or node.regions or not node.outputs:
            continue
        if not steady_node(node) or node_effect(node) != "pure":
            continue
        key = (node.op, _attributes(node), tuple(_number(each, numbers) for each in node.inputs))
        groups.setdefault(key, []).append(node)
        first = groups[key][0]
        for value, known in zip(node.outputs, first.outputs, strict=False):
            numbers[value] = known
    yield from (each for each in groups.values() if len(each) > 1)


def _number(value: Value | None, numbers: dict[Value, Hashable]) -> Hashable:
    """What stands for a value: the first that is the same, or its elements if they are few."""
    if value is None:
        return None
    if value in numbers:
        return numbers[value]
    elements = value.declared.value
    if elements is not None and elements.size <= _MOST_ELEMENTS:
        return repr(value.declared.dtype), elements.shape, repr(elements.tolist())
    return value


def _attributes(node: Node) -> Hashable:
    return tuple(sorted((name, repr(value)) for name, value in node.attributes.items()))
