"""A Keras model as a chain of calls that can be edited and built anew; building tells whether it makes sense."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.search.laboratory import Laboratory, Specimen
from mlvet.analyses.compare.subject import Port
from mlvet.core.errors import UnsupportedInput

Array = NDArray[Any]
_SECONDS = 120.0
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Call:
    """A layer and what it is called on. Calls of one layer have the same `same`."""

    name: str
    layer: Mapping[str, Any]
    args: Any
    kwargs: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    same: str
    shapes: tuple[tuple[int | None, ...], ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    masks: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that take masks, each with the value whose mask it takes, or a list of such."""

    @property
    def kind(self) -> str:
        return str(self.layer["class_name"])

    @property
    def config(self) -> dict[str, Any]:
        return dict(self.layer.get("config") or {})

    def configured(self, config: Mapping[str, Any]) -> Call:
        """The same call of a layer with another configuration."""
        return replace(self, layer={**self.layer, "config": dict(config)})

    def named(self, name: str) -> Call:
        """The same call of a layer of its own."""
        outputs = tuple(name if not index else f"{name}:{index}" for index in range(len(self.outputs)))
        return replace(self, name=name, same=name, outputs=outputs)

    def fed(self, exchange: Mapping[str, str]) -> Call:
        """The same call on other values."""
        return replace(
            self, args=_exchanged(self.args, exchange), kwargs=_exchanged(self.kwargs, exchange),
            inputs=tuple(dict.fromkeys(exchange.get(value, value) for value in self.inputs)),
        )  # fmt: skip

    def takes_mask(self, value: str) -> bool:
        """Whether the mask of a value is handed to the layer."""
        return any(value == each or (isinstance(each, list) and value in each) for each in self.masks.values())

    def masked(self, names: Mapping[str, str]) -> Call:
        """The same call with masks as values of their own, named by the values that they belong to."""
        given = {key: _mask_values(each, names) for key, each in self.masks.items()}
        found = {key: each for key, each in given.items() if each is not None and key not in self.kwargs}
        inputs = (*self.inputs, *(name for name in names.values() if name not in self.inputs))
        return replace(self, kwargs={**self.kwargs, **found}, inputs=inputs)

    @property
    def simple(self) -> bool:
        """Whether the layer is called on one value and nothing else that matters."""
        return len(self.inputs) == 1 and self.args == [{"value": self.inputs[0]}]


@dataclass(frozen=True, slots=True)
class Architecture:
    """Inputs, calls in an order in which they can be made, outputs, and the weights by layer and number."""

    ports: tuple[Port, ...]
    calls: tuple[Call, ...]
    outputs: tuple[str, ...]
    weights: Mapping[str, Array] = field(default_factory=dict)

    def call(self, name: str) -> Call:
        return next(each for each in self.calls if each.name == name)

    def alone(
        self, name: str, entering: Mapping[str, Array], masks: Mapping[str, Array] = MappingProxyType({})
    ) -> Architecture:
        """One call as a model of its own, on inputs and masks like those given."""
        call = self.call(name)
        safe = {value: f"x{index}" if len(call.inputs) > 1 else "x" for index, value in enumerate(call.inputs)}
        own = {key: array for key, array in self.weights.items() if key.rpartition(":")[0] == call.same}
        arrays = {safe[value]: entering[value] for value in call.inputs}
        arrays.update({f"{safe[value]}_mask": mask for value, mask in masks.items()})
        fed = call.masked({value: f"{safe[value]}_mask" for value in masks}).fed(safe)
        return Architecture(ports_for(arrays), (fed,), (), own)

    def weights_of(self, call: Call) -> list[Array]:
        return [self.weights[key] for key in _numbered(self.weights, call.same)]


@dataclass(frozen=True, slots=True)
class Built:
    """A model file, the calls that it has, the weights it got and why other calls are missing."""

    path: Path
    architecture: Architecture
    failed: Mapping[str, str]

    def specimen(self, inputs: Mapping[str, Array]) -> Specimen:
        return Specimen(self.path, inputs)


