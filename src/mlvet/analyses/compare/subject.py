"""The model that is compared: what goes in, what comes out, and the layers or nodes between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mlvet.analyses.compare.states import state
from mlvet.core.errors import UnsupportedInput

if TYPE_CHECKING:
    from mlvet.runtime.onnx_parts import OnnxParts


class Parts(Protocol):
    """What cuts a model into files: one layer, or all that leads to some values; and both in double precision."""

    def alone(self, name: str, held: Mapping[str, tuple[Any, tuple[int, ...], Path]] = ...) -> Path: ...

    def until(self, values: Iterable[str]) -> Path: ...

    def doubled(self, path: Path) -> Path: ...


FORMATS = {
    ".keras": "keras", ".h5": "keras", ".hdf5": "keras", ".onnx": "onnx", ".tflite": "tflite", ".pt2": "pt2",
    ".pt": "torchscript", ".ts": "torchscript", ".torchscript": "torchscript",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Port:
    """An input: its name, its dims (None where any size goes; no dims where the rank is open) and its element type.

    The element type is empty where the model does not tell it.
    """

    name: str
    shape: tuple[int | None, ...] | None
    dtype: str


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of a model or a node of a graph. Values are named; the first of a layer has the name of the layer.

    `masked` are layers of Keras that hand on a mask with what they yield. `precision` is that of the results where it
    is known to be less than single; those in bfloat16 are held in single precision.
    """

    name: str
    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    config: Mapping[str, Any] = field(default_factory=dict)
    masked: bool = False
    precision: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """A model, taken apart. `parts` cuts graphs in files; layers of Keras are cut by their workers."""

    path: Path
    format: str
    ports: tuple[Port, ...]
    outputs: tuple[str, ...]
    layers: tuple[Layer, ...]
    parts: Parts | None = None

    @property
    def batched(self) -> bool:
        """Whether the first dim of every input counts the examples."""
        return all(port.shape is None or (port.shape and port.shape[0] is None) for port in self.ports)

    def part(self, layer: Layer, entering: Mapping[str, Path], *, double: bool = False) -> str:
        """What a worker calls a layer that it runs alone, on values in files."""
        if self.parts is None:
            return layer.name
        held = {value: state(path) for value, path in entering.items()}
        alone = self.parts.alone(
            layer.name, {value: (each.dtype, each.shape, each.path) for value, each in held.items()}
        )
        return str(self.parts.doubled(alone) if double else alone)

    def until(self, value: str, *, double: bool = False) -> str:
        """What a worker calls the model that ends with a value."""
        if self.parts is None:
            return value
        part = self.parts.until([value])
        return str(self.parts.doubled(part) if double else part)


def format_of(path: Path) -> str:
    """Which kind of model a file is, by its name; a folder is one by what lies in it."""
    if any((path / name).is_file() for name in ("saved_model.pb", "saved_model.pbtxt")):
        return "saved_model"
    found = FORMATS.get(path.suffix)
    if found is None:
        known = ", ".join(sorted(FORMATS))
        raise UnsupportedInput(
            f"{path}: no kind of model that can be compared ({known}, or the folder of a SavedModel)"
        )
    return found


def weights_alone(path: Path) -> bool:
    """Whether a file of Keras holds weights and no model."""
    if path.suffix not in (".h5", ".hdf5"):
        return False
    import h5py  # type: ignore[import-untyped, unused-ignore]

    try:
        with h5py.File(path, "r") as file:
            return "model_config" not in file.attrs
    except OSError:
        return False


def told(path: Path, format: str, answer: Mapping[str, Any], parts: Parts | None = None) -> Subject:
    """The model as a worker describes it."""
    return Subject(
        path, format, tuple(_port(each) for each in answer["inputs"]), tuple(answer["outputs"]),
        tuple(_layer(each) for each in answer["nodes"]), parts,
    )  # fmt: skip


def taken_apart(path: Path, parts: OnnxParts) -> Subject:
    """The model of an ONNX file."""
    layers = tuple(Layer(each.name, each.kind, each.inputs, each.outputs, each.config) for each in parts.nodes)
    return Subject(path, "onnx", tuple(Port(*each) for each in parts.inputs()), parts.outputs(), layers, parts)


def last_uses(layers: Sequence[Layer], kept: Sequence[str]) -> list[list[str]]:
    """For each layer the values that no later layer needs and nobody wants to keep."""
    alive = {*kept}
    found: list[list[str]] = []
    for layer in reversed(layers):
        dead = [value for value in (*layer.inputs, *layer.outputs) if value not in alive]
        found.append(list(dict.fromkeys(dead)))
        alive.update(dead)
    return found[::-1]


def _port(answer: Mapping[str, Any]) -> Port:
    shape = answer["shape"]
    return Port(answer["name"], None if shape is None else tuple(shape), answer["dtype"])


def _layer(answer: Mapping[str, Any]) -> Layer:
    values = tuple(answer["inputs"]), tuple(answer["outputs"])
    told = answer.get("masked", False), answer.get("precision", "")
    return Layer(answer["name"], answer["kind"], *values, answer["config"], *told)
