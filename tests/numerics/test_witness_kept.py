"""What is written of a witness: arrays, and a script that runs as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin
from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.witness import Witness, replay, save, search
from mlvet.analyses.shapes.inference import infer
from mlvet.core.errors import UsageError
from mlvet.domains.intervals import ANY, Interval
from mlvet.frontends.models import read_model
from mlvet.ir.graph import Graph

SOURCE = str(Path(__file__).parents[2] / "src")


def witness_of(graph: Graph, op: str, rule: str, ends: tuple[float, float], **rest: object) -> tuple[Hazard, Witness]:
    (node,) = (each for each in graph.nodes() if each.op == op)
    one = Hazard(node, rule, 0, ANY, rest.pop("outcome", Outcome.EITHER), **rest)  # type: ignore[arg-type]
    ranges = {value: Assumed(Interval(*ends), Origin.GIVEN, "a test") for value in graph.inputs}
    return one, search(graph, [one], ranges, infer(graph).types, seconds=2.0)[one]


def ran(script: Path, folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, cwd=folder, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def text_model(folder: Path, dtype: str = "f32", op: str = "log(%s)") -> Graph:
    path = folder / "a model.mlvet"
    path.write_text(
        f'mlvet-graph 1 "net"\ngraph "net"(%file: {dtype}[2, 3]) {{\n'
        f"  %s = softmax(%file) @a/soft\n  %l = {op} @a/log\n  return %l\n}}\n"
    )
    return read_model(path, str(path))


def test_a_script_for_the_reference(tmp_path: Path) -> None:
    graph = text_model(tmp_path)
    one, witness = witness_of(graph, "log", "log-of-nonpositive", (-500, 500))
    arrays, script = save(witness, graph, one, tmp_path / "kept")
    with np.load(arrays) as held:
        np.testing.assert_array_equal(held["file"], witness.inputs["file"])
    assert ran(script, tmp_path / "kept") == "log of node `a/log`: -inf in `l` where an operand is 0.0\n"


def test_long_names_keep_their_last_words(tmp_path: Path) -> None:
    path = tmp_path / "m.mlvet"
    long = "/".join(["encoder_layer", *["self_attention"] * 8, "norm"])
    path.write_text(f'mlvet-graph 1 "net"\ngraph "net"(%x: f32[2]) {{\n  %l = log(%x) @{long}\n  return %l\n}}\n')
    graph = read_model(path, str(path))
    one, witness = witness_of(graph, "log", "log-of-nonpositive", (-1, 1))
    arrays, script = save(witness, graph, one, tmp_path / "kept", patience=0)
    words = arrays.stem.removesuffix("-norm-log-of-nonpositive")
    assert len(arrays.stem) <= 80
    assert script.stem == arrays.stem != words
    assert set(words.replace("_", "-").split("-")) == {"self", "attention"}


def test_names_are_not_taken_twice(tmp_path: Path) -> None:
    graph = text_model(tmp_path)
    one, witness = witness_of(graph, "log", "log-of-nonpositive", (-500, 500))
    kept = {path for _ in range(3) for path in save(witness, graph, one, tmp_path)}
    assert len(kept) == 6
    assert {path.parent for path in kept} == {tmp_path}


def test_element_types_that_numpy_lacks(tmp_path: Path) -> None:
    graph = text_model(tmp_path, "bf16")
    one, witness = witness_of(graph, "log", "log-of-nonpositive", (-500, 500))
    assert witness.inputs["file"].dtype == ml_dtypes.bfloat16
    _, script = save(witness, graph, one, tmp_path)
    assert "-inf" in ran(script, tmp_path)


def test_a_gradient(tmp_path: Path) -> None:
    graph = text_model(tmp_path, op="sqrt(%s)")
    one, witness = witness_of(graph, "sqrt", "infinite-gradient", (-500, 500), outcome=Outcome.GRADIENT, backward=True)
    _, script = save(witness, graph, one, tmp_path)
    assert "gradient inf" in ran(script, tmp_path)


def test_a_graph_that_came_from_no_file(tmp_path: Path) -> None:
    from dataclasses import replace

    graph = replace(text_model(tmp_path), path="")
    one, witness = witness_of(graph, "log", "log-of-nonpositive", (-500, 500))
    _, script = save(witness, graph, one, tmp_path / "kept")
    assert "-inf" in ran(script, tmp_path)


@pytest.mark.parametrize(("element_type", "runtime"), [(1, "onnxruntime"), (10, "mlvet")])
def test_onnx_runs_in_onnxruntime_unless_in_half_precision(tmp_path: Path, element_type: int, runtime: str) -> None:
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    node = onnx.helper.make_node
    value = onnx.helper.make_tensor_value_info
    body = onnx.helper.make_graph(
        [node("Exp", ["x/in:0"], ["hidden"], name="e"), node("Tanh", ["hidden"], ["y"])],
        "net",
        [value("x/in:0", element_type, ["batch", 3])],
        [value("y", element_type, ["batch", 3])],
    )
    path = tmp_path / "net.onnx"
    onnx.save(onnx.helper.make_model(body, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=10), path)
    graph = read_model(path, str(path))
    one, witness = witness_of(graph, "exp", "exp-overflow", (-200, 200), outcome=Outcome.INFINITY)
    _, script = save(witness, graph, one, tmp_path)
    assert f"import {runtime}" in script.read_text() or f"from {runtime}" in script.read_text()
    assert "hidden" in ran(script, tmp_path)


def test_replay_tells_what_does_not_fail(tmp_path: Path) -> None:
    graph = text_model(tmp_path)
    inputs = {"file": np.zeros((2, 3), np.float32)}
    assert replay(graph, "a/log", inputs) == "log of node `a/log` does not fail"
    with pytest.raises(UsageError, match="no node `b`"):
        replay(graph, "b", inputs)
    with pytest.raises(UsageError, match="no value was given for `file`"):
        replay(graph, "a/log", {})
