"""Functions of the standard library that take numbers in C: during a replay they carry derivatives."""

from __future__ import annotations

import builtins
import math
import types
from collections.abc import Callable, Mapping
from typing import Any

from mlvet.runtime.provenance.numbers import PLAIN, TRACED, plain, traced, written
from mlvet.runtime.provenance.tape import TAPE

_SUMMED = TRACED | PLAIN
_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)
_LOG_2, _LOG_10 = math.log(2), math.log(10)

_DERIVATIVES: dict[str, Callable[[float, float], float]] = {
    "exp": lambda x, y: y, "expm1": lambda x, y: y + 1, "log1p": lambda x, y: 1 / (1 + x),
    "log2": lambda x, y: 1 / (x * _LOG_2), "log10": lambda x, y: 1 / (x * _LOG_10), "sqrt": lambda x, y: 0.5 / y,
    "sin": lambda x, y: math.cos(x), "cos": lambda x, y: -math.sin(x), "tan": lambda x, y: 1 + y * y,
    "asin": lambda x, y: 1 / math.sqrt(1 - x * x), "acos": lambda x, y: -1 / math.sqrt(1 - x * x),
    "atan": lambda x, y: 1 / (1 + x * x), "sinh": lambda x, y: math.cosh(x), "cosh": lambda x, y: math.sinh(x),
    "tanh": lambda x, y: 1 - y * y, "asinh": lambda x, y: 1 / math.sqrt(x * x + 1),
    "acosh": lambda x, y: 1 / math.sqrt(x * x - 1), "atanh": lambda x, y: 1 / (1 - x * x),
    "fabs": lambda x, y: -1.0 if x < 0 else 1.0, "degrees": lambda x, y: 180 / math.pi,
    "radians": lambda x, y: math.pi / 180, "exp2": lambda x, y: y * _LOG_2, "cbrt": lambda x, y: 1 / (3 * y * y),
    "erf": lambda x, y: _TWO_OVER_ROOT_PI * math.exp(-x * x),
    "erfc": lambda x, y: -_TWO_OVER_ROOT_PI * math.exp(-x * x), "gamma": lambda x, y: y * _digamma(x),
    "lgamma": lambda x, y: _digamma(x),
}  # fmt: skip


def _digamma(x: float) -> float:
    """The derivative of the logarithm of the gamma function, by its recurrence and asymptotic series."""
    if x <= 0 and x == math.floor(x):
        return math.nan
    if x < 0:
        return _digamma(1 - x) - math.pi / math.tan(math.pi * x)
    shift = 0.0
    while x < 10:
        shift -= 1 / x
        x += 1
    squared = 1 / (x * x)
    series = squared * (1 / 12 - squared * (1 / 120 - squared * (1 / 252 - squared * (1 / 240 - squared / 132))))
    return shift + math.log(x) - 0.5 / x - series


def _one(real: Any, derivative: Callable[[float, float], float]) -> Any:
    def function(x: Any, /) -> Any:
        if type(x) not in TRACED:
            return real(x)
        y = real(x.v)
        try:
            partial = derivative(x.v, y)
        except (ZeroDivisionError, OverflowError, ValueError):
            partial = math.inf
        return written(y, (x.i,), (partial,))

    return _alike(function, real)


def _several(real: Any, partials: Callable[[tuple[float, ...], float], tuple[float, ...]]) -> Any:
    """A function of several numbers."""

    def function(*given: Any) -> Any:
        hanging = [index for index, each in enumerate(given) if type(each) in TRACED]
        if not hanging:
            return real(*given)
        values = tuple(plain(each) for each in given)
        result = real(*values)
        found = partials(values, result)
        return written(result, tuple(given[each].i for each in hanging), tuple(found[each] for each in hanging))

    return _alike(function, real)


def _log(values: tuple[float, ...], y: float) -> tuple[float, ...]:
    if len(values) == 1:
        return (1 / values[0],)
    x, base = values
    return 1 / (x * math.log(base)), -y / (base * math.log(base))


def _power(values: tuple[float, ...], y: float) -> tuple[float, ...]:
    a, b = values
    return (b * y / a if a else 0.0), (y * math.log(a) if a > 0 else 0.0)


def _hypotenuse(values: tuple[float, ...], y: float) -> tuple[float, ...]:
    return tuple(each / y if y else 0.0 for each in values)


def _angle(values: tuple[float, ...], y: float) -> tuple[float, ...]:
    del y
    a, b = values
    squared = a * a + b * b
    return b / squared, -a / squared


def _signed(values: tuple[float, ...], y: float) -> tuple[float, ...]:
    return (math.copysign(1.0, values[0]) * math.copysign(1.0, y) if values[0] else 1.0), 0.0


def _modulo(values: tuple[float, ...], y: float) -> tuple[float, ...]:
    del y
    return 1.0, -float(math.trunc(values[0] / values[1]))


def _alike(function: Any, real: Any) -> Any:
    function.__name__ = real.__name__
    function.__doc__ = real.__doc__
    return function


def _sum_of(real: Any) -> Any:
    """`math.fsum`, which rounds once."""

    def fsum(numbers: Any, /) -> Any:
        listed = list(numbers)
        places = [each.i for each in listed if type(each) in TRACED]
        result = real(plain(each) for each in listed)
        return traced(result, TAPE.row(places, [1.0] * len(places))) if places else result

    return _alike(fsum, real)


