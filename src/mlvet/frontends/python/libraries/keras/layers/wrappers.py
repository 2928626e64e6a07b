"""Layers around a layer: Bidirectional, TimeDistributed, Wrapper, and layers of other models."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.shaping import reshape
from mlvet.frontends.python.emission import demand, emit
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer, label
from mlvet.frontends.python.libraries.keras.tensor import Variable, array, combined
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("keras.layers.Wrapper")
class Wrapper(Layer):
    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.layer = layer
        self.built = True


def twin(layer: Layer, prefix: str) -> Layer:
    """A layer made as another was, not yet built."""
    made = type(layer).__new__(type(layer))
    assert isinstance(made, Layer)
    object.__setattr__(made, "kind", layer.kind)
    cells = {key: value for key, value in layer.cells.items() if not isinstance(value, Variable) and key != "@weights"}
    made.cells.update(cells | {"name": f"{prefix}_{label(layer)}", "built": False})
    return made


@model("keras.layers.Bidirectional")
class Bidirectional(Layer):
    """A recurrent layer forwards, and one like it backwards."""

    def __init__(
        self, layer: Any, merge_mode: Any = "concat", weights: Any = None, backward_layer: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.forward_layer = layer
        self.backward_layer = backward_layer if backward_layer is not None else twin(layer, "backward")
        self.merge_mode = merge_mode
        self.return_sequences = held(layer).get("return_sequences", False) if isinstance(layer, Object) else False
        self.supports_masking = True
        self.built = True

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None) -> Any:
        cells = held(self)
        states = () if initial_state is None else as_items(initial_state)
        half = len(states) // 2
        sides = []
        for layer, given in ((cells["forward_layer"], states[:half]), (cells["backward_layer"], states[half:])):
            extra = {"initial_state": ListValue(given)} if given else {}
            sides.append(machine().call(layer, sequences, **extra))
        if all(isinstance(side, tuple | ListValue) for side in sides):
            forward, backward = (as_items(side) for side in sides)
            return (*self._merged(forward[0], backward[0]), *forward[1:], *backward[1:])
        merged = self._merged(*sides)
        return merged[0] if len(merged) == 1 else merged

    def _merged(self, forward: Any, backward: Any) -> tuple[Any, ...]:
        mode = held(self)["merge_mode"]
        if not isinstance(forward, TensorValue) or not isinstance(backward, TensorValue):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a recurrent layer of unknown results")
        if mode == "concat":
            return (emit("concat", forward, backward, axis=-1),)
        if mode in ("sum", "ave"):
            return (combined("add", forward, backward),)
        return (combined("mul", forward, backward),) if mode == "mul" else (forward, backward)

    def compute_mask(self, sequences: Any, mask: Any = None) -> Any:
        return mask if held(self)["return_sequences"] else None


@model("keras.layers.TimeDistributed")
class TimeDistributed(Layer):
    """A layer on each step: batch and time are one dim for it."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.layer = layer
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        x = array(inputs)
        dims = dims_of(x)
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a sequence of unknown rank")
        if len(dims) < 3:
            demand(False, f"`{label(self)}` needs at least 3 dims but gets {tensor_of(x)}", "rank-differs")
            raise Undecided(Reason.EXCEPTION, "a tensor of the wrong rank")
        result = machine().call(held(self)["layer"], reshape(x, (dims[0] * dims[1], *dims[2:])))
        made = dims_of(result) if isinstance(result, TensorValue) else None
        if made is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a step of unknown rank")
        return reshape(result, (dims[0], dims[1], *made[1:]))


@model("keras.layers.TFSMLayer", "keras.layers.TorchModuleWrapper", "keras.layers.JaxLayer", "keras.layers.FlaxLayer")
class ForeignLayer(Layer):
    """A model of a file or of another library, of whose results nothing is known."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(name=kwargs.get("name"))
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise Undecided(Reason.EXTERNAL_DATA, "a model of another library")
