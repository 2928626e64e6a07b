"""Functions of TensorFlow in a functional graph of Keras 2: TFOpLambda and SlicingOpLambda."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlvet.frontends.keras.application import Call, NotLowered, whole
from mlvet.frontends.keras.layers import functions
from mlvet.frontends.keras.layers.activations import activation
from mlvet.ir.graph import Value

_BINARY = {
    "add": "add", "subtract": "sub", "sub": "sub", "multiply": "mul", "mul": "mul", "truediv": "div", "divide": "div",
    "maximum": "max", "minimum": "min", "matmul": "matmul", "pow": "pow", "equal": "equal", "greater": "greater",
    "less": "less", "greater_equal": "greater_or_equal", "less_equal": "less_or_equal",
}  # fmt: skip
_UNARY = {
    "abs": "abs", "negative": "neg", "exp": "exp", "log": "log", "sqrt": "sqrt", "floor": "floor", "sin": "sin",
    "cos": "cos", "erf": "erf", "identity": "identity",
}  # fmt: skip
_ACTIVATIONS = ("relu", "relu6", "sigmoid", "tanh", "softplus", "elu", "selu", "silu", "swish", "softsign")
_REDUCTIONS = ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod")


def lower_tf_function(call: Call) -> Value | tuple[Value, ...]:
    """A TensorFlow function that has an operator; any other is not lowered."""
    name = call.text("function", "")
    last = name.rsplit(".", 1)[-1]
    kwargs = {key: value for key, value in call.kwargs.items() if key != "name"}
    call.kwargs = kwargs
    if last == "getitem":
        return functions.indexed(call, call.x, [_index(item) for item in _list(kwargs.get("slice_spec"))])
    if last in _BINARY:
        if last == "matmul" and any(kwargs.get(key) for key in kwargs if "transpose" in key or "adjoint" in key):
            raise NotLowered("transposed operands")
        call.kwargs = {key: kwargs[key] for key in ("x", "y", "b") if key in kwargs}
        return functions.binary(call, _BINARY[last])
    if last in _UNARY:
        return functions.unary(call, _UNARY[last])
    if last in _ACTIVATIONS:
        return activation(call, call.x, last)
    if last in _REDUCTIONS:
        return functions.reduction(call, last)
    return _other(call, last, kwargs)


def _other(call: Call, name: str, kwargs: Mapping[str, Any]) -> Value:
    if name == "softmax":
        return call.emit("softmax", call.x, axis=whole(kwargs.get("axis", -1) or -1, "axis"))
    if name == "reshape":
        return functions.reshaped(call, call.x, kwargs.get("shape"))
    if name == "concat":
        return call.emit("concat", *call.inputs, axis=whole(kwargs.get("axis"), "axis"))
    if name == "transpose":
        return functions.transposed(call, call.x, kwargs.get("perm"))
    if name == "expand_dims":
        return call.emit("unsqueeze", call.x, call.axes(whole(kwargs.get("axis"), "axis")))
    if name == "squeeze" and kwargs.get("axis") is not None:
        axis = kwargs["axis"]
        return call.emit("squeeze", call.x, call.axes(*map(whole, axis if isinstance(axis, list) else [axis])))
    if name == "cast":
        return functions.cast_to(call, call.x, kwargs.get("dtype"))
    if name == "square":
        return call.emit("mul", call.x, call.x)
    if name == "leaky_relu":
        return call.emit("leaky_relu", call.x, alpha=float(kwargs.get("alpha", 0.2)))
    raise NotLowered(name)


def _list(raw: Any) -> list[Any]:
    if isinstance(raw, list | tuple):
        return list(raw)
    return [raw]


def _index(item: Any) -> Any:
    if isinstance(item, Mapping):
        if item.get("value") == "Ellipsis":
            return ...
        return slice(*(None if item.get(key) is None else whole(item[key]) for key in ("start", "stop", "step")))
    return item if item is None else whole(item, "index")
