"""jax.example_libraries.optimizers: triples of functions around a state that holds the parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Undecided

OPTIMIZERS = ("sgd", "momentum", "nesterov", "adagrad", "rmsprop", "rmsprop_momentum", "adam", "adamax", "sm3")
SCHEDULES = ("constant", "exponential_decay", "inverse_time_decay", "polynomial_decay", "piecewise_constant")


class Optimizer(NamedTuple):
    """What makes a state of parameters, what changes it by gradients, and what gives the parameters back."""

    init_fn: Callable[..., Any]
    update_fn: Callable[..., Any]
    params_fn: Callable[..., Any]


class OptimizerState(Object):
    """Parameters and what an optimizer remembers of them."""

    def __init__(self, params: Any) -> None:
        self.cells["@params"] = params


def _init(x0_tree: Any) -> Any:
    return OptimizerState(x0_tree)


def _update(i: Any, grad_tree: Any, opt_state: Any) -> Any:
    """The state as it was: steps change no shapes."""
    return opt_state


def _params(opt_state: Any) -> Any:
    if not isinstance(opt_state, OptimizerState):
        raise Undecided(Reason.EXTERNAL_DATA, "the state of an optimizer")
    return opt_state.cells["@params"]


def _optimizer(name: str) -> Callable[..., Any]:
    def make(*figures: Any, **named: Any) -> Any:
        return Optimizer(_init, _update, _params)

    make.__name__ = name
    return make


for _name in OPTIMIZERS:
    model(f"jax.example_libraries.optimizers.{_name}")(_optimizer(_name))


def _schedule(name: str) -> Callable[..., Any]:
    def make(*figures: Any, **named: Any) -> Any:
        return lambda i: machine().unknown(Reason.EXTERNAL_DATA, f"step size of {name}")

    make.__name__ = name
    return make


for _name in SCHEDULES:
    model(f"jax.example_libraries.optimizers.{_name}")(_schedule(_name))


@model("jax.example_libraries.optimizers.clip_grads")
def clip_grads(grad_tree: Any, max_norm: Any) -> Any:
    return grad_tree
