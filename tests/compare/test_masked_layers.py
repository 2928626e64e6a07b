"""Layers that take masks: judged with them, and reduced with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.compare.conftest import Compare, faulty, skip_without
from tests.compare.laboratories import keras_model, shown

skip_without("keras")
skip_without("tensorflow")
DEAF = """
import os
if os.environ.get("KERAS_BACKEND") == "jax":
    import keras
    honest = keras.layers.SimpleRNN.call
    def call(self, sequences, initial_state=None, mask=None, training=False):
        return honest(self, sequences, initial_state=initial_state, mask=None, training=training)
    keras.layers.SimpleRNN.call = call
"""
"""Keras on JAX with a recurrent layer that does not look at masks."""
TOLD = "x = keras.layers.Embedding(9, 3, mask_zero=True, name='embedding')(words)"
KEPT = "x = keras.layers.Masking(name='masking')(keras.ops.one_hot(words, 9)[..., 1:])"
MODEL = """
words = keras.Input((5,), dtype="int32", name="words")
{masked}
x = keras.layers.SimpleRNN(4, name="recurrent")(x)
model = keras.Model(words, keras.layers.Dense(3, name="classes")(x))
"""


@pytest.mark.parametrize("masked", [TOLD, KEPT])
def test_a_layer_that_is_deaf_to_masks_is_one_layer_with_a_mask(compare: Compare, tmp_path: Path, masked: str) -> None:
    keras_model(tmp_path / "model.keras", MODEL.format(masked=masked))
    words = np.array([[1, 2, 3, 0, 0], [4, 5, 0, 0, 0], [6, 7, 8, 1, 2]], np.int32)
    np.savez(tmp_path / "words.npz", words=words)
    python = faulty(tmp_path, DEAF)
    backends = ("--backends", "numpy,jax@deaf", "--env", f"deaf={python}")
    _, report, _ = compare("model.keras", "--data", "words.npz", *backends, "--reproduce", "found")
    (finding,) = report["findings"]
    assert (finding["location"]["node"], finding["evidence"]["blamed"]) == ("recurrent", "jax@deaf")
    folder = tmp_path / finding["evidence"]["reproduction"]["folder"]
    assert "mask=" in (folder / "show.py").read_text(encoding="utf-8")
    seen = shown(folder / "show.py", python)
    assert seen["numpy"] == seen["expected"] != seen["jax"]
