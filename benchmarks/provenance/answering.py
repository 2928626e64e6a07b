"""What a question costs: the replay over the run, each further question, beside gradients written by hand."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.provenance.processes import Replayed, costs, job, python, trace
from benchmarks.provenance.subjects import subject
from benchmarks.table import Table
from mlvet.analyses.provenance.influence import first, influences
from mlvet.runtime.provenance.tape_parts import size_in_bytes

COMMAND = "python -m benchmarks.provenance --only questions --data DIR"
GRAPHS = {"p2p-Gnutella08": None, "wiki-Vote": 0.05, "cit-HepPh": 0.25}
"""Graphs, and seconds that a further question may take."""
ITERATIONS = 30
ROUNDS = 5
REPEATED = 9
WAYS = ("scipy", "jax", "torch")
REPLAY = 2.5


def asked(replayed: Replayed, nodes: list[str], answer: str) -> dict[str, Any]:
    """In the process of the replay: seconds of sweeps and of whole questions, and the derivatives of some outputs."""
    inputs = replayed.replay.found
    number = {node: index for index, node in enumerate(replayed.replay.namespace["share"])}
    place = {each.name: each for each in replayed.outputs}
    outputs = [place[f'ranks["{node}"]'] for node in nodes]
    sweeping, questioning, clock = [], [], []
    for turn in range(REPEATED):
        output = outputs[turn % len(outputs)]
        began, at = time.process_time(), time.perf_counter()
        adjoint = replayed.sweeps.backward({output.place: 1.0})
        sweeping.append(time.process_time() - began)
        first(influences(output.value, adjoint, inputs), inputs, 20)
        questioning.append(time.process_time() - began)
        clock.append(time.perf_counter() - at)
    by_name = {inputs.path(index): index for index in range(inputs.count)}
    share = replayed.replay.namespace["share"]
    order = [by_name[(("ranks",), "[", node)] for node in number]
    order += [by_name[((("share",), "[", v), "[", u)] for v in share for u in share[v]]
    found = [replayed.sweeps.backward({each.place: 1.0})[inputs.all_places()][order] for each in outputs]
    np.save(answer, np.array(found))
    return {
        "replay": replayed.seconds, "arranging": replayed.arranging, "sweep": median(sweeping[1:]),
        "question": median(questioning[1:]), "first question": questioning[0], "clock": median(clock[1:]),
        "inputs": inputs.count, "entries": replayed.sweeps.entries, "tape": size_in_bytes(replayed.sweeps.parts),
    }  # fmt: skip


def measured(data: Path, name: str, folder: Path, rounds: int) -> dict[str, Any]:
    """One graph: run and replay in turn, then all ways of asking."""
    path = data / "graphs" / f"{name}.txt.gz"
    each = subject("PageRank", name, path, "--iterations", ITERATIONS, "--epsilon", 0)
    log = folder / f"{name}.log"
    trace(each.script, each.arguments, log)
    from benchmarks.provenance.by_hand import Graph

    graph = Graph(str(path))
    degree = np.bincount(graph.target, minlength=len(graph.first))
    numbers = [int(each) for each in np.argsort(-degree, kind="stable")[[0, 10, len(degree) // 20]]]
    nodes = [list(graph.number)[number] for number in numbers]
    runs, whys, replays = [], [], []
    for _ in range(rounds):
        runs.append(costs(python(each.script, *each.arguments)).processor)
        found = job(
            "benchmarks.provenance.answering:asked", log, each.algorithm.specifications, ["ranks"], nodes=nodes,
            answer=str(folder / "mlvet.npy"),
        )  # fmt: skip
        replays.append(found)
        options = [part for spec in each.algorithm.specifications for part in ("--inputs", spec)]
        options += ["--of", f'ranks["{nodes[0]}"]', "--exit-zero", "--flips", "0"]
        whys.append(costs(python("-m", "mlvet", "why", log, *options)).processor)
    mine = np.load(folder / "mlvet.npy")
    middle = {
        key: median(every[key] for every in replays)
        for key in ("replay", "arranging", "sweep", "question", "first question", "clock")
    }
    ways: dict[str, Any] = {}
    for way in WAYS:
        answer = folder / f"{way}.json"
        costs(python("-m", "benchmarks.provenance.by_hand", way, path, ITERATIONS, answer, *numbers))
        ways[way] = json.loads(answer.read_text(encoding="utf-8"))
        theirs = np.load(answer.with_suffix(".npy"))
        ways[way]["apart"] = float((np.abs(mine - theirs).max(1) / np.abs(theirs).max(1)).max())
    return {
        "run": median(runs), "why": median(whys), **middle, "ways": ways,
        "inputs": replays[0]["inputs"], "entries": replays[0]["entries"], "tape": replays[0]["tape"],
    }  # fmt: skip


def main(data: Path, rounds: int = ROUNDS, graphs: tuple[str, ...] = tuple(GRAPHS)) -> Table:
    rows: list[list[Any]] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        for name in graphs:
            found = details[name] = measured(data, name, Path(place), rounds)
            ways = found["ways"]
            allowed = GRAPHS[name]
            whole = found["why"] / found["run"]
            verdict = "-"
            if allowed is not None:
                verdict = f"{'yes' if found['replay'] <= REPLAY * found['run'] else 'NO'}, {REPLAY:g}"
                verdict += f"; {'yes' if found['question'] <= allowed else 'NO'}, {allowed * 1e3:.0f} ms"
            rows.append(
                [name, f"{found['inputs']:,}", f"{found['run']:.2f} s", f"{found['replay'] / found['run']:.2f}",
                 f"{whole:.2f}", f"{found['sweep'] * 1e3:.1f} ms", f"{found['question'] * 1e3:.1f} ms",
                 f"{found['entries'] / 1e6:.1f} million", f"{found['tape'] / 1e6:.1f} MB",
                 *(f"{ways[way]['processor'] * 1e3:.1f} ms" for way in WAYS),
                 f"{max(ways[way]['apart'] for way in WAYS):.1e}", verdict]
            )  # fmt: skip
            print(" | ".join(map(str, rows[-1])), flush=True)
    return Table(
        "provenance-questions", "One output by all first ranks and edge weights", COMMAND,
        ("graph", "inputs", "run", "replay / run", "`mlvet why` / run", "further sweep", "further question",
         "entries", "tape", "SciPy by hand", "JAX", "torch", "apart at most", "allowed"), rows,
        (f"Plain-dict PageRank, {ITERATIONS} iterations; processor time of one thread, medians of {rounds} runs in "
         "turn. The replay counts the program's second run alone, `mlvet why` the whole process with start, "
         "imports, reading "
         "the graph and the answer (the limit of 2.5 is for the replay), "
         "but no comparison is tried by further runs. A question is a sweep, shares "
         "of all inputs and the first 20. The tape is what its arrays take, 12 bytes an entry as rows. By hand: "
         "the gradient "
         "of one output after everything else is prepared (JAX compiled, torch with its graph kept).",),
        details,
    )  # fmt: skip
