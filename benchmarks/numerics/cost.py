"""What the analysis costs: seconds per architecture, growth with the number of operators, memory.

Times are processor time of the analysis alone, after reading and after the shapes are inferred. Chains are generated;
each runs in a process of its own, whose peak memory is taken.

    python -m benchmarks.numerics.cost [--longest OPERATORS]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.numerics.models import real_subjects
from benchmarks.numerics.subjects import Subject, corpus_subjects
from benchmarks.table import Table
from mlvet.analyses.numerics.analysis import analyse

LENGTHS = (1_000, 10_000, 100_000)
RUNS = 3
ROOT = Path(__file__).parents[2]


def main(longest: int = LENGTHS[-1]) -> Table:
    """Rows for the corpus, the real models, the chains, and the model that takes most memory."""
    corpus, real = corpus_subjects(), real_subjects()
    rows = [_row("corpus", corpus, ""), _row("real models", real, ""), _row("both", (*corpus, *real), "0.3 and 5 s")]
    lengths = [length for length in LENGTHS if length <= longest]
    with tempfile.TemporaryDirectory() as work:
        rows += [_chain_row(Path(work), length) for length in lengths]
    largest = max(real, key=lambda subject: subject.path.stat().st_size)
    rows.append(_memory_row(largest))
    columns = ("what", "graphs", "operators", "median", "most", "µs an operator", "peak memory", "asked for")
    remarks = [
        f"Each is the processor time of the analysis, the median of {RUNS} runs, of chains one run. "
        "Chains repeat convolution, batch norm, relu, addition, concatenation, slicing, pooling, a matrix product, "
        "softmax and a mean over the last axis. Peak memory: the resident size of a process that reads, infers and "
        "analyses; the first figure is after reading and inference. Load of the machine at the start: "
        f"{os.getloadavg()[0]:.1f}.",
    ]
    command = "python -m benchmarks.numerics.cost"
    return Table("numerics-cost", "Cost of the analysis", command, columns, rows, remarks)


def _seconds(subject: Subject) -> float:
    times = []
    for _ in range(RUNS):
        start = time.thread_time()
        analyse(subject.graph, subject.inference, subject.ranges)
        times.append(time.thread_time() - start)
    return statistics.median(times)


def _row(label: str, subjects: Sequence[Subject], asked: str) -> list[Any]:
    times = {subject.name: _seconds(subject) for subject in subjects}
    operators = sum(subject.operators for subject in subjects)
    slowest = max(times, key=lambda name: times[name])
    each = f"{sum(times.values()) / operators * 1e6:.0f}"
    median = f"{statistics.median(times.values()):.3f} s"
    return [label, len(subjects), operators, median, f"{times[slowest]:.2f} s ({slowest})", each, "", asked]


def _chain_row(work: Path, length: int) -> list[Any]:
    path = work / f"chain_{length}.onnx"
    write_chain(path, length)
    told = _alone(path, "x=-1:1")
    asked = "linear, under 1 GB" if length == LENGTHS[-1] else ""
    each = f"{told['seconds'] / told['operators'] * 1e6:.0f}"
    return [f"chain of {length:,}", 1, told["operators"], "", f"{told['seconds']:.2f} s", each, _memory(told), asked]


def _memory_row(subject: Subject) -> list[Any]:
    told = _alone(subject.path)
    seconds = f"{told['seconds']:.2f} s"
    return [f"largest file, {subject.name}", 1, told["operators"], "", seconds, "", _memory(told), "1 GB"]


def _memory(told: dict[str, Any]) -> str:
    return f"{told['before'] >> 20} → {told['after'] >> 20} MB"


def _alone(path: Path, *ranges: str) -> dict[str, Any]:
    """Analyse a file in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.numerics.one_model", str(path), *ranges]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def write_chain(path: Path, length: int) -> None:
    """A chain of so many operators of several kinds, on values that stay moderate."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save

    rng = np.random.default_rng(0)
    weights = {
        "filter": rng.normal(0, 0.05, (8, 8, 3, 3)),
        "scale": np.ones(8), "shift": np.zeros(8), "mean": np.zeros(8), "variance": np.ones(8),
        "matrix": rng.normal(0, 0.2, (16, 16)), "bias": rng.normal(0, 0.1, (8, 1, 1)),
    }  # fmt: skip
    indices = {"first": [0], "middle": [8], "channels": [1], "last": [3]}
    link: tuple[tuple[str, list[str], dict[str, Any]], ...] = (
        ("Conv", ["", "filter"], {"pads": [1, 1, 1, 1]}),
        ("BatchNormalization", ["", "scale", "shift", "mean", "variance"], {}),
        ("Relu", [""], {}), ("Add", ["", "bias"], {}), ("Concat", ["", ""], {"axis": 1}),
        ("Slice", ["", "first", "middle", "channels"], {}),
        ("AveragePool", [""], {"kernel_shape": [3, 3], "pads": [1] * 4}),
        ("MatMul", ["", "matrix"], {}), ("Softmax", [""], {"axis": -1}), ("ReduceMean", ["", "last"], {"keepdims": 1}),
        ("Sub", ["", ""], {}), ("Tanh", [""], {}),
    )  # fmt: skip
    nodes, before, current = [], "x", "x"
    for index in range(length):
        kind, operands, options = link[index % len(link)]
        names = [name or current for name in operands]
        if kind == "Sub":
            names = [before, current]
        before, current = current, f"v{index}"
        nodes.append(helper.make_node(kind, names, [current], name=f"n{index}", **options))
    graph = helper.make_graph(
        nodes, "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 8, 16, 16])],
        [helper.make_tensor_value_info(current, TensorProto.FLOAT, None)],
        [
            *(numpy_helper.from_array(np.asarray(array, np.float32), name) for name, array in weights.items()),
            *(numpy_helper.from_array(np.asarray(array, np.int64), name) for name, array in indices.items()),
        ],
    )  # fmt: skip
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--longest", type=int, default=LENGTHS[-1], help="operators of the longest chain")
    print(main(parser.parse_args().longest).markdown())
