"""Whether outputs depend on what leads to their vertices, as they should, or on what these lead to.

Two facts decide, and neither has a threshold that a healthy program could come near. A value that flows along edges
can depend on a vertex only if that vertex reaches its own; a program that couples all vertices, by a common sum for
instance, makes an output depend on those upstream as well. So an output that depends on vertices downstream and on none
upstream runs against the edges. Such derivatives are exactly 0, not small: nothing ever reached them. And the weight
of an edge into a vertex acts on it, unless its source has no other edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.provenance.amplification import oriented
from mlvet.analyses.provenance.graph import Edges, reached
from mlvet.analyses.provenance.names import Key
from mlvet.analyses.provenance.study import Numbers, Study

NOTHING = 1e-12
"""Influence below this part of the whole is none."""
_OUTPUTS = 64
"""So many outputs are looked at: the direction of a program is that of all of them."""
_VOTES = 8
_MOST = 0.9


@dataclass(frozen=True, slots=True)
class Reversal:
    """Outputs that run against the edges; for the first of them, what it depends on and what it does not."""

    outputs: tuple[int, ...]
    looked_at: int
    vertex: Key
    depends_on: tuple[Key, ...]
    not_on: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """An output whose vertex has incoming edges, none of which acts on it; `sources` are where they come from."""

    output: int
    vertex: Key
    variable: str
    sources: tuple[Key, ...]


def graph_for(study: Study, edges: Edges) -> Edges | None:
    """The edges with their direction, if that is known; of an array the derivatives of the outputs tell it."""
    if not edges.paired:
        return edges if edges.directed else None
    turned = [oriented(study, edges, output) for output in range(min(len(study.outputs), _OUTPUTS))]
    known = [each for each in turned if each is not None]
    agreed = bool(known) and all(np.array_equal(each.sources, known[0].sources) for each in known)
    return known[0] if agreed else None


def reversal(study: Study, edges: Edges) -> Reversal | None:
    """The outputs that depend on vertices downstream and on none upstream, if nearly all do that can be told."""
    at = _vertices_of_outputs(study, edges)
    if not at:
        return None
    forward = edges.matrix()
    backward = forward.T.tocsr()
    against: list[tuple[int, int, NDArray[np.bool_], NDArray[np.bool_]]] = []
    along = 0
    sharing = _sharing(study, edges)
    for output, vertex in at:
        below, above = reached(forward, vertex), reached(backward, vertex)
        down, up = below & ~above, above & ~below & sharing
        if not below[vertex]:
            down[vertex] = True
        up[vertex] = False
        influence = _per_vertex(study, edges, output)
        if not up.any() or not down.any():
            continue
        if influence[up].any():
            along += 1
        elif influence[down].any():
            against.append((output, vertex, down & (influence > 0), up))
    if against and len(against) >= _MOST * (len(against) + along):
        output, vertex, on, off = max(against, key=lambda each: int(each[2].sum()))
        outputs = (output, *(each[0] for each in against if each[0] != output))
        on_keys, off_keys = _keys(edges, on), _keys(edges, off)
        return Reversal(outputs, len(against) + along, edges.key(vertex), on_keys, off_keys)
    return None if against or along else _voted(study, edges, at)


def _voted(study: Study, edges: Edges, at: list[tuple[int, int]]) -> Reversal | None:
    """Where all vertices reach one another: do outputs hang more on outgoing edges than on incoming ones?"""
    if len(at) < _VOTES or (edges.inputs < 0).any():
        return None
    telling = edges.one_way() & (edges.out_degrees[edges.sources] > 1)
    against, told = [], 0
    for output, vertex in at:
        influence = study.influence(output)[edges.inputs]
        into, out = telling & (edges.targets == vertex), telling & (edges.sources == vertex)
        if into.any() and out.any() and influence.sum() > 0:
            told += 1
            if influence[out].sum() > influence[into].sum():
                against.append((output, vertex, edges.targets[out], edges.sources[into]))
    if told < _VOTES or len(against) < _MOST * told:
        return None
    output, vertex, on, off = against[0]
    keys = [tuple(edges.key(int(each)) for each in ends) for ends in (on, off)]
    return Reversal(tuple(each[0] for each in against), told, edges.key(vertex), *keys)


def gaps(study: Study, edges: Edges) -> Iterator[Gap]:
    """Outputs that no incoming edge acts on, though one comes from a vertex with others to share with."""
    if (edges.inputs < 0).any():
        return
    degrees = edges.out_degrees
    for output, vertex in _vertices_of_outputs(study, edges):
        into = np.flatnonzero((edges.targets == vertex) & (edges.sources != vertex))
        telling = [place for place in into if degrees[edges.sources[place]] > 1]
        telling = [place for place in telling if _result(study, edges, output, int(edges.sources[place])) != 0]
        influence = study.influence(output)
        if telling and influence[edges.inputs[into]].sum() <= NOTHING * influence.sum():
            sources = tuple(dict.fromkeys(edges.key(int(edges.sources[place])) for place in telling))
            yield Gap(output, edges.key(vertex), edges.variable, sources)


def _result(study: Study, edges: Edges, output: int, vertex: int) -> float | None:
    """What the program computed for another vertex, if that is an output too: one that is 0 has nothing to give."""
    sought = (edges.key(vertex),)
    variable = study.ends[output].variable
    places = (place for place, end in enumerate(study.ends) if end.variable == variable and end.keys == sought)
    place = next(places, None)
    return None if place is None else float(study.results[place])


def _vertices_of_outputs(study: Study, edges: Edges) -> list[tuple[int, int]]:
    """Outputs that are values of one vertex, spread evenly if there are many."""
    found = [
        (place, edges.vertices[end.keys[0]])
        for place, end in enumerate(study.ends)
        if len(end.keys) == 1 and end.keys[0] in edges.vertices and np.isfinite(study.results[place])
    ]
    return found[:: -(-len(found) // _OUTPUTS)] if found else []


def _per_vertex(study: Study, edges: Edges, output: int) -> Numbers:
    """The influence of the inputs of each vertex: its own, and the weights of edges that leave it."""
    influence = study.influence(output)
    size = len(edges.vertices)
    known = edges.inputs >= 0
    total = np.bincount(edges.sources[known], weights=influence[edges.inputs[known]], minlength=size)
    own = [(edges.vertices[key], place) for place, key in study.vertex_inputs if key in edges.vertices]
    if own:
        vertices, places = np.asarray(own, dtype=np.intp).T
        total = total + np.bincount(vertices, weights=influence[places], minlength=size)
    return np.asarray(total, dtype=np.float64)


def _sharing(study: Study, edges: Edges) -> NDArray[np.bool_]:
    """Vertices whose inputs must act on what they lead to: those with a value, and those with two edges or more."""
    found = edges.out_degrees > 1 if (edges.inputs >= 0).all() else np.zeros(len(edges.vertices), dtype=bool)
    found[[edges.vertices[key] for _, key in study.vertex_inputs if key in edges.vertices]] = True
    return np.asarray(found)


def _keys(edges: Edges, chosen: NDArray[np.bool_]) -> tuple[Key, ...]:
    return tuple(edges.key(int(vertex)) for vertex in np.flatnonzero(chosen))
