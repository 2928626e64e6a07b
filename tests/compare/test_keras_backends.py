"""Keras models on real backends: the average pooling that is wrong on torch, and a clean model with all that is hard.

Models are made by a process of their own, so that no test chooses the Keras backend of another.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compare.conftest import Compare

POOLED = """
image = keras.Input((10, 10, 3), name="image")
x = keras.layers.Conv2D(4, 3, padding="same", activation="relu", name="conv")(image)
inner = keras.Sequential([keras.Input((10, 10, 4)), keras.layers.BatchNormalization(name="norm"),
    keras.layers.AveragePooling2D(3, strides=2, padding="same", name="pool")], name="inner")
x = keras.layers.Flatten(name="flat")(inner(x))
model = keras.Model(image, keras.layers.Dense(6, activation="softmax", name="classes")(x))
"""
CLEAN = """
words = keras.Input((7,), dtype="int32", name="words")
x = keras.layers.Embedding(64, 8, mask_zero=True, name="embedding")(words)
x = keras.layers.Bidirectional(keras.layers.LSTM(6, return_sequences=True), name="both")(x)
x = keras.layers.Dropout(0.5, name="dropout")(x)
shared = keras.layers.Dense(12, activation="gelu", name="shared")
x = keras.layers.LayerNormalization(name="norm")(x + shared(x))
x = keras.layers.MultiHeadAttention(2, 4, name="attention")(x, shared(x))
x = keras.layers.GRU(5, name="gru")(x)
model = keras.Model(words, [keras.layers.Dense(3, name="angle")(x), keras.ops.tanh(x)])
"""


def made(folder: Path, text: str) -> None:
    script = f"import keras\nkeras.utils.set_random_seed(0)\n{text}\nmodel.save('model.keras')\n"
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    subprocess.run([sys.executable, "-c", script], cwd=folder, env=environment, check=True, capture_output=True)


def test_average_pooling_of_even_sizes_is_wrong_on_torch(compare: Compare, tmp_path: Path) -> None:
    made(tmp_path, POOLED)
    code, report, _ = compare("model.keras", "--backends", "jax,torch")
    (finding,) = report["findings"]
    assert code == 1
    assert finding["location"]["node"] == "inner/pool"
    assert finding["evidence"]["blamed"] == "torch"
    assert finding["evidence"]["config"]["padding"] == "same"


def test_a_model_with_masks_shared_layers_and_several_outputs_has_no_finding(compare: Compare, tmp_path: Path) -> None:
    made(tmp_path, CLEAN)
    code, report, _ = compare("model.keras", "--backends", "jax,torch,numpy")
    assert (code, report["findings"]) == (0, [])
    told = report["summary"]["analyses"]["compare"]
    assert set(told["backends"]) == {"jax", "torch", "numpy"}
    assert {"embedding", "both", "attention", "gru"} <= {each["layer"] for each in told["layers"]}


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06" + bytes(18), b"\x89HDF\r\n\x1a\n broken"])
def test_a_corrupt_file_is_told_in_one_line(compare: Compare, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.keras").write_bytes(content)
    code, report, errors = compare("model.keras", "--backends", "jax")
    assert (code, report) == (2, {})
    assert errors.startswith("mlvet: model.keras: no backend can open the model")
    assert errors.count("\n") == 1
