"""Activations: by name, as serialised objects, and as layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlvet.core.location import Location
from mlvet.frontends.keras.application import Call, NotLowered, figure, whole
from mlvet.frontends.keras.config import layer_config
from mlvet.frontends.keras.layers.tables import LAYERS, layer
from mlvet.ir.graph import Value

SAME = {
    "relu": "relu", "sigmoid": "sigmoid", "tanh": "tanh", "softplus": "softplus", "softsign": "softsign", "elu": "elu",
    "selu": "selu", "exponential": "exp", "mish": "mish", "celu": "celu", "hard_swish": "hard_swish",
    "hard_silu": "hard_swish",
}  # fmt: skip
"""Activations that an operator with its default attributes is."""


def activation(call: Call, x: Value, raw: Any) -> Value:
    """Apply an activation given by name, as a serialised function, or as a serialised layer."""
    if raw is None or raw == "linear":
        return x
    if isinstance(raw, str):
        return _named(call, x, raw)
    if not isinstance(raw, Mapping):
        raise NotLowered("activation of unknown form")
    kind, config = raw.get("class_name"), raw.get("config")
    if isinstance(config, str):
        return _named(call, x, config)
    if isinstance(kind, str) and kind in LAYERS and isinstance(config, Mapping):
        inner = call.within("activation", layer_config(raw))
        return call.lowering.layer(inner, [x], {}, [call.tensor(x).without_value()])[0]
    return _unknown(call, x, str(raw.get("registered_name") or kind))


def hard_sigmoid_slope(call: Call) -> float:
    """The slope of the hard sigmoid, which Keras 3 changed."""
    return 0.2 if call.lowering.legacy else 1 / 6


def _named(call: Call, x: Value, name: str) -> Value:
    if name in ("linear", "identity"):
        return x
    if name in SAME:
        return call.emit(SAME[name], x)
    rule = NAMED.get(name)
    return rule(call, x) if rule else _unknown(call, x, name)


def _unknown(call: Call, x: Value, name: str) -> Value:
    value = call.lowering.builder.value(f"{call.path}/{name}", call.tensor(x).without_value())
    call.lowering.builder.node(
        "opaque",
        [x],
        [value],
        name=f"{call.path}/{name}",
        source_op=f"custom>{name}",
        module=call.path,
        location=Location(call.lowering.shown, node=call.path),
    )
    return value


def _softmax(call: Call, x: Value) -> Value:
    return call.emit("softmax", x, axis=-1)


def _silu(call: Call, x: Value) -> Value:
    return call.emit("mul", x, call.emit("sigmoid", x, part="sigmoid"))


def clip(call: Call, x: Value, low: float | None, high: float | None) -> Value:
    """The operand kept between two numbers, either of which may be missing."""
    bounds = [None if bound is None else call.scalar(bound, x, "bound") for bound in (low, high)]
    return call.emit("clip", x, *bounds)


def _glu(call: Call, x: Value) -> Value:
    left, right = call.emit_many("split", [x], 2, part="split", axis=-1, num_outputs=2)
    return call.emit("mul", left, call.emit("sigmoid", right, part="sigmoid"))


def _log_sigmoid(call: Call, x: Value) -> Value:
    inner = call.emit("softplus", call.emit("neg", x, part="neg"), part="softplus")
    return call.emit("neg", inner)


def _squareplus(call: Call, x: Value) -> Value:
    square = call.emit("mul", x, x, part="square")
    root = call.emit("sqrt", call.emit("add", square, call.scalar(4, x), part="shift"), part="sqrt")
    return call.emit("mul", call.emit("add", x, root, part="sum"), call.scalar(0.5, x))


NAMED: dict[str, Callable[[Call, Value], Value]] = {
    "softmax": _softmax,
    "log_softmax": lambda call, x: call.emit("log_softmax", x, axis=-1),
    "swish": _silu,
    "silu": _silu,
    "gelu": lambda call, x: call.emit("gelu", x, approximate="none"),
    "relu6": lambda call, x: clip(call, x, 0, 6),
    "hard_tanh": lambda call, x: clip(call, x, -1, 1),
    "hard_sigmoid": lambda call, x: call.emit("hard_sigmoid", x, alpha=hard_sigmoid_slope(call), beta=0.5),
    "leaky_relu": lambda call, x: call.emit("leaky_relu", x, alpha=0.2),
    "log_sigmoid": _log_sigmoid,
    "glu": _glu,
    "hard_shrink": lambda call, x: call.emit("shrink", x, lambd=0.5, bias=0.0),
    "soft_shrink": lambda call, x: call.emit("shrink", x, lambd=0.5, bias=0.5),
    "tanh_shrink": lambda call, x: call.emit("sub", x, call.emit("tanh", x, part="tanh")),
    "squareplus": _squareplus,
}


@layer("Activation")
def _activation(call: Call) -> Value:
    result = activation(call, call.x, call.option("activation"))
    return call.emit("identity", call.x) if result is call.x else result


@layer("ReLU")
def _relu(call: Call) -> Value:
    x = call.x
    slope = call.number("negative_slope", 0)
    threshold = call.number("threshold", 0)
    high = None if call.option("max_value") is None else call.number("max_value")
    if threshold:
        kept = call.emit("greater_or_equal", x, call.scalar(threshold, x, "threshold"), part="kept")
        below = call.emit("sub", x, call.scalar(threshold, x, "threshold"), part="below")
        below = call.emit("mul", below, call.scalar(slope, x, "slope"), part="scaled")
        result = call.emit("where", kept, x, below)
    elif not slope:
        return call.emit("relu", x) if high is None else clip(call, x, 0, high)
    else:
        result = call.emit("leaky_relu", x, alpha=float(slope))
    return result if high is None else clip(call, result, None, high)


@layer("LeakyReLU")
def _leaky_relu(call: Call) -> Value:
    key = "negative_slope" if "negative_slope" in call.config else "alpha"
    return call.emit("leaky_relu", call.x, alpha=float(call.number(key, 0.3)))


@layer("ThresholdedReLU")
def _thresholded_relu(call: Call) -> Value:
    return call.emit("thresholded_relu", call.x, alpha=float(call.number("theta", 1)))


@layer("ELU")
def _elu(call: Call) -> Value:
    return call.emit("elu", call.x, alpha=float(call.number("alpha", 1)))


@layer("PReLU")
def _prelu(call: Call) -> Value:
    x = call.x
    shared = call.option("shared_axes") or []
    if not isinstance(shared, list | tuple):
        raise NotLowered("shared_axes")
    axes = [whole(axis) for axis in shared]
    rank = call.rank(x)
    shape = [1 if axis in axes else call.dim(x, axis, f"alpha{axis}") for axis in range(1, rank)]
    return call.emit("prelu", x, call.weight("alpha", shape, "zeros"))


@layer("Softmax")
def _softmax_layer(call: Call) -> Value:
    axis = call.option("axis", -1)
    if isinstance(axis, list | tuple) and len(axis) == 1:
        axis = axis[0]
    x = call.floats(call.x)
    inputs = call.inputs
    if len(inputs) > 1:
        x = masked(call, x, inputs[1])
    if isinstance(axis, list | tuple):
        axes = call.axes(*(whole(each, "axis") for each in axis))
        total = call.emit("reduce_log_sum_exp", x, axes, part="total", keepdims=1)
        return call.emit("exp", call.emit("sub", x, total, part="sub"))
    return call.emit("softmax", x, axis=whole(axis, "axis"))


def masked(call: Call, scores: Value, mask: Value) -> Value:
    """Scores lowered by a great number where the mask is false, as Keras does before a softmax."""
    kept = call.cast(mask, call.tensor(scores).dtype or call.compute)
    dropped = call.emit("sub", call.scalar(1, scores, "one"), kept, part="dropped")
    great = -3e4 if call.tensor(scores).dtype is not None and call.compute.bits == 16 else -1e9
    return call.emit(
        "add", scores, call.emit("mul", dropped, call.scalar(great, scores, "great"), part="lowered"), part="mask"
    )


def option_figure(call: Call, key: str, default: float) -> float:
    """A number among the arguments of the call or the options of the layer."""
    value = call.kwargs.get(key, call.option(key, default))
    return figure(default if value is None else value, key)
