"""Sums over the cells of a box, in whichever order and grouping they are computed."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.boxes_arithmetic import numbers
from mlvet.domains.boxes_lattice import Box
from mlvet.domains.boxes_rounding import Format, format_of
from mlvet.domains.dtypes import DType

_UNIT = 2.0**-53
_MOST = float(np.finfo(np.float64).max)


@np.errstate(all="ignore")
def total(
    x: Box, counts: NDArray[Any] | float, dtype: DType, axes: int | Sequence[int] | None, keepdims: bool = False
) -> Box:
    """The sums over some axes (None: all), in which the number of a cell occurs as often as `counts` says.

    A computed sum of n terms grows with each term whichever way it is grouped, so that the sum of the low ends and of
    the high ends bound it, each up to (n - 1) roundings of its magnitude, and no more than the magnitude itself,
    because rounding moves a sum by less than the term added. Terms of one sign add up to no less than the
    largest of them. A partial sum is bounded by the terms of one sign and may be infinite though the sum is not.
    """
    form = format_of(dtype)
    options: Any = {"axis": tuple(axes) if isinstance(axes, Sequence) else axes, "keepdims": keepdims}
    times = np.broadcast_to(np.asarray(counts, np.float64), x.shape)
    xl, xh, nan, present = x.low, x.high, x.nan, times > 0
    n = np.asarray(np.add.reduce(times, **options))
    empty = np.logical_or.reduce((xl > xh) & present, **options)
    if np.count_nonzero(present) < present.size or np.count_nonzero(empty):
        used = present & (xl <= xh)
        xl, xh, nan = np.where(used, xl, 0.0), np.where(used, xh, 0.0), nan & present
    cells = x.size // max(n.size, 1)
    low, fall = _lower(xl, times, n, cells, form, options)
    high, rise = _lower(-xh, times, n, cells, form, options)
    high, rise, nan = -high, -rise, np.logical_or.reduce(nan, **options)
    if not form.integer:
        below, above = fall < form.least, rise > form.largest
        if np.count_nonzero(below | above):
            nan = nan | (below & above)
            low, high = np.where(below, np.minimum(low, fall), low), np.where(above, np.maximum(high, rise), high)
    return numbers(low, high, nan, empty, form)


def _lower(low: Any, times: Any, n: Any, cells: int, form: Format, options: Any) -> tuple[Any, Any]:
    """The low end of the sums of low ends, and the low end of their partial sums."""
    weighted = low * times
    fall = np.add.reduce(np.minimum(weighted, 0.0), **options)
    plain = np.add.reduce(weighted, **options)
    magnitude = plain - 2 * fall
    exact = np.logical_and.reduce(low == np.rint(low), **options)
    exact = (exact & (magnitude <= (2.0 / form.epsilon if form.epsilon else 2.0**53))) | (n <= 1)
    steps = np.minimum((n - 1) * form.epsilon * (1 + form.epsilon), 1.0)
    share = np.where(exact, 0.0, steps + (cells + 2) * _UNIT)
    flush = np.where((fall < 0) & (plain > fall) & ~exact, n * form.smallest, 0.0)
    bound = np.fmin(plain - (share * magnitude + flush), plain)
    largest = np.maximum.reduce(low, initial=-inf, **options)
    if not np.isfinite(magnitude).all():
        bound = np.where(largest < inf, np.minimum(bound, _MOST), bound)
        bound = np.where(np.isnan(plain), -inf, bound)
    return np.where((fall == 0) & (n > 0), np.maximum(bound, largest), bound), np.fmin(fall * (1 + share), fall)
