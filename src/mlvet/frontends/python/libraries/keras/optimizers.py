"""Optimizers and learning-rate schedules."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import Tensor
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.settings import floats
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor
from mlvet.frontends.python.libraries.optimiser_state import facts_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Unknown
from mlvet.ir.program import Act


@model("keras.optimizers.Optimizer", "keras.Optimizer")
class Optimizer(Object):
    """An optimizer: it changes variables in place, which leaves their shapes alone."""

    def __init__(self, learning_rate: Any = 0.001, **kwargs: Any) -> None:
        rate = kwargs.pop("lr", learning_rate)
        self.learning_rate = rate
        self.lr = rate
        self.name = kwargs.get("name") or type(self).__name__
        self.iterations = symbol(machine().fresh("step"))
        if isinstance(rate, LearningRateSchedule) and rate.kind is not None:
            machine().call(rate, source("iterations", Known(dtypes.i64, ()), KerasTensor))
        for name, value in kwargs.items():
            if name != "name":
                setattr(self, name, value)

    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        del args, kwargs
        items = machine().items(grads_and_vars)
        pairs = [
            each
            for each in (items if isinstance(items, tuple) else (items.element,))
            if isinstance(each, tuple) and len(each) == 2
        ]
        for gradient, variable in pairs:
            self._step(gradient, variable)
        changed = [variable.graph_value for _, variable in pairs if isinstance(variable, TensorValue)]
        machine().event(Act.MADE, self, changed, *facts_of(type(self).__name__, self.cells))
        return self.iterations

    def apply(self, grads: Any, trainable_variables: Any = None) -> None:
        if trainable_variables is None or isinstance(grads, Unknown) or isinstance(trainable_variables, Unknown):
            return
        first, second = (machine().items(each) for each in (grads, trainable_variables))
        if isinstance(first, tuple) and isinstance(second, tuple):
            for gradient, variable in zip(first, second, strict=False):
                self._step(gradient, variable)

    def _step(self, gradient: Any, variable: Any) -> None:
        """One variable changed by its gradient."""
        if (
            isinstance(gradient, Repeated)
            or not isinstance(gradient, TensorValue)
            or not isinstance(variable, TensorValue)
        ):
            return
        opaque(f"optimizers.{type(self).__name__}", [variable, gradient], variable.graph_value.declared, KerasTensor)

    def minimize(self, loss: Any, var_list: Any = None, tape: Any = None, **kwargs: Any) -> None:
        del var_list, tape, kwargs
        if not isinstance(loss, TensorValue | Unknown):
            machine().call(loss)

    def build(self, variables: Any = None) -> None:
        del variables

    def get_gradients(self, loss: Any, params: Any) -> Any:
        del loss
        return params

    def stateless_apply(self, optimizer_variables: Any, grads: Any, trainable_variables: Any) -> Any:
        del grads
        return trainable_variables, optimizer_variables

    def scale_loss(self, loss: Any) -> Any:
        return loss

    get_scaled_loss = scale_loss

    def get_unscaled_gradients(self, grads: Any) -> Any:
        return grads

    def assign(self, variable: Any, value: Any) -> Any:
        return machine().send(variable, "assign", value)

    @property
    def variables(self) -> Any:
        return ListValue(Repeated(Unknown(Reason.EXTERNAL_DATA, "a slot variable"), symbol("slots")))

    def get_config(self) -> Any:
        return DictValue(
            {"name": held(self).get("name"), "learning_rate": held(self).get("learning_rate")}, rest=Scalar(float)
        )

    @classmethod
    def from_config(cls, config: Any) -> Any:
        del config
        return cls()

    def finalize_variable_values(self, var_list: Any) -> None:
        del var_list

    set_weights = finalize_variable_values

    def exclude_from_weight_decay(self, var_list: Any = None, var_names: Any = None) -> None:
        del var_list, var_names


_RATES = {"SGD": 0.01, "Lion": 0.001, "AdamW": 0.001}
_SETTLED: dict[str, tuple[tuple[str, Any], ...]] = {
    "SGD": (("momentum", 0.0), ("nesterov", False)),
    "RMSprop": (("rho", 0.9), ("momentum", 0.0), ("epsilon", 1e-7), ("centered", False)),
    "Adam": (("beta_1", 0.9), ("beta_2", 0.999), ("epsilon", 1e-7), ("amsgrad", False)),
    "AdamW": (("weight_decay", 0.004), ("beta_1", 0.9), ("beta_2", 0.999), ("epsilon", 1e-7), ("amsgrad", False)),
    "Adadelta": (("rho", 0.95), ("epsilon", 1e-7)),
    "Adagrad": (("initial_accumulator_value", 0.1), ("epsilon", 1e-7)),
    "Adamax": (("beta_1", 0.9), ("beta_2", 0.999), ("epsilon", 1e-7)),
    "Adafactor": (("beta_2_decay", -0.8), ("epsilon_1", 1e-30), ("epsilon_2", 1e-3)),
    "Nadam": (("beta_1", 0.9), ("beta_2", 0.999), ("epsilon", 1e-7)),
    "Ftrl": (("learning_rate_power", -0.5), ("initial_accumulator_value", 0.1)),
    "Lion": (("beta_1", 0.9), ("beta_2", 0.99)),
    "Lamb": (("beta_1", 0.9), ("beta_2", 0.999), ("epsilon", 1e-7)),
    "Muon": (("adam_beta_1", 0.9), ("adam_beta_2", 0.999)),
}
"""The arguments after the learning rate that may be given by position, with their defaults."""


def _optimizer(name: str, settled: tuple[tuple[str, Any], ...], rate: float) -> type[Optimizer]:
    def __init__(self: Any, learning_rate: Any = rate, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        given = dict(settled)
        given |= dict(zip(given, args, strict=False))
        Optimizer.__init__(self, learning_rate, **(given | kwargs))

    made: type[Optimizer] = type(name, (Optimizer,), {"__init__": __init__, "__slots__": (), "__module__": __name__})
    return made


BY_NAME: dict[str, type[Optimizer]] = {}
for _name, _settled in _SETTLED.items():
    _made = _optimizer(_name, _settled, _RATES.get(_name, 0.001))
    BY_NAME[_name.lower()] = _made
    model(f"keras.optimizers.{_name}")(_made)


@model("keras.optimizers.LossScaleOptimizer", "keras.mixed_precision.LossScaleOptimizer")
class LossScaleOptimizer(Optimizer):
    def __init__(self, inner_optimizer: Any, *args: Any, **kwargs: Any) -> None:
        del args, kwargs
        rate = held(inner_optimizer).get("learning_rate", 0.001) if isinstance(inner_optimizer, Object) else 0.001
        super().__init__(rate)
        self.inner_optimizer = inner_optimizer


@model("keras.optimizers.get", "keras.optimizers.deserialize")
def get(identifier: Any) -> Any:
    return optimizer_of(identifier)


@model("keras.optimizers.serialize")
def serialize(optimizer: Any) -> Any:
    del optimizer
    return DictValue({}, rest=Scalar(str))


def optimizer_of(given: Any) -> Any:
    """The optimizer that a name means; anything else is one already."""
    if isinstance(given, str):
        return BY_NAME.get(given.lower(), Optimizer)()
    if isinstance(given, type) and issubclass(given, Optimizer):
        return given()
    return given


@model("keras.optimizers.schedules.LearningRateSchedule")
class LearningRateSchedule(Object):
    """A learning rate that hangs on the step."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for place, value in enumerate(args):
            store(self.cells, f"@{place}", value)
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __call__(self, step: Any) -> Tensor:
        del step
        return opaque(f"schedules.{type(self).__name__}", [], Known(floats(), ()), KerasTensor)

    def get_config(self) -> Any:
        return DictValue({}, rest=Scalar(float))


for _name in (
    "ExponentialDecay", "PiecewiseConstantDecay", "PolynomialDecay", "InverseTimeDecay", "CosineDecay",
    "CosineDecayRestarts",
):  # fmt: skip
    _schedule = type(_name, (LearningRateSchedule,), {"__slots__": (), "__module__": __name__})
    model(f"keras.optimizers.schedules.{_name}")(_schedule)
