"""Powers and remainders of boxes."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from mlvet.domains.boxes_arithmetic import div, numbers, operand, square
from mlvet.domains.boxes_lattice import Box, boxed
from mlvet.domains.boxes_rounding import apart, format_of
from mlvet.domains.dtypes import DType

_ONE = boxed(1.0, 1.0, False)


def power(x: Box, y: Box, dtype: DType) -> Box:
    """The first to the power of the second.

    A negative base has a power only for an integer, and 0 has an infinite one for a negative exponent. 1 to the power
    of NaN is 1, and so is NaN to the power of 0.
    """
    if y.low.size == 1 and y.low.item() == y.high.item() and not y.nan.item() and len(y.shape) <= len(x.shape):
        exponent = y.low.item()
        if exponent == 1:
            return x
        if exponent == 2:
            return square(x, dtype)
        if exponent == -1:
            return div(_ONE, x, dtype)
    return _power(x, y, dtype)


@np.errstate(all="ignore")
def _power(x: Box, y: Box, dtype: DType) -> Box:
    form = format_of(dtype)
    (xl, xh), (yl, yh) = operand(x, form), operand(y, form)
    nan = x.nan | y.nan
    empty = (xl > xh) | (yl > yh)
    constant = yl == yh
    integral = constant & (yl == np.rint(yl)) & np.isfinite(yl)
    odd = integral & (np.fmod(yl, 2.0) != 0)
    positive = xh >= 0
    low, high = _corners(np.maximum(xl, 0.0), np.maximum(xh, 0.0), yl, yh)
    low, high = np.where(positive, low, inf), np.where(positive, high, -inf)
    mirrored = (xl < 0) | ((xl == 0) & (yl < 0))
    if mirrored.any():
        nan = nan | (~integral & (xl < 0) & (not form.integer))
        least, most = _corners(np.maximum(-xh, 0.0), np.maximum(-xl, 0.0), yl, yh)
        same, turned = mirrored & ~odd, mirrored & ~(integral & ~odd) & (odd | ~constant)
        same = same & (integral | ~constant | np.isinf(xl) | np.isinf(yl))
        low, high = np.where(same, np.minimum(low, least), low), np.where(same, np.maximum(high, most), high)
        low, high = np.where(turned, np.minimum(low, -most), low), np.where(turned, np.maximum(high, -least), high)
    kept = low <= high
    if not form.integer:
        down, up = apart(low, high, form, 4)
        low, high = np.where(low >= 0, np.maximum(down, 0.0), down), np.where(high <= 0, np.minimum(up, 0.0), up)
    elif (np.maximum(-low, high) >= 2.0**52).any():
        low, high = np.nextafter(low, -inf), np.nextafter(high, inf)
    found = numbers(low, high, nan, empty | ~kept, form)
    one = (y.nan & (xl <= 1) & (xh >= 1)) | (x.nan & (yl <= 0) & (yh >= 0))
    if not one.any():
        return found
    return boxed(
        np.where(one, np.minimum(found.low, 1), found.low),
        np.where(one, np.maximum(found.high, 1), found.high),
        found.nan,
    )


def _corners(xl: Any, xh: Any, yl: Any, yh: Any) -> tuple[Any, Any]:
    """The least and greatest power of a base that is not negative, which is monotone in both."""
    a, b, c, d = np.power(xl, yl), np.power(xl, yh), np.power(xh, yl), np.power(xh, yh)
    return np.minimum(np.minimum(a, b), np.minimum(c, d)), np.maximum(np.maximum(a, b), np.maximum(c, d))


@np.errstate(all="ignore")
def remainder(x: Box, y: Box, dtype: DType, *, floored: bool = True) -> Box:
    """What is left of a division: with the sign of the divisor if floored, otherwise with that of the dividend."""
    form = format_of(dtype)
    (xl, xh), (yl, yh) = operand(x, form), operand(y, form)
    nan = x.nan | y.nan | ((yl <= 0) & (yh >= 0)) | (xl == -inf) | (xh == inf)
    unit = 1.0 if form.integer else 0.0
    nearest = np.maximum(np.maximum(yl, -yh), 0.0)
    if floored:
        low, high = np.minimum(yl + unit, 0.0), np.maximum(yh - unit, 0.0)
        high = np.where(xl >= 0, np.minimum(high, np.maximum(xh, 0.0)), high)
        low = np.where(xh <= 0, np.maximum(low, np.minimum(xl, 0.0)), low)
        same = ((xl >= 0) & (yl > 0)) | ((xh <= 0) & (yh < 0))
    else:
        largest = np.maximum(yh, -yl) - unit
        low, high = np.where(xl < 0, np.maximum(-largest, xl), 0.0), np.where(xh > 0, np.minimum(largest, xh), 0.0)
        same = nearest > 0
    same = same & (np.maximum(xh, -xl) < nearest)
    low, high = np.where(same, xl, low), np.where(same, xh, high)
    empty = (xl > xh) | (yl > yh)
    nan = np.where(empty, x.nan | y.nan, nan)
    return numbers(low, high, nan, empty, form)
