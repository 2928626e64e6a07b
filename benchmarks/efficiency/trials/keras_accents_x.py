"""Embeddings of a validation set that are joined with those before in every batch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change, Trial
from benchmarks.efficiency.trials._accents import PATH, REPOSITORY, Nothing, batches, gathered

trial = Trial(
    REPOSITORY, PATH, 514, "growing-concatenation",
    changes=(
        Change(509, 509, "x_valid_parts = []\nfor x, y in iter(valid_ds):\n    x_valid_parts.append(x.numpy())"),
        Change(514, 514, "        pass"),
        Change(517, 517, "x_valid = np.concatenate(x_valid_parts, axis=0)\n# Generate predictions"),
    ),
)  # fmt: skip


def prepare(folder: Path) -> Any:
    del folder
    return batches() | {"model": Nothing()}


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    return gathered(folder, prepared)
