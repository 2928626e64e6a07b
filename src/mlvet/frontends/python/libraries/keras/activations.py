"""Activations: functions by name, which layers take as an argument."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor
from mlvet.frontends.python.libraries.keras.tensor import array, floating
from mlvet.frontends.python.libraries.registry import MODELS, model
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of
from mlvet.frontends.python.values.unknown import Unknown

SAME = {
    "sigmoid": "sigmoid", "tanh": "tanh", "softplus": "softplus", "softsign": "softsign", "selu": "selu",
    "mish": "mish", "silu": "silu", "swish": "silu", "hard_swish": "hard_swish", "hard_silu": "hard_swish",
    "log_sigmoid": "log_sigmoid", "relu6": "relu6",
}  # fmt: skip
"""Activations that an operator with its default attributes is."""


def _plain(name: str, op: str) -> Any:
    def function(x: ArrayLike) -> Tensor:
        return emit(op, floating(array(x)))

    function.__name__ = name
    return function


for _name, _op in SAME.items():
    _function = _plain(_name, _op)
    model(f"keras.activations.{_name}")(_function)
    if _name != "mish":
        model(f"keras.ops.{_name}", *(() if _name == "tanh" else (f"keras.ops.nn.{_name}",)))(_function)


@model("keras.activations.exponential")
def exponential(x: ArrayLike) -> Tensor:
    return emit("exp", floating(array(x)))


@model("keras.activations.linear")
def linear(x: ArrayLike) -> Tensor:
    return array(x)


@model("keras.activations.relu")
def relu(
    x: ArrayLike, negative_slope: Any = 0.0, max_value: Any = None, threshold: Any = 0.0, alpha: Any = None
) -> Tensor:
    slope = negative_slope if alpha is None else alpha
    return rectified(array(x), slope, max_value, threshold)


def rectified(x: Any, slope: Any, high: Any, threshold: Any) -> Any:
    """The rectifier with a slope below, a cap and a threshold."""
    if isinstance(slope, int | float) and slope:
        made = emit("leaky_relu", x, alpha=float(slope))
    elif isinstance(threshold, int | float) and threshold:
        made = emit("thresholded_relu", x, alpha=float(threshold))
    else:
        made = emit("relu", x)
    if not isinstance(high, int | float):
        return made
    bound = emit("cast", float(high), to=dtype_of(made), kind=type(made)) if dtype_of(made) is not None else float(high)
    return emit("clip", made, None, bound)


@model("keras.ops.relu", "keras.ops.nn.relu")
def ops_relu(x: ArrayLike) -> Tensor:
    return emit("relu", array(x))


@model("keras.activations.leaky_relu", "keras.ops.leaky_relu", "keras.ops.nn.leaky_relu")
def leaky_relu(x: ArrayLike, negative_slope: Any = 0.2) -> Tensor:
    slope = float(negative_slope) if isinstance(negative_slope, int | float) else 0.2
    return emit("leaky_relu", floating(array(x)), alpha=slope)


@model("keras.activations.elu", "keras.ops.elu", "keras.ops.nn.elu")
def elu(x: ArrayLike, alpha: Any = 1.0) -> Tensor:
    return emit("elu", floating(array(x)), alpha=float(alpha) if isinstance(alpha, int | float) else 1.0)


@model("keras.activations.celu", "keras.ops.celu", "keras.ops.nn.celu")
def celu(x: ArrayLike, alpha: Any = 1.0) -> Tensor:
    return emit("celu", floating(array(x)), alpha=float(alpha) if isinstance(alpha, int | float) else 1.0)


@model("keras.activations.gelu")
def gelu(x: ArrayLike, approximate: bool = False) -> Tensor:
    return emit("gelu", floating(array(x)), approximate="tanh" if approximate else "none")


@model("keras.ops.gelu", "keras.ops.nn.gelu")
def ops_gelu(x: ArrayLike, approximate: bool = True) -> Tensor:
    return emit("gelu", floating(array(x)), approximate="tanh" if approximate else "none")


@model("keras.activations.softmax", "keras.ops.softmax", "keras.ops.nn.softmax")
def softmax(x: ArrayLike, axis: Any = -1) -> Tensor:
    return _over("softmax", floating(array(x)), axis)


@model("keras.activations.log_softmax", "keras.ops.log_softmax", "keras.ops.nn.log_softmax")
def log_softmax(x: ArrayLike, axis: Any = -1) -> Tensor:
    return _over("log_softmax", floating(array(x)), axis)


def _over(op: str, x: Any, axis: Any) -> Any:
    """A softmax along one axis, or along several at once."""
    if isinstance(axis, int):
        return emit(op, x, axis=axis)
    from mlvet.frontends.python.libraries.binding import as_items

    axes = tuple(each for each in as_items(axis) if isinstance(each, int)) if axis is not None else None
    total = emit("reduce_log_sum_exp", x, axes, keepdims=1)
    return x - total if op == "log_softmax" else emit("exp", x - total)


@model("keras.activations.hard_sigmoid", "keras.ops.hard_sigmoid", "keras.ops.nn.hard_sigmoid")
def hard_sigmoid(x: ArrayLike) -> Tensor:
    return emit("hard_sigmoid", floating(array(x)), alpha=1 / 6, beta=0.5)


@model("keras.activations.hard_tanh", "keras.ops.hard_tanh", "keras.ops.nn.hard_tanh")
def hard_tanh(x: ArrayLike) -> Tensor:
    return emit("clip", floating(array(x)), -1.0, 1.0)


@model("keras.activations.glu", "keras.ops.glu", "keras.ops.nn.glu")
def glu(x: ArrayLike, axis: int = -1) -> Tensor:
    left, right = emit_all("split", floating(array(x)), None, count=2, axis=axis, num_outputs=2)
    return emit("mul", left, emit("sigmoid", right))


@model("keras.activations.hard_shrink", "keras.ops.hard_shrink", "keras.ops.nn.hard_shrink")
def hard_shrink(x: ArrayLike, threshold: Any = 0.5) -> Tensor:
    return emit("shrink", floating(array(x)), lambd=float(threshold), bias=0.0)


@model("keras.activations.soft_shrink", "keras.ops.soft_shrink", "keras.ops.nn.soft_shrink")
def soft_shrink(x: ArrayLike, threshold: Any = 0.5) -> Tensor:
    return emit("shrink", floating(array(x)), lambd=float(threshold), bias=float(threshold))


@model("keras.activations.tanh_shrink", "keras.ops.tanh_shrink", "keras.ops.nn.tanh_shrink")
def tanh_shrink(x: ArrayLike) -> Tensor:
    made = floating(array(x))
    return made - emit("tanh", made)


@model("keras.activations.threshold", "keras.ops.threshold", "keras.ops.nn.threshold")
def threshold(x: ArrayLike, threshold: Any, default_value: Any) -> Tensor:
    del threshold, default_value
    return alike("activations.threshold", floating(array(x)))


@model("keras.activations.squareplus", "keras.ops.squareplus", "keras.ops.nn.squareplus")
def squareplus(x: ArrayLike, b: Any = 4) -> Tensor:
    made = floating(array(x))
    return (made + emit("sqrt", made * made + b)) * 0.5


@model("keras.activations.sparse_plus", "keras.ops.sparse_plus", "keras.ops.nn.sparse_plus")
def sparse_plus(x: ArrayLike) -> Tensor:
    return alike("activations.sparse_plus", floating(array(x)))


@model("keras.activations.sparse_sigmoid", "keras.ops.sparse_sigmoid", "keras.ops.nn.sparse_sigmoid")
def sparse_sigmoid(x: ArrayLike) -> Tensor:
    return emit("hard_sigmoid", floating(array(x)), alpha=0.5, beta=0.5)


@model("keras.activations.sparsemax", "keras.ops.sparsemax", "keras.ops.nn.sparsemax")
def sparsemax(x: ArrayLike, axis: Any = -1) -> Tensor:
    del axis
    return alike("activations.sparsemax", floating(array(x)))


def alike(name: str, x: TensorValue) -> Any:
    """The result of a function of which only that it leaves shape and element type alone is said."""
    return opaque(name, [x], x.graph_value.declared.without_value(), type(x))


@model("keras.activations.get", "keras.activations.deserialize")
def get(identifier: Any) -> Any:
    """The function that a name means; anything else is one already."""
    if identifier is None:
        return linear
    if isinstance(identifier, str):
        found = MODELS.get(f"keras.activations.{identifier}")
        return found if found is not None else identifier
    return identifier


@model("keras.activations.serialize")
def serialize(activation: Any) -> Any:
    return getattr(activation, "__name__", None) or Scalar(str, "activation")


def applied(activation: Any, x: Any) -> Any:
    """The result of an activation given by name, as a function or as a layer."""
    if activation is None or activation == "linear" or activation is linear:
        return x
    if isinstance(activation, Scalar):
        activation = activation.default if activation.has_default else None
        return applied(activation, x)
    if isinstance(activation, Unknown):
        return alike("activation", x)
    found = get(activation)
    if isinstance(found, str):
        return x
    result = machine().call(found, x)
    return result if isinstance(result, TensorValue | Unknown) else x
