"""Labels that a classifier gives to be counted, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._gans import REPOSITORY, begun, continued, read_before, trained
from benchmarks.efficiency.trials._loading import stand_in

trial = Trial(REPOSITORY, "implementations/pixelda/pixelda.py", 283, "missing-no-grad")


def prepare(folder: Path) -> Any:
    import torch

    stand_in("six", "six.moves")
    coloured = folder / "data" / "mnistm" / "processed"
    coloured.mkdir(parents=True, exist_ok=True)
    draw = torch.Generator().manual_seed(0)
    data = torch.randint(0, 256, (640, 28, 28, 3), dtype=torch.uint8, generator=draw), torch.arange(640) % 10
    for name in ("mnist_m_train.pt", "mnist_m_test.pt"):
        torch.save(data, coloured / name)
    names, training, _ = begun(folder / trial.path)
    read_before(names, "dataloader_A", 2)
    read_before(names, "dataloader_B", 2)
    return names, training


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    names, training = prepared
    continued(names, training)
    return [names["target_performance"], *trained(names, "generator", "discriminator", "classifier")]
