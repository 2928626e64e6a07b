"""Functions of each element of one tensor."""

from __future__ import annotations

from math import pi
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import Kind
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays.arithmetic import binary, cast
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Number
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.element_types import as_float, is_integral
from mlvet.frontends.python.libraries.torch.tensor import Tensor, attach, made, method
from mlvet.frontends.python.values.tensors import dtype_of, tensor_of

FLOATS = {
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p",
    "sqrt": "sqrt", "rsqrt": "rsqrt", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos",
    "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh",
    "atanh": "atanh", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "sigmoid": "sigmoid", "lgamma": "lgamma",
    "digamma": "digamma", "reciprocal": "reciprocal", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
}  # fmt: skip
"""Functions that make floats of integers."""

SAME = {
    "floor": "floor", "ceil": "ceil", "trunc": "trunc", "fix": "trunc", "sign": "sign", "sgn": "sign",
    "square": "square", "relu": "relu",
}  # fmt: skip
"""Functions that keep the element type."""

SPECIAL = {"expit": "sigmoid", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "exp2": "exp2", "expm1": "expm1",
    "log1p": "log1p", "gammaln": "lgamma", "digamma": "digamma", "psi": "digamma"}  # fmt: skip


def _floating(op: str) -> Any:
    def function(input: Tensor, *, out: Any = None) -> Tensor:
        return made(op, as_float(input))

    return function


def _keeping(op: str) -> Any:
    def function(input: Tensor, *, out: Any = None) -> Tensor:
        if op == "square" and dtype_of(input) is dtypes.bool_:
            return made(op, cast(input, dtypes.i64))
        return made(op, input)

    return function


for _name, _op in FLOATS.items():
    method(f"torch.{_name}", in_place=True)(_floating(_op))
for _name, _op in SPECIAL.items():
    method(f"torch.special.{_name}")(_floating(_op))
for _name, _op in SAME.items():
    method(f"torch.{_name}", in_place=True)(_keeping(_op))


@method("torch.abs", "torch.absolute", in_place=True)
def abs(input: Tensor, *, out: Any = None) -> Tensor:
    known = dtype_of(input)
    demand(known is not dtypes.bool_, "abs does not take truth values", "dtype-differs")
    return made("complex_abs" if known is not None and known.kind is Kind.COMPLEX else "abs", input)


@method("torch.neg", "torch.negative", in_place=True)
def neg(input: Tensor, *, out: Any = None) -> Tensor:
    demand(dtype_of(input) is not dtypes.bool_, "truth values have no negative; use ~", "dtype-differs")
    return made("neg", input)


@method("torch.positive")
def positive(input: Tensor) -> Tensor:
    return input


@method("torch.round", in_place=True)
def round(input: Tensor, *, decimals: Any = 0, out: Any = None) -> Tensor:
    if decimals == 0 or not isinstance(decimals, int):
        return made("round", input)
    scale = 10.0**decimals
    found: Tensor = binary("div", made("round", binary("mul", input, scale, kind=Tensor)), scale, kind=Tensor)
    return found


@method("torch.frac", in_place=True)
def frac(input: Tensor, *, out: Any = None) -> Tensor:
    return made("sub", input, made("trunc", input))


@method("torch.deg2rad", in_place=True)
def deg2rad(input: Tensor, *, out: Any = None) -> Tensor:
    found: Tensor = binary("mul", as_float(input), pi / 180, kind=Tensor)
    return found


@method("torch.rad2deg", in_place=True)
def rad2deg(input: Tensor, *, out: Any = None) -> Tensor:
    found: Tensor = binary("mul", as_float(input), 180 / pi, kind=Tensor)
    return found


@method("torch.logit", "torch.special.logit", in_place=True)
def logit(input: Tensor, eps: Number | None = None, *, out: Any = None) -> Tensor:
    x = as_float(input)
    if isinstance(eps, int | float):
        low, high = (made("cast", float(bound), to=dtype_of(x) or dtypes.f32) for bound in (eps, 1 - eps))
        x = made("clip", x, low, high)
    return made("logit", x)


