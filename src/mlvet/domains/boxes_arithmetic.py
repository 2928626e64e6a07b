"""The arithmetic of boxes: sums, products, quotients, the smaller and the greater, conversion."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from mlvet.domains.boxes_lattice import Box, boxed
from mlvet.domains.boxes_rounding import Format, fit, flushed, format_of
from mlvet.domains.dtypes import DType, Kind

_LONG = np.int64((1 << 27) - 1)
_MANTISSA = np.int64((1 << 52) - 1)
_MOST = float(np.finfo(np.float64).max)


@np.errstate(all="ignore")
def add(x: Box, y: Box, dtype: DType) -> Box:
    return _sum(x.low, x.high, y.low, y.high, x.nan | y.nan, format_of(dtype))


@np.errstate(all="ignore")
def sub(x: Box, y: Box, dtype: DType) -> Box:
    return _sum(x.low, x.high, -y.high, -y.low, x.nan | y.nan, format_of(dtype))


@np.errstate(all="ignore")
def mul(x: Box, y: Box, dtype: DType) -> Box:
    xl, xh, yl, yh, nan = x.low, x.high, y.low, y.high, x.nan | y.nan
    a, b, c, d = xl * yl, xl * yh, xh * yl, xh * yh
    low, high = np.fmin(np.fmin(a, b), np.fmin(c, d)), np.fmax(np.fmax(a, b), np.fmax(c, d))
    if not _short(xl, xh, yl, yh):
        products = ((a, xl, yl), (b, xl, yh), (c, xh, yl), (d, xh, yh))
        low, high = _outward(low, products, -inf), _outward(high, products, inf)
    if not _all(np.isfinite((xh - xl) + (yh - yl) + (high - low))):
        low, high = _from_finite(low, high, xl, xh, yl, yh)
        infinite_x, infinite_y = np.maximum(-xl, xh) == inf, np.maximum(-yl, yh) == inf
        nan = nan | ((xl <= 0) & (xh >= 0) & infinite_y) | ((yl <= 0) & (yh >= 0) & infinite_x)
        low, high = np.where(np.isnan(low), 0.0, low), np.where(np.isnan(high), 0.0, high)
        return numbers(low, high, nan, (xl > xh) | (yl > yh), format_of(dtype))
    return fit(low, high, nan, format_of(dtype))


@np.errstate(all="ignore")
def square(x: Box, dtype: DType) -> Box:
    """The product of each number with itself."""
    low, high = magnitudes(x.low, x.high)
    down, up = low * low, high * high
    if not _short(low, high):
        down, up = _outward(down, ((down, low, low),), -inf), _outward(up, ((up, high, high),), inf)
    return numbers(down, up, x.nan, low > high, format_of(dtype))


@np.errstate(all="ignore")
def div(x: Box, y: Box, dtype: DType) -> Box:
    """The quotient of numbers; for integers whichever way it is rounded. A divisor of zero may have either sign."""
    form = format_of(dtype)
    xl, xh, nan = x.low, x.high, x.nan | y.nan
    yl, yh = operand(y, form)
    zero = (yl <= 0) & (yh >= 0)
    negative = yh < 0
    if np.count_nonzero(negative):
        xl, xh = np.where(negative, -xh, xl), np.where(negative, -xl, xh)
        yl, yh = np.where(negative, -yh, yl), np.where(negative, -yl, yh)
    low, high = _quotient(xl, np.where(xl >= 0, yh, yl), -inf), _quotient(xh, np.where(xh >= 0, yl, yh), inf)
    if np.count_nonzero(zero):
        low, high = np.where(zero, -inf, low), np.where(zero, inf, high)
    if not _all(np.isfinite(high - low + (xh - xl) + (yh - yl))):
        low, high = _from_finite(low, high, xl, xh, yl, yh)
        infinite = (np.maximum(-xl, xh) == inf) & (np.maximum(-yl, yh) == inf)
        nan = nan | infinite | (zero & (xl <= 0) & (xh >= 0))
        return numbers(low, high, nan, (xl > xh) | (yl > yh), form)
    return fit(low, high, nan, form)


@np.errstate(all="ignore")
def neg(x: Box, dtype: DType) -> Box:
    form = format_of(dtype)
    if form.has_infinity:
        return boxed(-x.high, -x.low, x.nan)
    return fit(-x.high, -x.low, x.nan, form)


@np.errstate(all="ignore")
def absolute(x: Box, dtype: DType) -> Box:
    form = format_of(dtype)
    low, high = magnitudes(x.low, x.high)
    return boxed(low, high, x.nan) if form.has_infinity else fit(low, high, x.nan, form)


def minimum(x: Box, y: Box) -> Box:
    """The smaller of two; NaN if either is."""
    return _chosen(np.minimum(x.low, y.low), np.minimum(x.high, y.high), x, y)


def maximum(x: Box, y: Box) -> Box:
    """The greater of two; NaN if either is."""
    return _chosen(np.maximum(x.low, y.low), np.maximum(x.high, y.high), x, y)


@np.errstate(all="ignore")
def cast(x: Box, source: DType, target: DType) -> Box:
    """The values after conversion: a float loses its fraction in an integer, which may be any for infinity and NaN."""
    form = format_of(target)
    low, high = operand(x, format_of(source))
    if target.kind is Kind.BOOL:
        zero = (low <= 0) & (high >= 0)
        some = x.nan | (low < 0) | (high > 0)
        return numbers(np.where(zero, 0.0, 1.0), np.where(some, 1.0, 0.0), x.nan & False, (low > high) & ~x.nan, form)
    if form.integer:
        low, high = np.trunc(low), np.trunc(high)
    return fit(low, high, x.nan, form)


def operand(x: Box, form: Format) -> tuple[Any, Any]:
    """The ends of an operand, which may be read as zero where it is not normal."""
    return flushed(x.low, x.high, form) if form.smallest else (x.low, x.high)


def numbers(low: Any, high: Any, nan: Any, empty: Any, form: Format) -> Box:
    """Real ends in a format, without a number where `empty`."""
    if np.count_nonzero(empty):
        low, high = np.where(empty, inf, low), np.where(empty, -inf, high)
    return fit(low, high, nan, form)


def _chosen(low: Any, high: Any, x: Box, y: Box) -> Box:
    empty = (x.low > x.high) | (y.low > y.high)
    if np.count_nonzero(empty):
        low, high = np.where(empty, inf, low), np.where(empty, -inf, high)
    return boxed(low, high, x.nan | y.nan)


def _sum(xl: Any, xh: Any, yl: Any, yh: Any, nan: Any, form: Format) -> Box:
    low, high = xl + yl, xh + yh
    below, above = _lost(xl, yl, low) < 0, _lost(xh, yh, high) > 0
    if np.count_nonzero(below | above):
        low = np.where(below, np.nextafter(low, -inf), low)
        high = np.where(above, np.nextafter(high, inf), high)
    if not _all(np.isfinite(high - low)):
        low, high = _from_finite(low, high, xl, xh, yl, yh)
        low, high = np.where(np.isnan(low), -inf, low), np.where(np.isnan(high), inf, high)
        nan = nan | ((xh == inf) & (yl == -inf)) | ((xl == -inf) & (yh == inf))
        return numbers(low, high, nan, (xl > xh) | (yl > yh), form)
    return fit(low, high, nan, form)


def _from_finite(low: Any, high: Any, xl: Any, xh: Any, yl: Any, yh: Any) -> tuple[Any, Any]:
    """Ends of a result of finite numbers: what is too large for 64 bits is at least the largest of them."""
    finite = np.isfinite(xl) & np.isfinite(xh) & np.isfinite(yl) & np.isfinite(yh)
    return np.where(finite, np.minimum(low, _MOST), low), np.where(finite, np.maximum(high, -_MOST), high)


def _lost(a: Any, b: Any, total: Any) -> Any:
    """What rounding took from a sum; NaN where something is infinite."""
    part = total - a
    return (a - (total - part)) + (b - part)


def _short(*ends: Any) -> bool:
    """Whether all numbers have at most 26 bits, so that their products are exact."""
    together = _bits(ends[0])
    for end in ends[1:]:
        together = together | _bits(end)
    return not np.count_nonzero(together & _LONG)


def _outward(end: Any, products: Sequence[tuple[Any, Any, Any]], outward: float) -> Any:
    """The least or greatest of some products, one float outward unless each product that attains it is exact.

    A product with a power of two is exact, and one that is zero is as near to zero as the numbers are.
    """
    inexact: Any = False
    for product, a, b in products:
        p, q = _bits(a), _bits(b)
        exact = (((p | q) & _LONG) == 0) | ((p & _MANTISSA) == 0) | ((q & _MANTISSA) == 0)
        inexact = inexact | ((product == end) & ~exact)
    return np.where(inexact & (end != 0), np.nextafter(end, outward), end)


def _quotient(a: Any, b: Any, outward: float) -> Any:
    result = a / b
    exact = (((_bits(result) | _bits(b)) & _LONG) == 0) & (result * b == a)
    if not _all(exact):
        exact = exact | (result == 0) | ((_bits(b) & _MANTISSA) == 0) | np.isinf(a)
        result = np.where(exact, result, np.nextafter(result, outward))
        result = np.where(np.isnan(result), outward, result)
    return result


def _all(flags: Any) -> bool:
    return bool(np.count_nonzero(flags) == flags.size)


def _bits(value: Any) -> Any:
    return np.asarray(value).view(np.int64)


def magnitudes(low: Any, high: Any) -> tuple[Any, Any]:
    """The ends of the absolute values; no number stays no number."""
    return np.maximum(np.maximum(low, -high), 0.0), np.maximum(high, -low)
