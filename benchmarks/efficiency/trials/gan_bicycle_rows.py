"""Eight rows of generated pictures, joined one by one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._gans import REPOSITORY, begun, pictures, read_before
from benchmarks.efficiency.trials._loading import repaired

trial = Trial(REPOSITORY, "implementations/bicyclegan/bicyclegan.py", 120, "growing-concatenation")


def prepare(folder: Path) -> Any:
    pictures(folder, "edges2shoes/train", 1, 256, 128)
    pictures(folder, "edges2shoes/val", 8, 256, 128)
    repaired(folder / "implementations/bicyclegan/models.py", "AvgPool2d(in_channels", "AvgPool2d(channels")
    names, _, saved = begun(folder / trial.path)
    read_before(names, "val_dataloader", 1)
    return names, saved


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    names, saved = prepared
    names["sample_images"](0)
    return saved
