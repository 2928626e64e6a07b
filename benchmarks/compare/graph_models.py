"""Small ONNX models with seeded weights and their data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

EXAMPLES = 32


def network(random: Any) -> tuple[onnx.ModelProto, dict[str, Any]]:
    """Convolutions, pooling, classes."""
    stored = {
        "kernel1": random.normal(size=(8, 3, 3, 3)) * 0.3, "bias1": random.normal(size=8) * 0.2,
        "kernel2": random.normal(size=(8, 4, 3, 3)) * 0.25, "bias2": random.normal(size=8) * 0.2,
        "gamma": random.uniform(0.5, 1.5, 8), "beta": random.normal(size=8), "mean": random.normal(size=8) * 0.2,
        "variance": random.uniform(0.2, 1.8, 8), "weights": random.normal(size=(200, 10)) * 0.1,
        "offsets": random.normal(size=10) * 0.1,
    }  # fmt: skip
    nodes = [
        helper.make_node("Conv", ["image", "kernel1", "bias1"], ["a"], name="conv1", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["a", "gamma", "beta", "mean", "variance"], ["b"], name="norm"),
        helper.make_node("Relu", ["b"], ["c"], name="relu"),
        helper.make_node("Conv", ["c", "kernel2", "bias2"], ["d"], name="conv2", pads=[1, 1, 1, 1], group=2),
        helper.make_node(
            "AveragePool", ["d"], ["e"], name="pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]
        ),
        helper.make_node("Flatten", ["e"], ["f"], name="flat"),
        helper.make_node("Gemm", ["f", "weights", "offsets"], ["g"], name="dense"),
        helper.make_node("Softmax", ["g"], ["classes"], name="softmax", axis=-1),
    ]
    data = {"image": random.random((EXAMPLES, 3, 10, 10)).astype(np.float32)}
    return _model(nodes, stored, [("image", ["n", 3, 10, 10])], [("classes", ["n", 10])]), data


def mixer(random: Any) -> tuple[onnx.ModelProto, dict[str, Any]]:
    """Products of matrices, normalisation, the error function; a regression."""
    stored = {
        "square": random.normal(size=(24, 24)) * 0.2, "wide": random.normal(size=(24, 48)) * 0.2,
        "narrow": random.normal(size=(48, 2)) * 0.2, "gamma": random.uniform(0.5, 1.5, 24),
        "beta": random.normal(size=24) * 0.2, "root": np.array(np.sqrt(2.0)), "one": np.array(1.0),
        "half": np.array(0.5),
    }  # fmt: skip
    nodes = [
        helper.make_node("MatMul", ["rows", "square"], ["a"], name="mix"),
        helper.make_node("Add", ["a", "rows"], ["b"], name="shortcut"),
        helper.make_node("LayerNormalization", ["b", "gamma", "beta"], ["c"], name="norm", axis=-1, epsilon=1e-5),
        helper.make_node("MatMul", ["c", "wide"], ["d"], name="wide_product"),
        helper.make_node("Div", ["d", "root"], ["e"], name="scaled"),
        helper.make_node("Erf", ["e"], ["f"], name="erf"),
        helper.make_node("Add", ["f", "one"], ["g"], name="raised"),
        helper.make_node("Mul", ["d", "g"], ["h"], name="gated"),
        helper.make_node("Mul", ["h", "half"], ["i"], name="gelu"),
        helper.make_node("MatMul", ["i", "narrow"], ["j"], name="narrow_product"),
        helper.make_node("Tanh", ["j"], ["angles"], name="angle"),
    ]
    data = {"rows": random.normal(size=(EXAMPLES, 6, 24)).astype(np.float32)}
    return _model(nodes, stored, [("rows", ["n", 6, 24])], [("angles", ["n", 6, 2])]), data


MODELS = {"network": network, "mixer": mixer}


def _model(nodes: list[Any], stored: dict[str, Any], inputs: list[Any], outputs: list[Any]) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes, "model",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in outputs],
        [numpy_helper.from_array(np.asarray(array, np.float32), name) for name, array in stored.items()],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def write(folder: Path, seed: int) -> None:
    """NAME.onnx and NAME.npz for every model."""
    for number, (name, make) in enumerate(MODELS.items()):
        model, data = make(np.random.default_rng([seed, 100 + number]))
        onnx.checker.check_model(model)
        onnx.save(model, folder / f"{name}.onnx")
        np.savez(folder / f"{name}.npz", **data)
