"""Pictures scaled one by one before a layer of products that is trained operator by operator."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._fashion import REPOSITORY, joined_first, lesson, stepped

trial = Trial(
    REPOSITORY, "05-FashionMNIST/mnist_matmul.py", 19, "input-pipeline",
    joined_first(19, "ds", "take(20000).shuffle(20000).batch(100)"), tolerance=1e-3,
)  # fmt: skip


def prepare(folder: Path) -> Any:
    return lesson(folder / trial.path, folder)


def run(folder: Path, module: Any) -> Iterable[Any]:
    del folder
    return stepped(module)
