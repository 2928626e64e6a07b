"""Labels of a validation set that are joined with those before in every batch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change, Trial
from benchmarks.efficiency.trials._accents import PATH, REPOSITORY, Nothing, batches, gathered

trial = Trial(
    REPOSITORY, PATH, 515, "growing-concatenation",
    changes=(
        Change(509, 509, "y_valid_parts = []\nfor x, y in iter(valid_ds):\n    y_valid_parts.append(y.numpy())"),
        Change(515, 515, "        pass"),
        Change(517, 517, "y_valid = np.concatenate(y_valid_parts, axis=0)\n# Generate predictions"),
    ),
)  # fmt: skip


def prepare(folder: Path) -> Any:
    del folder
    return batches() | {"model": Nothing()}


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    return gathered(folder, prepared)
