"""Pictures completed to be looked at, with gradients that nothing learns from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._gans import REPOSITORY, begun, pictures, read_before

trial = Trial(REPOSITORY, "implementations/context_encoder/context_encoder.py", 115, "missing-no-grad")


def prepare(folder: Path) -> Any:
    pictures(folder, "img_align_celeba", 1, 178, 218)
    faces = folder / "data" / "img_align_celeba"
    for number in range(1, 4001):
        os.link(faces / "0.jpg", faces / f"{number}.jpg")
    names, _, saved = begun(folder / trial.path)
    read_before(names, "test_dataloader", 1)
    return names, saved


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    names, saved = prepared
    names["save_sample"](0)
    return saved
