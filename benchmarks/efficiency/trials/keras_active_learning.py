"""Predictions that nothing reads, in a loop that trains a model; all sets a fiftieth of the program's."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import picked, stand_in

trial = Trial("keras-io/examples", "nlp/active_learning_review_classification.py", 411, "unused-tensor")


def prepare(folder: Path) -> Any:
    import matplotlib
    import numpy as np
    import tensorflow as tf

    matplotlib.use("Agg")
    stand_in("tensorflow_datasets")
    tf.keras.utils.set_random_seed(0)
    draw = np.random.default_rng(0)

    def reviews(count: int) -> Any:
        found = draw.integers(0, 3000, (count, 150)), draw.integers(0, 2, count)
        return tf.data.Dataset.from_tensor_slices(found)

    names = ("append_history", "plot_history", "create_model", "train_active_learning_models")
    train = picked(folder / trial.path, *names)["train_active_learning_models"]
    return train, (reviews(300), reviews(300), reviews(300), reviews(100).batch(256), reviews(100).batch(256))


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    train, sets = prepared
    return train(*sets, sampling_size=100).get_weights()
