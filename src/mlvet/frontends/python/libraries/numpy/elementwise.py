"""Functions of each element."""

from __future__ import annotations

import math
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Expr
from mlvet.domains.dtypes import Kind
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays.arithmetic import binary, cast, common_dtype, comparison
from mlvet.frontends.python.emission import demand_equal, emit, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, function, local, method, ndarray
from mlvet.frontends.python.libraries.numpy.element_types import element_type, floating_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Unknown

FLOATING = {
    "sqrt": "sqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh",
    "cbrt": "cube_root",
}  # fmt: skip
"""Functions that make floats of integers, and their operators."""

SAME = {"square": "square", "sign": "sign", "negative": "neg"}
TRUTHS = {"isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite"}
PAIRS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
    "floor_divide": "floor_div", "mod": "remainder", "remainder": "remainder", "power": "pow",
    "pow": "pow", "maximum": "max", "minimum": "min", "fmax": "max", "fmin": "min",
}  # fmt: skip
FLOATING_PAIRS = {"arctan2": "atan2", "atan2": "atan2", "hypot": "hypot"}
RELATIONS = {
    "equal": "equal", "not_equal": "not_equal", "less": "less", "less_equal": "less_or_equal", "greater": "greater",
    "greater_equal": "greater_or_equal",
}  # fmt: skip
LOGIC = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}
BITS = {
    "bitwise_and": ("and", "bitwise_and"),
    "bitwise_or": ("or", "bitwise_or"),
    "bitwise_xor": ("xor", "bitwise_xor"),
}


def _register_floating(name: str, op: str) -> None:
    @function(f"numpy.{name}")
    def apply(x: ArrayLike, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: Any = None) -> Tensor:
        return emit(op, cast(x, element_type(dtype) or floating_of(dtype_of(x))))


def _register_same(name: str, op: str) -> None:
    @function(f"numpy.{name}")
    def apply(x: ArrayLike, /, out: Any = None, *, where: Any = True, dtype: Any = None) -> Tensor:
        return emit(op, cast(x, element_type(dtype)))


def _register_truth(name: str, op: str) -> None:
    @function(f"numpy.{name}")
    def apply(x: ArrayLike, /, out: Any = None, *, where: Any = True) -> Tensor:
        return emit(op, cast(x, floating_of(dtype_of(x))))


def _register_pair(name: str, op: str) -> None:
    @function(f"numpy.{name}")
    def apply(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None) -> Tensor:
        return cast(paired(op, x1, x2), element_type(dtype))


def _register_floating_pair(name: str, op: str) -> None:
    @function(f"numpy.{name}")
    def apply(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, *, where: Any = True, dtype: Any = None) -> Tensor:
        return paired(op, *(cast(x, floating_of(dtype_of(x))) for x in (x1, x2)))


def _register_relation(name: str, op: str) -> None:
    @function(f"numpy.{name}")
    def apply(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True) -> Tensor:
        left, right = _operands(x1, x2)
        return comparison(op, left, right, kind=ndarray)


def _register_logic(name: str, op: str) -> None:
    @function(f"numpy.{name}")
    def apply(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, *, where: Any = True) -> Tensor:
        return emit(op, cast(x1, dtypes.bool_), cast(x2, dtypes.bool_))


def _register_bits(name: str, truth: str, bits: str) -> None:
    @function(f"numpy.{name}")
    def apply(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, *, where: Any = True) -> Tensor:
        both = all(dtype_of(x) is dtypes.bool_ for x in (x1, x2))
        return paired(truth if both else bits, x1, x2)


def _operands(left: Any, right: Any) -> tuple[Any, Any]:
    """Two operands, of which numbers stay Python's as long as one is an array."""
    plain = (bool, int, float, complex, Expr, Scalar)
    if isinstance(left, plain) and isinstance(right, plain):
        return as_ndarray(left), as_ndarray(right)
    return tuple(each if isinstance(each, plain) else as_ndarray(each) for each in (left, right))  # type: ignore[return-value]


def paired(op: str, left: Any, right: Any) -> Any:
    first, second = _operands(left, right)
    return binary(op, first, second, kind=ndarray)


for _name, _op in FLOATING.items():
    _register_floating(_name, _op)
for _name, _op in SAME.items():
    _register_same(_name, _op)
for _name, _op in TRUTHS.items():
    _register_truth(_name, _op)
for _name, _op in PAIRS.items():
    _register_pair(_name, _op)
for _name, _op in FLOATING_PAIRS.items():
    _register_floating_pair(_name, _op)
for _name, _op in RELATIONS.items():
    _register_relation(_name, _op)
for _name, _op in LOGIC.items():
    _register_logic(_name, _op)
for _name, _ops in BITS.items():
    _register_bits(_name, *_ops)


@function("numpy.abs", "numpy.absolute", "numpy.fabs")
def absolute(x: ArrayLike, /, out: Any = None, *, where: Any = True, dtype: Any = None) -> Tensor:
    known = dtype_of(x)
    return emit("complex_abs" if known is not None and known.kind is Kind.COMPLEX else "abs", x)


def _register_rounding(name: str, op: str) -> None:
    @function(f"numpy.{name}")
    def apply(x: ArrayLike, /, out: Any = None, *, where: Any = True, dtype: Any = None) -> Tensor:
        known = dtype_of(x)
        if name == "rint":
            return emit(op, cast(x, floating_of(known)))
        return emit(op, x) if known is None or known.is_float else local(x, fresh=True)


