"""Partial derivatives of NumPy's elementwise functions, by each operand, of the operands and the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from mlvet.runtime.provenance.plain_numpy import np

Partials: TypeAlias = Callable[..., tuple[Any, ...]]

_LN2, _LN10 = np.log(2.0), np.log(10.0)


def _power(a: Any, b: Any, v: Any) -> tuple[Any, Any]:
    by_base = np.where(b == 0, 0.0, b * np.power(a, np.where(b == 0, 1.0, b - 1)))
    by_exponent = np.where(a > 0, v * np.log(np.where(a > 0, a, 1.0)), np.where(v == 0, 0.0, np.nan))
    return by_base, by_exponent


def _square(a: Any, v: Any) -> tuple[Any]:
    del v
    return (2.0 * a,)


def _squared_distance(a: Any, b: Any) -> Any:
    return a * a + b * b


def _sinc_free_sign(a: Any, v: Any) -> tuple[Any]:
    del v
    return (np.where(a < 0, -1.0, 1.0),)


def _one(sign: float) -> Partials:
    return lambda a, v: (sign,)


PARTIALS: dict[Any, Partials] = {
    np.add: lambda a, b, v: (1.0, 1.0),
    np.subtract: lambda a, b, v: (1.0, -1.0),
    np.multiply: lambda a, b, v: (b, a),
    np.divide: lambda a, b, v: (1.0 / b, -v / b),
    np.power: _power,
    np.float_power: _power,
    np.remainder: lambda a, b, v: (1.0, -np.floor_divide(a, b)),
    np.fmod: lambda a, b, v: (1.0, -np.trunc(a / b)),
    np.arctan2: lambda a, b, v: (b / _squared_distance(a, b), -a / _squared_distance(a, b)),
    np.hypot: lambda a, b, v: (a / v, b / v),
    np.logaddexp: lambda a, b, v: (np.exp(a - v), np.exp(b - v)),
    np.logaddexp2: lambda a, b, v: (np.exp2(a - v), np.exp2(b - v)),
    np.copysign: lambda a, b, v: (np.copysign(1.0, a) * np.copysign(1.0, b), 0.0),
    np.ldexp: lambda a, b, v: (np.ldexp(1.0, np.asarray(b, np.int64)), 0.0),
    np.nextafter: lambda a, b, v: (1.0, 0.0),
    np.negative: _one(-1.0),
    np.positive: _one(1.0),
    np.conjugate: _one(1.0),
    np.absolute: _sinc_free_sign,
    np.fabs: _sinc_free_sign,
    np.square: _square,
    np.sqrt: lambda a, v: (0.5 / v,),
    np.cbrt: lambda a, v: (1.0 / (3.0 * v * v),),
    np.reciprocal: lambda a, v: (-v * v,),
    np.exp: lambda a, v: (v,),
    np.exp2: lambda a, v: (v * _LN2,),
    np.expm1: lambda a, v: (v + 1.0,),
    np.log: lambda a, v: (1.0 / a,),
    np.log2: lambda a, v: (1.0 / (a * _LN2),),
    np.log10: lambda a, v: (1.0 / (a * _LN10),),
    np.log1p: lambda a, v: (1.0 / (1.0 + a),),
    np.sin: lambda a, v: (np.cos(a),),
    np.cos: lambda a, v: (-np.sin(a),),
    np.tan: lambda a, v: (1.0 + v * v,),
    np.arcsin: lambda a, v: (1.0 / np.sqrt(1.0 - a * a),),
    np.arccos: lambda a, v: (-1.0 / np.sqrt(1.0 - a * a),),
    np.arctan: lambda a, v: (1.0 / (1.0 + a * a),),
    np.sinh: lambda a, v: (np.cosh(a),),
    np.cosh: lambda a, v: (np.sinh(a),),
    np.tanh: lambda a, v: (1.0 - v * v,),
    np.arcsinh: lambda a, v: (1.0 / np.sqrt(a * a + 1.0),),
    np.arccosh: lambda a, v: (1.0 / np.sqrt(a * a - 1.0),),
    np.arctanh: lambda a, v: (1.0 / (1.0 - a * a),),
    np.deg2rad: lambda a, v: (np.pi / 180.0,),
    np.radians: lambda a, v: (np.pi / 180.0,),
    np.rad2deg: lambda a, v: (180.0 / np.pi,),
    np.degrees: lambda a, v: (180.0 / np.pi,),
}
"""By function: the operands as float64, then the result."""

SPECIAL: dict[str, Partials] = {
    "expit": lambda a, v: (v * (1.0 - v),),
    "logit": lambda a, v: (1.0 / (a * (1.0 - a)),),
    "log_expit": lambda a, v: (-np.expm1(v),),
    "erf": lambda a, v: (2.0 / np.sqrt(np.pi) * np.exp(-a * a),),
    "erfc": lambda a, v: (-2.0 / np.sqrt(np.pi) * np.exp(-a * a),),
    "ndtr": lambda a, v: (np.exp(-a * a / 2.0) / np.sqrt(2.0 * np.pi),),
    "xlogy": lambda a, b, v: (np.where(a == 0, 0.0, np.log(b)), np.where(a == 0, 0.0, a / b)),
    "xlog1py": lambda a, b, v: (np.where(a == 0, 0.0, np.log1p(b)), np.where(a == 0, 0.0, a / (1.0 + b))),
    "entr": lambda a, v: (-np.log(a) - 1.0,),
    "rel_entr": lambda a, b, v: (np.log(a / b) + 1.0, -a / b),
    "kl_div": lambda a, b, v: (np.log(a / b), 1.0 - a / b),
}
"""Functions of scipy.special by name."""


def _digamma(a: Any) -> Any:
    from scipy.special import digamma

    return digamma(a)


def _polygamma(a: Any) -> Any:
    from scipy.special import polygamma

    return polygamma(1, a)


SPECIAL |= {
    "gammaln": lambda a, v: (_digamma(a),),
    "loggamma": lambda a, v: (_digamma(a),),
    "gamma": lambda a, v: (v * _digamma(a),),
    "psi": lambda a, v: (_polygamma(a),),
    "digamma": lambda a, v: (_polygamma(a),),
}

COMPARISONS: frozenset[Any] = frozenset((np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal))
JUMPS: dict[Any, float] = {np.floor: 0.0, np.ceil: 0.0, np.trunc: 0.0, np.rint: 0.5}
"""Functions that jump, and where between two integers."""

CONSTANT: frozenset[Any] = frozenset(
    (np.isnan, np.isinf, np.isfinite, np.signbit, np.spacing, np.logical_and, np.logical_or, np.logical_xor,
     np.logical_not, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift,
     np.gcd, np.lcm, np.isnat, np.bitwise_count)
)  # fmt: skip
"""Functions whose results hang on their operands by jumps alone that no one takes for comparisons."""


def partials_of(function: Any) -> Partials | None:
    """The rule of a function, of NumPy or of scipy.special."""
    found = PARTIALS.get(function)
    return SPECIAL.get(function.__name__) if found is None else found
