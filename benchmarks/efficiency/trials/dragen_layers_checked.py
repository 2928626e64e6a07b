"""Pictures scaled one by one before a network of five layers is tested on all of them after each epoch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change, Trial
from benchmarks.efficiency.trials._digits import digits_of_keras
from benchmarks.efficiency.trials._lessons import LESSONS, REPOSITORY
from benchmarks.efficiency.trials._loading import loaded, repaired

trial = Trial(
    REPOSITORY, f"{LESSONS}/lesson27-书写数字问题（层）-实战/fashionmnist_layer.py", 27, "input-pipeline",
    (Change(27, 27, "db_test = db_test.batch(batchsz).map(preprocess)"),), tolerance=1e-3,
)  # fmt: skip


def prepare(folder: Path) -> Any:
    import tensorflow as tf

    digits_of_keras(folder)
    file = folder / trial.path
    repaired(file, "lr=1e-3", "learning_rate=1e-3")
    repaired(file, "range(30)", "range(2)")
    tf.keras.utils.set_random_seed(0)
    return loaded(file)


def run(folder: Path, module: Any) -> Iterable[Any]:
    del folder
    module.main()
    return list(module.model.get_weights())
