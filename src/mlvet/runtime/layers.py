"""One layer of a graph at a time, by the references of its operators.

A layer is the nodes whose module it is. It yields the values that nodes of other layers, or the model's outputs, use.
Where values keep the names that they have in the file, a layer is what lies between the values that enter and leave it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mlvet.core.errors import UnsupportedInput
from mlvet.ir.graph import Graph, Node, Value
from mlvet.runtime.reference import evaluate_nodes


class LayerByLayer:
    """A graph, cut into its layers."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._stored = {each.value for each in graph.parameters} | {each.value for each in graph.body.constants}
        self._layer_of: dict[Value, str] = {value: node.module for node in graph.body.nodes for value in node.outputs}
        self._inputs = {value: value.name for value in graph.inputs}

    def run(self, layer: str, given: Mapping[str, Any], *, double: bool) -> list[Any]:
        """What a layer yields on arrays, named by the layers or inputs that they come from."""
        nodes = [node for node in self.graph.body.nodes if _belongs(node, layer)]
        if not nodes:
            raise UnsupportedInput(f"the graph has no operators for the layer `{layer}`")
        own = {value for node in nodes for value in node.outputs}
        entering = [value for value in self._used(nodes) if value not in own and value not in self._stored]
        wanted = self._leaving(own)
        return evaluate_nodes(self.graph, nodes, self._matched(entering, given, layer), wanted, double=double)

    def _used(self, nodes: list[Node]) -> list[Value]:
        return list(dict.fromkeys(value for node in nodes for value in node.inputs if value is not None))

    def _leaving(self, own: set[Value]) -> list[Value]:
        outside = {value for node in self.graph.body.nodes if not own & {*node.outputs} for value in node.inputs}
        outside |= {*self.graph.outputs}
        return [value for node in self.graph.body.nodes for value in node.outputs if value in own and value in outside]

    def _matched(self, entering: list[Value], given: Mapping[str, Any], layer: str) -> dict[Value, Any]:
        """Arrays for the values that enter, by name where the names say it, else in their order."""
        by_name = {value: self._inputs.get(value, self._layer_of.get(value, "")) for value in entering}
        if len(entering) == len(given) and {*by_name.values()} == {*given}:
            return {value: given[name] for value, name in by_name.items()}
        if len(entering) == len(given):
            return dict(zip(entering, given.values(), strict=True))
        raise UnsupportedInput(f"{len(entering)} values enter the layer `{layer}`, but {len(given)} are given")


def between(graph: Graph, given: Mapping[str, Any], wanted: Sequence[str], *, double: bool) -> list[Any]:
    """Values of a graph by name, computed from arrays for earlier ones."""
    values = {value.name: value for value in _values(graph)}
    missing = [name for name in (*given, *wanted) if name not in values]
    if missing or not wanted:
        raise UnsupportedInput(f"the graph has no value `{', '.join(missing)}`")
    known = {values[name] for name in given}
    stored = {each.value for each in graph.parameters} | {each.value for each in graph.body.constants}
    maker = {value: node for node in graph.body.nodes for value in node.outputs}
    needed: set[str] = set()
    pending = [values[name] for name in wanted]
    while pending:
        value = pending.pop()
        if value in known or value in stored:
            continue
        if value not in maker:
            raise UnsupportedInput(f"`{value.name}` is needed, which is not given")
        if maker[value].name not in needed:
            needed.add(maker[value].name)
            pending += [each for each in maker[value].inputs if each is not None]
    nodes = [node for node in graph.body.nodes if node.name in needed]
    entering = {values[name]: array for name, array in given.items()}
    return evaluate_nodes(graph, nodes, entering, [values[name] for name in wanted], double=double)


def _values(graph: Graph) -> Iterator[Value]:
    yield from graph.inputs
    for node in graph.body.nodes:
        yield from node.outputs


def _belongs(node: Node, layer: str) -> bool:
    return node.module == layer or node.module.startswith(f"{layer}/")
