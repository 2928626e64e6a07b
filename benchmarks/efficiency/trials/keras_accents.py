"""The validation set of accents, gathered batch by batch, as large as the program says that it is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change, Trial
from benchmarks.efficiency.trials._loading import passage

_GATHERED = """\
x_valid_parts, y_valid_parts = [], []
for x, y in iter(valid_ds):
    x_valid_parts.append(x.numpy())
    y_valid_parts.append(y.numpy())
x_valid = np.concatenate(x_valid_parts, axis=0)
y_valid = np.concatenate(y_valid_parts, axis=0)
"""
trial = Trial(
    "keras-io/examples", "audio/uk_ireland_accent_recognition.py", 514, "growing-concatenation",
    changes=(Change(509, 515, _GATHERED),),
)  # fmt: skip
_ROWS = 1788 * 12
"""A tenth of the recordings of six seconds, with an embedding for each half second."""


def prepare(folder: Path) -> dict[str, Any]:
    """What the loop reads: random embeddings and labels of the program's sizes."""
    import numpy as np
    import tensorflow as tf

    del folder
    draw = np.random.default_rng(0)
    embeddings = draw.random((_ROWS, 1024), dtype=np.float32)
    labels = np.eye(7, dtype=np.float32)[draw.integers(0, 7, _ROWS)]
    dataset = tf.data.Dataset.from_tensor_slices((embeddings, labels)).batch(64)
    return {"np": np, "valid_ds": dataset.prefetch(tf.data.AUTOTUNE), "model": _Nothing()}


class _Nothing:
    """A model that predicts nothing."""

    def predict(self, given: Any) -> None:
        del given


def run(folder: Path, names: dict[str, Any]) -> Iterable[Any]:
    exec(passage(folder / trial.path, "x_valid = None", "y_pred = "), names)
    return [names["x_valid"], names["y_valid"]]
