"""The arithmetic of boxes: sums, products, quotients, the smaller and the greater, conversion."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from mlvet.domains.boxes_lattice import Box, boxed
from mlvet.domains.boxes_rounding import Format, fit, flushed, format_of
from mlvet.domains.dtypes import DType, Kind

_LONG = np.int64((1 << 27) - 1)
_MANTISSA = np.int64((1 << 52) - 1)


@np.errstate(all="ignore")
def add(x: Box, y: Box, dtype: DType) -> Box:
    form = format_of(dtype)
    xl, xh, yl, yh = _operands(x, y, form)
    return _sum(xl, xh, yl, yh, x.nan | y.nan, form)


@np.errstate(all="ignore")
def sub(x: Box, y: Box, dtype: DType) -> Box:
    form = format_of(dtype)
    xl, xh, yl, yh = _operands(x, y, form)
    return _sum(xl, xh, -yh, -yl, x.nan | y.nan, form)


@np.errstate(all="ignore")
def mul(x: Box, y: Box, dtype: DType) -> Box:
    form = format_of(dtype)
    xl, xh, yl, yh = _operands(x, y, form)
    nan = x.nan | y.nan
    infinite_x, infinite_y = np.maximum(-xl, xh) == inf, np.maximum(-yl, yh) == inf
    if (infinite_x | infinite_y).any():
        nan = nan | ((xl <= 0) & (xh >= 0) & infinite_y) | ((yl <= 0) & (yh >= 0) & infinite_x)
    a, b, c, d = xl * yl, xl * yh, xh * yl, xh * yh
    low, high = np.fmin(np.fmin(a, b), np.fmin(c, d)), np.fmax(np.fmax(a, b), np.fmax(c, d))
    low, high = _outward(low, high, _exact_products(xl, xh, yl, yh))
    if not (low <= high).all():
        low, high = np.where(np.isnan(low), 0.0, low), np.where(np.isnan(high), 0.0, high)
    return numbers(low, high, nan, (xl > xh) | (yl > yh), form)


@np.errstate(all="ignore")
def square(x: Box, dtype: DType) -> Box:
    """The product of each number with itself."""
    form = format_of(dtype)
    low, high = magnitudes(*operand(x, form))
    down, up = _outward(low * low, high * high, _exact_products(low, high, low, high))
    return numbers(down, up, x.nan, low > high, form)


@np.errstate(all="ignore")
def div(x: Box, y: Box, dtype: DType) -> Box:
    """The quotient of numbers; for integers whichever way it is rounded. A divisor of zero may have either sign."""
    form = format_of(dtype)
    xl, xh, yl, yh = _operands(x, y, form)
    zero = (yl <= 0) & (yh >= 0)
    infinite = (np.maximum(-xl, xh) == inf) & (np.maximum(-yl, yh) == inf)
    nan = x.nan | y.nan | infinite | (zero & (xl <= 0) & (xh >= 0))
    negative = yh < 0
    if negative.any():
        xl, xh = np.where(negative, -xh, xl), np.where(negative, -xl, xh)
        yl, yh = np.where(negative, -yh, yl), np.where(negative, -yl, yh)
    low, high = _quotient(xl, np.where(xl >= 0, yh, yl), -inf), _quotient(xh, np.where(xh >= 0, yl, yh), inf)
    if zero.any():
        low, high = np.where(zero, -inf, low), np.where(zero, inf, high)
    return numbers(low, high, nan, (xl > xh) | (yl > yh), form)


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
    """The values after conversion. Floats lose their fraction in integers, where infinity and NaN may become anything."""
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


def _operands(x: Box, y: Box, form: Format) -> tuple[Any, Any, Any, Any]:
    return *operand(x, form), *operand(y, form)


def numbers(low: Any, high: Any, nan: Any, empty: Any, form: Format) -> Box:
    """Real ends in a format, without a number where `empty`."""
    if empty.any():
        low, high = np.where(empty, inf, low), np.where(empty, -inf, high)
    return fit(low, high, nan, form)


def _chosen(low: Any, high: Any, x: Box, y: Box) -> Box:
    empty = (x.low > x.high) | (y.low > y.high)
    if empty.any():
        low, high = np.where(empty, inf, low), np.where(empty, -inf, high)
    return boxed(low, high, x.nan | y.nan)


def _sum(xl: Any, xh: Any, yl: Any, yh: Any, nan: Any, form: Format) -> Box:
    low, high = xl + yl, xh + yh
    lost_low, lost_high = _lost(xl, yl, low), _lost(xh, yh, high)
    exact = (lost_low == 0) & (lost_high == 0)
    if not exact.all():
        endless = np.isinf(xl) | np.isinf(yl)
        low = np.where((lost_low >= 0) | endless, low, np.nextafter(low, -inf))
        low = np.where(np.isnan(low), -inf, low)
        endless = np.isinf(xh) | np.isinf(yh)
        high = np.where((lost_high <= 0) | endless, high, np.nextafter(high, inf))
        high = np.where(np.isnan(high), inf, high)
        nan = nan | ((xh == inf) & (yl == -inf)) | ((xl == -inf) & (yh == inf))
    return numbers(low, high, nan, (xl > xh) | (yl > yh), form)


def _lost(a: Any, b: Any, total: Any) -> Any:
    """What rounding took from a sum; NaN where something is infinite."""
    part = total - a
    return (a - (total - part)) + (b - part)


def _exact_products(xl: Any, xh: Any, yl: Any, yh: Any) -> Any:
    """Where the products of ends are sure to fit in 53 bits: short factors, or factors that are powers of two."""
    x, y = _bits(xl) | _bits(xh), _bits(yl) | _bits(yh)
    short = ((x | y) & _LONG) == 0
    if short.all():
        return short
    return (
        short
        | ((_bits(xl) & _MANTISSA) == 0) & ((_bits(xh) & _MANTISSA) == 0)
        | (((_bits(yl) & _MANTISSA) == 0) & ((_bits(yh) & _MANTISSA) == 0))
    )


def _outward(low: Any, high: Any, exact: Any) -> tuple[Any, Any]:
    """Ends one float apart where they are not exact; zero keeps its sign of both sides."""
    if exact.all():
        return low, high
    low = np.where(exact | (low == 0), low, np.nextafter(low, -inf))
    return low, np.where(exact | (high == 0), high, np.nextafter(high, inf))


def _quotient(a: Any, b: Any, outward: float) -> Any:
    result = a / b
    short = ((_bits(result) | _bits(b)) & _LONG) == 0
    exact = (short & (result * b == a)) | (a == 0) | np.isinf(b) | np.isinf(a) | ((_bits(b) & _MANTISSA) == 0)
    if not exact.all():
        result = np.where(exact, result, np.nextafter(result, outward))
    return np.where(np.isnan(result), outward, result)


def _bits(value: Any) -> Any:
    return np.asarray(value).view(np.int64)


def magnitudes(low: Any, high: Any) -> tuple[Any, Any]:
    """The ends of the absolute values; no number stays no number."""
    return np.maximum(np.maximum(low, -high), 0.0), np.maximum(high, -low)
