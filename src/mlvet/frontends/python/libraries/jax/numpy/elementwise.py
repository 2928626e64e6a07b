"""Functions of each element."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.arithmetic import binary
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.libraries.jax.array import (
    Array,
    ArrayLike,
    Tensor,
    as_jax,
    cast_to,
    inexact,
    marked,
    together,
)
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dtype_of, tensor_of

SAME = {
    "abs": "abs", "absolute": "abs", "negative": "neg", "sign": "sign", "square": "square", "conj": "conj",
    "conjugate": "conj", "positive": "identity", "real": "real", "imag": "imag", "floor": "floor", "ceil": "ceil",
    "trunc": "trunc", "fix": "trunc", "rint": "round",
}  # fmt: skip
"""Those that keep integers as they are."""
FLOATS = {
    "sqrt": "sqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "cbrt": "cube_root", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin",
    "arccos": "acos", "arctan": "atan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "asinh": "asinh",
    "acosh": "acosh", "atanh": "atanh",
}  # fmt: skip
TESTS = {"isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite"}
PAIRS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "maximum": "max",
    "minimum": "min", "fmax": "max", "fmin": "min", "power": "pow", "pow": "pow",
    "floor_divide": "floor_div", "mod": "remainder", "remainder": "remainder", "fmod": "mod",
}  # fmt: skip
FLOAT_PAIRS = {"float_power": "pow", "arctan2": "atan2", "atan2": "atan2", "hypot": "hypot"}
RELATIONS = {
    "equal": "equal", "not_equal": "not_equal", "less": "less", "less_equal": "less_or_equal", "greater": "greater",
    "greater_equal": "greater_or_equal",
}  # fmt: skip
TRUTHS = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}
BITS = {"bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor"}


def unary(op: str, x: Any) -> Any:
    """An operator on each element; real and whole numbers need nothing of some."""
    known = dtype_of(x)
    if known is not None:
        plain = known.kind in (Kind.BOOL, Kind.SIGNED, Kind.UNSIGNED)
        if plain and op in ("floor", "ceil", "trunc", "round", "real", "conj"):
            return x
        if known.kind is not Kind.COMPLEX and op in ("real", "conj"):
            return x
        if known.kind is Kind.COMPLEX and op == "abs":
            return emit("complex_abs", x)
        if op == "imag" and known.kind is not Kind.COMPLEX:
            return emit("zeros_like", x)
        if known.kind is Kind.BOOL and op == "abs":
            return x
        if known.kind is Kind.BOOL and op == "square":
            x = cast_to(x, dtypes.i32)
    return marked(emit(op, x), x)


def _same(op: str) -> Callable[..., Any]:
    def function(x: ArrayLike, /) -> Tensor:
        return unary(op, x)

    return function


def floats(op: str, x: Any) -> Any:
    return marked(emit(op, inexact(x)), x)


def _floats(op: str) -> Callable[..., Any]:
    def function(x: ArrayLike, /) -> Tensor:
        return floats(op, x)

    return function


def _test(op: str) -> Callable[..., Any]:
    def function(x: ArrayLike, /) -> Tensor:
        known = dtype_of(x)
        return cast_to(x, dtypes.bool_) if known is dtypes.bool_ else emit(op, inexact(x))

    return function


def _pair(op: str) -> Callable[..., Any]:
    def function(x: ArrayLike, y: ArrayLike, /) -> Tensor:
        return pair(op, x, y)

    return function


def pair(op: str, x: Any, y: Any) -> Any:
    return marked(binary(op, x, y, kind=Array), x, y)


def _float_pair(op: str) -> Callable[..., Any]:
    def function(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
        return emit(op, *together(inexact(x1), inexact(x2)), kind=Array)

    return function


def _truth(op: str) -> Callable[..., Any]:
    def function(x: ArrayLike, y: ArrayLike, /) -> Tensor:
        return emit(op, cast_to(x, dtypes.bool_), cast_to(y, dtypes.bool_), kind=Array)

    return function


def _bits(truth: str) -> Callable[..., Any]:
    def function(x: ArrayLike, y: ArrayLike, /) -> Tensor:
        plain = dtype_of(x) is dtypes.bool_ and dtype_of(y) is dtypes.bool_
        return pair(truth if plain else f"bitwise_{truth}", x, y)

    return function


for _name, _op in SAME.items():
    model(f"jax.numpy.{_name}")(_same(_op))
for _name, _op in FLOATS.items():
    model(f"jax.numpy.{_name}")(_floats(_op))
for _name, _op in TESTS.items():
    model(f"jax.numpy.{_name}")(_test(_op))
for _name, _op in {**PAIRS, **RELATIONS}.items():
    model(f"jax.numpy.{_name}")(_pair(_op))
for _name, _op in FLOAT_PAIRS.items():
    model(f"jax.numpy.{_name}")(_float_pair(_op))
for _name, _op in TRUTHS.items():
    model(f"jax.numpy.{_name}")(_truth(_op))
for _name, _op in BITS.items():
    model(f"jax.numpy.{_name}")(_bits(_op))
for _name in ("pi", "e", "inf", "nan"):
    model(f"jax.numpy.{_name}")(getattr(math, _name))
model("jax.numpy.newaxis")(None)
model("jax.numpy.euler_gamma")(0.5772156649015329)


@model("jax.numpy.logical_not")
def logical_not(x: ArrayLike, /) -> Tensor:
    return emit("not", cast_to(x, dtypes.bool_))


@model("jax.numpy.bitwise_not", "jax.numpy.invert")
def bitwise_not(x: ArrayLike, /) -> Tensor:
    return emit("not" if dtype_of(x) is dtypes.bool_ else "bitwise_not", x)


@model("jax.numpy.left_shift", "jax.numpy.bitwise_left_shift")
def left_shift(x: ArrayLike, y: ArrayLike, /) -> Tensor:
    return emit("bit_shift", *together(x, y), direction="LEFT")


@model("jax.numpy.right_shift", "jax.numpy.bitwise_right_shift")
def right_shift(x: ArrayLike, y: ArrayLike, /) -> Tensor:
    return emit("bit_shift", *together(x, y), direction="RIGHT")


@model("jax.numpy.reciprocal")
def reciprocal(x: ArrayLike, /) -> Tensor:
    return floats("reciprocal", x)


@model("jax.numpy.round", "jax.numpy.around")
def round(a: ArrayLike, decimals: Any = 0, out: Any = None) -> Tensor:
    del decimals, out
    return unary("round", a)


@model("jax.numpy.clip")
def clip(arr: ArrayLike, /, min: Any = None, max: Any = None, *, a_min: Any = None, a_max: Any = None) -> Tensor:
    """Bounds may be arrays, which broadcast."""
    low, high = (min if a_min is None else a_min), (max if a_max is None else a_max)
    made: Any = arr
    if low is not None:
        made = pair("max", made, as_jax(low))
    if high is not None:
        made = pair("min", made, as_jax(high))
    return made


@model("jax.numpy.nan_to_num")
def nan_to_num(x: ArrayLike, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    del copy, nan, posinf, neginf
    known = dtype_of(x)
    return x if known is not None and known.is_integer else emit("nan_to_num", x)


@model("jax.numpy.isclose")
def isclose(a: ArrayLike, b: ArrayLike, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Tensor:
    left, right = together(a, b)
    same = emit("equal", left, right)
    return opaque("isclose", [left, right], tensor_of(same).without_value(), Array)


@model("jax.numpy.logaddexp")
def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    left, right = together(inexact(x1), inexact(x2))
    return _as("logaddexp", emit("add", left, right))


@model("jax.numpy.sinc", "jax.numpy.i0")
def sinc(x: ArrayLike, /) -> Tensor:
    x = inexact(x)
    return opaque("sinc", [x], tensor_of(x).without_value(), Array)


@model("jax.numpy.deg2rad", "jax.numpy.radians", "jax.numpy.rad2deg", "jax.numpy.degrees")
def deg2rad(x: ArrayLike, /) -> Tensor:
    return _as("deg2rad", pair("mul", inexact(x), math.pi / 180))


@model("jax.numpy.signbit", "jax.numpy.iscomplex", "jax.numpy.isreal", "jax.numpy.isneginf", "jax.numpy.isposinf")
def signbit(x: ArrayLike, /) -> Tensor:
    return opaque("signbit", [x], Known(dtypes.bool_, tensor_of(x).shape), Array)


@model("jax.numpy.heaviside", "jax.numpy.copysign", "jax.numpy.nextafter")
def heaviside(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    left, right = together(inexact(x1), inexact(x2))
    return _as("heaviside", emit("mul", left, right))


def _as(name: str, result: Any) -> Any:
    """An array of the type of a result, of which the elements are others."""
    return opaque(name, [result], tensor_of(result).without_value(), Array)


@model("jax.numpy.angle")
def angle(z: ArrayLike, deg: bool = False) -> Tensor:
    known = dtype_of(z)
    to = dtypes.f32 if known is None or not known.is_float else known
    return opaque("angle", [z], Known(to, tensor_of(z).shape), Array)


@model("jax.numpy.where")
def where(condition: ArrayLike, x: Any = None, y: Any = None, /, *, size: Any = None, fill_value: Any = None) -> Any:
    """Elements of x or y; with the condition alone, the places where it holds."""
    if x is None or y is None:
        from mlvet.frontends.python.libraries.jax.numpy.searching import nonzero

        return nonzero(condition, size=size, fill_value=fill_value)
    left, right = together(x, y)
    return marked(emit("where", cast_to(condition, dtypes.bool_), left, right, kind=Array), as_jax(x), as_jax(y))


@model("jax.numpy.select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    from mlvet.frontends.python.libraries.binding import as_items

    made: Any = as_jax(default)
    for condition, choice in zip(reversed(as_items(condlist)), reversed(as_items(choicelist)), strict=True):
        made = where(as_jax(condition), choice, made)
    return made


@model("jax.numpy.astype")
def astype(x: ArrayLike, dtype: DType | None, /, *, copy: bool = False, device: Any = None) -> Tensor:
    return cast_to(x, dtype or dtypes.f32)
