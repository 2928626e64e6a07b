"""Five layers with dropout whose costs are added up with the graphs that computed them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._labs import REPOSITORY, learned, lesson

trial = Trial(REPOSITORY, "pytorch/lab-10-5-mnist_nn_dropout.py", 77, "kept-graph")


def prepare(folder: Path) -> Any:
    return lesson(folder / trial.path)


def run(folder: Path, names: Any) -> Iterable[Any]:
    return learned(folder / trial.path, names)
