"""Small models that the comparisons of the tests run on."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlvet


def skip_without(package: str) -> None:
    """Leave tests out where a package is missing: importing TensorFlow would choose a backend of Keras for all."""
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not there", allow_module_level=True)


Compare = Callable[..., tuple[int, dict[str, Any], str]]


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """`mlvet compare` as a process in the folder of the test: its exit code, report and complaints."""

    def run(*arguments: str, **environment: str) -> tuple[int, dict[str, Any], str]:
        command = [sys.executable, "-m", "mlvet", "compare", *arguments, "--output-format", "json"]
        surroundings = {**os.environ, "PYTHONPATH": str(Path(mlvet.__file__).parents[1]), **environment}
        done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=600)
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr

    return run


@pytest.fixture
def onnx_model(tmp_path: Path) -> Path:
    """A small network of convolution, pooling that tells places, and classes."""
    return written(tmp_path / "model.onnx", storage_order=0)


def written(path: Path, *, storage_order: int) -> Path:
    random = np.random.default_rng(0)
    stored = {
        "kernel": random.normal(size=(4, 3, 3, 3)).astype(np.float32),
        "weights": random.normal(size=(100, 5)).astype(np.float32) / 10,
        "rows": np.array([-1, 100], np.int64),
    }
    nodes = [
        helper.make_node("Conv", ["image", "kernel"], ["a"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"], name="relu"),
        helper.make_node(
            "MaxPool", ["b"], ["c", "places"], name="pool", kernel_shape=[2, 2], strides=[2, 2],
            storage_order=storage_order,
        ),
        helper.make_node("Reshape", ["c", "rows"], ["d"], name="rows_of"),
        helper.make_node("MatMul", ["d", "weights"], ["e"], name="dense"),
        helper.make_node("Softmax", ["e"], ["classes"], name="softmax", axis=-1),
    ]  # fmt: skip
    graph = helper.make_graph(
        nodes, "model", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, 10, 10])],
        [
            helper.make_tensor_value_info("classes", TensorProto.FLOAT, ["n", 5]),
            helper.make_tensor_value_info("places", TensorProto.INT64, ["n", 4, 5, 5]),
        ],
        [numpy_helper.from_array(array, name) for name, array in stored.items()],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))
    return path


PROGRAM = """
import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True),
            nn.AvgPool2d(3, 2, padding=1), nn.Flatten(), nn.Linear(100, 6))
    def forward(self, image):
        scores = self.body(image)
        best, place = scores.max(dim=1)
        return torch.softmax(scores, -1), place
net, image = Net().eval(), torch.randn(2, 3, 10, 10)
program = torch.export.export(net, (image,), dynamic_shapes=({0: torch.export.Dim("n")},))
torch.export.save(program, "model.pt2")
torch.jit.trace(net, image).save("model.pt")
"""


@pytest.fixture(scope="session")
def torch_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small network as `model.pt2` and, traced, as `model.pt`."""
    folder = tmp_path_factory.mktemp("torch")
    subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], cwd=folder, check=True, capture_output=True)
    return folder


SAVED = """
import tensorflow as tf
tf.random.set_seed(0)
class Net(tf.Module):
    def __init__(self):
        self.kernel = tf.Variable(tf.random.normal((3, 3, 3, 4)))
        self.weights = tf.Variable(tf.random.normal((100, 6)) / 10)
    @tf.function(input_signature=[tf.TensorSpec((None, 10, 10, 3), tf.float32, name="image")])
    def serve(self, image):
        x = tf.nn.relu(tf.nn.conv2d(image, self.kernel, 1, "SAME"))
        x = tf.nn.avg_pool2d(x, 3, 2, "SAME", name="pool")
        scores = tf.matmul(tf.reshape(x, (-1, 100)), self.weights)
        return {"classes": tf.nn.softmax(scores), "best": tf.reduce_max(scores, -1)}
net = Net()
tf.saved_model.save(net, "saved", signatures=net.serve)
content = tf.lite.TFLiteConverter.from_saved_model("saved").convert()
open("model.tflite", "wb").write(content)
"""


@pytest.fixture(scope="session")
def saved_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small network as the SavedModel `saved` and as `model.tflite`."""
    folder = tmp_path_factory.mktemp("tensorflow")
    subprocess.run([sys.executable, "-c", SAVED], cwd=folder, check=True, capture_output=True)
    return folder


PADDING_COUNTED = """
import openvino
honest = openvino.Core.read_model
def read_model(self, *args):
    model = honest(self, *args)
    for node in model.get_ops():
        if node.get_type_name() == "AvgPool":
            node.set_attribute("exclude-pad", False)
    return model
openvino.Core.read_model = read_model
"""
"""An OpenVINO that counts padding when it takes averages."""


def faulty(folder: Path, code: str) -> str:
    """An interpreter like this one in which some code runs first."""
    (folder / "patched").mkdir(parents=True)
    (folder / "patched" / "sitecustomize.py").write_text(code, encoding="utf-8")
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={folder / "patched"} exec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return str(python)
