"""Losses of a discriminator that are printed, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._gans import REPOSITORY, begun, continued, read_before, trained

trial = Trial(REPOSITORY, "implementations/dragan/dragan.py", 209, "missing-no-grad")


def prepare(folder: Path) -> Any:
    names, training, _ = begun(folder / trial.path)
    read_before(names, "dataloader", 10)
    names["mnist_loader"] = names["dataloader"]
    return names, training


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    names, training = prepared
    continued(names, training)
    return trained(names, "generator", "discriminator")
