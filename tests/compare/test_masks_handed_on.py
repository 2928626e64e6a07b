"""Masks that layers hand on with their values: kept from layer to layer, taken away where Keras does, and judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.compare.conftest import Compare, faulty, skip_without
from tests.compare.laboratories import keras_model, shown

skip_without("keras")
skip_without("tensorflow")
MODEL = """
words = keras.Input((5,), dtype="int32", name="words")
x = keras.layers.Embedding(9, 4, mask_zero=True, name="embedding")(words)
y = keras.layers.MultiHeadAttention(2, 3, name="attention")(x, x)
x = keras.layers.Add(name="sum")([x, y])
x = keras.layers.LayerNormalization(name="norm")(x)
y = keras.layers.MultiHeadAttention(2, 3, name="again")(x, x)
x = keras.layers.GlobalAveragePooling1D(name="mean")(keras.layers.Add(name="sum2")([x, y]))
model = keras.Model(words, keras.layers.Dense(3, activation="softmax", name="classes")(x))
"""
"""Attention takes the masks of what it is given away, so later layers see them no more."""
FAULTY = """
import os
if os.environ.get("KERAS_BACKEND") == "jax":
    import keras
    honest = keras.layers.{kind}.{function}
    def {function}(self, *args, **kwargs):
        {body}
    keras.layers.{kind}.{function} = {function}
"""
DEAF = FAULTY.format(
    kind="MultiHeadAttention", function="_compute_attention_mask",
    body="kwargs['value_mask'] = kwargs['query_mask'] = None; return honest(self, *args, **kwargs)",
)  # fmt: skip
SILENT = FAULTY.format(
    kind="Embedding", function="compute_mask",
    body="found = honest(self, *args, **kwargs); return None if found is None else keras.ops.ones_like(found)",
)  # fmt: skip


@pytest.mark.parametrize(("code", "layer"), [(DEAF, "attention"), (SILENT, "embedding")])
def test_the_layer_that_loses_a_mask_is_named(compare: Compare, tmp_path: Path, code: str, layer: str) -> None:
    keras_model(tmp_path / "model.keras", MODEL)
    words = np.array([[1, 2, 3, 0, 0], [4, 5, 0, 0, 0], [6, 7, 8, 1, 2], [3, 3, 4, 0, 0]], np.int32)
    np.savez(tmp_path / "words.npz", words=words)
    python = faulty(tmp_path, code)
    _, report, _ = compare(
        "model.keras", "--data", "words.npz", "--backends", "numpy,jax@deaf", "--env", f"deaf={python}"
    )
    (finding,) = report["findings"]
    assert (finding["location"]["node"], finding["evidence"]["blamed"]) == (layer, "jax@deaf")
    assert ("another mask" in finding["message"]) == (layer == "embedding")


def test_the_script_of_a_layer_with_two_arguments_runs(compare: Compare, tmp_path: Path) -> None:
    keras_model(tmp_path / "model.keras", MODEL)
    np.savez(tmp_path / "words.npz", words=np.array([[1, 2, 3, 0, 0], [4, 5, 0, 0, 0]], np.int32))
    python = faulty(tmp_path, DEAF)
    backends = ("--backends", "numpy,jax@deaf", "--env", f"deaf={python}")
    _, report, _ = compare("model.keras", "--data", "words.npz", *backends, "--reproduce", "found")
    (finding,) = report["findings"]
    seen = shown(tmp_path / finding["evidence"]["reproduction"]["folder"] / "show.py", python)
    assert seen["numpy"] == seen["expected"] != seen["jax"]
