"""Several environments at once: observations have one row for each."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.gym.environments import Env, begun, moved, spaces_of
from mlvet.frontends.python.libraries.gym.spaces import Box, Discrete, MultiDiscrete, Space, array, box, drawn
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Unknown


@model("gymnasium.vector.VectorEnv")
class VectorEnv(Env):
    """A number of environments of one kind."""

    __slots__ = ()

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return begun(drawn(self.cells.get("observation_space"), "observation"))

    def step(self, actions: Any) -> Any:
        count = self.num_envs
        observation, *_, info = moved(drawn(self.cells.get("observation_space"), "observation"))
        return (
            observation,
            array("reward", (count,), dtypes.f64),
            array("terminated", (count,), dtypes.bool_),
            array("truncated", (count,), dtypes.bool_),
            info,
        )

    def call(self, name: Any, *args: Any, **kwargs: Any) -> Any:
        return Unknown(Reason.HIGHER_ORDER, "a method of all environments")


@model("gymnasium.vector.SyncVectorEnv", "gymnasium.vector.AsyncVectorEnv")
class SyncVectorEnv(VectorEnv):
    __slots__ = ()

    def __init__(self, env_fns: Any, *args: Any, **kwargs: Any) -> None:
        found = machine().items(env_fns)
        first = found.element if isinstance(found, Repeated) else found[0]
        env = machine().call(first)
        _fill(
            self, machine().attribute(env, "observation_space"), machine().attribute(env, "action_space"),
            found.length if isinstance(found, Repeated) else len(found),
        )  # fmt: skip


@model("gymnasium.make_vec", "gymnasium.vector.make")
def make_vec(id: Any, num_envs: Size = 1, *args: Any, **kwargs: Any) -> Any:
    made = VectorEnv()
    _fill(made, *spaces_of(id, kwargs), num_envs)
    return made


def _fill(env: Object, observations: Any, actions: Any, count: Dim) -> None:
    env.num_envs = count
    for name, space in (("observation_space", observations), ("action_space", actions)):
        store(env.cells, f"single_{name}", space)
        store(env.cells, name, several(space, count))


def several(space: Any, count: Dim) -> Any:
    """The space of as many samples, one in each row."""
    shape = space.cells.get("@shape") if isinstance(space, Space) else None
    if isinstance(space, Discrete):
        return MultiDiscrete(array("nvec", (count,), dtypes.i64))
    if isinstance(space, Box) and shape is not None:
        return box(count, *shape, dtype=space.cells.get("@dtype") or dtypes.f32)
    return space
