"""Recurrent cells and the functions that run them over time."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.tensorflow.arguments import dims_or_undecided
from mlvet.frontends.python.libraries.tensorflow.creation import zeros
from mlvet.frontends.python.libraries.tensorflow.records import Record
from mlvet.frontends.python.libraries.tensorflow.structures import row_of
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, op_of, typed
from mlvet.frontends.python.libraries.tensorflow.v1.layers import activated, weight
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@model("tensorflow.compat.v1.nn.rnn_cell.LSTMStateTuple")
class LSTMStateTuple(Record):
    def __init__(self, c: Any, h: Any) -> None:
        super().__init__(("c", c), ("h", h))


@model("tensorflow.compat.v1.nn.rnn_cell.RNNCell")
class RNNCell(Object):
    """What maps an input and a state to an output and the next state."""

    gates = 1

    def __init__(self, num_units: Any = None, *rest: Any, **keywords: Any) -> None:
        del rest
        self.units = as_size(num_units, "units") if num_units is not None else symbol(machine().fresh("units"))
        self.label = machine().fresh("cell")
        self.activation = keywords.get("activation")

    @property
    def output_size(self) -> Any:
        return self.units

    @property
    def state_size(self) -> Any:
        return self.units

    def zero_state(self, batch_size: Any, dtype: DType | None = None) -> Any:
        return zeros((as_size(batch_size, "batch"), self.units), dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        del scope
        made = self.stepped(convert(inputs), state)
        return made, made

    def stepped(self, x: Tensor, state: Any) -> Tensor:
        """The output of one step. Input and state are joined before they are multiplied."""
        batch, width = dims_or_undecided(assumed(x, 2, "batch", "features"))[-2:]
        kernel = weight(self.label, "kernel", (width + self.output_size, self.gates * self.units), dtype_of(x))
        known = isinstance(state, TensorValue) and rank_of(state) == 2
        before = state if known else typed("state", [], dtype_of(x), batch, self.output_size)
        made = op_of("matmul", op_of("concat", x, before, axis=1), kernel)
        if self.gates > 1:
            return typed("cell", [made], dtype_of(x), batch, self.units)
        found: Tensor = op_of("tanh", made) if self.activation is None else activated(made, self.activation)
        return found


@model("tensorflow.compat.v1.nn.rnn_cell.BasicRNNCell")
class BasicRNNCell(RNNCell):
    """A matrix and a function."""


@model("tensorflow.compat.v1.nn.rnn_cell.GRUCell")
class GRUCell(RNNCell):
    gates = 3


@model("tensorflow.compat.v1.nn.rnn_cell.BasicLSTMCell", "tensorflow.compat.v1.nn.rnn_cell.LSTMCell")
class LSTMCell(RNNCell):
    gates = 4

    def __init__(self, num_units: Any, *rest: Any, **keywords: Any) -> None:
        super().__init__(num_units, *rest, **keywords)
        projected = keywords.get("num_proj")
        self.projected = self.units if projected is None else as_size(projected, "projected")

    @property
    def output_size(self) -> Any:
        return self.projected

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self.units, self.projected)

    def zero_state(self, batch_size: Any, dtype: DType | None = None) -> Any:
        batch = as_size(batch_size, "batch")
        return LSTMStateTuple(zeros((batch, self.units), dtype), zeros((batch, self.projected), dtype))

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        del scope
        memory = self.stepped(convert(inputs), state.cells.get("h") if isinstance(state, LSTMStateTuple) else None)
        batch = dims_or_undecided(memory)[0]
        made = typed("output", [memory], dtype_of(memory), batch, self.projected)
        return made, LSTMStateTuple(memory, made)


@model("tensorflow.compat.v1.nn.rnn_cell.MultiRNNCell")
class MultiRNNCell(RNNCell):
    """Cells one above the other."""

    def __init__(self, cells: Any, state_is_tuple: Any = True) -> None:
        super().__init__()
        del state_is_tuple
        self.stacked = as_items(cells)

    @property
    def output_size(self) -> Any:
        return self.stacked[-1].output_size

    @property
    def state_size(self) -> Any:
        return tuple(cell.state_size for cell in self.stacked)

    def zero_state(self, batch_size: Any, dtype: DType | None = None) -> Any:
        return tuple(machine().send(cell, "zero_state", batch_size, dtype) for cell in self.stacked)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        del scope
        made, after = inputs, []
        states = state if isinstance(state, tuple) else (None,) * len(self.stacked)
        for cell, before in zip(self.stacked, states, strict=False):
            made, new = machine().call(cell, made, before)
            after.append(new)
        return made, tuple(after)


class Wrapper(RNNCell):
    """A cell around another."""

    def __init__(self, cell: Any, *rest: Any, **keywords: Any) -> None:
        super().__init__()
        del rest, keywords
        self.inner = cell

    @property
    def output_size(self) -> Any:
        return self.inner.output_size

    @property
    def state_size(self) -> Any:
        return self.inner.state_size

    def zero_state(self, batch_size: Any, dtype: DType | None = None) -> Any:
        return machine().send(self.inner, "zero_state", batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        del scope
        return machine().call(self.inner, inputs, state)


for _name in ("DropoutWrapper", "ResidualWrapper", "DeviceWrapper"):
    model(f"tensorflow.compat.v1.nn.rnn_cell.{_name}")(type(_name, (Wrapper,), {}))


def _over_time(cell: Any, x: Tensor, state: Any, time_major: bool) -> tuple[Tensor, Any]:
    """One step stands for all; its output at each time, and its state after the last."""
    rank = len(dims_or_undecided(x))
    demand(rank >= 3, f"a sequence has at least 3 dims, not {rank}", "rank-differs")
    if rank < 3:
        raise Undecided(Reason.EXCEPTION, "a sequence of too few dims")
    first, second, *_ = dims_or_undecided(x)
    steps, batch = (first, second) if time_major else (second, first)
    row = row_of(x if time_major else op_of("transpose", x, perm=(1, 0, *range(2, len(dims_or_undecided(x))))))
    start = state if state is not None else machine().send(cell, "zero_state", batch, dtype_of(x))
    pair = machine().call(cell, row, start)
    if not isinstance(pair, tuple):
        raise Undecided(pair if isinstance(pair, Unknown) else Reason.UNKNOWN_DISPATCH, "a cell")
    made, after = pair
    output = convert(made)
    rest = dims_or_undecided(output)[1:]
    sizes: tuple[Dim, ...] = (steps, batch, *rest) if time_major else (batch, steps, *rest)
    return typed("rnn", [x, output], dtype_of(output), *sizes), after


@model("tensorflow.compat.v1.nn.dynamic_rnn")
def dynamic_rnn(
    cell: Any, inputs: Any, sequence_length: Any = None, initial_state: Any = None, dtype: Any = None,
    parallel_iterations: Any = None, swap_memory: Any = False, time_major: bool = False, scope: Any = None,
) -> Any:  # fmt: skip
    del sequence_length, dtype, parallel_iterations, swap_memory, scope
    x: Tensor = assumed(convert(inputs), 3, "batch", "steps", "features")
    return _over_time(cell, x, initial_state, time_major)


@model("tensorflow.compat.v1.nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, sequence_length: Any = None, initial_state_fw: Any = None,
    initial_state_bw: Any = None, dtype: Any = None, parallel_iterations: Any = None, swap_memory: Any = False,
    time_major: bool = False, scope: Any = None,
) -> Any:  # fmt: skip
    del sequence_length, dtype, parallel_iterations, swap_memory, scope
    x: Tensor = assumed(convert(inputs), 3, "batch", "steps", "features")
    forward, after = _over_time(cell_fw, x, initial_state_fw, time_major)
    backward, before = _over_time(cell_bw, x, initial_state_bw, time_major)
    return (forward, backward), (after, before)


@model("tensorflow.compat.v1.nn.static_rnn", "tensorflow.contrib.rnn.static_rnn")
def static_rnn(
    cell: Any, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
) -> Any:
    del dtype, sequence_length, scope
    given = as_items(inputs)
    if not given:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "no inputs")
    batch = dims_or_undecided(convert(given[0]))[0]
    state = initial_state if initial_state is not None else machine().send(cell, "zero_state", batch)
    outputs = []
    for each in given:
        made, state = machine().call(cell, each, state)
        outputs.append(made)
    return ListValue(outputs), state


@model("tensorflow.compat.v1.nn.static_bidirectional_rnn", "tensorflow.contrib.rnn.static_bidirectional_rnn")
def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    *rest: Any,
    **keywords: Any,
) -> Any:
    del rest, keywords
    forward, after = static_rnn(cell_fw, inputs, initial_state_fw)
    backward, before = static_rnn(cell_bw, inputs, initial_state_bw)
    pairs = zip(forward.items, backward.items, strict=False)
    return ListValue(op_of("concat", a, b, axis=1) for a, b in pairs), after, before


alias("tensorflow.contrib.rnn", "tensorflow.compat.v1.nn.rnn_cell")
