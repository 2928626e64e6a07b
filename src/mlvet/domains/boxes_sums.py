"""Sums over the cells of a box, in whichever order and grouping they are computed."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.boxes_arithmetic import numbers, operand
from mlvet.domains.boxes_lattice import Box
from mlvet.domains.boxes_rounding import Format, format_of
from mlvet.domains.dtypes import DType

_UNIT = 2.0**-53


@np.errstate(all="ignore")
def total(
    x: Box, counts: NDArray[Any] | float, dtype: DType, axes: int | Sequence[int] | None, keepdims: bool = False
) -> Box:
    """The sums over some axes (None: all), in which the number of a cell occurs as often as `counts` says.

    A computed sum of n terms grows with each term whichever way it is grouped, so that the sum of the low ends and of
    the high ends bound it, each up to (n - 1) roundings of its magnitude. Terms of one sign add up to no less than the
    largest of them. A partial sum is bounded by the terms of one sign and may be infinite though the sum is not.
    """
    form = format_of(dtype)
    over: Any = tuple(axes) if isinstance(axes, Sequence) else axes
    times = np.broadcast_to(np.asarray(counts, np.float64), x.shape)
    present = times > 0
    n = np.add.reduce(times, axis=over, keepdims=keepdims)
    nan = np.logical_or.reduce(x.nan & present, axis=over, keepdims=keepdims)
    empty = np.logical_or.reduce((x.low > x.high) & present, axis=over, keepdims=keepdims)
    xl, xh = operand(x, form)
    if not present.all() or empty.any():
        used = present & (xl <= xh)
        xl, xh = np.where(used, xl, 0.0), np.where(used, xh, 0.0)
    cells = x.size // max(n.size, 1)
    low, fall = _lower(xl, times, present, n, cells, form, over, keepdims)
    high, rise = _lower(-xh, times, present, n, cells, form, over, keepdims)
    high, rise = -high, -rise
    if not form.integer:
        below, above = (fall < form.least) & (n > 1), (rise > form.largest) & (n > 1)
        nan = nan | ((below | (fall == -inf)) & (above | (rise == inf)))
        low, high = np.where(below, np.minimum(low, fall), low), np.where(above, np.maximum(high, rise), high)
    return numbers(low, high, nan, empty, form)


def _lower(
    low: Any, times: Any, present: Any, n: Any, cells: int, form: Format, over: Any, keepdims: bool
) -> tuple[Any, Any]:
    """The low end of the sums of low ends, and the low end of their partial sums."""

    def reduce(values: Any) -> Any:
        return np.add.reduce(values, axis=over, keepdims=keepdims)

    weighted = low * times
    negative = np.minimum(weighted, 0.0)
    fall = reduce(negative)
    plain = reduce(weighted)
    magnitude = plain - 2 * fall
    whole = np.logical_and.reduce(low == np.rint(low), axis=over, keepdims=keepdims)
    span = 2.0**53 if form.integer else 2.0 / form.epsilon
    exact = (whole & (magnitude <= span)) | (n <= 1)
    share = np.where(exact, 0.0, (n - 1) * form.epsilon + (cells + 2) * _UNIT)
    mixed = (fall < 0) & (plain > fall)
    slack = share * magnitude + np.where(mixed & ~exact, n * form.smallest, 0.0)
    bound = np.where(np.isfinite(magnitude), plain - slack, np.where(fall > -inf, plain, -inf))
    one_signed = np.maximum.reduce(np.where(present, low, -inf), axis=over, keepdims=keepdims, initial=-inf)
    bound = np.where((fall == 0) & (n > 0), np.maximum(bound, one_signed), bound)
    return bound, np.where(fall == 0, 0.0, fall - slack)
