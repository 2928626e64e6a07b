"""The graph that a program works on, recovered from the names of its inputs: `weights["a"]["b"]` leads from a to b."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.provenance.names import Key, Name

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Pair = tuple[Key, Key]
Places = NDArray[np.intp]

_BACKWARDS = re.compile(
    r"(^|[._])(in|incoming|inbound|inlinks?|backlinks?|pred\w*|parents?|followers?|reversed?)([._]|$)", re.I
)
_DIRECTED = re.compile(r"graph|edge|link|weight|adj|network|follow|cit|out|succ|arc|trust|transition|vote", re.I)


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges of one variable: the place of each among the inputs (-1 if it is none), its source and its target.

    `directed` says that their direction is known; of an array `weights[3, 5]` and of names that need not be a graph's
    it is not. Edges of weight 0 are left out.
    """

    variable: str
    inputs: Places
    sources: Places
    targets: Places
    vertices: Mapping[Key, int]
    directed: bool
    paired: bool
    _keys: list[Key] = field(default_factory=list)

    def key(self, vertex: int) -> Key:
        return self._keys[vertex]

    def turned(self) -> Edges:
        """The same edges with sources for targets."""
        return Edges(
            self.variable, self.inputs, self.targets, self.sources, self.vertices, True, self.paired, self._keys
        )

    @property
    def out_degrees(self) -> Places:
        return np.bincount(self.sources, minlength=len(self.vertices))

    def matrix(self) -> csr_array:
        from scipy.sparse import csr_array

        size = len(self.vertices)
        return csr_array((np.ones(len(self.sources)), (self.sources, self.targets)), shape=(size, size))

    def one_way(self) -> NDArray[np.bool_]:
        """Edges that have no counterpart in the other direction, and do not lead to where they come from."""
        size = len(self.vertices)
        there, back = self.sources * size + self.targets, self.targets * size + self.sources
        return ~np.isin(there, back)


def edges_of(parts: Sequence[Name], values: NDArray[np.float64]) -> list[Edges]:
    """The graphs that the names of inputs spell, by variable; a common last key as `["weight"]` is overlooked."""
    members: dict[str, list[int]] = {}
    for place, part in enumerate(parts):
        if len(part.keys) in (2, 3) and values[place] != 0:
            members.setdefault(part.variable, []).append(place)
    return [found for variable, places in members.items() if (found := _edges(variable, places, parts)) is not None]


def _edges(variable: str, places: list[int], parts: Sequence[Name]) -> Edges | None:
    last = {part.keys[2] for place in places if len((part := parts[place]).keys) == 3}
    lengths = {len(parts[place].keys) for place in places}
    if len(lengths) > 1 or len(last) > 1 or any(not isinstance(key, str) for key in last):
        return None
    pairs = [(parts[place].keys[0], parts[place].keys[1]) for place in places]
    paired = any(parts[place].paired for place in places)
    if _BACKWARDS.search(variable):
        pairs = [(second, first) for first, second in pairs]
    return _built(variable, places, pairs, directed=not paired and bool(_DIRECTED.search(variable)), paired=paired)


def written_edges(pairs: Sequence[Pair]) -> Edges:
    """A graph whose edges are no inputs, but known."""
    return _built("edges", [-1] * len(pairs), pairs, directed=True, paired=False)


def _built(variable: str, places: list[int], pairs: Sequence[Pair], *, directed: bool, paired: bool) -> Edges:
    vertices: dict[Key, int] = {}
    ends = [(vertices.setdefault(a, len(vertices)), vertices.setdefault(b, len(vertices))) for a, b in pairs]
    both = np.asarray(ends, dtype=np.intp).reshape(-1, 2)
    inputs = np.asarray(places, dtype=np.intp)
    return Edges(variable, inputs, both[:, 0], both[:, 1], vertices, directed, paired, list(vertices))


def reached(matrix: csr_array, vertex: int) -> NDArray[np.bool_]:
    """Which vertices can be reached from one along edges, itself only if it lies on a cycle."""
    from scipy.sparse.csgraph import breadth_first_order

    found = np.zeros(matrix.shape[0], dtype=bool)
    order = breadth_first_order(matrix, vertex, return_predecessors=False)
    found[order] = True
    entered = np.zeros(matrix.shape[0], dtype=bool)
    entered[matrix[order, :].indices] = True
    return found & entered
