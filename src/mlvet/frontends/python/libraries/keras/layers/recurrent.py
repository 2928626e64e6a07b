"""Recurrent layers: LSTM, GRU and SimpleRNN as the canonical operators, ConvLSTM by its steps."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, equal
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.keras.layers.convolution import SPACE
from mlvet.frontends.keras.layers.recurrent import _FUNCTIONS, _LSTM_ORDER
from mlvet.frontends.python.arrays.creation import full
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand, emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer, inside, label
from mlvet.frontends.python.libraries.keras.layers.convolution import Spatial, layout, several
from mlvet.frontends.python.libraries.keras.layers.normalization import size_at
from mlvet.frontends.python.libraries.keras.settings import image_data_format
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array, floating
from mlvet.frontends.python.libraries.limits import positive
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def steps(x: Any, layer: Layer) -> Any:
    """A sequence: batch, time and features; one of another rank is a mistake."""
    made = assumed(array(x), 3, "batch", "time", "features")
    if rank_of(made) != 3:
        demand(False, f"`{label(layer)}` needs 3 dims but gets {tensor_of(made)}", "rank-differs")
        raise Undecided(Reason.EXCEPTION, "a tensor of the wrong rank")
    return made


class Recurrent(Layer):
    """What LSTM, GRU and SimpleRNN share: kernels for all gates, and what is returned."""

    GATES = 1
    STATES = 1
    OP = "rnn"

    def __init__(
        self, units: Size, activation: Any = "tanh", use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, recurrent_constraint: Any = None, bias_constraint: Any = None,
        dropout: Any = 0.0, recurrent_dropout: Any = 0.0, return_sequences: bool = False, return_state: bool = False,
        go_backwards: bool = False, stateful: Any = False, unroll: Any = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        for name in (
            "seed",
            "use_cudnn",
            "time_major",
            "implementation",
            "recurrent_activation",
            "unit_forget_bias",
            "reset_after",
        ):
            kwargs.pop(name, None)
        super().__init__(**kwargs)
        positive("units", units)
        self.units = units
        self.activation = activation
        self.use_bias = use_bias
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.supports_masking = True
        self.starts = (kernel_initializer, recurrent_initializer, bias_initializer)

    def _prepared(self, args: list[Any]) -> list[Any]:
        if args and isinstance(args[0], ListValue) and isinstance(args[0].items, tuple):
            return [steps(args[0].items[0], self), None, None, ListValue(args[0].items[1:])]
        return [steps(args[0], self), *args[1:]] if args else args

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        cells, wide = held(self), self.GATES * held(self)["units"]
        kernel, recurrent, bias = cells["starts"]
        self._weight("kernel", (size_at(sequences_shape, -1, "features"), wide), kernel)
        self._weight("recurrent_kernel", (cells["units"], wide), recurrent)
        if cells["use_bias"]:
            self._weight("bias", (2, wide) if cells.get("reset_after") else (wide,), bias)
        self.built = True

    def call(self, sequences: Any, mask: Any = None, training: Any = False, initial_state: Any = None) -> Any:
        cells = held(self)
        x = floating(steps(sequences, self), self._compute)
        given = [] if initial_state is None else _states(initial_state)
        outputs = self._run(x, given)
        last = outputs[1:]
        result = outputs[0] if cells["return_sequences"] else last[0]
        if cells["return_sequences"] and cells["go_backwards"]:
            result = emit("flip", result, axes=(1,))
        return (result, *last) if cells["return_state"] else result

    def _run(self, x: Any, given: list[Any]) -> list[Any]:
        """All states in the order of time, and the last ones."""
        cells, units = held(self), held(self)["units"]
        dims = dims_of(x) or ()
        for each in given:
            sizes = dims_of(each)
            good = sizes is None or (len(sizes) == 2 and equal(sizes[1], units) is not False)
            demand(
                good, f"a state of `{label(self)}` must have {units} features, but is {tensor_of(each)}", "dims-differ"
            )
        demand(len(given) in (0, self.STATES), f"`{label(self)}` has {self.STATES} states but is given {len(given)}")
        name = cells["activation"]
        if (
            not isinstance(units, int)
            or not (isinstance(name, str) and name in _FUNCTIONS)
            or len(given) not in (0, self.STATES)
        ):
            one = Known(self._compute, (dims[0], units))
            states = [opaque(f"layers.{type(self).__name__}", [x, *given], one, type(x)) for _ in range(self.STATES)]
            every = opaque(
                f"layers.{type(self).__name__}", [x, *given], Known(self._compute, (dims[0], dims[1], units)), type(x)
            )
            return [every, *states]
        found = emit_all(
            self.OP, x, self._turned("kernel"), self._turned("recurrent_kernel"),
            self._doubled_bias() if cells["use_bias"] else None, None,
            *(emit("unsqueeze", each, (1,)) for each in given), count=1 + self.STATES, hidden_size=units, layout=1,
            direction="reverse" if cells["go_backwards"] else "forward", **self._functions(name),
        )  # fmt: skip
        return [emit("squeeze", found[0], (2,)), *(emit("squeeze", each, (1,)) for each in found[1:])]

    def _functions(self, name: str) -> dict[str, Any]:
        return {"activations": (_FUNCTIONS[name],)}

    def _ordered(self, value: Any, axis: int) -> Any:
        return value

    def _turned(self, name: str) -> Any:
        """A kernel with gates first, in the operator's order, and a dim for the direction."""
        kernel = self._ordered(self._read(name), 1)
        return emit("unsqueeze", emit("transpose", kernel, perm=(1, 0)), (0,))

    def _doubled_bias(self) -> Any:
        """The biases of input and state side by side; where Keras has one, that of the state is zero."""
        if held(self).get("reset_after"):
            return emit("reshape", self._read("bias"), (1, -1))
        bias = self._ordered(self._read("bias"), 0)
        zeros = full((self.GATES * held(self)["units"],), 0, self._compute, KerasTensor)
        return emit("unsqueeze", emit("concat", bias, zeros, axis=0), (0,))

    def reset_state(self) -> None:
        return None

    reset_states = reset_state

    def get_initial_state(self, batch_size: Any) -> Any:
        sizes = (batch_size, held(self)["units"])
        return ListValue(full(sizes, 0, self._compute, KerasTensor) for _ in range(self.STATES))

    def compute_mask(self, sequences: Any, mask: Any = None) -> Any:
        return mask if held(self)["return_sequences"] else None


