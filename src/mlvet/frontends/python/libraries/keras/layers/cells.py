"""Cells of recurrent layers, and RNN, which runs a cell step by step."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.creation import full
from mlvet.frontends.python.emission import emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import Size, as_items, as_size
from mlvet.frontends.python.libraries.keras.activations import applied
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer, method
from mlvet.frontends.python.libraries.keras.layers.normalization import size_at
from mlvet.frontends.python.libraries.keras.layers.recurrent import _states
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array, combined, floating
from mlvet.frontends.python.libraries.limits import positive
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


class Cell(Layer):
    """One step of a recurrent layer."""

    GATES = 1
    STATES = 1

    def __init__(self, units: Size, activation: Any = "tanh", *args: Any, **kwargs: Any) -> None:
        known = {name: kwargs[name] for name in ("name", "dtype", "trainable") if name in kwargs}
        super().__init__(**known)
        positive("units", units)
        self.units = units
        self.activation = activation
        self.use_bias = kwargs.get("use_bias", True)
        self.state_size = units if self.STATES == 1 else ListValue((units,) * self.STATES)
        self.output_size = units

    def build(self, input_shape: Any) -> None:
        wide = self.GATES * held(self)["units"]
        self._weight("kernel", (size_at(input_shape, -1, "features"), wide), "glorot_uniform")
        self._weight("recurrent_kernel", (held(self)["units"], wide), "orthogonal")
        if held(self)["use_bias"]:
            self._weight("bias", (wide,), "zeros")
        self.built = True

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:
        x = floating(array(inputs), self._compute)
        given = _states(states)
        units = held(self)["units"]
        state = given[0] if given else full((*(dims_of(x) or (1,))[0:1], units), 0, self._compute, KerasTensor)
        total = combined(
            "add", emit("matmul", x, self._read("kernel")), emit("matmul", state, self._read("recurrent_kernel"))
        )
        if held(self)["use_bias"]:
            total = combined("add", total, self._read("bias"))
        gates = (
            emit_all("split", total, None, count=self.GATES, axis=-1, num_outputs=self.GATES)
            if self.GATES > 1
            else (total,)
        )
        made = applied(held(self)["activation"], gates[0])
        for each in gates[1:]:
            made = combined("mul", made, emit("sigmoid", each))
        return made, ListValue((made,) * self.STATES) if self.STATES > 1 or not isinstance(
            states, TensorValue
        ) else made

    def get_initial_state(self, batch_size: Any = None) -> Any:
        sizes = (as_size(batch_size, "batch"), held(self)["units"])
        return ListValue(full(sizes, 0, self._compute, KerasTensor) for _ in range(self.STATES))


@model("keras.layers.SimpleRNNCell")
class SimpleRNNCell(Cell):
    pass


@model("keras.layers.LSTMCell")
class LSTMCell(Cell):
    GATES = 4
    STATES = 2


@model("keras.layers.GRUCell")
class GRUCell(Cell):
    GATES = 3


@model("keras.layers.StackedRNNCells")
class StackedRNNCells(Layer):
    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stacked = cells
        self.built = True

    def call(self, inputs: Any, states: Any, training: Any = False, **kwargs: Any) -> Any:
        made = []
        given = as_items(states) if not isinstance(states, TensorValue) else (states,)
        for place, each in enumerate(as_items(held(self)["stacked"])):
            inputs, state = machine().call(each, inputs, given[place] if place < len(given) else given[-1])
            made.append(state)
        return inputs, ListValue(made)

    def get_initial_state(self, batch_size: Any = None) -> Any:
        return ListValue(
            machine().send(each, "get_initial_state", batch_size) for each in as_items(held(self)["stacked"])
        )


@model("keras.layers.RNN")
class RNN(Layer):
    """A cell run on each step of a sequence; one step stands for all."""

    def __init__(
        self, cell: Any, return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False,
        stateful: Any = False, unroll: Any = False, zero_output_for_mask: Any = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.cell = StackedRNNCells(cell) if isinstance(cell, ListValue | tuple) else cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.supports_masking = True
        self.built = True

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = False) -> Any:
        x = array(sequences)
        dims = dims_of(x)
        if dims is None or len(dims) < 3:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a sequence of unknown rank")
        step = emit("gather", x, 0, axis=1)
        cell = held(self)["cell"]
        states = initial_state if initial_state is not None else self._first(cell, dims[0])
        result = machine().call(cell, step, states)
        output, after = result if isinstance(result, tuple) and len(result) == 2 else (result, states)
        if not isinstance(output, TensorValue):
            return output
        if held(self)["return_sequences"]:
            made = dims_of(output)
            if made is None:
                raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a step of unknown rank")
            every: tuple[Dim, ...] = (made[0], dims[1], *made[1:])
            output = opaque("layers.RNN", [output], Known(dtype_of(output), every), type(output))
        return (output, *_states(after)) if held(self)["return_state"] else output

    def _first(self, cell: Any, batch: Dim) -> Any:
        """The states to begin with, by the cell's own method or by its `state_size`."""
        written = method(cell, "get_initial_state")
        if written is not None:
            return machine().send(cell, "get_initial_state", batch)
        size = machine().attribute(cell, "state_size")
        parts = as_items(size) if isinstance(size, ListValue | tuple) else (size,)
        return ListValue(self._zeros(batch, each) for each in parts)

    def _zeros(self, batch: Dim, size: Any) -> Any:
        rest = as_items(size) if isinstance(size, ListValue | tuple) else (as_size(size, "state"),)
        return full((batch, *rest), 0, self._compute, KerasTensor)

    def compute_mask(self, sequences: Any, mask: Any = None) -> Any:
        return mask if held(self)["return_sequences"] else None
