"""Lessons that train a network on MNIST: what is before the training loop, and one epoch of that loop."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials._digits import digits_of_torchvision
from benchmarks.efficiency.trials._loading import passage, repaired

REPOSITORY = "hunkim/DeepLearningZeroToAll"


def lesson(file: Path) -> dict[str, Any]:
    """The names of a lesson before its loop, which reads a number as versions of PyTorch do that are here."""

    digits_of_torchvision()
    repaired(file, "avg_cost.data[0]", "avg_cost.item()")
    names: dict[str, Any] = {}
    exec(passage(file, "import torch", "optimizer = "), names)
    return names | {"training_epochs": 1}


def learned(file: Path, names: dict[str, Any]) -> Iterable[Any]:
    exec(passage(file, "for epoch in", "for epoch in"), names)
    return [names["avg_cost"], *names["model"].state_dict().values()]
