"""Converters as suspects: one that is wrong, one whose runtime is wrong, and those that convert as they should."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mlvet.analyses.compare.suspects import apart
from tests.compare.conftest import Compare, faulty, skip_without

pytest.importorskip("torch")
pytest.importorskip("onnxscript")
POOLING_CHANGED = """
import onnx, torch
honest = torch.onnx.export
def export(program, *args, f, **options):
    honest(program, *args, f=f, **options)
    model = onnx.load(f)
    for node in model.graph.node:
        for attribute in node.attribute:
            if node.op_type == "AveragePool" and attribute.name == "count_include_pad":
                attribute.i = 1 - attribute.i
    onnx.save(model, f)
torch.onnx.export = export
"""
SOFTMAX_CHANGED = """
import onnx, onnxruntime
class Session(onnxruntime.InferenceSession):
    def __init__(self, path, *args, **options):
        super().__init__(path, *args, **options)
        model = onnx.load_from_string(path) if isinstance(path, bytes) else onnx.load(path)
        self.wrong = any(node.op_type == "Softmax" for node in model.graph.node)
    def run(self, *args):
        first, *others = super().run(*args)
        return [first ** 2 if self.wrong else first, *others]
onnxruntime.InferenceSession = Session
"""
INTEGERS = """
import keras
keras.utils.set_random_seed(0)
days = keras.Input((7,), dtype="int32", name="days")
x = keras.ops.cast(keras.ops.mod(days - 20, 5), "float32")
x = keras.layers.Dense(8, activation="tanh", name="hidden")(x)
keras.Model(days, keras.layers.Dense(4, activation="softmax", name="classes")(x)).save("model.keras")
"""
THREE_INPUTS = """
import keras
keras.utils.set_random_seed(0)
given = {name: keras.Input((4,), name=name) for name in ("zeta", "alpha", "mu")}
x = keras.layers.Dense(8, activation="tanh", name="first")(given["zeta"])
x = keras.layers.Add(name="add")([x, keras.layers.Dense(8, name="second")(given["alpha"])])
x = keras.layers.Multiply(name="by")([x, keras.layers.Dense(8, name="third")(given["mu"])])
keras.Model(list(given.values()), keras.layers.Dense(3, name="out")(x)).save("model.keras")
"""


NORMALISED = """
import keras
keras.utils.set_random_seed(0)
image = keras.Input((6, 6, 2), name="image")
x = keras.layers.Conv2D(3, 3, name="conv")(image)
x = keras.layers.BatchNormalization(name="norm")(x)
x = keras.layers.Flatten(name="flat")(x)
keras.Model(image, keras.layers.Dense(4, name="scores")(x)).save("model.keras")
"""
EXPORT_CHANGED = """
import keras
honest = keras.Model.export
def export(model, *args, **options):
    norms = [layer for layer in model.layers if isinstance(layer, keras.layers.BatchNormalization)]
    for layer in norms:
        layer.epsilon += 0.5
    honest(model, *args, **options)
    for layer in norms:
        layer.epsilon -= 0.5
keras.Model.export = export
"""
NORMALISATION_CHANGED = """
import functools, keras
honest = keras.layers.BatchNormalization.call
@functools.wraps(honest)
def call(layer, *args, **options):
    layer.epsilon += 0.5
    try:
        return honest(layer, *args, **options)
    finally:
        layer.epsilon -= 0.5
