"""Schedules: functions of a step that yield one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.jax.array import Array, as_jax
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of

SCHEDULES = (
    "cosine_decay_schedule", "cosine_onecycle_schedule", "exponential_decay", "join_schedules",
    "linear_onecycle_schedule", "linear_schedule", "piecewise_constant_schedule", "piecewise_interpolate_schedule",
    "polynomial_schedule", "sgdr_schedule", "warmup_constant_schedule", "warmup_cosine_decay_schedule",
    "warmup_exponential_decay_schedule",
)  # fmt: skip


def rate(step: Any) -> Any:
    """The number for a step; a row of steps yields a row."""
    shape = tensor_of(as_jax(step)).shape if isinstance(step, TensorValue) else ()
    return opaque("learning_rate", [], Known(dtypes.f32, shape), Array)


def _schedule(name: str) -> Callable[..., Any]:
    def make(*args: Any, **keywords: Any) -> Any:
        return rate

    make.__name__ = name
    return make


for _name in SCHEDULES:
    model(f"optax.{_name}")(_schedule(_name))


@model("optax.constant_schedule")
def constant_schedule(value: Any) -> Any:
    return lambda count: value
