"""What a backend loses by its own way of summing is noise; what it loses by computing otherwise is not."""

from __future__ import annotations

from pathlib import Path

from tests.compare.conftest import Compare
from tests.compare.test_fusion import environment

HALF = """
import numpy
import onnx.reference.ops.op_relu as module
right = module.Relu._run
module.Relu._run = lambda self, x: (right(self, x.astype(numpy.float16))[0].astype(numpy.float32),)
"""


def test_a_layer_in_half_precision_is_told_of_a_model_in_single(compare: Compare, onnx_model: Path) -> None:
    python = environment(onnx_model.parent, HALF)
    backends = "onnxruntime,onnx-reference@half"
    code, report, _ = compare(onnx_model.name, "--env", f"half={python}", "--backends", backends)
    (finding,) = report["findings"]
    assert (code, finding["location"]["node"]) == (1, "relu")
    assert finding["evidence"]["blamed"] == "onnx-reference@half"
