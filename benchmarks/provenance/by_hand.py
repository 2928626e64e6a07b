"""What one would write by hand: PageRank's gradients in SciPy, JAX and torch, all pairs by SciPy, tainting.

    python -m benchmarks.provenance.by_hand WAY GRAPH ITERATIONS ANSWER OUTPUT...

WAY is scipy, jax, torch (the derivatives of each output by first ranks and shares of edges), blocks (those of all
outputs by all first ranks), bitsets or sets (which first ranks an output hangs on). Seconds of the processor and of the
clock go to the file ANSWER, with the derivatives beside it as an array.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

DAMPING = 0.85
REPEATED = 9


class Graph:
    """The graph of a file as arrays, nodes and edges in the order of the example programs."""

    def __init__(self, path: str) -> None:
        sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "provenance"))
        from graphs import read_graph

        self.graph: dict[str, dict[str, float]] = read_graph(path)
        self.number = {node: index for index, node in enumerate(self.graph)}
        edges = [(self.number[v], self.number[u]) for v, targets in self.graph.items() for u in targets]
        self.source = np.array([v for v, _ in edges])
        self.target = np.array([u for _, u in edges])
        self.shares = 1.0 / np.bincount(self.source, minlength=len(self.number))[self.source]
        self.first = np.full(len(self.number), 1.0 / len(self.number))
        self.base = (1 - DAMPING) / len(self.number)


def by_scipy(graph: Graph, iterations: int) -> Callable[[int], Any]:
    """The adjoint; the forward pass is part of what a question needs only once."""
    from scipy import sparse

    size = len(graph.first)
    forward = sparse.csr_array((graph.shares, (graph.target, graph.source)), shape=(size, size))
    backward = sparse.csr_array(forward.T)
    ranks = [graph.first]
    for _ in range(iterations):
        ranks.append(graph.base + DAMPING * (forward @ ranks[-1]))

    def answer(output: int) -> Any:
        adjoint = np.zeros(size)
        adjoint[output] = 1.0
        shares = np.zeros(len(graph.source))
        for before in reversed(ranks[:-1]):
            shares += adjoint[graph.target] * before[graph.source]
            adjoint = DAMPING * (backward @ adjoint)
        return np.concatenate([adjoint, DAMPING * shares])

    return answer


def by_jax(graph: Graph, iterations: int) -> Callable[[int], Any]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    source, target, size = jnp.asarray(graph.source), jnp.asarray(graph.target), len(graph.first)

    def last(first: Any, shares: Any, output: Any) -> Any:
        def step(_: Any, ranks: Any) -> Any:
            return graph.base + DAMPING * jax.ops.segment_sum(shares * ranks[source], target, size)

        return jax.lax.fori_loop(0, iterations, step, first)[output]

    gradient = jax.jit(jax.grad(last, argnums=(0, 1)))
    first, shares = jnp.asarray(graph.first), jnp.asarray(graph.shares)

    def answer(output: int) -> Any:
        return np.concatenate([np.asarray(each) for each in gradient(first, shares, output)])

    return answer


def by_torch(graph: Graph, iterations: int) -> Callable[[int], Any]:
    """The whole gradient, or the backward pass alone of a graph that is kept, as a further question would."""
    import torch

    torch.set_num_threads(1)
    first = torch.tensor(graph.first, requires_grad=True)
    shares = torch.tensor(graph.shares, requires_grad=True)
    source, target = torch.tensor(graph.source), torch.tensor(graph.target)
    ranks = first
    for _ in range(iterations):
        gathered = torch.zeros(len(graph.first), dtype=torch.float64).index_add(0, target, shares * ranks[source])
        ranks = graph.base + DAMPING * gathered

    def answer(output: int) -> Any:
        found = torch.autograd.grad(ranks[output], (first, shares), retain_graph=True)
        return np.concatenate([each.numpy() for each in found])

    return answer


def blocks(graph: Graph, iterations: int) -> tuple[float, Any]:
    """All derivatives by first ranks, in blocks of outputs; the sum of their magnitudes per output."""
    from scipy import sparse

    size, width = len(graph.first), 64
    backward = sparse.csr_array((graph.shares, (graph.source, graph.target)), shape=(size, size)) * DAMPING
    sums = np.zeros(size)
    for start in range(0, size, width):
        adjoint = np.zeros((size, min(width, size - start)))
        adjoint[np.arange(start, start + adjoint.shape[1]), np.arange(adjoint.shape[1])] = 1.0
        for _ in range(iterations):
            adjoint = backward @ adjoint
        sums[start : start + adjoint.shape[1]] = np.abs(adjoint).sum(0)
    return float(sums.sum()), sums


def tainted(graph: Graph, iterations: int, way: str) -> tuple[float, Any]:
    """How many first ranks each output hangs on, by sets or by the bits of integers."""
    sources: list[list[int]] = [[] for _ in graph.first]
    for source, target in zip(graph.source.tolist(), graph.target.tolist(), strict=True):
        sources[target].append(source)
    if way == "bitsets":
        bits = [1 << index for index in range(len(sources))]
        for _ in range(iterations):
            before = bits
            bits = []
            for nodes in sources:
                found = 0
                for node in nodes:
                    found |= before[node]
                bits.append(found)
        counts = np.array([each.bit_count() for each in bits])
    else:
        kept = [{index} for index in range(len(sources))]
        for _ in range(iterations):
            old = kept
            kept = []
            for nodes in sources:
                joined: set[int] = set()
                for node in nodes:
                    joined |= old[node]
                kept.append(joined)
        counts = np.array([len(each) for each in kept])
    return float(counts.sum()), counts


def main(way: str, path: str, iterations: int, answer: Path, outputs: list[int]) -> None:
    graph = Graph(path)
    if way in ("blocks", "bitsets", "sets"):
        began, clock = time.process_time(), time.perf_counter()
        total, found = blocks(graph, iterations) if way == "blocks" else tainted(graph, iterations, way)
        told: dict[str, Any] = {"total": total}
        spent = [(time.process_time() - began, time.perf_counter() - clock)]
    else:
        began = time.process_time()
        function = {"scipy": by_scipy, "jax": by_jax, "torch": by_torch}[way](graph, iterations)
        found = np.array([function(each) for each in outputs])
        told = {"first": time.process_time() - began}
        spent = []
        for number in range(REPEATED):
            began, clock = time.process_time(), time.perf_counter()
            function(outputs[number % len(outputs)])
            spent.append((time.process_time() - began, time.perf_counter() - clock))
    told |= {
        "processor": median(one for one, _ in spent), "clock": median(two for _, two in spent),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }  # fmt: skip
    answer.write_text(json.dumps(told), encoding="utf-8")
    np.save(answer.with_suffix(".npy"), found)


if __name__ == "__main__":
    _way, _path, _iterations, _answer, *_outputs = sys.argv[1:]
    main(_way, _path, int(_iterations), Path(_answer), list(map(int, _outputs)))
