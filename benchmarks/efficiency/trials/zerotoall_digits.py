"""Digits that a network is tested on, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change, Trial
from benchmarks.efficiency.trials._digits import digits_of_torchvision
from benchmarks.efficiency.trials._loading import loaded, printed

trial = Trial(
    "hunkim/PyTorchZeroToAll", "09_2_softmax_mnist.py", 80, "missing-no-grad",
    changes=(
        Change(3, 3, "import torch\nfrom torch import nn, optim, cuda"),
        Change(80, 80, "        with torch.no_grad():\n            output = model(data)"),
    ),
)  # fmt: skip


def prepare(folder: Path) -> Any:
    import torch

    digits_of_torchvision()
    torch.manual_seed(0)
    return loaded(folder / trial.path)


def run(folder: Path, module: Any) -> Iterable[Any]:
    del folder
    return [printed(module.test)]
