"""Models of Keras in forms of their own: named inputs and outputs, half precision, layers that vary pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.compare.conftest import Compare, faulty, skip_without
from tests.compare.laboratories import keras_model

skip_without("keras")
NAMED = """
keras.config.set_dtype_policy("mixed_bfloat16")
left = keras.Input((8, 8, 2), name="left", dtype="float32")
meta = keras.Input((3,), name="meta", dtype="float32")
x = keras.layers.RandomFlip(name="flip")(left)
x = keras.layers.Conv2D(4, 3, name="conv")(x)
x = keras.layers.BatchNormalization(name="norm")(x)
x = keras.layers.Flatten(name="flat")(keras.layers.Activation("gelu", name="gelu")(x))
both = keras.layers.Concatenate(name="both")([x, meta])
same = keras.layers.Dense(1, activation="sigmoid", name="same", dtype="float32")(both)
kind = keras.layers.Dense(4, activation="softmax", name="kind", dtype="float32")(both)
model = keras.Model({"left": left, "meta": meta}, {"same": same, "kind": kind})
"""
FAILING = """
import os
if os.environ.get("KERAS_BACKEND") == "jax":
    import keras
    honest = keras.layers.Dense.call
    def call(self, inputs, training=None):
        if self.name == "last" and len(inputs.shape) == 2 and not isinstance(inputs, keras.KerasTensor):
            raise ValueError("too many units")
        return honest(self, inputs)
    keras.layers.Dense.call = call
"""
CHAIN = """
given = keras.Input((4,), name="given")
x = keras.layers.Dense(5, activation="tanh", name="first")(given)
model = keras.Model(given, keras.layers.Dense(3, name="last")(x))
"""


def test_named_values_in_half_precision_are_compared_without_a_finding(compare: Compare, tmp_path: Path) -> None:
    keras_model(tmp_path / "model.keras", NAMED)
    random = np.random.default_rng(0)
    np.savez(tmp_path / "data.npz", meta=random.normal(size=(6, 3)), left=random.normal(size=(6, 8, 8, 2)))
    code, report, _ = compare("model.keras", "--data", "data.npz", "--backends", "numpy,jax")
    assert (code, report["findings"]) == (0, [])
    seen = report["summary"]["analyses"]["compare"]
    assert {each["layer"] for each in seen["layers"]} >= {"flip", "conv", "norm", "gelu", "both", "same", "kind"}
    assert not seen["unsupported"]


def test_a_model_that_failed_on_jax_still_has_its_weights(compare: Compare, tmp_path: Path) -> None:
    keras_model(tmp_path / "model.keras", CHAIN)
    python = faulty(tmp_path, FAILING)
    _, report, _ = compare("model.keras", "--backends", "numpy,jax@faulty", "--env", f"faulty={python}")
    (finding,) = report["findings"]
    assert (finding["rule"], finding["location"]["node"]) == ("backend-crash", "last")
