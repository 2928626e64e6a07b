"""Ten episodes that a trained network plays, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._cleanrl import REPOSITORY, games, program

trial = Trial(REPOSITORY, "cleanrl_utils/evals/dqn_eval.py", 31, "missing-no-grad")
_STEPS = 500
"""Steps of an episode in which the pole never falls."""


class _Game:
    """Random observations, and episodes whose return is how often one of the actions was chosen."""

    def __init__(self, makers: Any) -> None:
        import numpy as np

        del makers
        vars(self).update(vars(games(2, 4)))
        self.observations = np.random.default_rng(0).normal(size=(_STEPS + 1, 1, 4)).astype(np.float32)
        self.actions: list[int] = []

    def reset(self) -> tuple[Any, Any]:
        return self.observations[0], {}

    def step(self, actions: Any) -> tuple[Any, ...]:
        self.actions.append(int(actions[0]))
        done = len(self.actions) % _STEPS == 0
        ended = {"final_info": [{"episode": {"r": sum(self.actions)}}]} if done else {}
        return self.observations[len(self.actions) % _STEPS], 0, False, done, ended


def prepare(folder: Path) -> Any:
    import torch

    trained = program(folder, "cleanrl/dqn.py")
    torch.save(trained.QNetwork(games(2, 4)).state_dict(), folder / "q_network.pth")
    module = program(folder, trial.path)
    module.gym = SimpleNamespace(vector=SimpleNamespace(SyncVectorEnv=_Game))
    return module, trained.QNetwork


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    import random

    module, network = prepared
    random.seed(1)
    model = str(folder / "q_network.pth")
    return [
        module.evaluate(model, lambda *_: None, "CartPole-v1", eval_episodes=10, run_name="eval", Model=network)
        for _ in range(10)
    ]
