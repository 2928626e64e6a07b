"""Actions that a network chooses from what it sees of a pole, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._cleanrl import REPOSITORY, chosen, games, program

trial = Trial(REPOSITORY, "cleanrl/dqn.py", 169, "missing-no-grad")


def prepare(folder: Path) -> Any:
    import numpy as np

    module = program(folder, trial.path)
    module.network = module.QNetwork(games(2, 4))
    return module, np.random.default_rng(0).normal(size=(100, 1, 4)).astype(np.float32)


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    module, observations = prepared
    return chosen(folder / trial.path, module, "q_network", games(2, 4), [*observations] * 300)
