"""One report per defect: what follows from a reported contradiction, or repeats it, is left out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from mlvet.analyses.shapes.programs.contradictions import Contradiction
from mlvet.core.location import Location
from mlvet.ir.graph import Graph, Node, Value
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
        self._told: list[tuple[Contradiction, Mapping[str, bool], set[Hashable]]] = []
        self._alike: dict[Hashable, list[Contradiction]] = {}
        self._places: set[Location] = set()
        self._also: dict[int, list[Contradiction]] = {}

    def new(self, contradictions: Iterable[Contradiction]) -> list[Contradiction]:
        """Those that tell something new, each with the other places that fail alike."""
        found = [each for each in contradictions if self._is_new(each)]
        return [replace(each, also=tuple(self._also.get(id(each), ()))) for each in found]

    def _is_new(self, found: Contradiction) -> bool:
        origins = self._origins(found)
        path = {literal.condition: literal.holds for literal in found.path}
        here, mismatch = found.demand.node.location, _mismatch(found.demand)
        elsewhere = [
            each for each in self._alike.get(mismatch, ()) if each.demand.node.location != here or here is None
        ]
        for told in elsewhere:
            self._also.setdefault(id(told), []).append(found)
        new = here not in self._places and not elsewhere and not self._is_ended(found, path, origins)
        self._told.append((found, path, origins))
        if mismatch is not None:
            self._alike.setdefault(mismatch, []).append(found)
        if here is not None:
            self._places.add(here)
        return new

    def _is_ended(self, found: Contradiction, path: Mapping[str, bool], origins: set[Hashable]) -> bool:
        """Whether a run that gets there fails before, on what this is made of too.

        Devices are another matter than shapes: a machine with a GPU meets the one, every machine the other.
        """
        given, left, lost = found.demand.given, _left_behind(found), _has_lost_its_tensor(found.demand)
        return any(
            (
                lost
                or told.demand.built in given
                or not known.isdisjoint(origins)
                or bool(left and left & _left_behind(told))
            )
            and bool(told.demand.devices) == bool(found.demand.devices)
            and not _exclude(outcomes, path)
            for told, outcomes, known in self._told
        )

    def follows(self, demand: Demand) -> bool:
        """Whether a demand that can be met has a tensor in common with a contradiction that was told."""
        origins = self._origins(Contradiction(demand))
        return any(not known.isdisjoint(origins) for _, _, known in self._told)

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


def _has_lost_its_tensor(demand: Demand) -> bool:
    """Whether it is of sizes alone, which may be those of any tensor that something failed to make."""
    return not demand.node.inputs and demand.constraint.rule == "rank-differs"


def _left_behind(found: Contradiction) -> set[Hashable]:
    """The tensors that stayed on the CPU while others were moved, by where they were made; modules all as one."""
    places = [each for each in found.demand.devices if each.name == "cpu"]
    return {"modules" if each.born else each.location for each in places if each.location is not None}


def _mismatch(demand: Demand) -> Hashable:
    """The operator with the shapes that do not fit, by which it is known that another meets the same; None without."""
    constraint = demand.constraint
    if not demand.node.inputs:
        return None
    return (
        demand.node.op, constraint.left, constraint.right, constraint.because, *map(str, demand.operands),
    )  # fmt: skip


def _exclude(one: Mapping[str, bool], other: Mapping[str, bool]) -> bool:
    """Whether no run takes both paths."""
    return any(other.get(condition, holds) != holds for condition, holds in one.items())
