"""Five rows of generated pictures, joined one by one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._gans import REPOSITORY, begun, pictures, read_before

trial = Trial(REPOSITORY, "implementations/munit/munit.py", 157, "growing-concatenation")


def prepare(folder: Path) -> Any:
    pictures(folder, "edges2shoes/train", 1, 256, 128)
    pictures(folder, "edges2shoes/val", 5, 256, 128)
    names, _, saved = begun(folder / trial.path, "--decay_epoch", "0")
    read_before(names, "val_dataloader", 1)
    return names, saved


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    names, saved = prepared
    names["sample_images"](0)
    return saved
