"""The choice of actions in the programs of CleanRL, with stand-ins for packages that log, download and ask."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.efficiency.trials._loading import loaded, passage, stand_in

REPOSITORY = "vwxyzjn/cleanrl"


def program(folder: Path, path: str) -> Any:
    """A program as a module."""
    import torch

    sys.path.insert(0, str(folder))
    stand_in(
        "tyro", "rich", "rich.progress", "huggingface_hub", "torch.utils.tensorboard", "cleanrl_utils.atari_wrappers"
    )
    torch.manual_seed(1)
    return loaded(folder / path)


def games(actions: int, *seen: int) -> Any:
    """What a network asks of its games: the shape of what is seen, and how many actions there are."""
    space = SimpleNamespace(n=actions, sample=lambda: random.randrange(actions))
    return SimpleNamespace(single_observation_space=SimpleNamespace(shape=seen), single_action_space=space, num_envs=1)


def chosen(file: Path, module: Any, network: str, envs: Any, observations: Any) -> Iterable[Any]:
    """The action that the program chooses on each observation with the chance of a random one that it ends with."""
    choice = passage(file, "if random.random() < epsilon:", "if random.random() < epsilon:")
    names = {**vars(module), network: module.network, "device": "cpu", "envs": envs, "epsilon": module.Args.end_e}
    random.seed(1)
    found = []
    for each in observations:
        names["obs"] = each
        exec(choice, names)
        found.append(int(names["actions"][0]))
    return [found]
