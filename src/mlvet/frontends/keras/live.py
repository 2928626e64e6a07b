"""Live Keras models, read through their own configuration and variables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.domains import dtypes
from mlvet.frontends.keras.lowering import lower_model
from mlvet.frontends.keras.stored import Nothing, Stored
from mlvet.ir.graph import Data, Graph


def from_keras(model: Any) -> Graph:
    """The graph of a live model made of layers; one whose call is Python code raises UnsupportedInput."""
    kind = type(model).__name__
    to_json = getattr(model, "to_json", None)
    if to_json is None:
        raise UnsupportedInput(f"`{kind}` is no Keras model")
    try:
        raw = json.loads(to_json())
    except (NotImplementedError, TypeError, ValueError) as error:
        raise UnsupportedInput(
            f"`{kind}` has no configuration that can be read: {str(error).splitlines()[0]}"
        ) from error
    version = raw.get("keras_version") if isinstance(raw, Mapping) else None
    return lower_model(raw, Live(model), shown="", format="keras-live", version=version or _version(model))


def _version(model: Any) -> str:
    return "3" if hasattr(model, "stateless_call") else "2"


class Live:
    """The variables of a live layer and of the layers that it holds."""

    def __init__(self, layer: Any) -> None:
        self._layer = layer

    def own(self, name: str, index: int) -> Data | None:
        variables = self._variables()
        for variable in variables:
            if _name(variable) == name:
                return _data(variable)
        return _data(variables[index]) if index < len(variables) else None

    def part(self, *names: str) -> Stored:
        for name in names:
            for candidate in (name, f"_{name}"):
                inner = getattr(self._layer, candidate, None)
                if hasattr(inner, "weights"):
                    return Live(inner)
        return Nothing()

    def layers(self, named: Sequence[tuple[str, str]]) -> Mapping[str, Stored]:
        by_name = {layer.name: layer for layer in getattr(self._layer, "layers", ())}
        return {name: Live(by_name[name]) if name in by_name else Nothing() for name, _ in named}

    def everything(self) -> Mapping[str, Data]:
        weights = getattr(self._layer, "weights", ())
        return {f"{index}/{_name(variable)}": _data(variable) for index, variable in enumerate(weights)}

    def _variables(self) -> list[Any]:
        kept = [getattr(self._layer, key, ()) for key in ("_trainable_variables", "_non_trainable_variables")]
        own = [variable for variables in kept for variable in variables]
        return own or list(getattr(self._layer, "weights", ()))


def _name(variable: Any) -> str:
    return str(variable.name).rsplit("/", 1)[-1].rsplit(":", 1)[0]


def _data(variable: Any) -> Data:
    def load() -> NDArray[Any]:
        array: NDArray[Any] = np.asarray(variable.numpy())
        return array

    names = {"float16": dtypes.f16, "bfloat16": dtypes.bf16, "float32": dtypes.f32, "float64": dtypes.f64}
    raw = getattr(variable.dtype, "name", str(variable.dtype))
    dtype = names.get(raw) or dtypes.of(np.dtype(raw))
    return Data(dtype, tuple(int(dim) for dim in variable.shape), load)
