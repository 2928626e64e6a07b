"""The backends that there are for each kind of model, and how a worker for one is started."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mlvet.core.errors import UsageError
from mlvet.core.rule import did_you_mean
from mlvet.runtime.backends.process import Command

KERAS = ("tensorflow", "jax", "torch", "numpy", "openvino")
ONNX = ("onnxruntime", "onnxruntime-noopt", "openvino", "onnx-reference", "torch", "mlvet")
TFLITE = ("litert", "litert-reference", "openvino")
EXPORTED = ("torch", "torch-eager", "mlvet")
SCRIPTED = ("torch", "torch-eager", "mlvet")
SAVED_MODEL = ("tensorflow", "openvino")
OF_FORMAT: Mapping[str, Sequence[str]] = {
    "keras": KERAS, "onnx": ONNX, "tflite": TFLITE, "pt2": EXPORTED, "torchscript": SCRIPTED,
    "saved_model": SAVED_MODEL,
}  # fmt: skip
"""The backends that a model is run on if the user names none, by the format of the model."""

BY_NAME: Mapping[str, Sequence[str]] = {"keras": ("mlvet",), "pt2": ("torch-compile",)}
"""Further backends, which the user has to name."""


@dataclass(frozen=True, slots=True)
class Route:
    """A way through a converter: where the model is opened for it, and the format and runtime that it ends in.

    `before` is another way, by the first of two converters that work one after the other.
    """

    source: str
    converter: str
    format: str
    runtime: str
    before: Route | None = None


_EXPORT = Route("tensorflow", "keras export", "saved_model", "tensorflow")
_BY_EXPORT = {
    "saved-model": _EXPORT,
    "saved-model-jax": replace(_EXPORT, source="jax"),
    "onnxruntime-torch": Route("torch", "torch.onnx", "onnx", "onnxruntime"),
}
_BY_TF2ONNX = {
    "onnxruntime": Route("tensorflow", "tf2onnx", "onnx", "onnxruntime"),
    "openvino-onnx": Route("tensorflow", "tf2onnx", "onnx", "openvino"),
}
_BY_TORCH_ONNX = {
    "onnxruntime": Route("torch", "torch.onnx", "onnx", "onnxruntime"),
    "openvino-onnx": Route("torch", "torch.onnx", "onnx", "openvino"),
}
_BY_TFLITE = {"litert": Route("tensorflow", "tflite", "tflite", "litert")}
CONVERTED: Mapping[str, Mapping[str, Route]] = {
    "keras": {
        **{name: replace(route, before=_EXPORT) for name, route in {**_BY_TF2ONNX, **_BY_TFLITE}.items()},
        **_BY_EXPORT,
    },
    "saved_model": {**_BY_TF2ONNX, **_BY_TFLITE},
    "pt2": _BY_TORCH_ONNX,
    "torchscript": _BY_TORCH_ONNX,
}
"""Backends that run what a converter makes of the model; the user has to name them, because conversions take time."""

ALL = "all"
_ENVIRONMENTS = {"jax": {"JAX_PLATFORMS": "cpu"}}
_OPENINGS: Mapping[str, Mapping[str, Any]] = {
    "onnxruntime-noopt": {"driver": "onnxruntime", "plain": True},
    "litert-reference": {"driver": "litert", "plain": True},
    "tensorflow": {"driver": "saved-model"},
}
_TORCH_DRIVERS = {"onnx": "onnx-torch", "pt2": "exported", "torchscript": "scripted"}
_DOUBLE = {"JAX_ENABLE_X64": "1"}


def library_of(name: str) -> str:
    """The backend of which another one is a setting, else itself: defects of the library show in both."""
    plain, at, environment = name.partition("@")
    return f"{_OPENINGS.get(plain, {}).get('driver', plain)}{at}{environment}"


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend as the user names it: `torch`, or `torch@old` for the one in the environment `old`.

    `overlay` is a folder whose packages replace those of the environment.
    """

    name: str
    format: str
    environment: str = ""
    python: str = sys.executable
    double: bool = False
    opening: Mapping[str, Any] = field(default_factory=dict, hash=False)
    route: Route | None = None
    overlay: str = ""

    def __str__(self) -> str:
        return f"{self.name}@{self.environment}" if self.environment else self.name

    @property
    def command(self) -> Command:
        surroundings = {**_ENVIRONMENTS.get(self.name, {}), **(_DOUBLE if self.double else {})}
        if self.overlay:
            inherited = os.environ.get("PYTHONPATH") if self.python == sys.executable else None
            surroundings["PYTHONPATH"] = os.pathsep.join(filter(None, (self.overlay, inherited)))
        if self.format == "keras" and self.name != "mlvet":
            surroundings["KERAS_BACKEND"] = self.name
            opening: dict[str, Any] = {"driver": "keras"}
        elif self.name.startswith("torch"):
            opening = {"driver": _TORCH_DRIVERS[self.format], "way": self.name.partition("-")[2]}
        elif (self.format, self.name) == ("torchscript", "mlvet"):
            opening = {"driver": "mlvet-scripted"}
        else:
            opening = {"driver": self.name, **_OPENINGS.get(self.name, {})}
        return Command(self.python, surroundings, {**opening, **self.opening, "double": self.double})


def backends(names: Sequence[str], format: str, environments: Mapping[str, str]) -> list[Backend]:
    """The backends that the user names, or those that run the format itself; `all` adds the ones behind converters."""
    routes = CONVERTED.get(format, {})
    known = (*OF_FORMAT[format], *BY_NAME.get(format, ()), *routes)
    found = []
    for each in known if ALL in names else names or OF_FORMAT[format]:
        name, _, environment = each.partition("@")
        if name not in known and not (environment and format == "keras"):
            raise UsageError(
                f"unknown backend `{name}`{did_you_mean(name, list(known))} (of this model: {', '.join(known)})"
            )
        if environment and environment not in environments:
            raise UsageError(f"the environment `{environment}` of `{each}` is not given by --env")
        python = environments.get(environment, sys.executable)
        found.append(Backend(name, format, environment, python, route=routes.get(name)))
    return found
