"""One layer of a graph at a time, by the references of its operators.

A layer is the nodes whose module it is. It yields the values that nodes of other layers, or the model's outputs, use.
"""

from __future__ import annotations

from collections.abc import Mapping
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


def _belongs(node: Node, layer: str) -> bool:
    return node.module == layer or node.module.startswith(f"{layer}/")
