"""The provenance graph of one or several answers: inputs, named values between, outputs, and what acts on what.

An input and an output can have the same name, as the first and the last `ranks["a"]` of a program have; they are two
vertices. A link whose name fits several vertices means, at its source, a value between, then an input, then an output;
at its target an output, then a value between.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mlvet.core.explanation import Explanation, Link, Vertex

INPUT, BETWEEN, OUTPUT = "input", "between", "output"


@dataclass(frozen=True, slots=True)
class Arrow:
    """A link between vertices that are known by their place in the graph."""

    source: int
    target: int
    derivative: float
    share: float


@dataclass(frozen=True, slots=True)
class Graph:
    vertices: tuple[Vertex, ...]
    arrows: tuple[Arrow, ...]


def graph_of(explanations: Iterable[Explanation]) -> Graph:
    """All answers as one graph; an answer without links of its own has one from each input to the output."""
    places: dict[tuple[str, str], int] = {}
    vertices: list[Vertex] = []
    arrows: dict[tuple[int, int], Arrow] = {}
    for explanation in explanations:
        drawn, links = _parts(explanation)
        for vertex in drawn:
            key = (vertex.kind, vertex.name)
            if key in places:
                known = vertices[places[key]]
                if vertex.share > known.share:
                    vertices[places[key]] = vertex
            else:
                places[key] = len(vertices)
                vertices.append(vertex)
        for link in links:
            if (ends := _ends(link, places)) is not None:
                arrow = Arrow(*ends, link.derivative, link.share)
                arrows[ends] = max(arrow, arrows.get(ends, arrow), key=lambda each: each.share)
    return Graph(tuple(vertices), tuple(arrows.values()))


def _parts(explanation: Explanation) -> tuple[Sequence[Vertex], Sequence[Link]]:
    output = Vertex(explanation.output, OUTPUT, explanation.value, 1.0)
    if explanation.links:
        drawn = {(_kind(each), each.name): _known(each) for each in (output, *explanation.vertices)}
        missing = [
            Vertex(name, BETWEEN, math.nan, 0.0)
            for name in dict.fromkeys(name for link in explanation.links for name in (link.source, link.target))
            if not any((kind, name) in drawn for kind in (INPUT, BETWEEN, OUTPUT))
        ]
        return [*drawn.values(), *missing], explanation.links
    inputs = [Vertex(each.input, INPUT, each.value, each.share) for each in explanation.influences]
    links = [Link(each.input, explanation.output, each.derivative, each.share) for each in explanation.influences]
    return [output, *inputs], links


def _kind(vertex: Vertex) -> str:
    return vertex.kind if vertex.kind in (INPUT, OUTPUT) else BETWEEN


def _known(vertex: Vertex) -> Vertex:
    return Vertex(vertex.name, _kind(vertex), vertex.value, vertex.share)


def _ends(link: Link, places: Mapping[tuple[str, str], int]) -> tuple[int, int] | None:
    sources = (INPUT, BETWEEN, OUTPUT) if link.source == link.target else (BETWEEN, INPUT, OUTPUT)
    source = next((places[kind, link.source] for kind in sources if (kind, link.source) in places), None)
    target = next((places[kind, link.target] for kind in (OUTPUT, BETWEEN) if (kind, link.target) in places), None)
    return None if source is None or target is None or source == target else (source, target)


def widest_path(graph: Graph, source: int) -> tuple[int, ...]:
    """The way from a vertex to an output whose narrowest link has the greatest share; empty if there is none."""
    after: dict[int, list[Arrow]] = {}
    for arrow in graph.arrows:
        after.setdefault(arrow.source, []).append(arrow)
    widths, came = {source: math.inf}, {source: source}
    pending = [(-math.inf, source)]
    while pending:
        width, at = heapq.heappop(pending)
        if -width < widths[at]:
            continue
        if graph.vertices[at].kind == OUTPUT and at != source:
            path = [at]
            while path[-1] != source:
                path.append(came[path[-1]])
            return tuple(reversed(path))
        for arrow in after.get(at, ()):
            narrow = min(widths[at], arrow.share)
            if narrow > widths.get(arrow.target, -1.0):
                widths[arrow.target], came[arrow.target] = narrow, at
                heapq.heappush(pending, (-narrow, arrow.target))
    return ()
