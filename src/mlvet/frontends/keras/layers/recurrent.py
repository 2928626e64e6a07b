"""Recurrent layers. Their variables are put in the order of the canonical operators by operators of the graph."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.keras.application import Call, NotLowered, values_in
from mlvet.frontends.keras.layers.activations import hard_sigmoid_slope
from mlvet.frontends.keras.layers.reshaping import END, cut
from mlvet.frontends.keras.layers.tables import layer
from mlvet.ir.graph import Value

_FUNCTIONS = {
    "tanh": "Tanh", "sigmoid": "Sigmoid", "relu": "Relu", "elu": "Elu", "softsign": "Softsign", "softplus": "Softplus",
    "hard_sigmoid": "HardSigmoid", "leaky_relu": "LeakyRelu",
}  # fmt: skip
_FIGURES = {"elu": (1.0, None), "leaky_relu": (0.2, None)}
_GATES = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}
_LSTM_ORDER = (0, 3, 1, 2)


@layer("LSTM", "GRU", "SimpleRNN")
def _recurrent(call: Call) -> Value | tuple[Value, ...]:
    backwards = call.flag("go_backwards")
    outputs = run(call, reverse=backwards)
    if not call.flag("return_state"):
        return result_of(call, outputs) if not backwards else _newest_first(call, outputs)
    states = states_of(call, outputs)
    if not call.flag("return_sequences"):
        return (states[0], *states)
    return (_newest_first(call, outputs) if backwards else result_of(call, outputs), *states)


def result_of(call: Call, outputs: tuple[Value, ...]) -> Value:
    """What the layer returns: all states in the order of time, or the last one."""
    if call.flag("return_sequences"):
        return call.emit("squeeze", outputs[0], call.axes(2), part="sequence")
    return call.emit("squeeze", outputs[1], call.axes(1), part="state")


def states_of(call: Call, outputs: tuple[Value, ...]) -> tuple[Value, ...]:
    """The last states."""
    return tuple(call.emit("squeeze", state, call.axes(1), part="state") for state in outputs[1:])


def _newest_first(call: Call, outputs: tuple[Value, ...]) -> Value:
    """The result of a layer that goes backwards, which yields the states in the order in which it makes them."""
    result = result_of(call, outputs)
    return cut(call, result, [(1, -1, -END, -1)], part="reversed") if call.flag("return_sequences") else result


def run(call: Call, *, reverse: bool, given: list[Value] | None = None) -> tuple[Value, ...]:
    """The results of the recurrent operator: all states in the order of time, and the last ones."""
    kind = call.layer.kind
    if call.flag("time_major") or kind not in _GATES:
        raise NotLowered("layout")
    x = call.floats(call.x)
    units, gates = call.integer("units", call.option("output_dim")), _GATES[kind]
    cell = call.module.stored.part("cell", _cell_name(kind), f"{kind.lower()}_cell")
    if cell.everything():
        call.module.stored = cell
    kernel = call.weight("kernel", (call.dim(x, -1, "in"), gates * units), "glorot_uniform")
    recurrent = call.weight("recurrent_kernel", (units, gates * units), "orthogonal")
    reset_after = kind == "GRU" and call.flag("reset_after", False)
    bias = None
    if call.flag("use_bias", True):
        bias = call.weight("bias", (2, gates * units) if reset_after else (gates * units,), "zeros")
    states = given if given is not None else _initial(call)
    operands = [
        x, _turned(call, kernel, kind, "kernel"), _turned(call, recurrent, kind, "recurrent_kernel"),
        None if bias is None else _bias(call, bias, kind, gates * units, reset_after), None,
        *(call.emit("unsqueeze", state, call.axes(1), part="initial") for state in states),
    ]  # fmt: skip
    attributes = _activations(call, kind)
    if kind == "GRU":
        attributes["linear_before_reset"] = int(reset_after)
    return call.emit_many(
        {"SimpleRNN": "rnn"}.get(kind, kind.lower()), operands, 3 if kind == "LSTM" else 2, hidden_size=units, layout=1,
        direction="reverse" if reverse else "forward", **attributes,
    )  # fmt: skip


def _cell_name(kind: str) -> str:
    return {"SimpleRNN": "simple_rnn_cell"}.get(kind, f"{kind.lower()}_cell")


def _initial(call: Call) -> list[Value]:
    passed = call.inputs[1:] or list(values_in(call.kwargs.get("initial_state")))
    if len(passed) > (2 if call.layer.kind == "LSTM" else 1):
        raise NotLowered("more states than the layer has")
    return passed


def _activations(call: Call, kind: str) -> dict[str, Any]:
    keys = {"LSTM": ("recurrent_activation", "activation", "activation"), "GRU": ("recurrent_activation", "activation")}
    names: list[str] = []
    figures: list[tuple[float, float]] = []
    for key in keys.get(kind, ("activation",)):
        name = call.text(key, "sigmoid" if key.startswith("recurrent") else "tanh")
        if name not in _FUNCTIONS:
            raise NotLowered("activation")
        names.append(_FUNCTIONS[name])
        if name == "hard_sigmoid":
            figures.append((hard_sigmoid_slope(call), 0.5))
        elif name in _FIGURES:
            raise NotLowered("activation with figures")
    attributes: dict[str, Any] = {"activations": tuple(names)}
    if figures:
        attributes |= {
            "activation_alpha": tuple(alpha for alpha, _ in figures),
            "activation_beta": tuple(beta for _, beta in figures),
        }
    return attributes


def _turned(call: Call, kernel: Value, kind: str, name: str) -> Value:
    """A kernel with gates first, in the operator's order, and a dim for the direction."""
    kernel = _ordered(call, kernel, kind, 1, name)
    kernel = call.emit("transpose", kernel, part=f"{name}/transpose", perm=(1, 0))
    return call.emit("unsqueeze", kernel, call.axes(0), part=f"{name}/unsqueeze")


def _bias(call: Call, bias: Value, kind: str, size: int, reset_after: bool) -> Value:
    """The biases of input and state side by side; where Keras has one, that of the state is zero."""
    if reset_after:
        return call.reshape(bias, (1, -1), part="bias/reshape")
    bias = _ordered(call, bias, kind, 0, "bias")
    zeros = call.full("bias/zeros", (size,), 0)
    both = call.emit("concat", bias, zeros, part="bias/concat", axis=0)
    return call.emit("unsqueeze", both, call.axes(0), part="bias/unsqueeze")


def _ordered(call: Call, value: Value, kind: str, axis: int, name: str) -> Value:
    if kind != "LSTM":
        return value
    gates = call.emit_many("split", [value], 4, part=f"{name}/split", axis=axis, num_outputs=4)
    return call.emit("concat", *(gates[index] for index in _LSTM_ORDER), part=f"{name}/concat", axis=axis)
