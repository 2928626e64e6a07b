"""Models and layers of which only the outside is known: how many layers and weights they have is open."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import unknown_tensor
from mlvet.frontends.python.libraries.keras.tensor import Variable, numpy_class
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.unknown import Reason, Unknown


def unknown_layers() -> Any:
    return ListValue(Repeated(Unknown(Reason.EXTERNAL_DATA, "a layer"), symbol(machine().fresh("layers"))))


def _weights(self: Any) -> Any:
    del self
    return ListValue(Repeated(unknown_tensor(Variable, dtypes.f32, "weight"), symbol(machine().fresh("weights"))))


def _arrays(self: Any) -> Any:
    del self
    return ListValue(Repeated(unknown_tensor(numpy_class(), dtypes.f32, "weight"), symbol(machine().fresh("weights"))))


class Sealed:
    """What such models and layers say of their weights, mixed into their classes."""

    __slots__ = ()
    weights = variables = property(_weights)
    trainable_weights = trainable_variables = property(_weights)
    non_trainable_weights = non_trainable_variables = property(_weights)
    get_weights = _arrays

    def count_params(self) -> Any:
        return symbol(machine().fresh("parameters"))
