"""ONNX by operators of torch: what is mapped yields what the test cases of ONNX expect, the rest is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.backend.test.case.node import collect_testcases

from mlvet.runtime.backends.worker import OnnxTorch, Unsupported
from tests.compare.conftest import Compare

pytest.importorskip("torch")
OPERATORS = (
    "Add And ArgMax ArgMin AveragePool BatchNormalization Cast Clip Concat Conv ConvTranspose CumSum Div Einsum Elu Erf"
    " Expand Flatten Gather GatherElements Gelu Gemm GlobalAveragePool HardSigmoid InstanceNormalization LRN"
    " LayerNormalization LeakyRelu LogSoftmax MatMul Max MaxPool Mean Mod Mul Not PRelu Pad Pow ReduceL2 ReduceMax"
    " ReduceMean ReduceProd ReduceSum Relu Reshape Round Selu Shape Sigmoid Slice Softmax Softplus Split Squeeze Tile"
    " TopK Transpose Unsqueeze Where"
).split()
LEAST = 0.6
"""The share of all cases of these operators that is mapped; the others hold strings, odd types or odd attributes."""


def cases() -> Iterator[Any]:
    for case in collect_testcases(None):
        if case.model is None or not {node.op_type for node in case.model.graph.node} <= {*OPERATORS}:
            continue
        inputs, outputs = case.data_sets[0]
        if all(isinstance(each, np.ndarray) for each in (*inputs, *outputs)):
            yield case


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operators_yield_what_onnx_expects(tmp_path: Path) -> None:
    driver = OnnxTorch()
    driver.prepare({})
    ran = refused = 0
    for case in cases():
        onnx.save(case.model, str(tmp_path / "node.onnx"))
        inputs, expected = case.data_sets[0]
        given = {value.name: array for value, array in zip(case.model.graph.input, inputs, strict=False)}
        try:
            found = driver.apply(driver.load(str(tmp_path / "node.onnx")), given)
        except Unsupported:
            refused += 1
            continue
        ran += 1
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one.astype(float), other.astype(float), 1e-3, 1e-5, err_msg=case.name)
    assert ran > LEAST * (ran + refused), (ran, refused)


def test_it_is_a_backend_that_walks_through_the_nodes(compare: Compare, onnx_model: Path) -> None:
    code, report, _ = compare(onnx_model.name, "--backends", "torch,onnxruntime")
    told = report["summary"]["analyses"]["compare"]
    assert (code, report["findings"]) == (0, [])
    assert {each["layer"] for each in told["layers"] if each["backend"] == "torch"} >= {"conv", "pool", "softmax"}
