"""Four optimisers on a small data set in memory whose batches workers send."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import as_script

trial = Trial("MorvanZhou/PyTorch-Tutorial", "tutorial-contents/306_optimizer.py", 30, "input-pipeline", threads=2)


def prepare(folder: Path) -> None:
    import matplotlib
    import torch

    del folder
    matplotlib.use("Agg")
    torch.manual_seed(0)


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del prepared
    return as_script(folder / trial.path)["losses_his"]
