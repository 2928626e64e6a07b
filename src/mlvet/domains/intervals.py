"""Intervals of numbers, rounded outward to the values that an element type has.

An interval holds every number that a computation in its element type can yield, whichever way each step rounds. An end
that is infinite means that the value infinity itself is possible; NaN is a flag beside the ends. Integers wrap, so
that one step out of their range makes all values possible. A format without infinities yields NaN where it overflows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf, isfinite, isnan, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers from `low` to `high`, both included, and NaN if `nan`. With low above high there is no number."""

    low: float
    high: float
    nan: bool = False

    @property
    def empty(self) -> bool:
        """Whether it holds no number; it may still hold NaN."""
        return self.low > self.high

    @property
    def finite(self) -> bool:
        """Whether neither infinity nor NaN is possible."""
        return not self.nan and (self.empty or (isfinite(self.low) and isfinite(self.high)))

    @property
    def width(self) -> float:
        return 0.0 if self.empty or self.low == self.high else self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.nan if isnan(value) else self.low <= value <= self.high

    def covers(self, other: Interval) -> bool:
        """Whether everything that the other holds is in this one."""
        return (self.nan or not other.nan) and (other.empty or (self.low <= other.low and other.high <= self.high))

    def join(self, other: Interval) -> Interval:
        """The smallest interval that holds both."""
        return Interval(min(self.low, other.low), max(self.high, other.high), self.nan or other.nan)

    def meet(self, other: Interval) -> Interval:
        """What both hold."""
        low, high, nan = max(self.low, other.low), min(self.high, other.high), self.nan and other.nan
        return Interval(low, high, nan) if low <= high else Interval(inf, -inf, nan)

    def __str__(self) -> str:
        numbers = "no number" if self.empty else f"[{self.low:g}, {self.high:g}]"
        return numbers + (" or NaN" if self.nan else "")


EMPTY = Interval(inf, -inf)
REALS = Interval(-inf, inf)
ANY = Interval(-inf, inf, True)


def point(value: float) -> Interval:
    """The interval of one value."""
    return Interval(inf, -inf, True) if isnan(value) else Interval(value, value)


def whole(dtype: DType) -> Interval:
    """Everything that an element type can hold, in both parts if it has two; text holds no number."""
    if dtype.kind is Kind.TEXT:
        return EMPTY
    if dtype.kind is Kind.COMPLEX:
        return ANY
    if dtype.is_float:
        return Interval(-inf, inf, True) if _has_infinity(dtype) else Interval(dtype.least, dtype.largest, True)
    return Interval(dtype.least, dtype.largest)


def of_array(array: NDArray[Any]) -> Interval:
    """The smallest interval of the elements of an array; of complex numbers it holds both parts."""
    if array.dtype.kind == "c":
        return of_array(array.real).join(of_array(array.imag))
    values = np.asarray(array, dtype=np.float64)
    numbers = values[~np.isnan(values)]
    nan = numbers.size < values.size
    if not numbers.size:
        return Interval(inf, -inf, nan)
    return _widened_integers(array, Interval(float(numbers.min()), float(numbers.max()), nan))


def cast(x: Interval, dtype: DType) -> Interval:
    """The values after conversion to an element type; what becomes of infinity and NaN in an integer is open."""
    if dtype.kind is Kind.TEXT or (dtype.kind in (Kind.BOOL, Kind.SIGNED, Kind.UNSIGNED) and not x.finite):
        return whole(dtype)
    return _fit(x.low, x.high, x.nan, dtype)


def add(x: Interval, y: Interval, dtype: DType) -> Interval:
    if x.empty or y.empty:
        return _nothing(x, y)
    nan = (x.high == inf and y.low == -inf) or (x.low == -inf and y.high == inf)
    low, high = _sum(x.low, y.low, -inf), _sum(x.high, y.high, inf)
    return _fit(low, high, nan or x.nan or y.nan, dtype)


