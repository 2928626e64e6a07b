"""Actions that a network chooses, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._loading import loaded, stand_in

trial = Trial("seungeunrho/minimalRL", "dqn.py", 56, "missing-no-grad")


def prepare(folder: Path) -> Any:
    import torch

    stand_in("gym", "gymnasium")
    module = loaded(folder / trial.path)
    torch.manual_seed(0)
    return module.Qnet()


def run(folder: Path, model: Any) -> Iterable[Any]:
    del folder
    import torch

    states = torch.randn(20_000, 4, generator=torch.Generator().manual_seed(0))
    return [[model.sample_action(each, -1.0) for each in states]]