@method("torch.nan_to_num", in_place=True)
def nan_to_num(input: Tensor, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, *, out: Any = None) -> Tensor:
    given = {"nan": nan, "posinf": posinf, "neginf": neginf}
    known = {name: float(number) for name, number in given.items() if isinstance(number, int | float)}
    return input if is_integral(input) else made("nan_to_num", input, **known)


def _testing(op: str, **attributes: Any) -> Any:
    def function(input: Tensor) -> Tensor:
        return made(op, input, **attributes)

    return function


method("torch.isnan")(_testing("is_nan"))
method("torch.isinf")(_testing("is_inf"))
method("torch.isfinite")(_testing("is_finite"))


@method("torch.isposinf")
def isposinf(input: Tensor, *, out: Any = None) -> Tensor:
    return made("is_inf", input, detect_negative=0)


@method("torch.isneginf")
def isneginf(input: Tensor, *, out: Any = None) -> Tensor:
    return made("is_inf", input, detect_positive=0)


@method("torch.isreal")
def isreal(input: Tensor) -> Tensor:
    return opaque("isreal", [input], tensor_of(input).with_dtype(dtypes.bool_), Tensor)


@method("torch.signbit")
def signbit(input: Tensor, *, out: Any = None) -> Tensor:
    found: Tensor = binary("less", input, 0, kind=Tensor)
    return found


@method("torch.logical_not", in_place=True)
def logical_not(input: Tensor, *, out: Any = None) -> Tensor:
    return made("not", cast(input, dtypes.bool_))


@method("torch.bitwise_not", in_place=True)
def bitwise_not(input: Tensor, *, out: Any = None) -> Tensor:
    known = dtype_of(input)
    demand(known is None or not known.is_float, "bitwise_not does not take floats", "dtype-differs")
    return made("not" if known is dtypes.bool_ else "bitwise_not", input)


@method("torch.conj", "torch.conj_physical")
def conj(input: Tensor) -> Tensor:
    known = dtype_of(input)
    return made("conj", input) if known is None or known.kind is Kind.COMPLEX else input


@model("torch.real")
def real(input: Tensor) -> Tensor:
    found: Tensor = input.real
    return found


@model("torch.imag")
def imag(input: Tensor) -> Tensor:
    return made("imag", input)


@method("torch.angle")
def angle(input: Tensor, *, out: Any = None) -> Tensor:
    known = tensor_of(as_float(input))
    narrow = {dtypes.c64: dtypes.f32, dtypes.c128: dtypes.f64}
    to = narrow.get(known.dtype, known.dtype) if known.dtype is not None else None
    return opaque("angle", [input], Type(to, known.shape), Tensor)


def _unmodelled(name: str) -> Any:
    def function(input: Tensor, *, out: Any = None) -> Tensor:
        x = as_float(input)
        return opaque(name, [x], tensor_of(x).without_value(), Tensor)

    return function


for _name in ("i0", "sinc"):
    method(f"torch.{_name}")(_unmodelled(_name))
for _name in ("i0", "i0e", "i1", "i1e", "sinc", "ndtr", "ndtri", "entr", "log_ndtr", "erfcx"):
    method(f"torch.special.{_name}")(_unmodelled(f"special.{_name}"))


@method("torch.mvlgamma", "torch.special.multigammaln")
def mvlgamma(input: Tensor, p: Any, *, out: Any = None) -> Tensor:
    return opaque("mvlgamma", [input], tensor_of(as_float(input)).without_value(), Tensor)


@model("torch.polygamma", "torch.special.polygamma")
def polygamma(n: Any, input: Tensor, *, out: Any = None) -> Tensor:
    return opaque("polygamma", [input], tensor_of(as_float(input)).without_value(), Tensor)


for _name in ("relu", "sigmoid", "tanh", "exp", "sqrt", "abs"):
    model(f"torch.{_name}_")(getattr(Tensor, f"{_name}_"))
attach("__neg__", neg)
attach("__abs__", abs)
attach("__invert__", bitwise_not)
