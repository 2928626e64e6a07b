"""Gradients of Keras models: silent where backends agree, and a backend that differentiates one function wrongly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.compare.gradients import GradientError, GradientWalk, _agree, _in_both
from mlvet.analyses.compare.local_errors import LocalError
from mlvet.analyses.compare.subject import Layer
from tests.compare.conftest import Compare
from tests.compare.test_fusion import environment
from tests.compare.test_keras_backends import made

DENSE = Layer("dense", "Dense", ("x",), ("dense",))
PATCH = """
import torch

class Tanh(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        found = right(x)
        context.save_for_backward(found)
        return found

    @staticmethod
    def backward(context, gradient):
        found, = context.saved_tensors
        return gradient * (1 - found * found) * 1.01

right = torch.tanh
torch.tanh = Tanh.apply
"""
MODEL = """
image = keras.Input((8, 8, 3), name="image")
x = keras.layers.Conv2D(4, 3, padding="same", activation="relu", name="conv")(image)
x = keras.layers.MaxPooling2D(2, name="pool")(x)
x = keras.layers.LayerNormalization(name="norm")(x)
x = keras.layers.Reshape((16, 4), name="rows")(x)
x = keras.layers.MultiHeadAttention(2, 4, name="attention")(x, x, use_causal_mask=True)
x = keras.layers.Flatten(name="flat")(x)
x = keras.layers.Dense(6, activation="tanh", name="hidden")(x)
model = keras.Model(image, keras.layers.Dense(3, activation="softmax", name="classes")(x))
"""


def off(times: float, layer: Layer | None = DENSE, by: str = "kernel", backend: str = "torch") -> GradientError:
    return GradientError(layer, by, LocalError(layer or DENSE, backend, times, times, 1.0, 10.0, 0.0), ("jax", "torch"))


def test_a_backend_that_differentiates_wrongly_is_named_alone(compare: Compare, tmp_path: Path) -> None:
    made(tmp_path, MODEL)
    python = environment(tmp_path, PATCH)
    options = ("--backends", "jax,torch@patched", "--env", f"patched={python}", "--gradients", "--examples", "8")
    code, report, _ = compare("model.keras", *options)
    (finding,) = report["findings"]
    assert (code, finding["rule"], finding["location"]["node"]) == (1, "wrong-gradient", "hidden")
    assert finding["evidence"]["blamed"] == "torch@patched"
    assert finding["evidence"]["judges"] == ["jax", "torch"]
    told = report["summary"]["analyses"]["compare"]["gradients"]
    assert (told["unjudged"], told["refused"]) == ({}, {})
    right = [each for each in told["errors"] if each["backend"] == "jax" or each["layer"] not in ("hidden", None)]
    layers = {"conv", "pool", "norm", "rows", "attention", "flat", "hidden", "classes", None}
    assert {each["layer"] for each in right} == layers
    assert not any(each["wrong"] for each in right)
    assert {each["by"] for each in right if each["layer"] == "conv"} == {"conv/kernel", "conv/bias", "input image"}


def test_what_is_wrong_beside_the_input_alone_is_not_told() -> None:
    assert [each.wrong for each in _in_both([off(1e6)], [off(2.0)])] == [False]
    assert [each.wrong for each in _in_both([off(1e6)], [off(1e5)])] == [True]
    assert _in_both([off(1e6)], []) == []


def test_a_gradient_that_vanishes_does_not_part_judges() -> None:
    kernel, bias = np.ones(4), np.full(4, 1e-17)
    assert _agree({"kernel": kernel, "bias": bias}, {"kernel": kernel, "bias": -bias})
    assert not _agree({"kernel": kernel, "bias": bias}, {"kernel": kernel * 1.001, "bias": bias})
    assert not _agree({"kernel": kernel}, {"bias": bias})


@pytest.mark.parametrize(("layers", "told"), [([], [None]), ([DENSE], ["dense"])])
def test_the_whole_model_is_told_where_no_layer_explains_it(layers: list[Layer], told: list[str | None]) -> None:
    walk = GradientWalk(errors=[off(1e6, layer) for layer in layers] + [off(1e6, None)])
    assert [each.layer and each.layer.name for each in walk.wrong()] == told


def test_an_error_of_the_whole_model_that_nobody_feels_is_not_told() -> None:
    small = LocalError(DENSE, "torch", 1e-5, 1e-5, 1e-9, 1.0, 0.0)
    assert not GradientError(None, "kernel", small, ()).wrong
    assert GradientError(DENSE, "kernel", small, ()).wrong
    assert np.isfinite(small.times)


def test_models_other_than_those_of_keras_are_told(compare: Compare, onnx_model: Path) -> None:
    code, report, _ = compare(onnx_model.name, "--backends", "onnxruntime,onnx-reference", "--gradients")
    assert code == 0
    assert "gradients are compared for models of Keras alone" in report["summary"]["notes"]


def test_the_page_of_the_rule_holds_models_of_keras() -> None:
    page = catalogue()["wrong-gradient"].page()
    for head in ("Example", "Use instead"):
        compile(page.code(head), head, "exec")
