"""Batches of a small data set in memory that workers send."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import as_script

trial = Trial("MorvanZhou/PyTorch-Tutorial", "tutorial-contents/305_batch_train.py", 20, "input-pipeline", threads=2)


def prepare(folder: Path) -> None:
    import torch

    del folder
    torch.manual_seed(0)


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del prepared
    names = as_script(folder / trial.path)
    return [names["x"], names["y"]]
