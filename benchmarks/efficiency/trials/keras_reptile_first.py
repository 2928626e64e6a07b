"""Steps on a task, operator by operator."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._reptile import PATH, REPOSITORY, learned, learner

trial = Trial(REPOSITORY, PATH, 204, "eager-train-step")


def prepare(folder: Path) -> Any:
    return learner(folder)


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    return learned(folder, prepared)
