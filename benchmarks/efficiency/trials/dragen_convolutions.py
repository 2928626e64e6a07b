"""Small convolutions trained operator by operator; without dropout, whose numbers a compiled step draws otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._digits import digits_of_keras
from benchmarks.efficiency.trials._loading import passage, repaired

trial = Trial(
    "dragen1860/TensorFlow-2.x-Tutorials", "01-TF2.0-Overview/conv_train.py", 73, "eager-train-step", tolerance=1e-2
)


def prepare(folder: Path) -> Any:
    import tensorflow as tf

    digits_of_keras(folder)
    file = folder / trial.path
    repaired(file, "Dropout(rate=0.4)", "Dropout(rate=0.0)")
    repaired(file, "reset_states()", "reset_state()")
    tf.keras.utils.set_random_seed(0)
    names: dict[str, Any] = {}
    exec(passage(file, "import os", "def train("), names)
    return names


def run(folder: Path, names: Any) -> Iterable[Any]:
    del folder
    names["train"](names["model"], names["optimizer"], names["train_ds"], log_freq=500)
    return list(names["model"].get_weights())
