"""Digits that are read from their archive in every epoch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change, Trial
from benchmarks.efficiency.trials._digits import digits_of_keras
from benchmarks.efficiency.trials._loading import as_script, repaired

trial = Trial(
    "dragen1860/TensorFlow-2.x-Tutorials", "01-TF2.0-Overview/fc_train.py", 9, "repeated-host-work",
    changes=(
        Change(8, 9, "def mnist_dataset(x, y):"),
        Change(60, 62, "def train(epoch, model, optimizer, x, y):\n\n  train_ds = mnist_dataset(x, y)"),
        Change(74, 75, (
            "(x, y), _ = datasets.mnist.load_data()\n"
            "for epoch in range(20):\n"
            "  loss, accuracy = train(epoch, model, optimizer, x, y)"
        )),
    ),
)  # fmt: skip
_EPOCHS = 5


def prepare(folder: Path) -> None:
    import tensorflow as tf

    digits_of_keras(folder)
    repaired(folder / trial.path, "range(20)", f"range({_EPOCHS})")
    tf.keras.utils.set_random_seed(0)


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del prepared
    return list(as_script(folder / trial.path)["model"].get_weights())