def sub(x: Interval, y: Interval, dtype: DType) -> Interval:
    return add(x, Interval(-y.high, -y.low, y.nan), dtype)


def mul(x: Interval, y: Interval, dtype: DType) -> Interval:
    if x.empty or y.empty:
        return _nothing(x, y)
    nan = (0 in x and not _bounded(y)) or (0 in y and not _bounded(x))
    corners = [(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    low = min(_product(a, b, -inf) for a, b in corners)
    high = max(_product(a, b, inf) for a, b in corners)
    return _fit(low, high, nan or x.nan or y.nan, dtype)


def div(x: Interval, y: Interval, dtype: DType) -> Interval:
    """The quotient of numbers; for integers whichever way it is rounded."""
    if x.empty or y.empty:
        return _nothing(x, y)
    nan = x.nan or y.nan or (0 in x and 0 in y) or not (_bounded(x) or _bounded(y))
    if 0 in y:
        return _fit(-inf, inf, nan, dtype)
    corners = [(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    low = min(_quotient(a, b, -inf) for a, b in corners)
    high = max(_quotient(a, b, inf) for a, b in corners)
    return _fit(low, high, nan, dtype)


def neg(x: Interval, dtype: DType) -> Interval:
    return _fit(-x.high, -x.low, x.nan, dtype)


def absolute(x: Interval, dtype: DType) -> Interval:
    if x.empty:
        return x
    low = 0.0 if 0 in x else min(abs(x.low), abs(x.high))
    return _fit(low, max(abs(x.low), abs(x.high)), x.nan, dtype)


def minimum(x: Interval, y: Interval) -> Interval:
    """The smaller of two; NaN if either is."""
    if x.empty or y.empty:
        return _nothing(x, y)
    return Interval(min(x.low, y.low), min(x.high, y.high), x.nan or y.nan)


def maximum(x: Interval, y: Interval) -> Interval:
    """The greater of two; NaN if either is."""
    if x.empty or y.empty:
        return _nothing(x, y)
    return Interval(max(x.low, y.low), max(x.high, y.high), x.nan or y.nan)


def monotone(
    function: Callable[[float], float],
    x: Interval,
    dtype: DType,
    *,
    increasing: bool = True,
    domain: Interval = REALS,
    image: Interval = REALS,
    steps: int = 4,
) -> Interval:
    """The values of a monotone function, NaN outside its domain.

    `steps` is by how many values of the element type an implementation may be off at an end; it never leaves `image`.
    """
    inside = Interval(x.low, x.high).meet(domain)
    nan = x.nan or not domain.covers(Interval(x.low, x.high))
    if inside.empty:
        return Interval(inf, -inf, nan)
    first, last = (inside.low, inside.high) if increasing else (inside.high, inside.low)
    low, high = _value(function, first, -inf), _value(function, last, inf)
    for _ in range(steps):
        low, high = _previous(low, dtype), _following(high, dtype)
    return _fit(max(low, image.low), min(high, image.high), nan, dtype)


def _fit(low: float, high: float, nan: bool, dtype: DType) -> Interval:
    """An interval of real numbers in an element type: rounded outward, and with what overflow makes of it."""
    if low > high:
        return Interval(inf, -inf, nan)
    if dtype.kind is Kind.COMPLEX:
        dtype = dtypes.f32 if dtype is dtypes.c64 else dtypes.f64
    if not dtype.is_float:
        down, up = float(np.floor(low)), float(np.ceil(high))
        return whole(dtype) if nan or down < dtype.least or up > dtype.largest else Interval(down, up)
    if _has_infinity(dtype):
        return Interval(_round_down(low, dtype), _round_up(high, dtype), nan)
    nan = nan or low < dtype.least or high > dtype.largest
    down, up = max(low, dtype.least), min(high, dtype.largest)
    if down > up:
        down = up = dtype.largest if low > dtype.largest else dtype.least
    return Interval(_round_down(down, dtype), _round_up(up, dtype), nan)


def _round_down(value: float, dtype: DType) -> float:
    """The greatest value of an element type that is not above."""
    if dtype is dtypes.f64 or not isfinite(value):
        return value
    if dtype.bits <= 8:
        values = _values(dtype)
        return values[max(bisect_right(values, value) - 1, 0)]
    with np.errstate(over="ignore", under="ignore"):
        rounded = np.float64(value).astype(dtype.numpy)
        return float(np.nextafter(rounded, dtype.numpy.type(-inf)) if float(rounded) > value else rounded)


def _round_up(value: float, dtype: DType) -> float:
    """The least value of an element type that is not below."""
    if dtype.bits <= 8 and isfinite(value):
        values = _values(dtype)
        return values[min(bisect_left(values, value), len(values) - 1)]
    return -_round_down(-value, dtype)


def _previous(value: float, dtype: DType) -> float:
    lower = nextafter(_round_down(value, dtype), -inf)
    return _round_down(lower, dtype) if isfinite(lower) else lower


def _following(value: float, dtype: DType) -> float:
    upper = nextafter(_round_up(value, dtype), inf)
    return _round_up(upper, dtype) if isfinite(upper) else upper


@cache
def _values(dtype: DType) -> list[float]:
    """Every number of a format of at most 8 bits in order."""
    codes = np.arange(2**dtype.bits, dtype=np.uint8).view(dtype.numpy).astype(np.float64)
    return sorted(set(codes[np.isfinite(codes)].tolist()))


@cache
def _has_infinity(dtype: DType) -> bool:
    if dtype.bits > 8:
        return True
    codes = np.arange(2**dtype.bits, dtype=np.uint8).view(dtype.numpy).astype(np.float64)
    return bool(np.isinf(codes).any())


def _sum(a: float, b: float, outward: float) -> float:
    total = a + b
    if not isfinite(total):
        return outward if isnan(total) else _overflow(total, outward, isfinite(a) and isfinite(b))
    exact = Fraction(a) + Fraction(b) == Fraction(total)
    return total if exact else nextafter(total, outward)


def _product(a: float, b: float, outward: float) -> float:
    if a == 0 or b == 0:
        return 0.0
    result = a * b
    if not isfinite(result):
        return _overflow(result, outward, isfinite(a) and isfinite(b))
    return result if Fraction(a) * Fraction(b) == Fraction(result) else nextafter(result, outward)


def _quotient(a: float, b: float, outward: float) -> float:
    if not isfinite(b):
        return nextafter(0.0, outward) if isfinite(a) and a else 0.0 if a == 0 else outward
    result = a / b
    if not isfinite(result):
        return _overflow(result, outward, isfinite(a))
    return result if Fraction(a) / Fraction(b) == Fraction(result) else nextafter(result, outward)


def _overflow(result: float, outward: float, from_finite: bool) -> float:
    """The largest finite number where a result of finite numbers is too large and the end must not be beyond it."""
    return nextafter(result, outward) if from_finite and result != outward else result


def _value(function: Callable[[float], float], at: float, outward: float) -> float:
    try:
        with np.errstate(all="ignore"):
            found = float(function(at))
    except (OverflowError, ValueError, ZeroDivisionError):
        return outward
    return outward if isnan(found) else found


def _bounded(x: Interval) -> bool:
    return isfinite(x.low) and isfinite(x.high)


def _nothing(x: Interval, y: Interval) -> Interval:
    return Interval(inf, -inf, x.nan or y.nan)


def _widened_integers(array: NDArray[Any], x: Interval) -> Interval:
    """Integers of 64 bits need not be floats of 64 bits; the ends are then the floats outside."""
    if array.dtype.kind not in "iu" or max(abs(x.low), abs(x.high)) < 2**53:
        return x
    return Interval(nextafter(x.low, -inf), nextafter(x.high, inf), x.nan)
