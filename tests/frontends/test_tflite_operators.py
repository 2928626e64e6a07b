"""Operators of TFLite files beside the interpreter of LiteRT."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.models import read_model
from mlvet.runtime.reference import evaluate

interpreter = pytest.importorskip("ai_edge_litert.interpreter")

MAKING = """
import numpy as np
import tensorflow as tf
random = np.random.default_rng(0)
x = tf.TensorSpec((None, 6, 7, 4), tf.float32, name="x")
def kernel(*shape):
    return random.normal(size=shape).astype("float32")
CASES = {
    "conv": lambda x: tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel(3, 3, 4, 5), 2, "SAME"), kernel(5))),
    "dilated": lambda x: tf.nn.relu6(tf.nn.conv2d(x, kernel(2, 2, 4, 5), 1, "VALID", dilations=2)),
    "depthwise": lambda x: tf.nn.depthwise_conv2d(x, kernel(3, 3, 4, 2), (1, 2, 2, 1), "SAME"),
    "transposed": lambda x: tf.nn.conv2d_transpose(x[:1], kernel(3, 3, 5, 4), (1, 12, 14, 5), 2, "SAME"),
    "average": lambda x: tf.nn.avg_pool2d(x, 3, 2, "SAME"),
    "maximum": lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"),
    "dense": lambda x: tf.nn.tanh(tf.reshape(x, (-1, 168)) @ kernel(168, 5) / 9.0 + kernel(5)),
    "products": lambda x: tf.matmul(x, x, transpose_b=True),
    "softmax": lambda x: (tf.nn.softmax(x), tf.nn.log_softmax(x)),
    "smooth": lambda x: (tf.nn.sigmoid(x), tf.nn.elu(x), tf.nn.leaky_relu(x, 0.3), tf.math.rsqrt(x * x + 1.0)),
    "swish": lambda x: x * tf.nn.relu6(x + 3.0) / 6.0,
    "padded": lambda x: tf.pad(x, ((0, 0), (1, 2), (0, 1), (0, 0))),
    "mirrored": lambda x: tf.pad(x, ((0, 0), (1, 2), (3, 1), (0, 0)), "REFLECT"),
    "parts": lambda x: (x[:, 1:5:2, ::-1], tf.slice(x, (0, 1, 2, 0), (-1, 2, 3, 4)), *tf.split(x, 2, 3)),
    "joined": lambda x: (tf.concat([x, x * 2.0], 2), tf.stack([x, -x], 1), tf.transpose(x, (0, 3, 1, 2))),
    "reduced": lambda x: (tf.reduce_mean(x, (1, 2)), tf.reduce_max(x, 3, keepdims=True), tf.reduce_sum(x, 2)),
    "extreme": lambda x: (tf.argmax(x, 3, tf.int32), tf.gather(x, [2, 0], axis=1)),
    "chosen": lambda x: tf.where(x > 0.5, tf.maximum(x, 1.0), tf.minimum(-x, 0.1)),
    "enlarged": lambda x: (tf.image.resize(x, (9, 15)), tf.image.resize(x, (12, 14), "nearest")),
    "corners": lambda x: tf.compat.v1.image.resize_bilinear(x, (11, 13), align_corners=True),
    "shaped": lambda x: tf.reshape(x, (tf.shape(x)[0], 3, -1)),
}
for name, body in CASES.items():
    function = tf.function(body, input_signature=[x]).get_concrete_function()
    content = tf.lite.TFLiteConverter.from_concrete_functions([function], tf.Module()).convert()
    open(name + ".tflite", "wb").write(content)
"""
CASES = (
    "conv", "dilated", "depthwise", "transposed", "average", "maximum", "dense", "products", "softmax", "smooth",
    "swish", "padded", "mirrored", "parts", "joined", "reduced", "extreme", "chosen", "enlarged", "corners", "shaped",
)  # fmt: skip


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one small model for each case, converted by TensorFlow in another process."""
    folder = tmp_path_factory.mktemp("tflite")
    done = subprocess.run([sys.executable, "-c", MAKING], cwd=folder, capture_output=True, text=True, check=False)
    if "No module named 'tensorflow'" in done.stderr:
        pytest.skip("tensorflow is not there")
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


@pytest.mark.parametrize("case", CASES)
def test_operators_yield_what_the_interpreter_yields(models: Path, case: str) -> None:
    x = np.random.default_rng(0).normal(size=(2, 6, 7, 4)).astype(np.float32)
    graph = read_model(models / f"{case}.tflite", case)
    (port,) = graph.inputs
    found = evaluate(graph, {port.name: x}, double=True)
    expected = _interpreted(models / f"{case}.tflite", x)
    assert len(expected) == len(graph.outputs)
    for value, right in zip(graph.outputs, expected, strict=True):
        assert np.asarray(found[value.name]).dtype.kind == right.dtype.kind
        np.testing.assert_allclose(found[value.name], right, rtol=2e-5, atol=2e-5)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.tflite"
    path.write_bytes(b"TFL3 and nothing else")
    with pytest.raises(UnsupportedInput):
        read_model(path, "broken.tflite")


def _interpreted(path: Path, x: Any) -> list[Any]:
    plain = interpreter.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    runner = interpreter.Interpreter(model_path=str(path), experimental_op_resolver_type=plain)
    (place,) = runner.get_input_details()
    runner.resize_tensor_input(place["index"], x.shape)
    runner.allocate_tensors()
    runner.set_tensor(place["index"], x)
    runner.invoke()
    return [runner.get_tensor(each["index"]) for each in runner.get_output_details()]
