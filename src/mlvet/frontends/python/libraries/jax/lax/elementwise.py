"""Functions of each element, whose operands have one shape and one element type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.jax.array import Array, ArrayLike, Tensor, cast_to, is_weak, marked
from mlvet.frontends.python.libraries.jax.numpy.elementwise import pair, unary
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of

UNARY = {
    "abs": "abs", "neg": "neg", "sign": "sign", "square": "square", "sqrt": "sqrt", "rsqrt": "rsqrt", "exp": "exp",
    "exp2": "exp2", "expm1": "expm1", "log": "log", "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan",
    "tanh": "tanh", "sinh": "sinh", "cosh": "cosh", "asin": "asin", "acos": "acos", "atan": "atan", "asinh": "asinh",
    "acosh": "acosh", "atanh": "atanh", "erf": "erf", "erfc": "erfc", "erf_inv": "erfinv", "logistic": "sigmoid",
    "floor": "floor", "ceil": "ceil", "cbrt": "cube_root", "reciprocal": "reciprocal", "real": "real", "imag": "imag",
    "conj": "conj", "lgamma": "lgamma", "digamma": "digamma", "is_finite": "is_finite",
}  # fmt: skip
PAIRS = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "max", "min": "min", "pow": "pow", "rem": "mod",
    "atan2": "atan2", "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_or_equal", "gt": "greater",
    "ge": "greater_or_equal",
}  # fmt: skip
BITS = {"bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor"}


def _unary(op: str) -> Callable[..., Any]:
    def function(x: ArrayLike, **options: Any) -> Tensor:
        return unary(op, x)

    return function


def _agree(x: Any, y: Any) -> None:
    """Shapes are the same, or one is a Python number."""
    left, right = dims_of(x), dims_of(y)
    if left is None or right is None:
        return
    scalar = (not left and is_weak(x)) or (not right and is_weak(y))
    same = len(left) == len(right) and all(
        a == b for a, b in zip(left, right, strict=True) if isinstance(a, int) and isinstance(b, int)
    )
    demand(scalar or same or not left or not right, f"{tensor_of(x)} and {tensor_of(y)} differ", "dims-differ")
    kinds = dtype_of(x), dtype_of(y)
    if None not in kinds and not (is_weak(x) or is_weak(y)):
        demand(kinds[0] is kinds[1], f"element types {kinds[0]} and {kinds[1]} differ", "dtype-differs")


def _pair(op: str) -> Callable[..., Any]:
    def function(x: ArrayLike, y: ArrayLike) -> Tensor:
        _agree(x, y)
        return pair(op, x, y)

    return function


def _bits(truth: str) -> Callable[..., Any]:
    def function(x: ArrayLike, y: ArrayLike) -> Tensor:
        plain = dtype_of(x) is dtypes.bool_
        return pair(truth if plain else f"bitwise_{truth}", x, y)

    return function


for _name, _op in UNARY.items():
    model(f"jax.lax.{_name}")(_unary(_op))
for _name, _op in PAIRS.items():
    model(f"jax.lax.{_name}")(_pair(_op))
for _name, _op in BITS.items():
    model(f"jax.lax.{_name}")(_bits(_op))


@model("jax.lax.bitwise_not")
def bitwise_not(x: ArrayLike) -> Tensor:
    return emit("not" if dtype_of(x) is dtypes.bool_ else "bitwise_not", x)


@model("jax.lax.shift_left", "jax.lax.shift_right_logical", "jax.lax.shift_right_arithmetic")
def shift_left(x: ArrayLike, y: ArrayLike) -> Tensor:
    return opaque("shift", [x, y], tensor_of(x).without_value(), Array)


@model("jax.lax.round")
def round(x: ArrayLike, rounding_method: Any = 0) -> Tensor:
    return unary("round", x)


@model("jax.lax.integer_pow")
def integer_pow(x: ArrayLike, y: int) -> Tensor:
    return pair("pow", x, y)


@model("jax.lax.clamp")
def clamp(min: ArrayLike, x: ArrayLike, max: ArrayLike) -> Tensor:
    low, high = (cast_to(each, dtype_of(x)) for each in (min, max))
    return marked(emit("min", emit("max", x, low), high), x)


@model("jax.lax.select")
def select(pred: ArrayLike, on_true: ArrayLike, on_false: ArrayLike) -> Tensor:
    _agree(on_true, on_false)
    return emit("where", pred, on_true, on_false, kind=Array)


@model("jax.lax.select_n")
def select_n(which: ArrayLike, *cases: ArrayLike) -> Tensor:
    return opaque("select_n", [which, *cases], tensor_of(cases[0]).without_value(), Array)


@model("jax.lax.convert_element_type")
def convert_element_type(operand: ArrayLike, new_dtype: DType) -> Tensor:
    return cast_to(operand, new_dtype)


@model("jax.lax.bitcast_convert_type")
def bitcast_convert_type(operand: ArrayLike, new_dtype: DType) -> Tensor:
    return emit("bit_cast", operand, to=new_dtype)


@model("jax.lax.reduce_precision")
def reduce_precision(operand: ArrayLike, exponent_bits: int, mantissa_bits: int) -> Tensor:
    return operand


@model("jax.lax.complex")
def complex(x: ArrayLike, y: ArrayLike) -> Tensor:
    return opaque("complex", [x, y], Known(dtypes.c64, tensor_of(x).shape), Array)
