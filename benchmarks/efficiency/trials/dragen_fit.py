"""Pictures scaled one by one before a network that Keras trains."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._fashion import REPOSITORY, fitted, joined_first, lesson

trial = Trial(
    REPOSITORY, "05-FashionMNIST/mnist_fit.py", 20, "input-pipeline",
    joined_first(20, "ds", "shuffle(60000).batch(100)"), tolerance=1e-3,
)  # fmt: skip


def prepare(folder: Path) -> Any:
    return lesson(folder / trial.path, folder)


def run(folder: Path, module: Any) -> Iterable[Any]:
    del folder
    return fitted(module)
