"""The backends that there are for each kind of model, and how a worker for one is started."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlvet.core.errors import UsageError
from mlvet.core.rule import did_you_mean
from mlvet.runtime.backends.process import Command

KERAS = ("tensorflow", "jax", "torch", "numpy", "openvino")
ONNX = ("onnxruntime", "onnxruntime-noopt", "openvino", "onnx-reference", "mlvet")
TFLITE = ("litert", "litert-reference", "openvino")
OF_FORMAT: Mapping[str, Sequence[str]] = {"keras": KERAS, "onnx": ONNX, "tflite": TFLITE}
"""The backends that a model is run on if the user names none, by the format of the model."""

_ENVIRONMENTS = {"jax": {"JAX_PLATFORMS": "cpu"}}
_OPENINGS: Mapping[str, Mapping[str, Any]] = {
    "onnxruntime-noopt": {"driver": "onnxruntime", "plain": True},
    "litert-reference": {"driver": "litert", "plain": True},
}
_DOUBLE = {"JAX_ENABLE_X64": "1"}


def library_of(name: str) -> str:
    """The backend of which another one is a setting, else itself: defects of the library show in both."""
    plain, at, environment = name.partition("@")
    return f"{_OPENINGS.get(plain, {}).get('driver', plain)}{at}{environment}"


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend as the user names it: `torch`, or `torch@old` for the one in the environment `old`."""

    name: str
    format: str
    environment: str = ""
    python: str = sys.executable
    double: bool = False
    opening: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return f"{self.name}@{self.environment}" if self.environment else self.name

    @property
    def command(self) -> Command:
        surroundings = {**_ENVIRONMENTS.get(self.name, {}), **(_DOUBLE if self.double else {})}
        if self.format == "keras" and self.name != "mlvet":
            surroundings["KERAS_BACKEND"] = self.name
            opening: dict[str, Any] = {"driver": "keras"}
        else:
            opening = {"driver": self.name, **_OPENINGS.get(self.name, {})}
        return Command(self.python, surroundings, {**opening, **self.opening, "double": self.double})


def backends(names: Sequence[str], format: str, environments: Mapping[str, str]) -> list[Backend]:
    """The backends that the user names, or all that there are for the format."""
    known = (*OF_FORMAT[format], "mlvet") if format == "keras" else OF_FORMAT[format]
    found = []
    for each in names or OF_FORMAT[format]:
        name, _, environment = each.partition("@")
        if name not in known and not (environment and format == "keras"):
            raise UsageError(
                f"unknown backend `{name}`{did_you_mean(name, list(known))} (of this model: {', '.join(known)})"
            )
        if environment and environment not in environments:
            raise UsageError(f"the environment `{environment}` of `{each}` is not given by --env")
        found.append(Backend(name, format, environment, environments.get(environment, sys.executable)))
    return found
