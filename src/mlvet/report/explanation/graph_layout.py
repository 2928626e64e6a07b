"""Places for the vertices of a provenance graph: the output in the middle, what acts on it strongly near it.

Vertices begin on a spiral, those a step away and of great share innermost, and are then moved by springs along the
arrows and by a repulsion between all of them [Fruchterman and Reingold]. The same graph always looks the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mlvet.report.explanation.graph import OUTPUT, Graph

Numbers = NDArray[np.float32]

_STEPS, _FEWEST, _WORK = 200, 40, 12_000_000
"""Steps for a small and for a large graph, and the pairs of vertices that are looked at in all."""
_APART = 46.0
"""The distance that neighbours take if nothing pulls them."""
_ROOM = 4.0
_GOLDEN = math.pi * (3 - math.sqrt(5))
_WIDE = 1.25
"""The picture is wider than high by this."""
_AIR = 5.0
_ARROW = 84.0
"""The length of an arrow that neither pulls nor pushes."""


def places(graph: Graph, radii: Sequence[float]) -> list[tuple[float, float]]:
    """The centre of each vertex; no two circles overlap by much, and the first output stands at the origin."""
    count = len(graph.vertices)
    if not count:
        return []
    hops = _hops(graph)
    order = sorted(range(count), key=lambda each: (hops[each], -graph.vertices[each].share))
    x: Numbers = np.zeros(count, np.float32)
    y: Numbers = np.zeros(count, np.float32)
    for rank, vertex in enumerate(order):
        away = _APART * math.sqrt(rank + _ROOM * grown(count) ** 2) if rank else 0.0
        x[vertex], y[vertex] = away * math.cos(rank * _GOLDEN) * _WIDE, away * math.sin(rank * _GOLDEN)
    sizes = np.asarray(radii, np.float32)
    together = sizes[:, None] + sizes[None, :]
    free = np.ones(count, np.float32)
    free[order[0]] = 0.0
    inwards = 0.03 * grown(count) ** 2
    steps = max(_FEWEST, min(_STEPS, _WORK // count**2))
    for step in range(steps):
        dx, dy = _pushes(x, y, together)
        _pull(graph, x, y, sizes, dx, dy)
        dx, dy = dx - x * np.float32(inwards / _WIDE), dy - y * np.float32(inwards * _WIDE)
        length = np.maximum(np.sqrt(dx * dx + dy * dy), 1e-6)
        reach = free * np.minimum(length, np.float32(_APART * (1 - step / steps) + 0.5)) / length
        x, y = (x + dx * reach).astype(np.float32), (y + dy * reach).astype(np.float32)
    for _ in range(steps // 4):
        dx, dy = _apart(x, y, together)
        x, y = (x + dx * free).astype(np.float32), (y + dy * free).astype(np.float32)
    return [(float(a), float(b)) for a, b in zip(x, y, strict=True)]


def grown(count: int) -> float:
    """How much larger a graph of many vertices is drawn, and all in it that must be seen from afar."""
    return max(1.0, math.sqrt(count / 60))


def _hops(graph: Graph) -> list[int]:
    """How many arrows lead from a vertex to an output, at least."""
    before: dict[int, list[int]] = {}
    for arrow in graph.arrows:
        before.setdefault(arrow.target, []).append(arrow.source)
    hops = {place: 0 for place, vertex in enumerate(graph.vertices) if vertex.kind == OUTPUT}
    pending = list(hops)
    for vertex in pending:
        for source in before.get(vertex, ()):
            if source not in hops:
                hops[source] = hops[vertex] + 1
                pending.append(source)
    furthest = max(hops.values(), default=0) + 1
    return [hops.get(place, furthest) for place in range(len(graph.vertices))]


def _between(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    dx, dy = x[:, None] - x[None, :], y[:, None] - y[None, :]
    return dx, dy, np.maximum(np.sqrt(dx * dx + dy * dy), np.float32(0.5))


def _pushes(x: Numbers, y: Numbers, together: Numbers) -> tuple[Numbers, Numbers]:
    """What keeps all vertices apart, weaker with the distance between their circles."""
    dx, dy, away = _between(x, y)
    strength = np.float32(0.12 * _APART**2) / (np.maximum(away - 0.8 * together, np.float32(2.0)) * away)
    np.fill_diagonal(strength, 0.0)
    return np.einsum("ij,ij->i", dx, strength), np.einsum("ij,ij->i", dy, strength)


def _pull(graph: Graph, x: Numbers, y: Numbers, sizes: Numbers, dx: Numbers, dy: Numbers) -> None:
    """Add what draws the ends of arrows together, stronger with their share."""
    if not graph.arrows:
        return
    ends = np.array([(arrow.source, arrow.target) for arrow in graph.arrows], dtype=np.intp)
    shares = np.nan_to_num(np.array([arrow.share for arrow in graph.arrows], np.float32)).clip(0.0, 1.0)
    source, target = ends[:, 0], ends[:, 1]
    wx, wy = x[target] - x[source], y[target] - y[source]
    away = np.maximum(np.sqrt(wx * wx + wy * wy), np.float32(0.5))
    over = away - sizes[source] - sizes[target] - _ARROW * grown(len(sizes))
    pull = np.where(over > 0, over * (0.03 + 0.25 * np.sqrt(shares)), over * 1.5) / away
    for moved, way in ((dx, wx), (dy, wy)):
        np.add.at(moved, source, way * pull)
        np.add.at(moved, target, -way * pull)


def _apart(x: Numbers, y: Numbers, together: Numbers) -> tuple[Numbers, Numbers]:
    """A step that takes overlapping circles apart."""
    dx, dy, away = _between(x, y)
    lap = np.maximum(together + _AIR - away, 0.0) * np.float32(0.45) / away
    np.fill_diagonal(lap, 0.0)
    return np.einsum("ij,ij->i", dx, lap), np.einsum("ij,ij->i", dy, lap)
