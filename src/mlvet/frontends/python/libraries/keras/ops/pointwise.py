"""Functions of single elements: arithmetic, relations, logic and mathematics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.ops.axes import countable
from mlvet.frontends.python.libraries.keras.tensor import array, combined, floating, kind_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of

FLOATS = {
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p",
    "sqrt": "sqrt", "rsqrt": "rsqrt", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "reciprocal": "reciprocal", "floor": "floor", "ceil": "ceil",
    "cbrt": "cube_root", "fabs": "abs",
}  # fmt: skip
"""Functions that make floats of integers."""
SAME = {
    "abs": "abs",
    "absolute": "abs",
    "negative": "neg",
    "sign": "sign",
    "trunc": "trunc",
    "stop_gradient": "stop_gradient",
}
TRUTHS = {"isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite"}
BINARY = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
    "floor_divide": "floor_div", "mod": "remainder", "power": "pow", "maximum": "max", "minimum": "min",
    "fmax": "max", "fmin": "min", "equal": "equal", "not_equal": "not_equal", "greater": "greater",
    "greater_equal": "greater_or_equal", "less": "less", "less_equal": "less_or_equal", "arctan2": "atan2",
}  # fmt: skip
UNSAID = ("deg2rad", "rad2deg", "i0", "sinc", "angle")
"""Functions of one operand, to floats, that no operator of ours is."""
UNSAID_PAIRS = ("logaddexp", "logaddexp2", "heaviside", "nextafter", "fmod", "gcd", "lcm", "ldexp", "hypot")
BITS = {
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
}  # fmt: skip


def names(name: str) -> tuple[str, str]:
    """A function of `keras.ops` is one of `keras.ops.numpy` too."""
    return f"keras.ops.{name}", f"keras.ops.numpy.{name}"


def _register(name: str, function: Callable[..., Any], *, of_numpy: bool = True) -> None:
    function.__name__ = name
    model(*names(name)[: 2 if of_numpy else 1])(function)


def _one(op: str, prepare: Callable[[Any], Any]) -> Callable[..., Any]:
    def function(x: ArrayLike) -> Tensor:
        return emit(op, prepare(array(x)))

    return function


def _two(op: str) -> Callable[..., Any]:
    def function(x1: Any, x2: Any) -> Tensor:
        return combined(op, x1, x2)

    return function


def _unsaid(name: str) -> Callable[..., Any]:
    def function(x: ArrayLike) -> Tensor:
        return alike(f"ops.{name}", floating(array(x)))

    return function


def _unsaid_pair(name: str) -> Callable[..., Any]:
    def function(x1: Any, x2: Any) -> Tensor:
        made = combined("mul" if name in ("gcd", "lcm", "fmod") else "div", x1, x2)
        return alike(f"ops.{name}", made)

    return function


def _bits(op: str) -> Callable[..., Any]:
    def function(x: Any, y: Any) -> Tensor:
        return combined(op, x, y)

    return function


def _shift(name: str) -> Callable[..., Any]:
    def function(x: Any, y: Any) -> Tensor:
        return alike(f"ops.{name}", combined("bitwise_and", x, y))

    return function


for _name, _op in FLOATS.items():
    _register(_name, _one(_op, floating), of_numpy=_name not in ("rsqrt", "erf", "erfc", "erfinv"))
for _name, _op in SAME.items():
    if _name != "stop_gradient":
        _register(_name, _one(_op, lambda x: x))
for _name, _op in TRUTHS.items():
    _register(_name, _one(_op, lambda x: x))
for _name, _op in BINARY.items():
    _register(_name, _two(_op))
for _name in UNSAID:
    _register(_name, _unsaid(_name))
for _name in UNSAID_PAIRS:
    _register(_name, _unsaid_pair(_name))
for _name, _op in BITS.items():
    _register(_name, _bits(_op))
for _name in ("left_shift", "bitwise_left_shift", "right_shift", "bitwise_right_shift"):
    _register(_name, _shift(_name))


@model("keras.ops.stop_gradient")
def stop_gradient(variable: ArrayLike) -> Tensor:
    return emit("stop_gradient", array(variable))


@model(*names("bitwise_not"), *names("bitwise_invert"))
def bitwise_not(x: ArrayLike) -> Tensor:
    return emit("bitwise_not", array(x))


@model(*names("square"))
def square(x: ArrayLike) -> Tensor:
    return emit("square", countable(x))


@model(*names("round"))
def round_(x: ArrayLike, decimals: Any = 0) -> Tensor:
    made = array(x)
    known = dtype_of(made)
    return emit("round", made) if known is None or known.is_float else alike("ops.round", countable(made))


@model(*names("clip"))
def clip(x: ArrayLike, x_min: Any, x_max: Any) -> Tensor:
    made = countable(x)
    for op, bound in (("max", x_min), ("min", x_max)):
        if bound is not None:
            made = combined(op, made, bound)
    return made


def _truth(x: Any) -> Any:
    made = array(x)
    return made if dtype_of(made) is dtypes.bool_ else cast(made, dtypes.bool_)


def _logic(op: str) -> Callable[..., Any]:
    def function(x1: Any, x2: Any) -> Tensor:
        left, right = _truth(x1), _truth(x2)
        return emit(op, left, right, kind=kind_of((left, right)))

    return function


for _name, _op in (("logical_and", "and"), ("logical_or", "or"), ("logical_xor", "xor")):
    _register(_name, _logic(_op))


@model(*names("logical_not"))
def logical_not(x: ArrayLike) -> Tensor:
    return emit("not", _truth(x))


@model(*names("divide_no_nan"))
def divide_no_nan(x1: Any, x2: Any) -> Tensor:
    """Where the divisor is 0, so is the result."""
    nothing = combined("equal", x2, 0)
    return where(nothing, 0.0, combined("div", x1, where(nothing, 1, x2)))


@model(*names("isclose"))
def isclose(x1: Any, x2: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Tensor:
    made = combined("equal", x1, x2)
    return alike("ops.isclose", made)


@model(*names("allclose"))
def allclose(x1: Any, x2: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Tensor:
    made = combined("equal", x1, x2)
    return emit("reduce_all", made, None, keepdims=0)


@model(*names("isneginf"), *names("isposinf"), *names("isreal"), *names("signbit"))
def truth_of_each(x: ArrayLike) -> Tensor:
    made = array(x)
    return opaque("ops.isneginf", [made], made.graph_value.declared.with_dtype(dtypes.bool_), type(made))


@model(*names("isin"))
def isin(x1: ArrayLike, x2: Any, assume_unique: Any = False, invert: Any = False) -> Tensor:
    made = array(x1)
    return opaque("ops.isin", [made], made.graph_value.declared.with_dtype(dtypes.bool_), type(made))


@model(*names("nan_to_num"))
def nan_to_num(x: ArrayLike, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    made = array(x)
    known = dtype_of(made)
    return emit("nan_to_num", made) if known is None or known.is_float else made


@model(*names("conj"), *names("conjugate"))
def conj(x: ArrayLike) -> Tensor:
    made = array(x)
    return emit("conj", made) if dtype_of(made) in (dtypes.c64, dtypes.c128) else alike("ops.conj", made)


@model(*names("real"))
def real(x: ArrayLike) -> Tensor:
    made = array(x)
    return emit("real", made) if dtype_of(made) in (dtypes.c64, dtypes.c128) else alike("ops.real", made)


@model(*names("imag"))
def imag(x: ArrayLike) -> Tensor:
    made = array(x)
    return emit("imag", made) if dtype_of(made) in (dtypes.c64, dtypes.c128) else alike("ops.imag", made)


@model(*names("where"))
def where(condition: ArrayLike, x1: Any = None, x2: Any = None) -> Any:
    from mlvet.frontends.python.libraries.keras.tensor import _common, _operand

    truth = _truth(condition)
    if x1 is None or x2 is None:
        return nonzero(truth)
    plain = (bool, int, float)
    sides = [each if isinstance(each, plain) else array(each) for each in (x1, x2)]
    if not any(isinstance(each, plain) is False for each in sides):
        sides[0] = array(sides[0])
    common = _common(*sides)
    left, right = (_operand(each, common) for each in sides)
    return emit("where", truth, left, right, kind=kind_of((left, right, truth)))


@model(*names("nonzero"))
def nonzero(x: ArrayLike) -> Any:
    from mlvet.domains.dims import symbol
    from mlvet.frontends.python.active import machine
    from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims

    made = array(x)
    count = symbol(machine().fresh("nonzero"), counted=True)
    return [opaque("ops.nonzero", [made], Known(dtypes.i32, (count,)), type(made)) for _ in ranked_dims(made)]


@model("keras.ops.cast")
def cast_(x: ArrayLike, dtype: Any) -> Tensor:
    from mlvet.frontends.python.libraries.element_types import dtype_named

    made = array(x)
    wanted = dtype_named(dtype)
    if wanted is None:
        return opaque("ops.cast", [made], made.graph_value.declared.with_dtype(None), type(made))
    return emit("identity", made) if dtype_of(made) is wanted else emit("cast", made, to=wanted)


@model("keras.ops.saturate_cast")
def saturate_cast(x: ArrayLike, dtype: Any) -> Tensor:
    return cast_(x, dtype)


@model("keras.ops.polar", "keras.ops.nn.polar")
def polar(abs_: ArrayLike, angle: ArrayLike) -> Tensor:
    made = combined("mul", abs_, angle)
    return opaque("ops.polar", [made], made.graph_value.declared.with_dtype(dtypes.c64), type(made))


@model("keras.ops.view_as_complex")
def view_as_complex(x: ArrayLike) -> Tensor:
    made = array(x)
    return opaque("ops.view_as_complex", [made], Known(dtypes.c64, (dims_of(made) or (2,))[:-1]), type(made))


@model("keras.ops.view_as_real")
def view_as_real(x: ArrayLike) -> Tensor:
    made = array(x)
    return opaque("ops.view_as_real", [made], Known(dtypes.f32, (*(dims_of(made) or ()), 2)), type(made))
