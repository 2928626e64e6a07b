"""Pictures scaled one by one before a network is checked on a few of them in each epoch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._fashion import REPOSITORY, fitted, joined_first, lesson

trial = Trial(
    REPOSITORY, "05-FashionMNIST/mnist_fit.py", 25, "input-pipeline",
    joined_first(25, "ds_val", "shuffle(10000).batch(100)"), tolerance=1e-3,
)  # fmt: skip


def prepare(folder: Path) -> Any:
    return lesson(folder / trial.path, folder)


def run(folder: Path, module: Any) -> Iterable[Any]:
    del folder
    return fitted(module)
