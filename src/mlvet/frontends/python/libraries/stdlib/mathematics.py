"""math, cmath, statistics, fractions: Python's own where numbers are known, exact on quotients of symbols."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

from mlvet.domains.dims import Dim, Expr, at_least
from mlvet.domains.dims import product as product_of_sizes
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import as_size
from mlvet.frontends.python.libraries.builtins.arithmetic import binary, root
from mlvet.frontends.python.libraries.builtins.constructors import make_int
from mlvet.frontends.python.libraries.builtins.elements import integer, is_known
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import constants, number, pure, typed
from mlvet.frontends.python.values.containers import Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.ratios import Ratio, ceil, floor, ratio_of, square_root
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Undecided, Unknown

constants(math, ["pi", "e", "tau", "inf", "nan"])
constants(cmath, ["pi", "e", "tau", "inf", "nan"])
FUNCTIONS = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "copysign", "cos", "cosh", "degrees", "dist",
    "erf", "erfc", "exp", "exp2", "expm1", "fmod", "gamma", "hypot", "ldexp", "lgamma", "log", "log10", "log1p", "log2",
    "nextafter", "pow", "radians", "remainder", "sin", "sinh", "tan", "tanh", "ulp",
)  # fmt: skip


_LARGEST = 1_000
"""Factorials of more than this are not worked out."""


def _native(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise Raised(error) from error


def _float(name: str) -> Callable[..., Any]:
    function = getattr(math, name)

    def run(*args: Any) -> Any:
        if all(is_known(each) for each in args):
            return _native(function, *args)
        return Scalar(float)

    return run


for _name in FUNCTIONS:
    if hasattr(math, _name):
        model(f"math.{_name}")(_float(_name))
for _name in ("exp", "log", "sqrt", "sin", "cos", "rect"):
    typed("cmath", {_name: lambda: Scalar(complex)})
typed("cmath", {"phase": number, "polar": lambda: (Scalar(float), Scalar(float))})
typed(
    "statistics", dict.fromkeys(("mean", "fmean", "median", "stdev", "pstdev", "variance", "pvariance", "mode"), number)
)


@model("math.sqrt")
def sqrt(x: Any, /) -> Any:
    return _native(math.sqrt, x) if is_known(x) else root(x)


@model("math.isqrt")
def whole_root(n: Any, /) -> Any:
    if is_known(n):
        return _native(math.isqrt, n)
    exact = square_root(n) if isinstance(n, Expr) else None
    return integer("root") if exact is None else exact


def _rounded(name: str, method: str, on_ratio: Callable[[Ratio], Dim]) -> None:
    def run(x: Any, /) -> Any:
        match x:
            case Expr():
                return x
            case Ratio():
                return on_ratio(x)
            case Scalar() | Unknown() | TensorValue():
                return as_size(x, "n")
            case Object():
                return machine().send(x, method)
        return _native(getattr(math, name), x)

    model(f"math.{name}")(run)


_rounded("ceil", "__ceil__", ceil)
_rounded("floor", "__floor__", floor)
_rounded("trunc", "__trunc__", make_int)


@model("math.fabs")
def absolute(x: Any, /) -> Any:
    if is_known(x):
        return _native(math.fabs, x)
    ratio = ratio_of(x)
    return ratio if ratio is not None and at_least(ratio.numerator, 0) else Scalar(float)


@model("math.prod")
def product(iterable: Any, /, *, start: Any = 1) -> Any:
    if isinstance(iterable, Unknown):
        raise Undecided(iterable)
    items = machine().items(iterable)
    if isinstance(items, Repeated):
        whole = isinstance(items.element, int | Expr) and isinstance(start, int | Expr)
        return integer("product") if whole else Scalar(float)
    if all(isinstance(each, int | Expr) for each in (start, *items)):
        return product_of_sizes((start, *items))
    for each in items:
        start = binary("*", start, each)
    return start


@model("math.fsum", "math.sumprod")
def float_sum(*iterables: Any) -> Any:
    items = machine().items(iterables[0])
    known = len(iterables) == 1 and isinstance(items, tuple) and all(is_known(each) for each in items)
    return _native(math.fsum, items) if known else Scalar(float)


def _integers(name: str, label: str, low: float = 0) -> None:
    function = getattr(math, name)

    def run(*args: Any) -> Any:
        known = all(is_known(each) and (not isinstance(each, int) or each <= _LARGEST) for each in args)
        return _native(function, *args) if known else integer(label, low)

    model(f"math.{name}")(run)


for _name, _label, _low in (("factorial", "factorial", 1), ("comb", "combinations", 0), ("perm", "permutations", 0)):
    _integers(_name, _label, _low)


@model("math.gcd")
def common_divisor(*args: Any) -> Any:
    if all(is_known(each) for each in args):
        return _native(math.gcd, *args)
    return args[0] if len({*args}) == 1 else integer("divisor", 1)


@model("math.lcm")
def common_multiple(*args: Any) -> Any:
    if all(is_known(each) for each in args):
        return _native(math.lcm, *args)
    return args[0] if len({*args}) == 1 else integer("multiple", 1)


@model("math.modf")
def parts(x: Any, /) -> Any:
    return _native(math.modf, x) if is_known(x) else (Scalar(float), Scalar(float))


@model("math.frexp")
def mantissa(x: Any, /) -> Any:
    return _native(math.frexp, x) if is_known(x) else (Scalar(float), integer("exponent", -math.inf))


pure(math, {name: lambda: Scalar(bool) for name in ("isclose", "isfinite", "isinf", "isnan")})


@model("fractions.Fraction")
def fraction(numerator: Any = 0, denominator: Any = 1) -> Any:
    if isinstance(numerator, int | Expr) and isinstance(denominator, int | Expr):
        return binary("/", numerator, denominator)
    return Scalar(float)


@model("decimal.Decimal")
def decimal(value: Any = 0, context: Any = None) -> Any:
    del value, context
    return Scalar(float)
