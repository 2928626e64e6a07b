"""Regularizers and constraints of variables."""

from __future__ import annotations

from typing import Any

from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import store
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.settings import floats
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array
from mlvet.frontends.python.libraries.registry import MODELS, model
from mlvet.frontends.python.values.objects import Object


class Settled(Object):
    """An object that keeps its arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for place, value in enumerate(args):
            store(self.cells, f"@{place}", value)
        for name, value in kwargs.items():
            setattr(self, name, value)

    def get_config(self) -> Any:
        return {name: value for name, value in self.cells.items() if not name.startswith("@")}

    @classmethod
    def from_config(cls, config: Any) -> Any:
        return cls()


@model("keras.regularizers.Regularizer")
class Regularizer(Settled):
    """A penalty on a variable: one number."""

    def __call__(self, x: ArrayLike) -> Tensor:
        return opaque(f"regularizers.{type(self).__name__}", [array(x)], Known(floats(), ()), KerasTensor)


@model("keras.constraints.Constraint")
class Constraint(Settled):
    """A variable made to obey a rule."""

    def __call__(self, w: ArrayLike) -> Tensor:
        return alike(f"constraints.{type(self).__name__}", array(w))


for _name, _other in (
    ("L1", "l1"),
    ("L2", "l2"),
    ("L1L2", "l1_l2"),
    ("OrthogonalRegularizer", "orthogonal_regularizer"),
):
    _made = type(_name, (Regularizer,), {"__slots__": (), "__module__": __name__})
    model(f"keras.regularizers.{_name}", f"keras.regularizers.{_other}")(_made)
for _name, _other in (
    ("MaxNorm", "max_norm"),
    ("NonNeg", "non_neg"),
    ("UnitNorm", "unit_norm"),
    ("MinMaxNorm", "min_max_norm"),
):
    _kind = type(_name, (Constraint,), {"__slots__": (), "__module__": __name__})
    model(f"keras.constraints.{_name}", f"keras.constraints.{_other}", f"keras.constraints.{_other.replace('_', '')}")(
        _kind
    )


@model("keras.regularizers.get", "keras.regularizers.deserialize")
def get_regularizer(identifier: Any) -> Any:
    found = MODELS.get(f"keras.regularizers.{identifier}") if isinstance(identifier, str) else None
    return found() if isinstance(found, type) else identifier


@model("keras.constraints.get", "keras.constraints.deserialize")
def get_constraint(identifier: Any) -> Any:
    found = MODELS.get(f"keras.constraints.{identifier}") if isinstance(identifier, str) else None
    return found() if isinstance(found, type) else identifier


@model("keras.regularizers.serialize", "keras.constraints.serialize", "keras.losses.serialize",
       "keras.metrics.serialize", "keras.layers.serialize")  # fmt: skip
def serialize(thing: Any) -> Any:
    return {"class_name": type(thing).__name__, "config": {}}
