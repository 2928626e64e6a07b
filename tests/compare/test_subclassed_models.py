"""Models and layers of the user's own, of which a file holds the weights alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.compare.conftest import Compare, skip_without

skip_without("keras")
skip_without("torch")
NETWORKS = """
import keras
from keras import layers

class Twice(layers.Layer):
    def __init__(self, count, **rest):
        super().__init__(**rest)
        self.first = layers.Conv2D(count, 3, padding="same")
    def build(self, shape):
        self.first.build(shape)
    def call(self, x):
        return keras.ops.tanh(self.first(x)) * 2

class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.body, self.pool = Twice(4, name="body"), layers.AveragePooling2D(3, 2, padding="same", name="pool")
        self.flat, self.classes = layers.Flatten(name="flat"), layers.Dense(3, name="classes")
    def call(self, x):
        return self.classes(self.flat(self.pool(self.body(x))))

def net():
    model = Net()
    model(keras.ops.zeros((1, 8, 8, 2)))
    return model

def text():
    return "no model"
"""
WRITTEN = "import keras, networks\nkeras.utils.set_random_seed(0)\nnetworks.net().save_weights('net.weights.h5')\n"


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    (tmp_path / "networks.py").write_text(NETWORKS, encoding="utf-8")
    environment = {**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", WRITTEN], cwd=tmp_path, env=environment, check=True, capture_output=True)
    images = np.random.default_rng(0).normal(size=(6, 8, 8, 2)).astype(np.float32)
    np.savez(tmp_path / "images.npz", images=images)
    return tmp_path / "net.weights.h5"


def test_layers_that_a_model_calls_are_judged(compare: Compare, weights: Path) -> None:
    """The average pooling of torch, in a subclassed model behind a layer that only the user's module knows."""
    arguments = ("--build", "networks:net", "--data", "images.npz", "--backends", "jax,torch")
    code, report, _ = compare(weights.name, *arguments)
    (finding,) = report["findings"]
    assert (code, finding["location"]["node"], finding["evidence"]["blamed"]) == (1, "pool", "torch")
    told = report["summary"]["analyses"]["compare"]
    assert {each["layer"] for each in told["layers"]} == {"body", "pool", "flat", "classes"}
    assert told["unjudged"] == {}


@pytest.mark.parametrize(
    ("build", "words"),
    [
        ("networks:text", "networks:text returns str, which is no model"),
        ("networks", "not of the form MODULE:FUNCTION"),
    ],
)
def test_what_builds_no_model(compare: Compare, weights: Path, build: str, words: str) -> None:
    code, report, errors = compare(weights.name, "--build", build, "--backends", "jax")
    assert (code, report, errors.count("\n")) == (2, {}, 1)
    assert words in errors
