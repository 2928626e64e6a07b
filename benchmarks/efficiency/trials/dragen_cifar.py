"""Pictures converted one by one before a deep network is tested on them.

All pictures of the test set are shuffled, but the network sees two batches of them only: memory is that of the whole
test, and the part of the time that the pictures take is greater than in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import loaded, passage, repaired

trial = Trial("dragen1860/TensorFlow-2.x-Tutorials", "06-CIFAR-VGG/main.py", 69, "input-pipeline")
_ROWS, _BATCHES = 10_000, 2


def prepare(folder: Path) -> Any:
    import numpy as np
    import tensorflow as tf

    draw = np.random.default_rng(0)
    data = [(draw.integers(0, 256, (_ROWS, 32, 32, 3), dtype=np.uint8), draw.integers(0, 10, (_ROWS, 1))) for _ in "ab"]
    repaired(folder / trial.path, "reset_states()", "reset_state()")
    module = loaded(folder / trial.path)
    module.datasets.cifar10.load_data = lambda: data
    tf.keras.utils.set_random_seed(0)
    names = vars(module) | {"epoch": 0}
    exec(passage(folder / trial.path, "(x,y), (x_test", "x, x_test = "), names)
    exec(passage(folder / trial.path, "model = VGG16", "model = VGG16"), names)
    names["model"].predict(np.zeros((256, 32, 32, 3), np.float32), verbose=0)
    predict, predicted = names["model"].predict, []

    def noted(pictures: Any) -> Any:
        predicted.append(predict(pictures, verbose=0))
        return predicted[-1]

    names["model"].predict = noted
    return names | {"predicted": predicted}


def run(folder: Path, names: Any) -> Iterable[Any]:
    exec(passage(folder / trial.path, "test_loader = ", "test_loader = test_loader"), names)
    names["test_loader"] = names["test_loader"].take(_BATCHES)
    exec(passage(folder / trial.path, "if epoch % 1 == 0", "if epoch % 1 == 0"), names)
    return names["predicted"]
