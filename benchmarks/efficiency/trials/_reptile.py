"""Few-shot learning with Reptile on random characters: the program's own loop, of which a few iterations are run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials._loading import passage, picked, stand_in

REPOSITORY, PATH = "keras-io/examples", "vision/reptile.py"
_ITERATIONS = 25


def learner(folder: Path) -> dict[str, Any]:
    """The model and its data, before the loop."""
    import random

    import numpy as np
    import tensorflow as tf

    stand_in("tensorflow_datasets", "urllib3")
    tf.keras.utils.set_random_seed(0)
    settings = (
        "learning_rate", "meta_step_size", "inner_batch_size", "eval_batch_size", "eval_iters", "inner_iters",
        "eval_interval", "train_shots", "shots", "classes",
    )  # fmt: skip
    names = picked(folder / PATH, *settings, "Dataset", "conv_bn", given={"meta_iters": _ITERATIONS})
    draw = np.random.default_rng(0)
    for which in ("train_dataset", "test_dataset"):
        names[which] = names["Dataset"].__new__(names["Dataset"])
        names[which].data = {str(n): list(draw.random((20, 28, 28, 1), dtype=np.float32)) for n in range(30)}
        names[which].labels = list(names[which].data)
    exec(passage(folder / PATH, "inputs = layers.Input", "optimizer = "), names)
    random.seed(0)
    return names


def learned(folder: Path, names: dict[str, Any]) -> Iterable[Any]:
    exec(passage(folder / PATH, "training = []", "for meta_iter in"), names)
    return [names["training"], names["testing"], *names["model"].get_weights()]
