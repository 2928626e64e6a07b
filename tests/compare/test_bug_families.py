"""The families of bugs that the paper found [CRADLE V], each injected into the NumPy backend in an environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mlvet
from benchmarks.compare.faults import Fault
from benchmarks.compare.subjects import FaultyPython

MODEL = """
import sys
import numpy as np
import keras
from keras import layers
random = np.random.default_rng(0)
image = keras.Input((8, 9, 3), name="image")
x = layers.Conv2D(4, 3, strides=2, padding="same", name="conv")(image)
x = layers.BatchNormalization(name="norm")(x)
x = layers.AveragePooling2D(3, strides=1, padding="same", name="pool")(x)
x = layers.Conv2D(5, 3, padding="same", name="kernel")(x)
x = layers.Flatten(name="flat")(x)
model = keras.Model(image, layers.Dense(4, activation="softmax", name="classes")(x))
model.set_weights([random.uniform(0.1, 1.0, each.shape) for each in model.get_weights()])
model.save("model.keras")
"""
FAMILIES = {
    "epsilon": Fault("", "", "norm", "numpy", "epsilon_outside_the_root"),
    "padding": Fault("", "", "conv", "numpy", "pads_the_other_side"),
    "pooling": Fault("", "", "pool", "numpy", "average_counts_padding"),
    "parameters": Fault("", "", "kernel", "numpy", "flips_kernel"),
    "crash": Fault("", "", "pool", "numpy", "forgets_a_row"),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One comparison of a sound backend with five environments in which the other one is wrong."""
    folder = tmp_path_factory.mktemp("families")
    paths = {"PYTHONPATH": str(Path(mlvet.__file__).parents[1]), "KERAS_BACKEND": "numpy"}
    subprocess.run([sys.executable, "-c", MODEL], cwd=folder, env={**os.environ, **paths}, check=True)
    command = [sys.executable, "-m", "mlvet", "compare", "model.keras", "--examples", "8", "--output-format", "json"]
    for family, fault in FAMILIES.items():
        place = folder / family
        place.mkdir()
        python = FaultyPython(place)
        python.becomes(fault, 0.0)
        command += ["--env", f"{family}={python.path}"]
    command += ["--backends", ",".join(["numpy", "jax", *(f"numpy@{family}" for family in FAMILIES)])]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **paths}, capture_output=True, text=True, timeout=900)
    assert done.returncode == 1, done.stderr
    return dict(json.loads(done.stdout))


def found(report: dict[str, Any], family: str) -> list[tuple[str, str | None]]:
    blamed = [each for each in report["findings"] if each["evidence"]["blamed"] == f"numpy@{family}"]
    return [(each["rule"], each["location"].get("node")) for each in blamed]


@pytest.mark.parametrize("family", ["epsilon", "padding", "pooling", "parameters"])
def test_the_wrong_layer_of_the_wrong_backend_is_named(report: dict[str, Any], family: str) -> None:
    ((rule, node),) = found(report, family)
    assert rule in ("inconsistent-backends", "wrong-layer")
    assert node == FAMILIES[family].layer


def test_a_crash_by_an_object_of_a_wrong_shape_is_of_that_backend(report: dict[str, Any]) -> None:
    assert found(report, "crash") == [("backend-crash", FAMILIES["crash"].layer)]


def test_nobody_else_is_blamed(report: dict[str, Any]) -> None:
    blamed = {each["evidence"]["blamed"] for each in report["findings"]}
    assert blamed == {f"numpy@{family}" for family in FAMILIES}