for _name, _op in {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "fix": "trunc", "rint": "round"}.items():
    _register_rounding(_name, _op)


@method()
@function("numpy.round", "numpy.around", "numpy.round_")
def round(a: ArrayLike, decimals: Any = 0, out: Any = None) -> Tensor:
    known = dtype_of(a)
    if known is not None and not known.is_float:
        return local(a, fresh=True)
    return emit("round", a) if decimals == 0 else opaque("round", [a], tensor_of(a).without_value(), ndarray)


@function("numpy.reciprocal")
def reciprocal(x: ArrayLike, /, out: Any = None) -> Tensor:
    return emit("reciprocal", x)


@function("numpy.positive")
def positive(x: ArrayLike, /, out: Any = None) -> Tensor:
    return x


@function("numpy.fmod")
def fmod(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None) -> Tensor:
    left, right = _operands(x1, x2)
    return binary("mod", left, right, kind=ndarray, fmod=1)


@function("numpy.logical_not")
def logical_not(x: ArrayLike, /, out: Any = None, *, where: Any = True) -> Tensor:
    return emit("not", cast(x, dtypes.bool_))


@function("numpy.invert", "numpy.bitwise_not")
def invert(x: ArrayLike, /, out: Any = None) -> Tensor:
    return ~x  # type: ignore[operator]


@function("numpy.deg2rad", "numpy.radians")
def deg2rad(x: ArrayLike, /, out: Any = None) -> Tensor:
    return paired("mul", cast(x, floating_of(dtype_of(x))), math.pi / 180)


@function("numpy.rad2deg", "numpy.degrees")
def rad2deg(x: ArrayLike, /, out: Any = None) -> Tensor:
    return paired("mul", cast(x, floating_of(dtype_of(x))), 180 / math.pi)


@function("numpy.sinc", "numpy.i0")
def sinc(x: ArrayLike) -> Tensor:
    return opaque("sinc", [x], Type(floating_of(dtype_of(x)), tensor_of(x).shape), ndarray)


@function("numpy.isreal", "numpy.iscomplex", "numpy.isneginf", "numpy.isposinf", "numpy.signbit")
def is_kind(x: ArrayLike, out: Any = None) -> Tensor:
    return opaque("truth of elements", [x], Type(dtypes.bool_, tensor_of(x).shape), ndarray)


@method()
@function("numpy.clip")
def clip(
    a: ArrayLike, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None
) -> Tensor:
    low, high = (min if a_min is None else a_min), (max if a_max is None else a_max)
    result = a
    for op, bound in (("max", low), ("min", high)):
        if isinstance(bound, Unknown):
            continue
        if bound is not None:
            result = paired(op, result, bound)
    return local(result, fresh=True)


@function("numpy.nan_to_num")
def nan_to_num(x: ArrayLike, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    return emit("nan_to_num", x)


@function("numpy.real")
def real(val: ArrayLike) -> Tensor:
    return emit("real", val) if _is_complex(val) else val


@function("numpy.imag")
def imag(val: ArrayLike) -> Tensor:
    return emit("imag", val) if _is_complex(val) else emit("zeros_like", val)


@function("numpy.angle")
def angle(z: ArrayLike, deg: bool = False) -> Tensor:
    known = dtype_of(z)
    wanted = dtypes.f32 if known is dtypes.c64 else dtypes.f64 if known is dtypes.c128 else floating_of(known)
    return opaque("angle", [z], Type(wanted, tensor_of(z).shape), ndarray)


@method("conj", "conjugate")
@function("numpy.conj", "numpy.conjugate")
def conj(x: ArrayLike, /) -> Tensor:
    return emit("conj", x) if _is_complex(x) else x


def _is_complex(x: TensorValue) -> bool:
    known = dtype_of(x)
    return known is not None and known.kind is Kind.COMPLEX


ndarray.real = property(real)  # type: ignore[attr-defined]
ndarray.imag = property(imag)  # type: ignore[attr-defined]


@function("numpy.isclose")
def isclose(a: ArrayLike, b: ArrayLike, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Tensor:
    return paired("is_close", cast(a, dtypes.f64), cast(b, dtypes.f64))


@model("numpy.allclose", "numpy.array_equal", "numpy.array_equiv")
def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    return Scalar(bool)


@function("numpy.vectorize")
def vectorize(pyfunc: Any, otypes: Any = None, **rest: Any) -> Any:
    return pyfunc


@function("numpy.interp")
def interp(
    x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: Any = None, right: Any = None, period: Any = None
) -> Tensor:
    if (places := dims_of(xp)) and (values := dims_of(fp)):
        demand_equal(places[0], values[0], "there is a value for each place")
    return opaque("interp", [x, xp, fp], Type(dtypes.f64, tensor_of(x).shape), ndarray)


@function("numpy.select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    from mlvet.frontends.python.libraries.binding import as_items

    result = as_ndarray(default)
    for condition, choice in reversed(list(zip(as_items(condlist), as_items(choicelist), strict=True))):
        value = as_ndarray(choice)
        common = common_dtype(value, result, ndarray.framework)
        result = emit("where", as_ndarray(condition), cast(value, common), cast(result, common))
    return result