def _states(given: Any) -> list[Any]:
    """The states in a tensor or a structure of tensors."""
    return [
        each if isinstance(each, TensorValue) else array(each)
        for each in inside(given)
        if not isinstance(each, Unknown)
    ]


@model("keras.layers.SimpleRNN")
class SimpleRNN(Recurrent):
    pass


@model("keras.layers.LSTM", "keras.layers.CuDNNLSTM")
class LSTM(Recurrent):
    GATES = 4
    STATES = 2
    OP = "lstm"

    def __init__(
        self,
        units: Size,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        for name in ("unit_forget_bias",):
            kwargs.pop(name, None)
        super().__init__(units, activation, use_bias, **kwargs)
        self.recurrent_activation = recurrent_activation

    def _functions(self, name: str) -> dict[str, Any]:
        return {"activations": ("Sigmoid", _FUNCTIONS[name], _FUNCTIONS[name])}

    def _ordered(self, value: Any, axis: int) -> Any:
        gates = emit_all("split", value, None, count=4, axis=axis, num_outputs=4)
        return emit("concat", *(gates[place] for place in _LSTM_ORDER), axis=axis)


@model("keras.layers.GRU", "keras.layers.CuDNNGRU")
class GRU(Recurrent):
    GATES = 3
    OP = "gru"

    def __init__(
        self,
        units: Size,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        reset = kwargs.pop("reset_after", True)
        super().__init__(units, activation, use_bias, **kwargs)
        self.recurrent_activation = recurrent_activation
        self.reset_after = reset is not False

    def _functions(self, name: str) -> dict[str, Any]:
        return {"activations": ("Sigmoid", _FUNCTIONS[name]), "linear_before_reset": int(held(self)["reset_after"])}


class ConvLSTM(Spatial):
    """An LSTM whose products are convolutions."""

    def __init__(
        self, filters: Size, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = 1, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: bool = True,
        return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        known = {name: kwargs[name] for name in ("name", "dtype", "trainable", "input_shape") if name in kwargs}
        super().__init__(**known)
        self.filters = filters
        self.kernel_size = several(kernel_size, self.SPACE, "kernel_size")
        self.strides = several(strides, self.SPACE, "strides")
        self.padding = padding.lower()
        self.data_format = data_format if isinstance(data_format, str) else image_data_format()
        self.dilation_rate = several(dilation_rate, self.SPACE, "dilation_rate")
        self.use_bias = use_bias
        self.return_sequences = return_sequences
        self.return_state = return_state

    def _prepared(self, args: list[Any]) -> list[Any]:
        names = ("batch", "time", *("depth", "height", "width")[3 - self.SPACE :], "channels")
        made = assumed(array(args[0]), self.SPACE + 3, *names)
        if rank_of(made) != self.SPACE + 3:
            demand(False, f"`{label(self)}` needs {self.SPACE + 3} dims but gets {tensor_of(made)}", "rank-differs")
            raise Undecided(Reason.EXCEPTION, "a tensor of the wrong rank")
        return [made, *args[1:]]

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        cells = held(self)
        channels = size_at(sequences_shape, 2 if self._format == "channels_first" else -1, "channels")
        self._weight("kernel", (*cells["kernel_size"], channels, 4 * cells["filters"]), "glorot_uniform")
        self._weight("recurrent_kernel", (*cells["kernel_size"], cells["filters"], 4 * cells["filters"]), "orthogonal")
        if cells["use_bias"]:
            self._weight("bias", (4 * cells["filters"],), "zeros")
        self.built = True

    def call(self, sequences: Any, mask: Any = None, training: Any = False, initial_state: Any = None) -> Any:
        cells = held(self)
        x = floating(sequences, self._compute)
        dims = dims_of(x) or ()
        step = emit("gather", x, 0, axis=1)
        gates = emit(
            "conv", step, self._read("kernel"), self._read("bias") if cells["use_bias"] else None,
            kernel_shape=cells["kernel_size"], strides=cells["strides"], dilations=cells["dilation_rate"], group=1,
            auto_pad="SAME_UPPER" if cells["padding"] == "same" else "VALID",
            data_format=layout(self._format, self.SPACE), kernel_format=f"{SPACE[self.SPACE]}IO",
        )  # fmt: skip
        made = list(dims_of(gates) or ())
        made[1 if self._format == "channels_first" else -1] = cells["filters"]
        state = opaque(f"layers.{type(self).__name__}", [gates], Known(self._compute, tuple(made)), type(x))
        result = state
        if cells["return_sequences"]:
            every: tuple[Dim, ...] = (made[0], dims[1], *made[1:])
            result = opaque(f"layers.{type(self).__name__}", [gates], Known(self._compute, every), type(x))
        return (result, state, state) if cells["return_state"] else result


for _space in (1, 2, 3):
    _made = type(f"ConvLSTM{_space}D", (ConvLSTM,), {"SPACE": _space, "__slots__": (), "__module__": __name__})
    model(f"keras.layers.ConvLSTM{_space}D")(_made)
