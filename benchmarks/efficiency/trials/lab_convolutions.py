"""Digits that a network is tested on all at once, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._digits import digits_of_torchvision
from benchmarks.efficiency.trials._labs import REPOSITORY
from benchmarks.efficiency.trials._loading import passage

trial = Trial(REPOSITORY, "pytorch/lab-11-3-mnist_cnn_class.py", 94, "missing-no-grad")
_ROWS = 1000
"""A tenth of the test set, which takes some gigabytes."""


def prepare(folder: Path) -> Any:
    digits_of_torchvision()
    names: dict[str, Any] = {}
    exec(passage(folder / trial.path, "import torch", "model = CNN()"), names)
    tested = names["mnist_test"]
    tested.data = tested.test_data = tested.data[:_ROWS]
    tested.targets = tested.test_labels = tested.targets[:_ROWS]
    return names


def run(folder: Path, names: Any) -> Iterable[Any]:
    exec(passage(folder / trial.path, "X_test = ", "print('Accuracy:'"), names)
    return [names["model"].accuracy]
