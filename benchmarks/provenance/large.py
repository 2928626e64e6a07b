"""A plain-dict program on a graph of web-Google's size: memory and time of one answer, and that they grow linearly."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.provenance.processes import costs, python, trace
from benchmarks.provenance.subjects import subject
from benchmarks.table import Table

COMMAND = "python -m benchmarks.provenance --only large"
SIZES = ((100_000, 500_000), (1_000_000, 5_000_000))
ITERATIONS = 10
MEMORY = 12e9
SEED = 9


def generated(path: Path, nodes: int, edges: int) -> str:
    """A graph whose targets are chosen with a power law; returns its node with the most incoming edges."""
    chance = np.random.default_rng(SEED)
    sources = chance.integers(0, nodes, edges)
    targets = (nodes * chance.random(edges) ** 3).astype(np.int64)
    sources[:nodes] = np.arange(nodes)
    alike = sources == targets
    targets[alike] = (targets[alike] + 1) % nodes
    np.savetxt(path, np.stack([sources, targets], 1), fmt="%d", delimiter="\t")
    return str(int(np.bincount(targets).argmax()))


def measured(nodes: int, edges: int, folder: Path) -> dict[str, Any]:
    path = folder / f"{nodes}.txt"
    node = generated(path, nodes, edges)
    each = subject("PageRank", str(nodes), path, "--iterations", ITERATIONS, "--epsilon", 0)
    log = folder / f"{nodes}.log"
    plain = costs(python(each.script, *each.arguments))
    traced = trace(each.script, each.arguments, log)
    asked = {}
    for name, inputs in (("ranks", ["ranks@pagerank"]), ("ranks and edges", list(each.algorithm.specifications))):
        options = [part for spec in inputs for part in ("--inputs", spec)]
        cost = costs(
            python("-m", "mlvet", "why", log, "--of", f'ranks["{node}"]', "--exit-zero", "--flips", 0, *options)
        )
        asked[name] = {"processor": cost.processor, "clock": cost.clock, "memory": cost.memory}
    return {
        "plain": plain.processor, "plain memory": plain.memory, "traced": traced.processor,
        "log": log.stat().st_size, "asked": asked,
    }  # fmt: skip


def main(sizes: tuple[tuple[int, int], ...] = SIZES) -> Table:
    rows: list[list[Any]] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        for nodes, edges in sizes:
            found = details[f"{nodes}"] = measured(nodes, edges, Path(place))
            operations = edges * ITERATIONS
            for name, cost in found["asked"].items():
                rows.append(
                    [f"{nodes:,} / {edges:,}", f"{found['plain']:.1f} s, {found['plain memory'] / 1e9:.2f} GB", name,
                     f"{cost['processor']:.1f} s", f"{cost['processor'] / found['plain']:.2f}",
                     f"{cost['memory'] / 1e9:.2f} GB", f"{cost['processor'] / operations * 1e6:.2f} us",
                     f"{cost['memory'] / operations:.0f} bytes",
                     f"{'yes' if cost['memory'] <= MEMORY else 'NO'}, {MEMORY / 1e9:.0f} GB"]
                )  # fmt: skip
                print(" | ".join(map(str, rows[-1])), flush=True)
    return Table(
        "provenance-large", "One output of a generated graph of web-Google's size", COMMAND,
        ("vertices / edges", "plain run", "inputs", "`mlvet why`", "times the run", "peak memory",
         "time per edge and iteration", "memory per edge and iteration", "allowed"), rows,
        (f"Plain-dict PageRank, {ITERATIONS} iterations, targets by a power law, seed {SEED}. `mlvet why` is the whole "
         "process: the program with its graph, the tape, the sweep and the answer; processor time.",),
        details,
    )  # fmt: skip
