"""Optimisers and metrics of nnx."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.flax.nnx.functions import Module, state
from mlvet.frontends.python.libraries.flax.nnx.variables import Param
from mlvet.frontends.python.libraries.flax.training import TrainState as LinenTrainState
from mlvet.frontends.python.libraries.jax.array import Array
from mlvet.frontends.python.libraries.registry import MODELS, model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.unknown import Unknown


def _number(name: str, dtype: Any = dtypes.f32) -> Any:
    return opaque(name, [], Known(dtype, ()), Array)


@model("flax.nnx.Optimizer")
class Optimizer(Module):
    def __init__(self, model: Any, tx: Any, wrt: Any = Param, **options: Any) -> None:
        self.step = MODELS["flax.nnx.OptState"](_number("step", dtypes.u32))
        self.tx = tx
        self.model = model
        self.opt_state = None
        if not isinstance(tx, Unknown):
            self.opt_state = machine().call(machine().attribute(tx, "init"), state(model, wrt))

    def update(self, *args: Any, **keywords: Any) -> None:
        return None


@model("flax.nnx.ModelAndOptimizer")
class ModelAndOptimizer(Optimizer):
    """An optimiser with its model."""


class TrainState(LinenTrainState):
    """The state of a training of nnx modules."""

    @classmethod
    def create(cls: Any, graphdef: Any, *, params: Any = None, tx: Any = None, step: Any = 0, **keywords: Any) -> Any:  # type: ignore[override]
        found = LinenTrainState.create.__func__(cls, params=params, tx=tx, graphdef=graphdef, **keywords)  # type: ignore[attr-defined]
        found.cells["step"] = step
        return found


model("flax.nnx.TrainState")(TrainState)


@model("flax.nnx.Metric", "flax.nnx.metrics.Metric")
class Metric(Module):
    """What is reckoned over many batches."""

    def __init__(self, argname: str = "values", *rest: Any, **options: Any) -> None:
        self.argname = argname

    def reset(self) -> None:
        return None

    def update(self, *args: Any, **keywords: Any) -> None:
        return None

    def compute(self) -> Any:
        return _number("metric")


for _name in ("Average", "Accuracy"):
    model(f"flax.nnx.metrics.{_name}")(type(_name, (Metric,), {"__module__": __name__}))


@model("flax.nnx.metrics.Welford")
class Welford(Metric):
    """Mean and variance."""

    def compute(self) -> Any:
        from mlvet.frontends.python.values.objects import Object

        made = Object()
        for name in ("mean", "standard_error_of_mean", "standard_deviation"):
            setattr(made, name, _number(name))
        return made


@model("flax.nnx.MultiMetric", "flax.nnx.metrics.MultiMetric")
class MultiMetric(Metric):
    """Several metrics by name."""

    def __init__(self, **metrics: Any) -> None:
        self.cells["@metrics"] = metrics
        for name, metric in metrics.items():
            setattr(self, name, metric)

    def compute(self) -> Any:
        return DictValue({name: machine().send(metric, "compute") for name, metric in self.cells["@metrics"].items()})