def _builtin_sum(real: Any) -> Any:
    """`sum`: one row for all terms, and the value that Python's own sum has."""

    def sum(iterable: Any, /, start: Any = 0) -> Any:
        listed = list(iterable)
        kinds = set(map(type, listed))
        kinds.add(type(start))
        if kinds.isdisjoint(TRACED) or not kinds <= _SUMMED:
            return real(listed, start)
        result = real([plain(each) for each in listed], plain(start))
        places = [each.i for each in (start, *listed) if type(each) in TRACED]
        return traced(result, TAPE.row(places, [1.0] * len(places)))

    return _alike(sum, real)


def _product_of(real: Any) -> Any:
    def prod(numbers: Any, /, *, start: Any = 1) -> Any:
        listed = list(numbers)
        if not any(type(each) in TRACED for each in (*listed, start)):
            return real(listed, start=start)
        result = start
        for each in listed:
            result = result * each
        return result

    return _alike(prod, real)


def _of_two_lists(real: Any, partials: Callable[[list[Any], list[Any], float], tuple[list[float], list[float]]]) -> Any:
    """A function of two lists of numbers."""

    def function(p: Any, q: Any, /) -> Any:
        given = [*p], [*q]
        if not any(type(each) in TRACED for one in given for each in one):
            return real(*given)
        a, b = ([plain(each) for each in one] for one in given)
        result = real(a, b)
        found = partials(a, b, result)
        entries = [
            (each.i, partial)
            for one, by in zip(given, found, strict=True)
            for each, partial in zip(one, by, strict=True)
            if type(each) in TRACED
        ]
        return traced(result, TAPE.row([place for place, _ in entries], [partial for _, partial in entries]))

    return _alike(function, real)


def _apart(a: list[Any], b: list[Any], y: float) -> tuple[list[float], list[float]]:
    by = [(x - z) / y if y else 0.0 for x, z in zip(a, b, strict=True)]
    return by, [-each for each in by]


def _products(a: list[Any], b: list[Any], y: float) -> tuple[list[float], list[float]]:
    del y
    return b, a


def _mean_of(real: Any) -> Any:
    """A mean of `statistics`, which adds fractions."""

    def mean(data: Any, *more: Any, **named: Any) -> Any:
        listed = list(data)
        if more or named or not any(type(each) in TRACED for each in listed):
            return real(listed, *more, **named)
        result = real([plain(each) for each in listed])
        places = [each.i for each in listed if type(each) in TRACED]
        return traced(result, TAPE.row(places, [1 / len(listed)] * len(places)))

    return _alike(mean, real)


def _spread_of(real: Any, rooted: bool, lost: int) -> Any:
    """A variance or deviation of `statistics`; `lost` degrees of freedom."""

    def spread(data: Any, *more: Any, **named: Any) -> Any:
        listed = list(data)
        if more or named or not any(type(each) in TRACED for each in listed):
            return real(listed, *more, **named)
        values = [plain(each) for each in listed]
        result = real(values)
        middle = math.fsum(values) / len(values)
        scale = 2 / (len(values) - lost)
        scale = scale / (2 * result) if rooted and result else scale
        hanging = [(each.i, scale * (each.v - middle)) for each in listed if type(each) in TRACED]
        places = [place for place, _ in hanging]
        return traced(result, TAPE.row(places, [partial for _, partial in hanging]))

    return _alike(spread, real)


def _of_math() -> dict[str, Any]:
    made: dict[str, Any] = {
        name: _one(getattr(math, name), derivative) for name, derivative in _DERIVATIVES.items() if hasattr(math, name)
    }
    made |= {
        "log": _several(math.log, _log), "pow": _several(math.pow, _power), "hypot": _several(math.hypot, _hypotenuse),
        "atan2": _several(math.atan2, _angle), "copysign": _several(math.copysign, _signed),
        "fmod": _several(math.fmod, _modulo), "fsum": _sum_of(math.fsum), "prod": _product_of(math.prod),
        "dist": _of_two_lists(math.dist, _apart),
    }  # fmt: skip
    if hasattr(math, "sumprod"):
        made["sumprod"] = _of_two_lists(math.sumprod, _products)
    return made


def _of_statistics() -> dict[str, Any]:
    import statistics

    made = {name: _mean_of(getattr(statistics, name)) for name in ("mean", "fmean")}
    for name, rooted, lost in (
        ("stdev", True, 1),
        ("pstdev", True, 0),
        ("variance", False, 1),
        ("pvariance", False, 0),
    ):
        made[name] = _spread_of(getattr(statistics, name), rooted, lost)
    return made


_replaced: list[tuple[types.ModuleType, str, Any]] = []


def installed(marked: Callable[[Any, tuple[Any, ...]], Any]) -> None:
    """Put the functions in their places; `marked` makes inputs of what the program marks itself."""
    import statistics

    from mlvet import provenance

    sums = {"sum": _builtin_sum(builtins.sum)}
    for module, made in ((math, _of_math()), (statistics, _of_statistics()), (builtins, sums)):
        for name, function in made.items():
            _replaced.append((module, name, getattr(module, name)))
            setattr(module, name, function)
    provenance.replayed(marked)


def removed() -> None:
    """The functions are as before."""
    while _replaced:
        setattr(*_replaced.pop())


def watched() -> Mapping[str, Callable[[types.ModuleType], None]]:
    """What is done when the program imports a module."""
    return {}
