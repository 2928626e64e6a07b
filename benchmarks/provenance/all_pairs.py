"""All pairs: how each rank follows from each first rank, beside SciPy by hand and tainting."""

from __future__ import annotations

import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.provenance.processes import Replayed, costs, job, python, trace
from benchmarks.provenance.subjects import subject
from benchmarks.table import Table
from mlvet.analyses.provenance.influence import scales
from mlvet.analyses.provenance.pairs import blocks, pairs

COMMAND = "python -m benchmarks.provenance --only pairs --data DIR"
ITERATIONS = 30
MEMORY = 1e9
SECONDS = 10.0


def paired(replayed: Replayed, memory: float, answer: str) -> dict[str, Any]:
    """In the process of the replay: all pairs, and the sum of the derivatives of each output."""
    inputs = replayed.replay.found
    places = inputs.all_places()
    outputs = np.array([each.place for each in replayed.outputs])
    weights = scales(inputs.all_values(), inputs)
    began, clock = time.process_time(), time.perf_counter()
    found = pairs(replayed.sweeps, outputs, places, weights, 20, memory)
    processor, clock = time.process_time() - began, time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    sums = np.zeros(len(outputs))
    for first, rows in blocks(replayed.sweeps, outputs, places, memory):
        sums[first : first + len(rows)] = np.abs(rows).sum(1)
    order = {each.name: index for index, each in enumerate(replayed.outputs)}
    nodes = [order[f'ranks["{node}"]'] for node in replayed.replay.namespace["share"]]
    np.save(answer, sums[nodes])
    return {
        "processor": processor, "clock": clock, "memory": peak, "replay": replayed.seconds,
        "outputs": len(outputs), "inputs": len(places), "residual": float(np.median(found.residual)),
        "acting": int(found.acting.sum()),
    }  # fmt: skip


def main(data: Path, graphs: tuple[str, ...] = ("p2p-Gnutella08", "wiki-Vote"), sets: bool = True) -> Table:
    rows: list[list[Any]] = []
    details: dict[str, Any] = {}
    ways = ("blocks", "bitsets", "sets") if sets else ("blocks", "bitsets")
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        folder = Path(place)
        for name in graphs:
            path = data / "graphs" / f"{name}.txt.gz"
            each = subject("PageRank", name, path, "--iterations", ITERATIONS, "--epsilon", 0)
            log = folder / f"{name}.log"
            trace(each.script, each.arguments, log)
            mine = folder / "mlvet.npy"
            found = job(
                f"{__name__}:paired", log, ["ranks@pagerank"], ["ranks"], memory=MEMORY, answer=str(mine)
            )  # fmt: skip
            others = {}
            for way in ways:
                answer = folder / f"{way}.json"
                costs(python("-m", "benchmarks.provenance.by_hand", way, path, ITERATIONS, answer))
                others[way] = json.loads(answer.read_text(encoding="utf-8"))
            theirs = np.load(folder / "blocks.npy")
            apart = float(np.abs(np.load(mine) - theirs).max() / theirs.max())
            details[name] = {**found, "others": others, "apart": apart}
            right = found["clock"] <= SECONDS and found["memory"] <= MEMORY
            rows.append(
                [name, f"{found['outputs']:,} x {found['inputs']:,}", f"{found['clock']:.1f} s",
                 f"{found['processor']:.1f} s", f"{found['memory'] / 1e6:,.0f} MB", f"{apart:.1e}",
                 *(f"{others[way]['processor']:.1f} s, {others[way]['memory'] / 1e6:,.0f} MB" for way in ways),
                 f"{found['acting'] / found['outputs'] / found['inputs']:.1%}",
                 f"{'yes' if right else 'NO'}, {SECONDS:g} s in 1 GB" if name == "wiki-Vote" else "-"]
            )  # fmt: skip
            print(" | ".join(map(str, rows[-1])), flush=True)
    return Table(
        "provenance-pairs", "Every rank by every first rank", COMMAND,
        ("graph", "pairs", "clock", "processor", "peak memory", "apart at most", "SciPy blocks by hand",
         "tainting, bitsets", *(["tainting, sets"] if sets else []), "pairs that act", "allowed"), rows,
        (f"Plain-dict PageRank, {ITERATIONS} iterations, from a replay to the first 20 inputs of each output with "
         "their shares and the share of the rest; peak memory of the process, program and tape included. The "
         "dictionaries of "
         "derivatives that the paper keeps for each variable do not finish here.",),
        details,
    )  # fmt: skip