keras.layers.BatchNormalization.call = call
"""


@pytest.mark.parametrize(
    ("changed", "backends", "blamed"),
    [
        (EXPORT_CHANGED, "onnxruntime@env,saved-model@env", "keras export "),
        (NORMALISATION_CHANGED, "onnxruntime@env", "tensorflow@env"),
        ("", "saved-model,onnxruntime-torch", None),
    ],
    ids=["exporter", "source", "nobody"],
)
def test_who_is_wrong_before_the_converter_is_told(
    changed: str, backends: str, blamed: str | None, compare: Compare, tmp_path: Path
) -> None:
    """Keras exports, tf2onnx converts what it exported; the first of them that is wrong is blamed, once."""
    skip_without("tf2onnx")
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    subprocess.run([sys.executable, "-c", NORMALISED], cwd=tmp_path, env=environment, check=True, capture_output=True)
    env = [f"--env=env={faulty(tmp_path / 'env', changed)}"] if changed else []
    _, report, _ = compare("model.keras", "--backends", f"jax,{backends}", *env, "--reproduce", "least")
    told = [(each["evidence"]["blamed"], each["location"]["node"]) for each in report["findings"]]
    assert len(told) == (blamed is not None)
    assert blamed is None or (told[0][0].startswith(blamed) and told[0][1] == "norm")
    assert len(report["summary"]["analyses"]["compare"]["backends"]) == 2 + backends.count(",")
    if changed == EXPORT_CHANGED:
        (script,) = tmp_path.glob("least/*/show.py")
        done = subprocess.run([str(tmp_path / "env" / "python"), str(script)], capture_output=True, text=True)
        shown = {name: float(text.strip("[]")) for name, text in map(str.split, done.stdout.splitlines())}
        assert "BatchNormalization(" in script.read_text()
        assert shown["tensorflow@env"] == pytest.approx(shown["expected"]) != pytest.approx(shown["onnxruntime@env"])


def test_a_wrong_converter_and_a_wrong_runtime_are_told_apart(
    compare: Compare, torch_models: Path, tmp_path: Path
) -> None:
    """The one changes how padding counts in a file, the other squares what a right file tells it to yield."""
    environments = {"padding": POOLING_CHANGED, "softmax": SOFTMAX_CHANGED}
    env = [f"--env={name}={faulty(tmp_path / name, code)}" for name, code in environments.items()]
    backends = ("--backends", "torch,onnxruntime@padding,onnxruntime@softmax")
    code, report, _ = compare(str(torch_models / "model.pt2"), *backends, *env)
    told = {finding["evidence"]["backend"]: finding for finding in report["findings"]}
    by_converter, by_runtime = told["onnxruntime@padding"], told["onnxruntime@softmax"]
    assert (code, len(report["findings"])) == (1, 2)
    assert by_converter["evidence"]["blamed"].startswith("torch.onnx ")
    assert (by_converter["location"]["node"], by_converter["evidence"]["judge"]) == ("avg_pool2d", "mlvet")
    assert by_runtime["evidence"]["blamed"] == "onnxruntime@softmax"
    assert by_runtime["evidence"]["kind"] == "Softmax"


def test_remainders_of_negative_integers_are_converted_wrongly_by_tf2onnx(compare: Compare, tmp_path: Path) -> None:
    skip_without("tf2onnx")
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    subprocess.run([sys.executable, "-c", INTEGERS], cwd=tmp_path, env=environment, check=True, capture_output=True)
    code, report, _ = compare("model.keras", "--backends", "tensorflow,onnxruntime,litert")
    (finding,) = report["findings"]
    assert (code, finding["location"]["node"]) == (1, "mod")
    assert finding["evidence"]["blamed"].startswith("tf2onnx ")
    assert set(report["summary"]["analyses"]["compare"]["backends"]) == {"tensorflow", "onnxruntime", "litert"}


def test_inputs_of_a_converted_model_are_those_of_the_same_name(compare: Compare, tmp_path: Path) -> None:
    """The converter of TFLite orders inputs of one shape by their names and calls them by others."""
    skip_without("ai_edge_litert")
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    subprocess.run([sys.executable, "-c", THREE_INPUTS], cwd=tmp_path, env=environment, check=True, capture_output=True)
    code, report, _ = compare("model.keras", "--backends", "tensorflow,litert")
    assert (code, report["findings"]) == (0, [])
    assert set(report["summary"]["analyses"]["compare"]["backends"]) == {"tensorflow", "litert"}


def test_outputs_are_apart_by_a_share_of_their_magnitude() -> None:
    right = [np.array([1.0, -100.0])]
    assert apart([np.array([1.0, -99.0])], right) == pytest.approx(0.01)
    assert apart([np.array([np.nan, -100.0])], right) == float("inf")
    assert apart([np.zeros(3)], right) == float("inf")
    assert apart([np.array([np.nan])], [np.array([np.nan])]) == 0.0
