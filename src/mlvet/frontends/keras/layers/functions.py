"""Functions of `keras.ops` in a functional graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from mlvet.domains.dtypes import DType
from mlvet.frontends.keras.application import NUMPY_NAMES, Call, NotLowered, figure, whole
from mlvet.frontends.keras.layers.activations import activation, option_figure
from mlvet.frontends.keras.layers.reshaping import END, cut
from mlvet.frontends.keras.layers.tables import operation
from mlvet.ir.graph import Value

BINARY = {
    "Add": "add", "Subtract": "sub", "Multiply": "mul", "Divide": "div", "TrueDivide": "div", "Power": "pow",
    "Maximum": "max", "Minimum": "min", "Matmul": "matmul", "Equal": "equal", "Greater": "greater",
    "GreaterEqual": "greater_or_equal", "Less": "less", "LessEqual": "less_or_equal", "LogicalAnd": "and",
    "LogicalOr": "or", "LogicalXor": "xor",
}  # fmt: skip
UNARY = {
    "Abs": "abs", "Absolute": "abs", "Negative": "neg", "Exp": "exp", "Log": "log", "Sqrt": "sqrt", "Sin": "sin",
    "Cos": "cos", "Tan": "tan", "Sinh": "sinh", "Cosh": "cosh", "Tanh": "tanh", "Arcsin": "asin", "Arccos": "acos",
    "Arctan": "atan", "Arcsinh": "asinh", "Arccosh": "acosh", "Arctanh": "atanh", "Floor": "floor", "Ceil": "ceil",
    "Round": "round", "Sign": "sign", "Erf": "erf", "LogicalNot": "not", "Isnan": "is_nan", "Reciprocal": "reciprocal",
}  # fmt: skip
ACTIVATIONS = {
    "Relu": "relu", "Relu6": "relu6", "Sigmoid": "sigmoid", "Softplus": "softplus", "Softsign": "softsign",
    "Silu": "silu", "Selu": "selu", "HardSigmoid": "hard_sigmoid", "HardSilu": "hard_silu", "LogSigmoid": "log_sigmoid",
    "TanhShrink": "tanh_shrink", "Squareplus": "squareplus",
}  # fmt: skip
REDUCTIONS = {
    "Sum": "reduce_sum", "Mean": "reduce_mean", "Max": "reduce_max", "Min": "reduce_min", "Prod": "reduce_prod",
    "Logsumexp": "reduce_log_sum_exp", "Amax": "reduce_max", "Amin": "reduce_min",
}  # fmt: skip


def operands(call: Call, count: int) -> list[Value]:
    """The first arguments as tensors; a number takes the element type of the first tensor among them."""
    arguments = [*call.args, *call.kwargs.values()][:count]
    tensors = [argument for argument in arguments if isinstance(argument, Value)]
    if len(arguments) < count or not tensors:
        raise NotLowered("operands")
    return [_operand(call, argument, tensors[0]) for argument in arguments]


def _operand(call: Call, argument: Any, like: Value) -> Value:
    if isinstance(argument, Value):
        return argument
    dtype = call.tensor(like).dtype
    if isinstance(argument, bool) or dtype is None:
        raise NotLowered("operand of unknown type")
    array = numbers(argument)
    if array.dtype.kind == "f" and not dtype.is_float:
        raise NotLowered("promotion")
    with np.errstate(over="ignore"):
        return call.constant("operand", array.astype(dtype.numpy))


def numbers(raw: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """A number, a list of numbers or a serialised array."""
    if isinstance(raw, Mapping) and isinstance(raw.get("config"), Mapping):
        raw = raw["config"].get("value")
    try:
        array = np.asarray(raw)
    except ValueError as error:
        raise NotLowered("not an array") from error
    if array.dtype.kind not in "iuf":
        raise NotLowered("not numbers")
    return array


def binary(call: Call, op: str) -> Value:
    left, right = operands(call, 2)
    types = {dtype for value in (left, right) if (dtype := call.tensor(value).dtype) is not None}
    if len(types) > 1 or (op == "div" and any(not dtype.is_float for dtype in types)):
        raise NotLowered("promotion")
    return call.emit(op, left, right)


def unary(call: Call, op: str) -> Value:
    return call.emit(op, operands(call, 1)[0])


def _activation(call: Call, name: str) -> Value:
    return activation(call, operands(call, 1)[0], name)


for _kind, _op in BINARY.items():
    operation(_kind)(partial(binary, op=_op))
for _kind, _op in UNARY.items():
    operation(_kind)(partial(unary, op=_op))
for _kind, _op in ACTIVATIONS.items():
    operation(_kind)(partial(_activation, name=_op))


def argument(call: Call, key: str, default: Any = None) -> Any:
    """An argument by name, from the call or from the options of the function."""
    return call.kwargs.get(key, call.option(key, default))


def reduction(call: Call, op: str, *, axis_key: str = "axis", keep_key: str = "keepdims") -> Value:
    x = operands(call, 1)[0]
    axis = argument(call, axis_key)
    places = [] if axis is None else list(axis) if isinstance(axis, list | tuple) else [axis]
    axes = call.axes(*(whole(place, "axis") for place in places)) if places else None
    dtype = call.tensor(x).dtype
    if op == "reduce_mean" and dtype is not None and not dtype.is_float:
        raise NotLowered("promotion")
    return call.emit(op, x, axes, keepdims=int(bool(argument(call, keep_key, False))))


for _kind, _op in REDUCTIONS.items():
    operation(_kind)(partial(reduction, op=_op))


@operation("Softmax", "LogSoftmax")
def _softmax(call: Call) -> Value:
    op = "softmax" if call.layer.kind == "Softmax" else "log_softmax"
    return call.emit(op, operands(call, 1)[0], axis=whole(argument(call, "axis", -1), "axis"))


@operation("LeakyRelu")
def _leaky_relu(call: Call) -> Value:
    return call.emit("leaky_relu", operands(call, 1)[0], alpha=float(option_figure(call, "negative_slope", 0.2)))


@operation("Elu", "Celu")
def _elu(call: Call) -> Value:
    return call.emit(call.layer.kind.lower(), operands(call, 1)[0], alpha=float(option_figure(call, "alpha", 1.0)))


@operation("Gelu")
def _gelu(call: Call) -> Value:
    approximate = "tanh" if argument(call, "approximate", True) else "none"
    return call.emit("gelu", operands(call, 1)[0], approximate=approximate)


@operation("Square")
def _square(call: Call) -> Value:
    x = operands(call, 1)[0]
    return call.emit("mul", x, x)


@operation("Rsqrt")
def _rsqrt(call: Call) -> Value:
    return call.emit("reciprocal", call.emit("sqrt", operands(call, 1)[0], part="sqrt"))


@operation("Clip")
def _clip(call: Call) -> Value:
    x = operands(call, 1)[0]
    rest = [*call.args[1:], *call.kwargs.values()]
    low = argument(call, "x_min", rest[0] if rest else None)
    high = argument(call, "x_max", rest[1] if len(rest) > 1 else None)
    return call.emit("clip", x, call.scalar(figure(low), x, "low"), call.scalar(figure(high), x, "high"))


@operation("Concatenate")
def _concatenate(call: Call) -> Value:
    return call.emit("concat", *call.inputs, axis=whole(argument(call, "axis", 0), "axis"))


@operation("Stack")
def _stack(call: Call) -> Value:
    axis = whole(argument(call, "axis", 0), "axis")
    parts = [call.emit("unsqueeze", value, call.axes(axis), part="unsqueeze") for value in call.inputs]
    return call.emit("concat", *parts, axis=axis)


@operation("Reshape")
def _reshape(call: Call) -> Value:
    shape = argument(call, "newshape", call.args[1] if len(call.args) > 1 else None)
    return reshaped(call, operands(call, 1)[0], shape)


def reshaped(call: Call, x: Value, shape: Any) -> Value:
    """A reshape to sizes of which at most one is left open."""
    if not isinstance(shape, list | tuple):
        raise NotLowered("shape")
    sizes = [-1 if size is None else whole(size, "shape") for size in shape]
    if sizes.count(-1) > 1 or 0 in sizes:
        raise NotLowered("shape")
    return call.reshape(x, sizes)


@operation("Transpose")
def _transpose(call: Call) -> Value:
    return transposed(call, operands(call, 1)[0], argument(call, "axes", call.args[1] if len(call.args) > 1 else None))


def transposed(call: Call, x: Value, axes: Any) -> Value:
    rank = call.rank(x) if axes is None or any(whole(axis, "axes") < 0 for axis in axes) else 0
    perm = tuple(range(rank))[::-1] if axes is None else tuple(axis % rank if axis < 0 else axis for axis in axes)
    return call.emit("transpose", x, perm=perm)


@operation("ExpandDims", "Squeeze")
def _dims(call: Call) -> Value:
    axis = argument(call, "axis", call.args[1] if len(call.args) > 1 else None)
    axes = None if axis is None else call.axes(*(axis if isinstance(axis, list | tuple) else [whole(axis, "axis")]))
    op = "unsqueeze" if call.layer.kind == "ExpandDims" else "squeeze"
    if axes is None:
        raise NotLowered("axis")
    return call.emit(op, operands(call, 1)[0], axes)


@operation("Einsum")
def _einsum(call: Call) -> Value:
    equation = argument(call, "subscripts")
    if not isinstance(equation, str):
        raise NotLowered("subscripts")
    return call.emit("einsum", *call.inputs, equation=equation.replace(" ", ""))


@operation("Cast")
def _cast(call: Call) -> Value:
    raw = argument(call, "dtype", call.args[1] if len(call.args) > 1 else None)
    return cast_to(call, operands(call, 1)[0], raw)


def cast_to(call: Call, x: Value, raw: Any) -> Value:
    dtype: DType | None = NUMPY_NAMES.get(raw) if isinstance(raw, str) else None
    if dtype is None:
        raise NotLowered("dtype")
    return call.emit("cast", x, to=dtype)


@operation("Split")
def _split(call: Call) -> tuple[Value, ...]:
    sections = argument(call, "indices_or_sections")
    axis = whole(argument(call, "axis", 0), "axis")
    x = operands(call, 1)[0]
    if isinstance(sections, list | tuple):
        places = [0, *(whole(place, "sections") for place in sections), END]
        return tuple(cut(call, x, [(axis, start, end, 1)]) for start, end in pairwise(places))
    count = whole(sections, "sections")
    if not 0 < count <= 4096:
        raise NotLowered("sections")
    return call.emit_many("split", [x], count, axis=axis, num_outputs=count)


@operation("Flip")
def _flip(call: Call) -> Value:
    axis = argument(call, "axis")
    axes = axis if isinstance(axis, list | tuple) else [axis]
    return cut(call, operands(call, 1)[0], [(whole(each, "axis"), -1, -END, -1) for each in axes])


@operation("Where")
def _where(call: Call) -> Value:
    if len(call.inputs) != 3:
        raise NotLowered("numbers among the branches")
    return call.emit("where", *call.inputs)


@operation("Take")
def _take(call: Call) -> Value:
    axis = argument(call, "axis")
    if axis is None or len(call.inputs) != 2:
        raise NotLowered("axis")
    return call.emit("gather", *call.inputs, axis=whole(axis, "axis"))


@operation("GetItem")
def _get_item(call: Call) -> Value:
    key = call.args[1] if len(call.args) > 1 else call.kwargs.get("key")
    items = key if isinstance(key, list | tuple) else [key]
    return indexed(call, operands(call, 1)[0], [_index(item) for item in items])


def _index(item: Any) -> Any:
    """An index as an int, a slice, an ellipsis or None."""
    if isinstance(item, Mapping):
        config = item.get("config")
        if item.get("class_name") == "__ellipsis__":
            return ...
        if item.get("class_name") == "__slice__" and isinstance(config, Mapping):
            return slice(*(_bound(config.get(key)) for key in ("start", "stop", "step")))
        raise NotLowered("index")
    return item if item is None else whole(item, "index")


def _bound(value: Any) -> int | None:
    return None if value is None else whole(value, "bound")


def indexed(call: Call, x: Value, items: Sequence[Any]) -> Value:
    """A tensor indexed by ints, slices, an ellipsis and new axes, as NumPy does it."""
    taken = sum(item is not None and item is not ... for item in items)
    bounds: list[tuple[int, int, int, int]] = []
    dropped: list[int] = []
    added: list[int] = []
    axis = place = 0
    for item in items:
        if item is ...:
            skipped = call.rank(x) - taken
            axis, place = axis + skipped, place + skipped
        elif item is None:
            added.append(place)
            place += 1
        elif isinstance(item, slice):
            if item != slice(None):
                step = 1 if item.step is None else item.step
                start = (0 if step > 0 else -1) if item.start is None else item.start
                stop = (END if step > 0 else -END) if item.stop is None else item.stop
                bounds.append((axis, start, stop, step))
            axis, place = axis + 1, place + 1
        else:
            bounds.append((axis, item, item + 1 if item != -1 else END, 1))
            dropped.append(axis)
            axis += 1
    result = cut(call, x, bounds)
    if dropped:
        result = call.emit("squeeze", result, call.axes(*dropped))
    if added:
        result = call.emit("unsqueeze", result, call.axes(*added))
    return call.emit("identity", x) if result is x else result
