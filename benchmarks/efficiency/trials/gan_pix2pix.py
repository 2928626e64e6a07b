"""Pictures translated to be looked at, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._gans import REPOSITORY, begun, pictures, read_before

trial = Trial(REPOSITORY, "implementations/pix2pix/pix2pix.py", 112, "missing-no-grad")


def prepare(folder: Path) -> Any:
    pictures(folder, "facades/train", 1, 512, 256)
    pictures(folder, "facades/val", 10, 512, 256)
    names, _, saved = begun(folder / trial.path)
    read_before(names, "val_dataloader", 1)
    return names, saved


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    names, saved = prepared
    names["sample_images"](0)
    return saved
