"""Patients' figures in memory, of which workers send each batch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import as_script

trial = Trial("hunkim/PyTorchZeroToAll", "08_2_dataset_loade_logistic.py", 27, "input-pipeline", threads=2)


def prepare(folder: Path) -> None:
    import torch
    import torch._dynamo

    del folder
    torch.manual_seed(0)


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del prepared
    return list(as_script(folder / trial.path)["model"].state_dict().values())
