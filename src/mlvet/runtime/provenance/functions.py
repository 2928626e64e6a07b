"""Functions of the standard library that take numbers in C: during a replay they carry derivatives."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

from mlvet.runtime.provenance.array_values import ARRAYS
from mlvet.runtime.provenance.numbers import PLAIN, TRACED, traced
from mlvet.runtime.provenance.predicates import PREDICATES
from mlvet.runtime.provenance.scalars import ANY_TRACED, scalar
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


def _single(x: Any) -> Any:
    """An array of one element as the number in it, which is how functions of Python take it."""
    return x.item() if type(x) in ARRAYS and x.size == 1 else x


def plain(number: Any) -> Any:
    """A number of Python or of NumPy without its place."""
    return number.v if type(number) in ANY_TRACED else number


def written(value: Any, parents: Sequence[int], partials: Sequence[float]) -> Any:
    """A number that follows from others; what is no real number goes on as it is."""
    return scalar(value, TAPE.row(parents, partials))


def _one(real: Any, derivative: Callable[[float, float], float]) -> Any:
    def function(x: Any, /) -> Any:
        if type(x) not in ANY_TRACED:
            if type(x) not in ARRAYS:
                return real(x)
            x = _single(x)
            if type(x) not in ANY_TRACED:
                return real(x)
        y = real(x.v)
        try:
            partial = derivative(float(x.v), y)
        except (ZeroDivisionError, OverflowError, ValueError):
            partial = math.inf
        return written(y, (x.i,), (partial,))

    return _alike(function, real)


def _several(real: Any, partials: Callable[[tuple[float, ...], float], tuple[float, ...]]) -> Any:
    """A function of several numbers."""

    def function(*given: Any) -> Any:
        given = tuple(map(_single, given))
        hanging = [index for index, each in enumerate(given) if type(each) in ANY_TRACED]
        if not hanging:
            return real(*given)
        values = tuple(plain(each) for each in given)
        result = real(*values)
        try:
            found = partials(tuple(map(float, values)), result)
        except (ZeroDivisionError, OverflowError, ValueError):
            found = (math.inf,) * len(values)
        return written(result, tuple(given[each].i for each in hanging), tuple(found[each] for each in hanging))

    return _alike(function, real)


def _log(values: tuple[float, ...], y: float) -> tuple[float, ...]:
    if len(values) == 1:
        return (1 / values[0],)
    x, base = values
    return 1 / (x * math.log(base)), -y / (base * math.log(base))


def _power(values: tuple[float, ...], y: float) -> tuple[float, ...]:
    a, b = values
    return (b * math.pow(a, b - 1) if b else 0.0), (y * math.log(a) if a > 0 else 0.0)


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


def _remainder(values: tuple[float, ...], y: float) -> tuple[float, ...]:
    return 1.0, -float(round((values[0] - y) / values[1]))


def _scaled(values: tuple[float, ...], y: float) -> tuple[float, ...]:
    del y
    return math.ldexp(1.0, int(values[1])), 0.0


def _parts(real: Any, partial: Callable[[Any], float], at: int) -> Any:
    """A function that takes a number apart; the part at `at` follows it smoothly, the other jumps."""

    def function(x: Any, /) -> Any:
        x = _single(x)
        found = real(plain(x))
        if type(x) not in ANY_TRACED:
            return found
        return tuple(
            written(each, (x.i,), (partial(found),)) if index == at else each for index, each in enumerate(found)
        )

    return _alike(function, real)


def _close(real: Any) -> Any:
    """`math.isclose`, which is a comparison."""

    def isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> bool:
        a, b = _single(a), _single(b)
        x, y = plain(a), plain(b)
        outcome: bool = real(x, y, rel_tol=plain(rel_tol), abs_tol=plain(abs_tol))
        if type(a) not in ANY_TRACED and type(b) not in ANY_TRACED:
            return outcome
        apart = float(x) - float(y)
        margin = abs(apart) - max(plain(rel_tol) * max(abs(x), abs(y)), plain(abs_tol))
        side = -1.0 if apart < 0 else 1.0
        left, right = (
            (each.i, sign) if type(each) in ANY_TRACED else (0, 0.0) for each, sign in ((a, side), (b, -side))
        )
        return PREDICATES.seen(outcome, margin, left, right)

    return _alike(isclose, real)


def _alike(function: Any, real: Any) -> Any:
    function.__name__ = real.__name__
    function.__doc__ = real.__doc__
    return function


def _sum_of(real: Any) -> Any:
    """`math.fsum`, which rounds once."""

    def fsum(numbers: Any, /) -> Any:
        listed = list(numbers)
        places = [each.i for each in listed if type(each) in ANY_TRACED]
        result = real(plain(each) for each in listed)
        return scalar(result, TAPE.row(places, [1.0] * len(places))) if places else result

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
        if not any(type(each) in ANY_TRACED for each in (*listed, start)):
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
        if not any(type(each) in ANY_TRACED for one in given for each in one):
            return real(*given)
        a, b = ([plain(each) for each in one] for one in given)
        result = real(a, b)
        found = partials(a, b, result)
        entries = [
            (each.i, partial)
            for one, by in zip(given, found, strict=True)
            for each, partial in zip(one, by, strict=True)
            if type(each) in ANY_TRACED
        ]
        return scalar(result, TAPE.row([place for place, _ in entries], [partial for _, partial in entries]))

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
        if more or named or not any(type(each) in ANY_TRACED for each in listed):
            return real(listed, *more, **named)
        result = real([plain(each) for each in listed])
        places = [each.i for each in listed if type(each) in ANY_TRACED]
        return scalar(result, TAPE.row(places, [1 / len(listed)] * len(places)))

    return _alike(mean, real)


def _spread_of(real: Any, rooted: bool, lost: int) -> Any:
    """A variance or deviation of `statistics`; `lost` degrees of freedom."""

    def spread(data: Any, *more: Any, **named: Any) -> Any:
        listed = list(data)
        if more or named or not any(type(each) in ANY_TRACED for each in listed):
            return real(listed, *more, **named)
        values = [plain(each) for each in listed]
        result = real(values)
        middle = math.fsum(values) / len(values)
        scale = 2 / (len(values) - lost)
        scale = scale / (2 * result) if rooted and result else scale
        hanging = [(each.i, scale * (each.v - middle)) for each in listed if type(each) in ANY_TRACED]
        places = [place for place, _ in hanging]
        return scalar(result, TAPE.row(places, [partial for _, partial in hanging]))

    return _alike(spread, real)


def _harmonic_mean_of(real: Any) -> Any:
    def harmonic_mean(data: Any, weights: Any = None) -> Any:
        listed = list(data)
        shares: list[Any] = [1] * len(listed) if weights is None else list(weights)
        if not any(type(each) in ANY_TRACED for each in (*listed, *shares)):
            return real(listed, weights if weights is None else shares)
        values, parts = [plain(each) for each in listed], [plain(each) for each in shares]
        result = real(values, None if weights is None else parts)
        total = math.fsum(parts)
        hanging = [
            (each.i, result * result * part / (total * value * value) if value else 0.0)
            for each, value, part in zip(listed, values, parts, strict=True)
            if type(each) in ANY_TRACED
        ] + [
            (each.i, result / total - result * result / (total * value) if value else 0.0)
            for each, value in zip(shares, values, strict=True)
            if type(each) in ANY_TRACED
        ]
        return written(result, [place for place, _ in hanging], [partial for _, partial in hanging])

    return _alike(harmonic_mean, real)


def _of_math() -> dict[str, Any]:
    made: dict[str, Any] = {
        name: _one(getattr(math, name), derivative) for name, derivative in _DERIVATIVES.items() if hasattr(math, name)
    }
    made |= {
        "log": _several(math.log, _log), "pow": _several(math.pow, _power), "hypot": _several(math.hypot, _hypotenuse),
        "atan2": _several(math.atan2, _angle), "copysign": _several(math.copysign, _signed),
        "fmod": _several(math.fmod, _modulo), "fsum": _sum_of(math.fsum), "prod": _product_of(math.prod),
        "dist": _of_two_lists(math.dist, _apart), "remainder": _several(math.remainder, _remainder),
        "ldexp": _several(math.ldexp, _scaled), "modf": _parts(math.modf, lambda found: 1.0, 0),
        "frexp": _parts(math.frexp, lambda found: math.ldexp(1.0, -found[1]), 0), "isclose": _close(math.isclose),
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
    made["harmonic_mean"] = _harmonic_mean_of(statistics.harmonic_mean)
    return made


_replaced: list[tuple[Any, str, Any]] = []


def installed(marked: Callable[[Any, tuple[Any, ...]], Any]) -> None:
    """Put the functions in their places; `marked` makes inputs of what the program marks itself.

    Modules of the standard library that took functions of `math` by name get them too.
    """
    import random
    import statistics

    from mlvet import provenance

    of_math = _of_math()
    for module, made in (
        (math, of_math),
        (statistics, _of_statistics()),
        (builtins, {"sum": _builtin_sum(builtins.sum)}),
    ):
        for name, function in made.items():
            _replace(module, name, function)
    real = {id(value): of_math[name] for _, name, value in _replaced if name in of_math}
    for module in (statistics, random):
        for name, function in list(vars(module).items()):
            if id(function) in real:
                _replace(module, name, real[id(function)])
    _replace(statistics.NormalDist, "__init__", _normal(statistics.NormalDist.__init__))
    provenance.replayed(marked)


def _replace(holder: Any, name: str, function: Any) -> None:
    _replaced.append((holder, name, getattr(holder, name)))
    setattr(holder, name, function)


def _normal(real: Any) -> Any:
    """`statistics.NormalDist`, which makes plain floats of what it is given."""

    def __init__(self: Any, mu: Any = 0.0, sigma: Any = 1.0) -> None:  # noqa: N807
        real(self, plain(_single(mu)), plain(_single(sigma)))
        if type(mu) in ANY_TRACED or type(sigma) in ANY_TRACED:
            self._mu, self._sigma = (
                traced(float(each.v), each.i) if type(each) in ANY_TRACED else float(each) for each in (mu, sigma)
            )

    return __init__


def removed() -> None:
    """The functions are as before."""
    while _replaced:
        setattr(*_replaced.pop())
