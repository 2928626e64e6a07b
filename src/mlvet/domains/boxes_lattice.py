"""Boxes as sets: how they are made, joined, met, compared, widened and brought back to one interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.intervals import Interval

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """The numbers from `low` to `high` of each cell, and NaN where `nan`; three arrays of one shape.

    A cell without a number has the ends inf and -inf.
    """

    low: Floats
    high: Floats
    nan: Flags

    @property
    def shape(self) -> tuple[int, ...]:
        return self.low.shape

    @property
    def size(self) -> int:
        return self.low.size

    @property
    def empty(self) -> Flags:
        """Where there is no number."""
        return np.asarray(self.low > self.high)

    @property
    def finite(self) -> Flags:
        """Where neither infinity nor NaN is possible."""
        return np.asarray(~self.nan & ((self.low > -inf) & (self.high < inf) | (self.low > self.high)))

    def map(self, function: Callable[[NDArray[Any]], NDArray[Any]]) -> Box:
        """The box whose arrays are rearranged alike, as by a reshape or a slice."""
        return boxed(function(self.low), function(self.high), function(self.nan))

    def __str__(self) -> str:
        return f"{smashed(self)} in shape {self.shape}"


def boxed(low: Any, high: Any, nan: Any) -> Box:
    """A box of arrays, also where NumPy made scalars of arrays without axes."""
    return Box(np.asarray(low), np.asarray(high), np.asarray(nan))


def of_interval(interval: Interval, shape: tuple[int, ...] = ()) -> Box:
    """A box with the same interval in each cell."""
    low, high = (inf, -inf) if interval.empty else (_not_above(interval.low), _not_below(interval.high))
    return Box(np.full(shape, low), np.full(shape, high), np.full(shape, interval.nan))


def smashed(x: Box) -> Interval:
    """The interval of all cells together."""
    if x.low.size == 1:
        return Interval(x.low.item(), x.high.item(), x.nan.item())
    if not x.low.size:
        return Interval(inf, -inf)
    return Interval(float(x.low.min()), float(x.high.max()), bool(x.nan.any()))


def join(x: Box, y: Box) -> Box:
    """Cell by cell the smallest interval that holds both."""
    return boxed(np.minimum(x.low, y.low), np.maximum(x.high, y.high), x.nan | y.nan)


def meet(x: Box, y: Box) -> Box:
    """Cell by cell what both hold."""
    return emptied(np.maximum(x.low, y.low), np.minimum(x.high, y.high), x.nan & y.nan)


def covers(x: Box, y: Box) -> bool:
    """Whether the first box holds everything that the second holds, cell by cell."""
    numbers = (y.low > y.high) | ((x.low <= y.low) & (y.high <= x.high))
    return bool((numbers & (x.nan | ~y.nan)).all())


def hull(x: Box, axes: int | Sequence[int] | None, keepdims: bool = True) -> Box:
    """The join over some axes; None is all of them."""
    options: Any = {"axis": tuple(axes) if isinstance(axes, Sequence) else axes, "keepdims": keepdims}
    low = np.minimum.reduce(x.low, initial=inf, **options)
    high = np.maximum.reduce(x.high, initial=-inf, **options)
    return boxed(low, high, np.logical_or.reduce(x.nan, **options))


def widen(old: Box, new: Box, thresholds: Floats) -> Box:
    """A box that holds both, in which an end that moved has jumped to the next of the sorted thresholds."""
    steps = np.concatenate(([-inf], thresholds, [inf]))
    below = steps[np.searchsorted(steps, new.low, side="right") - 1]
    above = steps[np.minimum(np.searchsorted(steps, new.high, side="left"), steps.size - 1)]
    fresh, gone = old.low > old.high, new.low > new.high
    low = np.where(gone | (new.low >= old.low), old.low, np.where(fresh, new.low, below))
    high = np.where(gone | (new.high <= old.high), old.high, np.where(fresh, new.high, above))
    return boxed(low, high, old.nan | new.nan)


def narrow(old: Box, new: Box) -> Box:
    """What both hold: the step down from a box that a loop preserves. The caller bounds the number of steps."""
    return meet(old, new)


def emptied(low: Any, high: Any, nan: Any) -> Box:
    """A box of ends that may have crossed, which leaves no number."""
    crossed = low > high
    if np.count_nonzero(crossed):
        return boxed(np.where(crossed, inf, low), np.where(crossed, -inf, high), nan)
    return boxed(low, high, nan)


def _not_above(value: float) -> float:
    """The greatest float that is not above, as an end may be an integer that no float is."""
    close = float(value)
    return nextafter(close, -inf) if close > value else close


def _not_below(value: float) -> float:
    close = float(value)
    return nextafter(close, inf) if close < value else close
