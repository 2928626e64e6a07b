"""Whether a hazard hangs on an assumed range: it is looked for again within narrower ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from mlvet.analyses.numerics.assumptions.ranges import OURS, Assumed
from mlvet.analyses.numerics.hazard import Hazard
from mlvet.analyses.shapes.inference import Inference
from mlvet.domains.intervals import Interval
from mlvet.ir.graph import Graph, Node, Value
from mlvet.ir.slice import backward
from mlvet.ir.walk import within

LADDER = (1.0, 10.0, 100.0, 1e4, 1e8, 1e16)
"""The magnitudes to which ranges are narrowed."""
FEWEST = 3
"""So many analyses are run however long one takes."""
_MOST_ANALYSES = 48


class Found(Protocol):
    """What an analysis of a graph hands back."""

    @property
    def hazards(self) -> Sequence[Hazard]: ...


class Analyse(Protocol):
    """An analysis of a graph under assumed ranges."""

    def __call__(self, graph: Graph, inference: Inference, ranges: Mapping[Value, Assumed], /) -> Found: ...


@dataclass(frozen=True, slots=True)
class Dependence:
    """On what a hazard hangs: it vanishes when the elements of all `values` are at most `magnitude` in absolute value.

    Without a magnitude it stays even when every assumed range is cut to the smallest one. `values` is small if
    `minimal`; otherwise the number of analyses ran out before all that do not matter were told apart.
    """

    values: tuple[Value, ...] = ()
    magnitude: float | None = None
    minimal: bool = True

    @property
    def hangs(self) -> bool:
        return self.magnitude is not None


def narrowed(ranges: Mapping[Value, Assumed], values: Collection[Value], magnitude: float) -> dict[Value, Assumed]:
    """The ranges with those of these values, where they are our guesses, cut to the numbers up to a magnitude.

    A range that lies beyond it stays as it is.
    """
    box = Interval(-magnitude, magnitude)
    found = dict(ranges)
    for value in values:
        assumed = ranges.get(value)
        if assumed is None or assumed.origin not in OURS:
            continue
        cut = assumed.interval.meet(box)
        if not cut.empty:
            found[value] = Assumed(cut, assumed.origin, assumed.why)
    return found


def hangs_on(
    graph: Graph,
    inference: Inference,
    ranges: Mapping[Value, Assumed],
    hazards: Iterable[Hazard],
    analyse: Analyse,
    most_analyses: int = _MOST_ANALYSES,
) -> dict[Hazard, Dependence]:
    """What each hazard hangs on: the assumed values that it needs, and the largest step of the ladder without it.

    The ladder is climbed down with the ranges of all values that lead to the hazards, until every hazard has vanished;
    then, hazard by hazard, values are left out as long as it stays away. Only what leads to a hazard is analysed again.
    """
    search = _Search(graph, inference, ranges, analyse, most_analyses)
    wanted = list(hazards)
    origins = {hazard: search.origins(hazard) for hazard in wanted}
    together = dict.fromkeys(value for values in origins.values() for value in values)
    part = search.part(hazard.node for hazard in wanted)
    heights: dict[Hazard, float] = {}
    for magnitude in reversed(LADDER):
        waiting = [hazard for hazard in wanted if hazard not in heights and origins[hazard]]
        if not waiting:
            break
        if all(Interval(-magnitude, magnitude).covers(ranges[value].interval) for value in together):
            continue
        left = search.hazards(part, together, magnitude)
        heights.update((hazard, magnitude) for hazard in waiting if left is not None and _key(hazard) not in left)
    return {
        hazard: search.smallest(hazard, origins[hazard], heights[hazard]) if hazard in heights else Dependence()
        for hazard in wanted
    }


class _Search:
    """Analyses of parts of one graph under narrowed ranges, as many as are allowed."""

    def __init__(
        self, graph: Graph, inference: Inference, ranges: Mapping[Value, Assumed], analyse: Analyse, most: int
    ) -> None:
        self._graph = graph
        self._inference = inference
        self._ranges = ranges
        self._analyse = analyse
        self._left = max(most, FEWEST)
        self._in_body = {inner for node in graph.body.nodes for inner in (node, *within(node))}

    def part(self, nodes: Iterable[Node]) -> Graph:
        """What these nodes need, themselves included; all of the graph if one of them is in a function."""
        listed = list(nodes)
        if not self._in_body.issuperset(listed):
            return self._graph
        return backward(self._graph, [value for node in listed for value in (*node.outputs, *_operands(node))])

    def origins(self, hazard: Hazard) -> tuple[Value, ...]:
        """The values with a guessed range that lead to a hazard."""
        part = self.part([hazard.node])
        entering = (*part.inputs, *(parameter.value for parameter in part.parameters))
        return tuple(value for value in entering if value in self._ranges and self._ranges[value].origin in OURS)

    def hazards(self, part: Graph, values: Collection[Value], magnitude: float) -> set[tuple[object, ...]] | None:
        """The hazards that are left when these values are narrowed, None when no analysis is left."""
        if self._left <= 0:
            return None
        self._left -= 1
        found = self._analyse(part, self._inference, narrowed(self._ranges, values, magnitude))
        present = {_key(hazard) for hazard in found.hazards}
        return present | {_through(hazard) for hazard in found.hazards if not hazard.backward}

    def smallest(self, hazard: Hazard, values: tuple[Value, ...], magnitude: float) -> Dependence:
        """Leave out values in ever smaller groups, as long as narrowing the rest keeps the hazard away.

        What lies within the magnitude anyway is not narrowed, so that nothing hangs on it.
        """
        part = self.part([hazard.node])
        box = Interval(-magnitude, magnitude)
        kept = [value for value in values if not box.covers(self._ranges[value].interval)]
        size = (len(kept) + 1) // 2
        while size and len(kept) > 1:
            start = 0
            while start < len(kept) and len(kept) > 1:
                rest = kept[:start] + kept[start + size :]
                left = self.hazards(part, rest, magnitude) if rest else {_key(hazard)}
                if left is None:
                    return Dependence(tuple(kept), magnitude, minimal=False)
                if _key(hazard) in left:
                    start += size
                else:
                    kept = rest
            size = size // 2 if size > 1 else 0
        return Dependence(tuple(kept), magnitude)


def _key(hazard: Hazard) -> tuple[object, ...]:
    return hazard.node, hazard.rule, hazard.operand, hazard.backward


def _through(hazard: Hazard) -> tuple[object, ...]:
    """The key of a failure that a selection hides from the value, as seen where that selection is cut off."""
    return hazard.node, "gradient-through-where", hazard.operand, True


def _operands(node: Node) -> list[Value]:
    return [value for value in node.inputs if value is not None]
