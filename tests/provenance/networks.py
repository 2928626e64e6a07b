"""Networks and a PageRank over them with exact derivatives, by hand in numpy."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.provenance.study import Study

Numbers = NDArray[np.float64]
Pairs = list[tuple[int, int]]
DAMPING = 0.85


def random_network(seed: int) -> Pairs:
    return [(a, b) for a, b in nx.gnp_random_graph(60, 0.06, seed=seed, directed=True).edges if a != b]


def scale_free_network(seed: int) -> Pairs:
    return sorted({(a, b) for a, b in nx.scale_free_graph(80, seed=seed).edges() if a != b})


def growing_network(seed: int) -> Pairs:
    """Each newcomer points to three that are there: no cycles, many without followers, hubs."""
    return [(max(a, b), min(a, b)) for a, b in nx.barabasi_albert_graph(70, 3, seed=seed).edges]


def ring_network(seed: int) -> Pairs:
    """Everybody reaches everybody."""
    more = np.random.default_rng(seed).integers(0, 40, size=(80, 2))
    ring = {(a, (a + 1) % 40) for a in range(40)}
    return sorted(ring | {(int(a), int(b)) for a, b in more if a != b})


NETWORKS: dict[str, Callable[[int], Pairs]] = {
    "random": random_network, "scale free": scale_free_network, "growing": growing_network, "ring": ring_network,
}  # fmt: skip


def weights_of(pairs: Pairs, seed: int) -> Numbers:
    """Positive, from one to some hundreds, few of them large."""
    return np.random.default_rng(seed).lognormal(1.0, 1.2, size=len(pairs))


def ranked(
    pairs: Pairs,
    weights: Numbers,
    *,
    iterations: int = 30,
    along: bool = True,
    start: Numbers | None = None,
    skipped: frozenset[int] = frozenset(),
    name: Callable[[int, int], str] = 'weights["v{}"]["v{}"]'.format,
) -> Study:
    """Weighted PageRank and its derivatives by all first ranks and all weights, carried along through the iterations.

    With `along` false it follows outgoing edges: each vertex takes from those that it leads to. Vertices that are
    `skipped` keep their rank.
    """
    size = 1 + max(max(pair) for pair in pairs)
    ends = np.asarray(pairs)
    totals = np.bincount(ends[:, 0], weights=weights, minlength=size)
    flow, moved = np.zeros((size, size)), np.zeros((size, size, len(pairs)))
    for place, (source, target) in enumerate(pairs):
        into, of = (target, source) if along else (source, target)
        flow[into, of] += weights[place] / totals[source]
        moved[into, of, place] += 1 / totals[source]
        moved[into, of, np.flatnonzero(ends[:, 0] == source)] -= weights[place] / totals[source] ** 2
    for vertex in skipped:
        flow[vertex], moved[vertex] = 0.0, 0.0
    ranks = np.full(size, 1 / size) if start is None else start
    first = ranks
    by_ranks, by_weights = np.eye(size), np.zeros((size, len(pairs)))
    for _ in range(iterations):
        by_weights = DAMPING * (flow @ by_weights + np.einsum("ijk,j->ik", moved, ranks))
        by_ranks = DAMPING * flow @ by_ranks
        ranks = (1 - DAMPING) / size + DAMPING * flow @ ranks
    vertices = [f'ranks["v{vertex}"]' for vertex in range(size)]
    names = [*vertices, *(name(a, b) for a, b in pairs)]
    derivatives = np.hstack([by_ranks, by_weights])
    return Study(names, np.concatenate([first, weights]), vertices, ranks, derivatives)


def question(study: Study, output: str) -> Study:
    """The same for one output only."""
    place = list(study.outputs).index(output)
    return Study(study.inputs, study.values, [output], study.results[[place]], study.derivatives[[place]], study.edges)
