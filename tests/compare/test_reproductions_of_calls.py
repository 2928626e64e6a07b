"""The least models of defects in single calls of torch, TensorFlow and TFLite, and scripts that show them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.compare.conftest import PADDING_COUNTED, Compare, faulty, skip_without
from tests.compare.laboratories import shown
from tests.compare.test_conversion import SOFTMAX_CHANGED
from tests.compare.test_torch_formats import FAULT

skip_without("torch")
skip_without("tensorflow")


def reproduced(finding: dict[str, Any], folder: Path) -> tuple[Path, dict[str, Any]]:
    """The folder of the reproduction that a finding tells of, and what the report says of it."""
    told = finding["evidence"]["reproduction"]
    place = folder / told["folder"]
    assert any(str(told["folder"]) in note["message"] for note in finding["related"])
    assert (place / "input.npz").exists()
    assert "mlvet" not in (place / "show.py").read_text(encoding="utf-8")
    return place, told


@pytest.mark.parametrize(("model", "written"), [("model.pt2", "model.pt2"), ("model.pt", "model.pt")])
def test_pooling_of_torch_is_one_call(
    compare: Compare, torch_models: Path, tmp_path: Path, model: str, written: str
) -> None:
    np.savez(tmp_path / "data.npz", image=np.random.default_rng(0).normal(size=(9, 3, 10, 10)).astype(np.float32))
    python = faulty(tmp_path, FAULT)
    backends = ("--data", "data.npz", "--backends", "torch,torch@faulty", "--env", f"faulty={python}")
    _, report, _ = compare(str(torch_models / model), *backends, "--reproduce", "found")
    (finding,) = report["findings"]
    folder, told = reproduced(finding, tmp_path)
    assert {path.name for path in folder.iterdir()} == {written, "input.npz", "show.py"}
    assert "torch.ops.aten.avg_pool2d.default(x0, " in (folder / "show.py").read_text(encoding="utf-8")
    assert np.prod(told["inputs"]["x0"]) <= 4
    wrong, right = shown(folder / "show.py", python), shown(folder / "show.py")
    assert wrong["torch@faulty"] != wrong["expected"] == right["torch"]


@pytest.mark.parametrize(
    ("model", "right", "written", "call"),
    [
        ("saved", "tensorflow", "model", "tf.raw_ops.AvgPool(value=x0, "),
        ("model.tflite", "litert", "model.tflite", "zlib.decompress"),
    ],
)
def test_pooling_of_openvino_is_one_operator(
    compare: Compare, saved_models: Path, tmp_path: Path, model: str, right: str, written: str, call: str
) -> None:
    python = faulty(tmp_path, PADDING_COUNTED)
    backends = ("--backends", f"{right},openvino@faulty", "--env", f"faulty={python}")
    _, report, _ = compare(str(saved_models / model), *backends, "--reproduce", "found")
    (finding,) = report["findings"]
    folder, told = reproduced(finding, tmp_path)
    assert {path.name for path in folder.iterdir()} == {written, "input.npz", "show.py"}
    assert call in (folder / "show.py").read_text(encoding="utf-8")
    assert np.prod(told["inputs"]["x0"]) <= 4
    seen = shown(folder / "show.py", python)
    assert seen["openvino@faulty"] != seen["expected"] == seen[right]


DIVIDED = """
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.AvgPool2d(2, divisor_override=3), nn.Flatten(), nn.Linear(64, 5)).eval()
image = torch.randn(2, 3, 10, 10)
torch.export.save(torch.export.export(net, (image,)), "model.pt2")
torch.jit.trace(net, image).save("model.pt")
"""
REMAINDERS = """
import tensorflow as tf
tf.random.set_seed(0)
class Net(tf.Module):
    def __init__(self):
        self.weights = tf.Variable(tf.random.normal((7, 4)))
    @tf.function(input_signature=[tf.TensorSpec((None, 7), tf.int32, name="days")])
    def serve(self, days):
        return tf.matmul(tf.cast(tf.math.floormod(days - 20, 5, name="rest"), tf.float32), self.weights)
net = Net()
tf.saved_model.save(net, "saved", signatures=net.serve)
"""


@pytest.mark.parametrize(
    ("code", "model", "right", "kind", "words"),
    [
        (DIVIDED, "model.pt2", "torch", "avg_pool2d", "divisor_override="),
        (DIVIDED, "model.pt", "torch", "avg_pool2d", "divisor_override="),
        (REMAINDERS, "saved", "tensorflow", "FloorMod", "tf.raw_ops.FloorMod(x=x0, y=w0)"),
    ],
)
def test_what_a_converter_gets_wrong_is_one_call(
    compare: Compare, tmp_path: Path, code: str, model: str, right: str, kind: str, words: str
) -> None:
    """Live defects of torch.onnx and of tf2onnx."""
    skip_without("tf2onnx")
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, check=True, capture_output=True)
    np.savez(tmp_path / "images.npz", input=np.random.default_rng(0).normal(size=(2, 3, 10, 10)).astype(np.float32))
    data = ("--data", "images.npz") if model == "model.pt" else ()
    _, report, _ = compare(model, *data, "--backends", f"{right},onnxruntime", "--reproduce", "found")
    (finding,) = report["findings"]
    assert (finding["evidence"]["kind"], finding["evidence"]["backend"]) == (kind, "onnxruntime")
    folder, told = reproduced(finding, tmp_path)
    assert words in (folder / "show.py").read_text(encoding="utf-8")
    assert np.prod(told["inputs"]["x0"]) <= 4
    seen = shown(folder / "show.py")
    assert seen["onnxruntime"] != seen["expected"] == seen[right]


def test_a_node_that_a_runtime_gets_wrong_behind_a_converter_is_one_node(
    compare: Compare, torch_models: Path, tmp_path: Path
) -> None:
    python = faulty(tmp_path, SOFTMAX_CHANGED)
    backends = ("--backends", "torch,onnxruntime@faulty", "--env", f"faulty={python}")
    _, report, _ = compare(str(torch_models / "model.pt2"), *backends, "--reproduce", "found")
    (finding,) = report["findings"]
    folder, _ = reproduced(finding, tmp_path)
    assert "Softmax" in (folder / "show.py").read_text(encoding="utf-8")
    seen = shown(folder / "show.py", python)
    wrong, right, expected = (
        np.array(seen[name].strip("[]").split(), float) for name in ("onnxruntime@faulty", "onnx-reference", "expected")
    )
    np.testing.assert_allclose(right, expected, rtol=1e-6)
    assert not np.allclose(wrong, expected, rtol=1e-2)
