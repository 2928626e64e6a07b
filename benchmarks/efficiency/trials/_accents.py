"""The validation set of accents, gathered batch by batch, as large as the program says that it is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials._loading import passage

REPOSITORY, PATH = "keras-io/examples", "audio/uk_ireland_accent_recognition.py"
_ROWS = 1788 * 12
"""A tenth of the recordings of six seconds, with an embedding for each half second."""


def batches() -> dict[str, Any]:
    """What the loop reads: random embeddings and labels of the program's sizes."""
    import numpy as np
    import tensorflow as tf

    draw = np.random.default_rng(0)
    embeddings = draw.random((_ROWS, 1024), dtype=np.float32)
    labels = np.eye(7, dtype=np.float32)[draw.integers(0, 7, _ROWS)]
    dataset = tf.data.Dataset.from_tensor_slices((embeddings, labels)).batch(64)
    return {"np": np, "valid_ds": dataset.prefetch(tf.data.AUTOTUNE)}


def gathered(folder: Path, names: dict[str, Any]) -> Iterable[Any]:
    exec(passage(folder / PATH, "x_valid = None", "y_pred = "), names)
    return [names["x_valid"], names["y_valid"]]


class Nothing:
    """A model that predicts nothing."""

    def predict(self, given: Any) -> None:
        del given
