"""gymnasium.wrappers: environments seen through others."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, product
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.binding import Size, as_sizes
from mlvet.frontends.python.libraries.gym.environments import EitherWay, Env, begun, moved
from mlvet.frontends.python.libraries.gym.spaces import Space, box, drawn
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("gymnasium.Wrapper")
class Wrapper(Env):
    """An environment through which another is seen; what it does not say itself, the other says."""

    __slots__ = ()

    def __init__(self, env: Any, *args: Any, **kwargs: Any) -> None:
        self.env = env

    @property
    def unwrapped(self) -> Any:
        return machine().attribute(self.env, "unwrapped")

    @property
    def observation_space(self) -> Any:
        return machine().attribute(self.env, "observation_space")

    @observation_space.setter
    def observation_space(self, space: Any) -> None:
        store(self.cells, "observation_space", space)

    @property
    def action_space(self) -> Any:
        return machine().attribute(self.env, "action_space")

    @action_space.setter
    def action_space(self, space: Any) -> None:
        store(self.cells, "action_space", space)

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        return machine().send(self.env, "reset", *args, **kwargs)

    def step(self, action: Any) -> Any:
        return machine().send(self.env, "step", action)

    def missing(self, name: str) -> Any:
        inner = self.cells.get("env")
        if inner is None:
            raise Undecided(Reason.DYNAMIC_ATTRIBUTE, name)
        return machine().attribute(inner, name)


@model("gymnasium.ObservationWrapper")
class ObservationWrapper(Wrapper):
    """A wrapper whose `observation` makes another observation of each."""

    __slots__ = ()

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        return _seen(self, machine().send(self.env, "reset", *args, **kwargs), 2)

    def step(self, action: Any) -> Any:
        return _seen(self, machine().send(self.env, "step", action), 5)

    def observation(self, observation: Any) -> Any:
        return observation


def _seen(wrapper: Object, outcome: Any, count: int) -> Any:
    """What an environment yields, with the observation that the wrapper makes of it."""
    either = isinstance(outcome, EitherWay)
    parts = outcome.cells["@parts"] if isinstance(outcome, EitherWay) else outcome
    if not isinstance(parts, tuple) or len(parts) != count:
        return outcome
    made = (machine().send(wrapper, "observation", parts[0]), *parts[1:])
    return EitherWay(made) if either else made


@model("gymnasium.RewardWrapper")
class RewardWrapper(Wrapper):
    """A wrapper whose `reward` makes another reward of each."""

    __slots__ = ()

    def step(self, action: Any) -> Any:
        outcome = machine().send(self.env, "step", action)
        parts = outcome.cells["@parts"] if isinstance(outcome, EitherWay) else outcome
        if not isinstance(parts, tuple) or len(parts) != 5:
            return outcome
        made = (parts[0], machine().send(self, "reward", parts[1]), *parts[2:])
        return EitherWay(made) if isinstance(outcome, EitherWay) else made

    def reward(self, reward: Any) -> Any:
        return reward


@model("gymnasium.ActionWrapper")
class ActionWrapper(Wrapper):
    """A wrapper whose `action` makes another action of each."""

    __slots__ = ()

    def step(self, action: Any) -> Any:
        return machine().send(self.env, "step", machine().send(self, "action", action))

    def action(self, action: Any) -> Any:
        return action


_SAME = (
    "RecordEpisodeStatistics", "RecordVideo", "TimeLimit", "NormalizeReward", "ClipAction", "ClipReward",
    "RescaleAction", "TransformReward", "TransformAction", "OrderEnforcing", "PassiveEnvChecker", "Autoreset",
    "HumanRendering",
)  # fmt: skip


@model(
    *(f"gymnasium.wrappers.{name}" for name in _SAME),
    *(f"gymnasium.wrappers.{name}" for name in ("Monitor", "AutoResetWrapper", "StepAPICompatibility")),
)
class Same(Wrapper):
    """A wrapper that leaves observations as they are."""

    __slots__ = ()


class Reshaped(Wrapper):
    """A wrapper whose observations are of another space."""

    __slots__ = ()

    def _observe(self, shape: tuple[Dim, ...] | None, dtype: DType | None) -> None:
        if shape is not None:
            store(self.cells, "observation_space", box(*shape, dtype=dtype or dtypes.f32))

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        return _replaced(self, machine().send(self.env, "reset", *args, **kwargs), 2)

    def step(self, action: Any) -> Any:
        return _replaced(self, machine().send(self.env, "step", action), 5)


def _replaced(wrapper: Object, outcome: Any, count: int) -> Any:
    observation = drawn(machine().attribute(wrapper, "observation_space"), "observation")
    made = begun(observation) if count == 2 else moved(observation)
    return EitherWay(made) if isinstance(outcome, EitherWay) else made


def _space(env: Any) -> tuple[tuple[Dim, ...] | None, DType | None]:
    space = machine().attribute(env, "observation_space")
    return (space.cells.get("@shape"), space.cells.get("@dtype")) if isinstance(space, Space) else (None, None)


@model("gymnasium.wrappers.AtariPreprocessing")
class AtariPreprocessing(Reshaped):
    __slots__ = ()

    def __init__(
        self, env: Any, noop_max: Any = 30, frame_skip: Any = 4, screen_size: Any = 84,
        terminal_on_life_loss: Any = False, grayscale_obs: bool = True, grayscale_newaxis: bool = False,
        scale_obs: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        self.env = env
        size = as_sizes(screen_size) if isinstance(screen_size, tuple) else as_sizes((screen_size, screen_size))
        colours = () if grayscale_obs and not grayscale_newaxis else (1,) if grayscale_obs else (3,)
        self._observe((*size, *colours), dtypes.f32 if scale_obs else dtypes.u8)


@model("gymnasium.wrappers.FrameStackObservation", "gymnasium.wrappers.FrameStack")
class FrameStackObservation(Reshaped):
    __slots__ = ()

    def __init__(self, env: Any, stack_size: Size, *args: Any, **kwargs: Any) -> None:
        self.env = env
        shape, dtype = _space(env)
        self._observe(None if shape is None else (stack_size, *shape), dtype)


@model("gymnasium.wrappers.GrayscaleObservation", "gymnasium.wrappers.GrayScaleObservation")
class GrayscaleObservation(Reshaped):
    __slots__ = ()

    def __init__(self, env: Any, keep_dim: bool = False) -> None:
        self.env = env
        shape, dtype = _space(env)
        self._observe(None if shape is None else (*shape[:2], 1) if keep_dim else shape[:2], dtype)


@model("gymnasium.wrappers.ResizeObservation")
class ResizeObservation(Reshaped):
    __slots__ = ()

    def __init__(self, env: Any, shape: Any) -> None:
        self.env = env
        known, dtype = _space(env)
        size = as_sizes(shape) if isinstance(shape, tuple) else as_sizes((shape, shape))
        self._observe(None if known is None else (*size, *known[2:]), dtype)


@model("gymnasium.wrappers.FlattenObservation")
class FlattenObservation(Reshaped):
    __slots__ = ()

    def __init__(self, env: Any) -> None:
        self.env = env
        shape, dtype = _space(env)
        self._observe(None if shape is None else (product(shape),), dtype)


@model("gymnasium.wrappers.NormalizeObservation")
class NormalizeObservation(Reshaped):
    __slots__ = ()

    def __init__(self, env: Any, epsilon: Any = 1e-8) -> None:
        self.env = env
        self._observe(_space(env)[0], dtypes.f32)


@model("gymnasium.wrappers.TransformObservation")
class TransformObservation(ObservationWrapper):
    """A wrapper of one function for all observations."""

    __slots__ = ()

    def __init__(self, env: Any, func: Any = None, observation_space: Any = None, **kwargs: Any) -> None:
        self.env, self.func = env, kwargs.get("f", func)
        if isinstance(observation_space, Space):
            store(self.cells, "observation_space", observation_space)
        else:
            made = self.observation(drawn(machine().attribute(env, "observation_space"), "observation"))
            shape = dims_of(made) if isinstance(made, TensorValue) else None
            if shape is not None:
                store(self.cells, "observation_space", box(*shape, dtype=dtype_of(made) or dtypes.f32))

    def observation(self, observation: Any) -> Any:
        return machine().call(self.func, observation)
