"""One report per defect: what follows from a reported contradiction, or repeats it, is left out."""

from __future__ import annotations

from collections.abc import Iterable

from mlvet.analyses.shapes.programs.contradictions import Contradiction
from mlvet.ir.graph import Graph, Literal, Node, Value

_MOST = 20_000
"""The most values that are followed back."""


class Once:
    """Contradictions of one graph as they come, in the order of the program.

    A run ends where it fails first, so that a later contradiction is only told if it is on another path, or has nothing
    to do with the first: no tensor of the program is among the origins of both.
    """

    def __init__(self, graph: Graph) -> None:
        self._constants = {constant.value for constant in graph.body.constants}
        self._makers = {value: node for node in graph.body.nodes for value in node.outputs}
        self._told: list[tuple[Contradiction, set[Value]]] = []

    def new(self, contradictions: Iterable[Contradiction]) -> list[Contradiction]:
        """Those that tell something new."""
        return [each for each in contradictions if self._is_new(each)]

    def _is_new(self, found: Contradiction) -> bool:
        origins = self._origins(found)
        here = found.demand.node.location
        new = not any(
            (here is not None and told.demand.node.location == here)
            or (origins & known and not _exclude(told.path, found.path))
            for told, known in self._told
        )
        self._told.append((found, origins))
        return new

    def _origins(self, found: Contradiction) -> set[Value]:
        """The tensors that the failing operators, or what is fed to their run, are made of, constants left out."""
        nodes: list[Node] = [each.node for each in (found.demand, *found.others)]
        pending = [value for node in nodes for value in (*node.inputs, *node.outputs) if value is not None]
        if found.run is not None:
            pending += found.run.execution.feeds
        seen: set[Value] = set()
        while pending and len(seen) < _MOST:
            value = pending.pop()
            if value in seen or value in self._constants:
                continue
            seen.add(value)
            maker = self._makers.get(value)
            if maker is not None and maker.op != "sizes":
                pending += [each for each in maker.inputs if each is not None]
        return {value for value in seen if (maker := self._makers.get(value)) is None or maker.op != "sizes"}


def _exclude(one: Iterable[Literal], other: Iterable[Literal]) -> bool:
    """Whether no run takes both paths."""
    outcomes = {literal.condition: literal.holds for literal in one}
    return any(outcomes.get(literal.condition, literal.holds) != literal.holds for literal in other)
