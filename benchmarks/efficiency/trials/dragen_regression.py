"""A regression of thirteen numbers, learned operator by operator."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import loaded, printed, repaired

trial = Trial("dragen1860/TensorFlow-2.x-Tutorials", "04-Linear-Regression/main.py", 58, "eager-train-step")


def prepare(folder: Path) -> Any:
    import numpy as np

    repaired(folder / trial.path, "add_variable('meanless-name', ", "add_weight(name='meanless-name', shape=")
    module = loaded(folder / trial.path)
    draw = np.random.default_rng(0)
    houses = [(draw.normal(size=(rows, 13)), draw.normal(20, 9, rows)) for rows in (404, 102)]
    module.keras.datasets.boston_housing.load_data = lambda: houses
    module.keras.utils.set_random_seed(22)
    return module


def run(folder: Path, module: Any) -> Iterable[Any]:
    del folder
    return [printed(module.main)]
