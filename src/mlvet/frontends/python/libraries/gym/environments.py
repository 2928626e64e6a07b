"""gymnasium.make and gymnasium.Env: environments by their names."""

from __future__ import annotations

import re
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.gym.spaces import Discrete, Space, array, box, drawn
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Unknown

Spaces = tuple[Any, Any]

VECTORS: dict[str, tuple[int, int]] = {
    "CartPole": (4, 2), "MountainCar": (2, 3), "Acrobot": (6, 3), "LunarLander": (8, 4),
}  # fmt: skip
"""How many numbers are observed, and how many actions there are to choose from."""
CONTINUOUS: dict[str, tuple[int, int]] = {
    "MountainCarContinuous": (2, 1), "Pendulum": (3, 1), "LunarLanderContinuous": (8, 2), "BipedalWalker": (24, 4),
    "BipedalWalkerHardcore": (24, 4),
}  # fmt: skip
"""How many numbers are observed, and how many an action is."""
BODIES: dict[str, tuple[int, int]] = {
    "HalfCheetah": (17, 6), "Hopper": (11, 3), "Walker2d": (17, 6), "Swimmer": (8, 2), "InvertedPendulum": (4, 1),
}  # fmt: skip
"""The same of bodies, which are observed in double precision."""
TABLES: dict[str, tuple[int, int]] = {
    "FrozenLake": (16, 4), "FrozenLake8x8": (64, 4), "Taxi": (500, 6), "CliffWalking": (48, 4),
}  # fmt: skip
"""How many states there are, and how many actions."""
GAMES: dict[str, int] = {
    "Breakout": 4, "Pong": 6, "SpaceInvaders": 6, "Seaquest": 18, "BeamRider": 9, "Enduro": 9, "Qbert": 6,
    "MsPacman": 9, "Freeway": 3, "Asteroids": 14, "Boxing": 18,
}  # fmt: skip
"""How many actions a game of the Atari has."""
_NAME = re.compile(r"(?:.*/)?(?P<name>\w+?)(?P<mode>-ram)?(?P<kind>Deterministic|NoFrameskip)?-v(?P<version>\d+)$")


