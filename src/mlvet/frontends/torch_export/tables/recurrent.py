"""Recurrent layers: one canonical layer after the other, gates in the canonical order."""

from __future__ import annotations

from dataclasses import dataclass

from mlvet.domains.tensors import Tensor
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.ir.graph import Value

GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn": (0,)}
"""For each canonical gate its place in torch: i, o, f, c of i, f, g, o; z, r, h of r, z, n."""


@dataclass(frozen=True, slots=True)
class Layers:
    """What a call says of its layers."""

    kind: str
    count: int
    directions: int
    biases: bool
    batch_first: bool
    dropout: float
    train: bool


@lowers("lstm", "gru", "rnn_tanh", "rnn_relu")
def recurrent(context: Context) -> list[Value]:
    if context.raw("data") is not None:
        raise Unlowered("packed sequences")
    kind = context.key.partition("_")[0]
    layers = Layers(
        kind, context.plain_int("num_layers"), 2 if context.raw("bidirectional") else 1,
        bool(context.raw("has_biases")), bool(context.raw("batch_first", default=False)),
        float(context.raw("dropout", default=0)), bool(context.raw("train", default=False)),
    )  # fmt: skip
    value, states = context.value("input"), context.raw("hx")
    states = states if isinstance(states, list) else [states]
    if context.rank(value) != 3:
        raise Unlowered("a sequence without batch")
    weights = context.values("params")
    each = (4 if layers.biases else 2) * layers.directions
    if len(weights) != each * layers.count:
        raise Unlowered("projections")
    if layers.batch_first:
        value = context.transposed(value, (1, 0, 2))
    finals: list[list[Value]] = []
    for layer in range(layers.count):
        last = layer == layers.count - 1
        part = [_layer_state(context, state, layer, layers) for state in states]
        value, final = _layer(context, value, weights[layer * each : (layer + 1) * each], part, layers, last)
        finals.append(final)
        if layers.train and layers.dropout and not last:
            value = context.add("dropout", value, context.number(layers.dropout), context.number(True))
    made = [value]
    for place in range(len(states)):
        made.append(context.result("concat", *(final[place] for final in finals), axis=0, index=1 + place))
    return made


def _layer_state(context: Context, state: Value, layer: int, layers: Layers) -> Value:
    if layers.count == 1:
        return state
    start = layer * layers.directions
    ends = context.vector([start + layers.directions])
    return context.add("slice", state, context.vector([start]), ends, context.vector([0]))


def _layer(
    context: Context, value: Value, weights: list[Value], states: list[Value], layers: Layers, last: bool
) -> tuple[Value, list[Value]]:
    """Results as [steps, batch, directions * hidden], and the states after the last step."""
    per = len(weights) // layers.directions
    hidden = context.dims(weights[1])[-1]
    if not isinstance(hidden, int):
        raise Unlowered("a hidden size that is not known")
    packs: list[list[Value]] = []
    for direction in range(layers.directions):
        own = weights[direction * per : (direction + 1) * per]
        packs.append([_ordered(context, weight, hidden, layers.kind) for weight in own])
    w = _joined(context, [pack[0] for pack in packs])
    r = _joined(context, [pack[1] for pack in packs])
    b = None
    if layers.biases:
        b = _joined(context, [context.add("concat", pack[2], pack[3], axis=0) for pack in packs])
    attributes: dict[str, object] = {"hidden_size": hidden}
    attributes["direction"] = "bidirectional" if layers.directions == 2 else "forward"
    if layers.kind == "gru":
        attributes["linear_before_reset"] = 1
    if layers.kind == "rnn":
        activation = "Relu" if context.key == "rnn_relu" else "Tanh"
        attributes["activations"] = (activation,) * layers.directions
    y, *finals = context.several(layers.kind, 1 + len(states), value, w, r, b, None, *states, **attributes)
    moved = context.add("transpose", y, perm=(2, 0, 1, 3) if last and layers.batch_first else (0, 2, 1, 3))
    shape = context.vector([0, 0, layers.directions * hidden])
    if last:
        return context.result("reshape", moved, shape), finals
    dims = context.dims(value)
    like = Tensor(value.declared.dtype, (*dims[:2], layers.directions * hidden))
    return context.add("reshape", moved, shape, like=like), finals


def _ordered(context: Context, weight: Value, hidden: int, kind: str) -> Value:
    """The rows of a weight with the gates in canonical order."""
    order = GATES[kind]
    if order == tuple(range(len(order))):
        return weight
    parts = context.several("split", len(order), weight, context.vector([hidden] * len(order)), axis=0)
    return context.add("concat", *(parts[place] for place in order), axis=0)


def _joined(context: Context, values: list[Value]) -> Value:
    """One weight per direction, along a new first axis."""
    return context.add("stack", *values, axis=0)


@lowers("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")
def cell(context: Context) -> Value | list[Value]:
    """One step: gates from two linear maps."""
    states = context.raw("hx")
    states = states if isinstance(states, list) else [states]
    x, h = context.value("input"), states[0]
    inner = context.add("linear", x, context.value("w_ih"), context.optional("b_ih"))
    outer = context.add("linear", h, context.value("w_hh"), context.optional("b_hh"))
    if context.key.startswith("rnn"):
        return context.result("relu" if "relu" in context.key else "tanh", context.add("add", inner, outer))
    if context.key == "lstm_cell":
        i, f, g, o = context.several("split", 4, context.add("add", inner, outer), axis=-1, num_outputs=4)
        kept = context.add("mul", context.add("sigmoid", f), states[1])
        c = context.result("add", kept, context.add("mul", context.add("sigmoid", i), context.add("tanh", g)), index=1)
        return [context.result("mul", context.add("sigmoid", o), context.add("tanh", c)), c]
    reset, update, new = context.several("split", 3, inner, axis=-1, num_outputs=3)
    reset_h, update_h, new_h = context.several("split", 3, outer, axis=-1, num_outputs=3)
    r = context.add("sigmoid", context.add("add", reset, reset_h))
    z = context.add("sigmoid", context.add("add", update, update_h))
    n = context.add("tanh", context.add("add", new, context.add("mul", r, new_h)))
    return context.result("add", n, context.add("mul", z, context.add("sub", h, n)))
