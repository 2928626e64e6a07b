"""Every node of an ONNX graph is judged on every backend, also behind computed sizes and stored numbers of 8 bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mlvet.runtime.onnx_parts import OnnxParts
from tests.compare.conftest import Compare

BACKENDS = ("onnxruntime", "openvino", "mlvet")


def saved(path: Path, nodes: list[Any], stored: dict[str, np.ndarray], *, opset: int = 17) -> Path:
    graph = helper.make_graph(
        nodes, "model", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for name, array in stored.items()],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9), str(path))
    return path


def judged(report: dict[str, Any]) -> set[tuple[str, str]]:
    seen = report["summary"]["analyses"]["compare"]["layers"]
    return {(each["layer"], each["backend"]) for each in seen}


def test_nodes_behind_computed_sizes(compare: Compare, tmp_path: Path) -> None:
    stored = {
        "zero": np.array([0], np.int64), "two": np.array([2], np.int64),
        "grown": np.array([13, 7], np.int64),
    }  # fmt: skip
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], name="shape"),
        helper.make_node("Slice", ["s", "zero", "two"], ["front"], name="front"),
        helper.make_node("Concat", ["front", "grown"], ["sizes"], name="sizes", axis=0),
        helper.make_node("Resize", ["x", "", "", "sizes"], ["large"], name="resize", mode="linear"),
        helper.make_node("Concat", ["front", "minus"], ["rows"], name="rows", axis=0),
        helper.make_node("Reshape", ["large", "rows"], ["flat"], name="reshape"),
        helper.make_node("Transpose", ["flat"], ["turned"], name="turn", perm=[0, 2, 1]),
        helper.make_node("Shape", ["turned"], ["t"], name="shape2"),
        helper.make_node("ConstantOfShape", ["t"], ["zeros"], name="zeros"),
        helper.make_node("Add", ["turned", "zeros"], ["y"], name="sum"),
    ]  # fmt: skip
    stored["minus"] = np.array([-1], np.int64)
    saved(tmp_path / "model.onnx", nodes, stored)
    code, report, _ = compare("model.onnx", "--backends", ",".join(BACKENDS))
    assert (code, report["findings"]) == (0, [])
    assert judged(report) == {(node.name, backend) for node in nodes for backend in BACKENDS}


def test_weights_of_8_bits_are_stored_in_the_parts_that_take_them(compare: Compare, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    stored = {
        "w": random.integers(-90, 90, (4, 3, 3, 3)).astype(np.int8), "scale": np.float32(0.01), "none": np.int8(0),
        "step": np.float32(0.05), "zero": np.uint8(30),
    }  # fmt: skip
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "scale", "none"], ["kernel"], name="weights"),
        helper.make_node("Conv", ["x", "kernel"], ["a"], name="conv"),
        helper.make_node("QuantizeLinear", ["a", "step", "zero"], ["b"], name="down"),
        helper.make_node("DequantizeLinear", ["b", "step", "zero"], ["y"], name="up"),
    ]
    path = saved(tmp_path / "model.onnx", nodes, {name: np.asarray(array) for name, array in stored.items()})
    code, report, _ = compare("model.onnx", "--backends", ",".join(BACKENDS))
    assert (code, report["findings"]) == (0, [])
    assert judged(report) == {(node.name, backend) for node in nodes for backend in BACKENDS}
    np.save(tmp_path / "kernel.npy", np.ones((4, 3, 3, 3), np.float32))
    parts = OnnxParts(path, tmp_path)
    held = {"kernel": (np.dtype(np.float32), (4, 3, 3, 3), tmp_path / "kernel.npy")}
    part = onnx.load(str(parts.alone("conv", held))).graph
    assert ([each.name for each in part.input], [each.name for each in part.initializer]) == (["x"], ["kernel"])


def test_what_becomes_of_nan_on_the_way_is_no_finding(compare: Compare, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Sub", ["x", "x"], ["a"], name="less"),
        helper.make_node("MaxPool", ["a"], ["y"], name="pool", kernel_shape=[2, 2]),
    ]
    saved(tmp_path / "model.onnx", nodes, {})
    pictures = np.random.default_rng(0).normal(size=(4, 3, 8, 8)).astype(np.float32)
    pictures[1, 0, 2, 3] = np.inf
    np.savez(tmp_path / "data.npz", x=pictures)
    _, report, _ = compare("model.onnx", "--data", "data.npz", "--backends", ",".join(BACKENDS))
    assert not [each for each in report["findings"] if each["certainty"] == "observed"]
    assert {backend for layer, backend in judged(report) if layer == "pool"} == {*BACKENDS}
