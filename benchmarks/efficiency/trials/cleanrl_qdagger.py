"""Actions that a teacher chooses from pictures, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._cleanrl import REPOSITORY, chosen, games, program

trial = Trial(REPOSITORY, "cleanrl/qdagger_dqn_atari_impalacnn.py", 280, "missing-no-grad")


def prepare(folder: Path) -> Any:
    import numpy as np

    module = program(folder, trial.path)
    module.network = module.TeacherModel(games(4, 4, 84, 84)).eval()
    return module, np.random.default_rng(0).integers(0, 256, (100, 1, 4, 84, 84), dtype=np.uint8)


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    module, observations = prepared
    return chosen(folder / trial.path, module, "teacher_model", games(4, 4, 84, 84), [*observations] * 30)
