"""Boxes of the values of functions of one variable, known by where they rise and fall."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import Any

import numpy as np

from mlvet.domains.boxes_arithmetic import operand
from mlvet.domains.boxes_lattice import Box
from mlvet.domains.boxes_rounding import apart, fit, format_of
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import REALS, Interval

Function = Callable[[Any], Any]
Domain = Interval | tuple[float, float, bool, bool]


def monotone(
    function: Function,
    x: Box,
    dtype: DType,
    *,
    increasing: bool = True,
    domain: Domain = REALS,
    image: Interval = REALS,
    steps: int = 4,
    absolute: float = 0.0,
) -> Box:
    """The values of a monotone function, NaN outside its domain.

    The function takes arrays of 64-bit floats. `steps` is by how many values of the element type an implementation may
    be off at an end, and `absolute` by how many epsilons besides; it never leaves `image`. At an end of its domain,
    open or not, the function has the value that it computes there, such as -inf for the logarithm of 0.
    """
    return _ranged(function, (), x, dtype, 1 if increasing else -1, domain, image, steps, absolute)


def piecewise(
    function: Function,
    turns: Iterable[float],
    x: Box,
    dtype: DType,
    *,
    domain: Domain = REALS,
    image: Interval = REALS,
    steps: int = 4,
    absolute: float = 0.0,
) -> Box:
    """The values of a continuous function that is monotone between its turns; otherwise as `monotone`."""
    return _ranged(function, turns, x, dtype, 0, domain, image, steps, absolute)


@np.errstate(all="ignore")
def _ranged(
    function: Function, turns: Iterable[float], x: Box, dtype: DType, slope: int, domain: Domain, image: Interval,
    steps: int, absolute: float,
) -> Box:  # fmt: skip
    form = format_of(dtype)
    first, last = (domain.low, domain.high) if isinstance(domain, Interval) else domain[:2]
    xl, xh = operand(x, form)
    nan = x.nan
    if first > -inf or last < inf:
        nan = nan | ((xl <= xh) & ((xl < first) | (xh > last)))
        xl, xh = np.maximum(xl, first), np.minimum(xh, last)
    empty = xl > xh
    if empty.any():
        inside = first if first > -inf else last if last < inf else 0.0
        xl, xh = np.where(empty, inside, xl), np.where(empty, inside, xh)
    a = function(xl)
    b = a if xh is xl else function(xh)
    low, high = (a, b) if slope > 0 else (b, a) if slope < 0 else (np.fmin(a, b), np.fmax(a, b))
    undefined = np.isnan(a) | np.isnan(b)
    for turn in turns:
        within = (xl < turn) & (turn < xh)
        if within.any():
            value = np.float64(function(np.float64(turn)))
            low = np.where(within & ~(low <= value), value, low)
            high = np.where(within & ~(high >= value), value, high)
    if undefined.any():
        nan = nan | (undefined & ~empty)
        low, high = np.where(undefined, -inf, low), np.where(undefined, inf, high)
    if steps and not form.integer:
        low, high = apart(low, high, form, steps, absolute)
    low, high = np.maximum(low, image.low), np.minimum(high, image.high)
    if empty.any():
        low, high = np.where(empty, inf, low), np.where(empty, -inf, high)
    return fit(low, high, nan, form)