@model("gymnasium.Env")
class Env(Object):
    """An environment. Programs make their own by subclassing it; those of `make` have known spaces."""

    __slots__ = ()

    @property
    def unwrapped(self) -> Any:
        return self

    @property
    def spec(self) -> Any:
        made = Object()
        made.id, made.max_episode_steps = Scalar(str, "environment"), symbol("max_episode_steps")
        made.reward_threshold = Scalar(float, "reward_threshold")
        return made

    @property
    def metadata(self) -> Any:
        return DictValue({"render_fps": symbol("render_fps")}, rest=Unknown(Reason.EXTERNAL_DATA, "metadata"))

    @property
    def reward_range(self) -> Any:
        return (Scalar(float, "lowest_reward"), Scalar(float, "highest_reward"))

    @property
    def observation_space(self) -> Any:
        return _space(self, "observation_space")

    @property
    def action_space(self) -> Any:
        return _space(self, "action_space")

    @property
    def np_random(self) -> Any:
        from mlvet.frontends.python.libraries.registry import find

        return machine().call(find("numpy.random.default_rng"))

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return None

    def render(self, *args: Any, **kwargs: Any) -> Any:
        return array("frame", (symbol("height"), symbol("width"), 3), dtypes.u8)

    def close(self) -> None:
        """Ends the environment."""

    def seed(self, seed: Any = None) -> None:
        """Makes chances repeatable."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __str__(self) -> Any:
        return Scalar(str, "environment")


def _space(env: Env, name: str) -> Space:
    """The space of an environment that mlvet does not know; it is the same whenever it is looked at."""
    found: tuple[Env, Space] = machine().memory.setdefault(name, {}).setdefault(id(env), (env, Space()))
    return found[1]


class Made(Env):
    """An environment of the library."""

    __slots__ = ()

    def __init__(self, spaces: Spaces, modern: bool) -> None:
        store(self.cells, "observation_space", spaces[0])
        store(self.cells, "action_space", spaces[1])
        store(self.cells, "@modern", modern)

    def reset(self, *, seed: Any = None, options: Any = None, return_info: Any = False) -> Any:
        return outcome(self, "reset")

    def step(self, action: Any) -> Any:
        return outcome(self, "step")


def outcome(env: Object, event: str) -> Any:
    """What `reset` or `step` yields of an environment with known spaces."""
    observation = drawn(machine().attribute(env, "observation_space"), "observation")
    made = (begun if event == "reset" else moved)(observation)
    return made if env.cells.get("@modern", True) else EitherWay(made)


def begun(observation: Any) -> tuple[Any, ...]:
    return observation, DictValue({}, rest=Unknown(Reason.EXTERNAL_DATA, "info", "info"))


def moved(observation: Any) -> tuple[Any, ...]:
    info = DictValue({}, rest=Unknown(Reason.EXTERNAL_DATA, "info", "info"))
    return observation, Scalar(float, "reward"), Scalar(bool, "terminated"), Scalar(bool, "truncated"), info


class EitherWay(Object):
    """What gym yields: versions before 0.26 yield the observation alone, and one flag instead of two."""

    __slots__ = ()

    def __init__(self, parts: tuple[Any, ...]) -> None:
        store(self.cells, "@parts", parts)

    def unpack(self, count: int) -> tuple[Any, ...]:
        parts: tuple[Any, ...] = self.cells["@parts"]
        if len(parts) == 5 and count == 4:
            return (*parts[:3], parts[4])
        if len(parts) == count:
            return parts
        return tuple(machine().send(parts[0], "__getitem__", index) for index in range(count))

    def iterate(self) -> Any:
        return self.cells["@parts"]

    def __getitem__(self, index: Any) -> Any:
        parts = self.cells["@parts"]
        return (
            parts[index]
            if isinstance(index, int) and index < len(parts)
            else machine().send(parts[0], "__getitem__", index)
        )

    def as_tensor(self) -> Any:
        return self.cells["@parts"][0]

    def missing(self, name: str) -> Any:
        return machine().attribute(self.cells["@parts"][0], name)


@model("gymnasium.make")
def make(
    id: Any, max_episode_steps: Any = None, disable_env_checker: Any = None, render_mode: Any = None, **kwargs: Any
) -> Any:
    return _made(id, kwargs, True)


@model("gym.make")
def make_of_gym(id: Any, *args: Any, **kwargs: Any) -> Any:
    return _made(id, kwargs, False)


def _made(id: Any, settings: dict[str, Any], modern: bool) -> Made:
    return Made(spaces_of(id, settings), modern)


def spaces_of(id: Any, settings: dict[str, Any]) -> Spaces:
    """What is observed and done in an environment of this name."""
    text = id.default if isinstance(id, Scalar) and id.has_default else id
    found = _NAME.match(text) if isinstance(text, str) else None
    if found is None:
        return Space(), Space()
    name, atari = found["name"], isinstance(text, str) and text.startswith("ALE/")
    if name == "LunarLander" and settings.get("continuous") is True:
        name = "LunarLanderContinuous"
    if name in CONTINUOUS:
        seen, done = CONTINUOUS[name]
        return box(seen), box(done)
    if name in VECTORS:
        seen, done = VECTORS[name]
        return box(seen), Discrete(done)
    if name in BODIES:
        seen, done = BODIES[name]
        return box(seen, dtype=dtypes.f64), box(done)
    if name in TABLES:
        seen, done = TABLES[name]
        return Discrete(seen), Discrete(done)
    if name == "CarRacing":
        return box(96, 96, 3, dtype=dtypes.u8), box(3)
    if atari or name in GAMES or found["kind"] or found["mode"]:
        count = 18 if settings.get("full_action_space") is True else GAMES.get(name, symbol(machine().fresh("actions")))
        ram = bool(found["mode"]) or settings.get("obs_type") == "ram"
        picture = (128,) if ram else (210, 160) if settings.get("obs_type") == "grayscale" else (210, 160, 3)
        return box(*picture, dtype=dtypes.u8), Discrete(count)
    return Space(), Space()


@model("gymnasium.register", "gymnasium.register_envs", "gymnasium.logger.set_level")
def register(*args: Any, **kwargs: Any) -> None:
    """Tells `make` of another environment."""
