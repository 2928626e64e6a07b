"""One report per defect: what follows from a reported contradiction, or repeats it, is left out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from mlvet.analyses.shapes.programs.contradictions import Contradiction
from mlvet.ir.graph import Graph, Literal, Node, Value
from mlvet.ir.program import Demand

_MOST = 20_000
"""The most values that are followed back."""


class Once:
    """Contradictions of one graph as they come, in the order of the program.

    A run ends where it fails first, so that a later contradiction is only told if it is on another path, or has nothing
    to do with the first: no tensor of the program is among the origins of both, and it is not of a layer that cannot be
    made.
    """

    def __init__(self, graph: Graph) -> None:
        self._constants = {constant.value for constant in graph.body.constants}
        self._makers = {value: node for node in graph.body.nodes for value in node.outputs}
        self._told: list[tuple[Contradiction, set[Hashable]]] = []
        self._also: dict[int, list[Contradiction]] = {}

    def new(self, contradictions: Iterable[Contradiction]) -> list[Contradiction]:
        """Those that tell something new, each with the other places that fail alike."""
        found = [each for each in contradictions if self._is_new(each)]
        return [replace(each, also=tuple(self._also.get(id(each), ()))) for each in found]

    def _is_new(self, found: Contradiction) -> bool:
        origins = self._origins(found)
        here = found.demand.node.location
        new = True
        for told, known in self._told:
            if here is not None and told.demand.node.location == here:
                new = False
            elif _is_same(told, found):
                new = False
                self._also.setdefault(id(told), []).append(found)
            elif (origins & known or _follows(found, told)) and not _exclude(told.path, found.path):
                new = False
        self._told.append((found, origins))
        return new

    def follows(self, demand: Demand) -> bool:
        """Whether a demand that can be met has a tensor in common with a contradiction that was told."""
        origins = self._origins(Contradiction(demand))
        return any(origins & known for _, known in self._told)

    def _origins(self, found: Contradiction) -> set[Hashable]:
        """The tensors that the failing operators, or what is fed to their run, are made of, and the models they are of.

        Constants are left out, for they say nothing of one another.
        """
        nodes: list[Node] = [each.node for each in (found.demand, *found.others)]
        pending = [value for node in nodes for value in (*node.inputs, *node.outputs) if value is not None]
        if found.run is not None:
            pending += (*found.run.execution.feeds, *found.run.given)
        seen: set[Value] = set()
        while pending and len(seen) < _MOST:
            value = pending.pop()
            if value in seen or value in self._constants:
                continue
            seen.add(value)
            maker = self._makers.get(value)
            if maker is not None and maker.op != "sizes":
                pending += [each for each in maker.inputs if each is not None]
        own = {value for value in seen if (maker := self._makers.get(value)) is None or maker.op != "sizes"}
        return own.union(found.demand.about)


def _left_behind(found: Contradiction) -> set[Hashable]:
    """The tensors that stayed on the CPU while others were moved, by where they were made; modules all as one."""
    places = [each for each in found.demand.devices if each.name == "cpu"]
    return {"modules" if each.born else each.location for each in places if each.location is not None}


def _follows(found: Contradiction, told: Contradiction) -> bool:
    """Whether a contradiction uses an object that could not be built, or what another was left behind with."""
    return told.demand.built in found.demand.given or bool(_left_behind(told) & _left_behind(found))


def _is_same(one: Contradiction, other: Contradiction) -> bool:
    """Whether two operators meet the same mismatch of the same shapes."""
    if one.demand.node.op != other.demand.node.op or not one.demand.node.inputs:
        return False
    return _mismatch(one.demand) == _mismatch(other.demand)


def _mismatch(demand: Demand) -> tuple[Hashable, ...]:
    constraint = demand.constraint
    return (constraint.left, constraint.right, constraint.because, *map(str, demand.operands))


def _exclude(one: Iterable[Literal], other: Iterable[Literal]) -> bool:
    """Whether no run takes both paths."""
    outcomes = {literal.condition: literal.holds for literal in one}
    return any(outcomes.get(literal.condition, literal.holds) != literal.holds for literal in other)
