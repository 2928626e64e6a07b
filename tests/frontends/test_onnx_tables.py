"""Operators on tables, taken apart into standard ones, against onnxruntime's own kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from mlvet.frontends.onnx import from_onnx
from mlvet.runtime import evaluate

CHANCE = np.random.default_rng(0)
TABLE = CHANCE.standard_normal((4, 3)).astype(np.float32)
HOLES = np.where(CHANCE.random((4, 3)) < 0.4, np.nan, TABLE).astype(np.float32)
COUNTS = CHANCE.integers(0, 4, (4, 3))
ROWS = [float(number) for number in CHANCE.standard_normal(6)]


def model(op: str, x: Any, outputs: tuple[int, ...] = (TensorProto.FLOAT,), **attributes: Any) -> Any:
    names = [f"y{place}" for place in range(len(outputs))]
    node = helper.make_node(op, ["x"], names, domain="ai.onnx.ml", name="node", **attributes)
    given = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
    ends = [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(names, outputs, strict=True)]
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 1)]
    return helper.make_model(helper.make_graph([node], "g", [given], ends), opset_imports=opsets, ir_version=8)


CLASSES = (TensorProto.INT64, TensorProto.FLOAT)
CASES = [
    ("Scaler", TABLE, (TensorProto.FLOAT,), {"offset": [1.0, 2.0, 3.0], "scale": [0.5, 2.0, 1.0]}),
    ("Scaler", COUNTS, (TensorProto.FLOAT,), {"offset": [1.0], "scale": [0.5]}),
    ("Imputer", HOLES, (TensorProto.FLOAT,), {"imputed_value_floats": [7.0], "replaced_value_float": float("nan")}),
    ("Imputer", COUNTS, (TensorProto.INT64,), {"imputed_value_int64s": [7, 8, 9], "replaced_value_int64": 2}),
    ("Normalizer", TABLE, (TensorProto.FLOAT,), {"norm": "L1"}),
    ("Normalizer", TABLE, (TensorProto.FLOAT,), {"norm": "L2"}),
    ("LinearRegressor", TABLE, (TensorProto.FLOAT,), {"coefficients": ROWS[:3], "intercepts": [0.5]}),
    (
        "LinearRegressor", TABLE, (TensorProto.FLOAT,),
        {"coefficients": ROWS, "intercepts": [0.5, -1.0], "targets": 2},
    ),
    *(
        (
            "LinearClassifier", TABLE, CLASSES,
            {"coefficients": ROWS, "intercepts": [0.5, -1.0], "classlabels_ints": [7, 9], "post_transform": transform},
        )
        for transform in ("NONE", "SOFTMAX", "LOGISTIC")
    ),
    ("OneHotEncoder", COUNTS, (TensorProto.FLOAT,), {"cats_int64s": [0, 1, 3], "zeros": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("op", "x", "outputs", "attributes"), CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_an_operator_on_tables(op: str, x: Any, outputs: tuple[int, ...], attributes: dict[str, Any]) -> None:
    made = model(op, x, outputs, **attributes)
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = session.run(None, {"x": x})
    graph = from_onnx(made)
    assert "opaque" not in {node.op for node in graph.nodes()}
    results = evaluate(graph, {"x": x})
    for value, wanted in zip(graph.outputs, expected, strict=True):
        got = results[value.name]
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def test_text_is_encoded_by_its_categories() -> None:
    words = np.asarray(["b", "a", "z"], dtype=object)
    graph = from_onnx(model("OneHotEncoder", words, cats_strings=["a", "b"]))
    assert evaluate(graph, {"x": words})["y0"].tolist() == [[0, 1], [1, 0], [0, 0]]


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("Normalizer", {"norm": "MAX"}),
        ("Imputer", {}),
        ("OneHotEncoder", {}),
        ("LinearRegressor", {"coefficients": ROWS[:5], "targets": 2}),
        ("LinearRegressor", {"coefficients": ROWS, "post_transform": "PROBIT"}),
        ("LinearClassifier", {"coefficients": ROWS[:3], "intercepts": [1.0], "classlabels_ints": [0, 1]}),
    ],
)
def test_what_is_not_certain_stays_opaque(op: str, attributes: dict[str, Any]) -> None:
    outputs = CLASSES if op == "LinearClassifier" else CLASSES[1:]
    assert [node.op for node in from_onnx(model(op, TABLE, outputs, **attributes)).nodes()] == ["opaque"]
