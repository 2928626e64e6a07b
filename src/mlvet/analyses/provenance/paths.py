"""The provenance graph of one output: through which named values its inputs act.

A derivative by the nearest named values is found by a sweep that stops at named values: the rows of their places
count as empty. The graph is followed from the output backwards, strongest values first; values of one name are one
vertex.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.provenance.outputs import Output
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.core.explanation import Link, Vertex
from mlvet.runtime.provenance.inputs import Inputs, Path, written

_TARGETS = 60
_SOURCES = 8
_LEAST = 1e-3
"""Of the influence of all that arrives at a value, what a link must carry to be drawn."""


@dataclass(slots=True)
class Graph:
    vertices: dict[tuple[str, str], Vertex] = field(default_factory=dict)
    links: dict[tuple[str, str], Link] = field(default_factory=dict)

    def vertex(self, name: str, kind: str, value: float, share: float) -> None:
        known = self.vertices.get((kind, name))
        if known is None or share > known.share:
            self.vertices[kind, name] = Vertex(name, kind, value, share)

    def link(self, source: str, target: str, derivative: float, share: float) -> None:
        known = self.links.get((source, target))
        if known is None:
            self.links[source, target] = Link(source, target, derivative, share)
        else:
            self.links[source, target] = replace(known, share=known.share + share)


def stopped(sweeps: Sweeps, labels: Mapping[int, object]) -> Sweeps:
    """The same tape with the rows of labelled places left empty."""
    stops = np.zeros(sweeps.size, np.bool_)
    stops[[place for place in labels if place < sweeps.size]] = True
    return replace(sweeps, stops=stops)


def graph_of(
    output: Output, sweeps: Sweeps, cut: Sweeps, adjoint: NDArray[np.float64], inputs: Inputs,
    labels: Mapping[int, tuple[Path, float]],
) -> tuple[tuple[Vertex, ...], tuple[Link, ...]]:  # fmt: skip
    """Vertices and links around one output."""
    if not output.place:
        return (), ()
    graph = Graph()
    sources = {int(place): index for index, place in enumerate(inputs.all_places())}
    values = inputs.all_values()
    graph.vertex(output.name, "output", output.value, 1.0)
    pending = [(-1.0, -output.place)]
    met = {output.place}
    total = 0.0
    for _ in range(_TARGETS):
        if not pending:
            break
        place = -heapq.heappop(pending)[1]
        target = output.name if place == output.place else written(labels[place][0])
        direct = cut.backward(sweeps.row_of(place))
        found = [(at, float(direct[at])) for at in np.flatnonzero(direct).tolist() if at in labels or at in sources]
        strengths = [(abs(by * _value(at, labels, sources, values) * adjoint[place]), at, by) for at, by in found]
        arriving = sum(strength for strength, _, _ in strengths) or 1.0
        total = total or arriving
        for strength, at, by in heapq.nlargest(_SOURCES, strengths):
            if strength < _LEAST * arriving:
                continue
            share = min(1.0, strength / total)
            if at in sources:
                name = inputs.name(sources[at])
                graph.vertex(name, "input", float(values[sources[at]]), share)
            else:
                name = written(labels[at][0])
                graph.vertex(name, "between", labels[at][1], share)
                if at not in met:
                    met.add(at)
                    heapq.heappush(pending, (-share, -at))
            graph.link(name, target, by, share)
    return tuple(graph.vertices.values()), tuple(graph.links.values())


def _value(
    place: int, labels: Mapping[int, tuple[Path, float]], sources: Mapping[int, int], values: NDArray[np.float64]
) -> float:
    value = float(values[sources[place]]) if place in sources else labels[place][1]
    return value if np.isfinite(value) and value else 1.0