def architecture_of(lab: Laboratory, folder: Path, model: Path, opening: Mapping[str, Any]) -> Architecture:
    """The architecture of a model file. Raises Failure or UnsupportedInput if it cannot be taken apart."""
    answer = lab.of_model(opening, {"do": "architecture", "to": str(folder / "architecture.npz")})
    with np.load(answer["weights"]) as archive:
        weights = {name: archive[name] for name in archive.files}
    if not answer["calls"]:
        raise UnsupportedInput(f"{model}: has no layers that can be changed")
    ports = tuple(Port(each["name"], tuple(each["shape"]), each["dtype"]) for each in answer["inputs"])
    return Architecture(ports, tuple(map(_call, answer["calls"])), tuple(answer["outputs"]), weights)


def built(lab: Laboratory, architecture: Architecture, folder: Path, *, seed: int = 0) -> Built | None:
    """A model file of an architecture; without the calls that make no sense, None if none does."""
    number = next(_numbers)
    to, weights = folder / f"built-{number}.keras", folder / f"weights-{number}.npz"
    arrays: dict[str, Any] = dict(architecture.weights)
    np.savez(weights, **arrays)
    answer = lab.ask(
        {
            "do": "build", "to": str(to), "weights": str(weights), "seed": seed, "outputs": list(architecture.outputs),
            "inputs": [{"name": p.name, "shape": list(p.shape or ()), "dtype": p.dtype} for p in architecture.ports],
            "calls": [
                {"name": c.name, "layer": dict(c.layer), "args": c.args, "kwargs": c.kwargs, "inputs": c.inputs,
                 "same": c.same} for c in architecture.calls
            ],
        },
        _SECONDS,
    )  # fmt: skip
    weights.unlink()
    if not answer["calls"]:
        return None
    stored = Path(f"{to}.npz")
    with np.load(stored) as archive:
        kept = {name: archive[name] for name in archive.files}
    stored.unlink()
    calls = tuple(
        _told(call, answer["calls"][call.name]) for call in architecture.calls if call.name in answer["calls"]
    )
    return Built(to, replace(architecture, calls=calls, weights=kept), answer["failed"])


def ports_for(arrays: Mapping[str, Array]) -> tuple[Port, ...]:
    """Inputs that take such arrays. An open number of examples makes Keras try a layer on many when it is built."""
    return tuple(Port(name, array.shape, array.dtype.name) for name, array in arrays.items())


def file_name(name: str) -> str:
    """The name that a layer has in a file that is built."""
    return name.replace("/", "--")


def _told(call: Call, answer: Mapping[str, Any]) -> Call:
    return replace(
        call, outputs=tuple(answer["outputs"]), shapes=tuple(map(tuple, answer["shapes"])), defaults=answer["defaults"]
    )


def _call(answer: Mapping[str, Any]) -> Call:
    return Call(
        answer["name"], answer["layer"], answer["args"], answer["kwargs"], tuple(answer["inputs"]),
        tuple(answer["outputs"]), answer["same"], tuple(map(tuple, answer["shapes"])), answer["defaults"],
        answer.get("masks", {}),
    )  # fmt: skip


def _mask_values(template: Any, names: Mapping[str, str]) -> Any:
    """What an argument for masks is given; None where nothing that it belongs to has a mask."""
    if isinstance(template, list):
        found = [_mask_values(each, names) for each in template]
        return None if not any(found) else [each or {"plain": None} for each in found]
    return {"value": names[template]} if template in names else None


def _exchanged(template: Any, exchange: Mapping[str, str]) -> Any:
    if isinstance(template, list):
        return [_exchanged(each, exchange) for each in template]
    if isinstance(template, dict) and {*template} == {"value"}:
        return {"value": exchange.get(template["value"], template["value"])}
    if isinstance(template, dict) and {*template} != {"plain"}:
        return {key: _exchanged(each, exchange) for key, each in template.items()}
    return template


def _numbered(weights: Mapping[str, Array], layer: str) -> Sequence[str]:
    own = [key for key in weights if key.rpartition(":")[0] == layer]
    return sorted(own, key=lambda key: int(key.rpartition(":")[2]))
