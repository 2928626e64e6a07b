"""What holds between a tensor and another that bounds it: a maximum, a sum of what is not negative, a norm.

Rounding is monotone, so x <= y makes the computed x - y at most 0 and, for x >= 0 < y, the computed x / y at most 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from mlvet.analyses.numerics.values.abstract import Abstract, Attained, Extreme
from mlvet.domains.boxes import Box
from mlvet.domains.intervals import Interval

if TYPE_CHECKING:
    from mlvet.analyses.numerics.values.transfer import Transfer

_MOST = 4


def bounding(edge: Abstract, whole: Abstract, *, inverse: bool = False) -> Extreme | None:
    """How one tensor, or one over it, bounds another beside which broadcasting puts it."""
    if edge.dims is None or whole.dims is None or len(edge.dims) > len(whole.dims):
        return None
    padded = (1,) * (len(whole.dims) - len(edge.dims)) + edge.dims
    for extreme in edge.extremes:
        if extreme.of != whole.number or extreme.inverse != inverse:
            continue
        if all(
            mine == dim or (mine == 1 and axis in extreme.axes)
            for axis, (mine, dim) in enumerate(zip(padded, whole.dims, strict=True))
        ):
            return extreme
    return None


def broadcast(source: Abstract, dims: Sequence[object]) -> tuple[Extreme, ...]:
    """The bounds of a tensor whose dims of size 1 are repeated: each stays beside what it bounds."""
    if source.dims is None or len(source.dims) != len(dims):
        return ()
    grown = {axis for axis, dim in enumerate(dims) if source.dims[axis] != dim}
    if any(source.dims[axis] != 1 for axis in grown):
        return ()
    return tuple(each for each in source.extremes if grown <= each.axes and _stands(source, each))


def _stands(edge: Abstract, extreme: Extreme) -> bool:
    """Whether the axes that a bound was taken along are still there, with one element each."""
    assert edge.dims is not None
    return all(axis < len(edge.dims) and edge.dims[axis] == 1 for axis in extreme.axes)


def difference(x: Abstract, y: Abstract) -> tuple[Interval, tuple[Attained, ...]] | None:
    """The side of 0 on which x - y is, where one bounds the other or both the same, and where it is 0."""
    for whole, edge, sign in ((x, y, 1), (y, x, -1)):
        extreme = bounding(edge, whole)
        if extreme is None or extreme.magnitude or extreme.factor != 1:
            continue
        side = Interval(-inf, extreme.slack) if extreme.greatest == (sign == 1) else Interval(-extreme.slack, inf)
        return side, (Attained(extreme.axes, Interval(0.0, 0.0)),) if extreme.attains else ()
    return _spread(x, y)


def _spread(x: Abstract, y: Abstract) -> tuple[Interval, tuple[Attained, ...]] | None:
    """The greatest element less the least of the same elements."""
    if x.dims is None or x.dims != y.dims:
        return None
    for mine in x.extremes:
        for other in y.extremes:
            same = mine.of == other.of and mine.axes == other.axes and mine.greatest != other.greatest
            plain = not any(each.magnitude or each.inverse or each.factor != 1 for each in (mine, other))
            if same and plain:
                slack = mine.slack + other.slack
                return Interval(-slack, inf) if mine.greatest else Interval(-inf, slack), ()
    return None


def ratio(x: Abstract, y: Abstract, *, finite: bool = False) -> Interval | None:
    """Bounds of x / y where y bounds x; `finite` says that y is not 0 and nothing overflows."""
    extreme = bounding(y, x)
    if extreme is None or not extreme.greatest or extreme.slack or not y.dtype.is_float or y.interval.low < 0:
        return None
    if extreme.magnitude:
        if finite:
            return Interval(-2 * extreme.factor, 2 * extreme.factor)
        if y.interval.low <= 4 * float(np.sqrt(y.dtype.smallest)):
            return None
        most = extreme.factor * (1.0 + 8 * y.dtype.epsilon)
        return Interval(-most, most)
    return Interval(0.0 if x.interval.low >= 0 else -inf, extreme.factor)


def product(x: Abstract, y: Abstract) -> Interval | None:
    """Bounds of x * y where y is one over what bounds x."""
    for whole, edge in ((x, y), (y, x)):
        extreme = bounding(edge, whole, inverse=True)
        if extreme is None or not extreme.greatest or extreme.slack:
            continue
        most = extreme.factor * (1.0 + 16 * edge.dtype.epsilon)
        return Interval(0.0 if whole.interval.low >= 0 else -most if extreme.magnitude else -inf, most)
    return None


def normed(x: Abstract, y: Abstract, *, inverse: bool) -> tuple[int, float] | None:
    """An axis, and what the Euclidean norm of x / y (or x * y, where y is `inverse`) along it is at most."""
    extreme = bounding(y, x, inverse=inverse)
    if extreme is None or not (extreme.total and extreme.magnitude) or len(extreme.axes) != 1 or extreme.slack:
        return None
    (axis,) = extreme.axes
    size = None if x.dims is None else x.dims[axis]
    if not isinstance(size, int) or size * y.dtype.epsilon > 1e-2:
        return None
    least = 1.0 / y.interval.high if inverse and y.interval.high > 0 else y.interval.low
    if least <= 0 or least**2 * y.dtype.epsilon < size * y.dtype.smallest:
        return None
    return axis, extreme.factor * (1.0 + (16 + 2 * size) * y.dtype.epsilon)


def of_reciprocal(x: Abstract) -> tuple[Extreme, ...]:
    """One over a bound that is far enough from 0."""
    if not x.dtype.is_float or x.interval.low <= 4 * float(np.sqrt(x.dtype.smallest)):
        return ()
    return inverted(x.extremes)


def inverted(extremes: Sequence[Extreme]) -> tuple[Extreme, ...]:
    return tuple(replace(each, inverse=True, attains=False) for each in extremes if each.greatest and not each.inverse)


def may_wrap(result: Abstract) -> bool:
    """Whether a sum of integers may have left their range and come back at its other end."""
    dtype, interval = result.dtype, result.interval
    return not dtype.is_float and (interval.low <= dtype.least or interval.high >= dtype.largest)


def of_sum(operands: Sequence[Abstract], result: Abstract) -> tuple[Extreme, ...]:
    """A sum bounds each part from above if the other is not negative, and what that part bounds."""
    if may_wrap(result):
        return ()
    found: list[Extreme] = []
    for part, other in (operands, operands[::-1]):
        if other.interval.low >= 0 and part.dims is not None and part.dims == result.dims:
            found.append(Extreme(part.number, frozenset(), attains=False))
            found += [replace(each, attains=False) for each in part.extremes if each.greatest and not each.inverse]
    return tuple(found[:_MOST])


def of_maximum(operands: Sequence[Abstract], result: Abstract, greatest: bool) -> tuple[Extreme, ...]:
    """A maximum bounds its operands, and what they bound."""
    found: list[Extreme] = []
    for part in operands:
        if part.dims is not None and part.dims == result.dims:
            found.append(Extreme(part.number, frozenset(), greatest=greatest, attains=False))
            found += [
                replace(each, attains=False) for each in part.extremes if each.greatest == greatest and not each.inverse
            ]
    return tuple(found[:_MOST])


def of_root(run: Transfer, x: Abstract) -> tuple[Extreme, ...]:
    """The root of what bounds a square bounds the magnitude of what was squared."""
    found = []
    for extreme in x.extremes:
        root = run.roots.get(extreme.of)
        if root is not None and extreme.greatest and not (extreme.magnitude or extreme.inverse or extreme.slack):
            factor = extreme.factor if extreme.factor == 1 else float(np.sqrt(extreme.factor))
            found.append(Extreme(root, extreme.axes, attains=False, magnitude=True, factor=factor, total=extreme.total))
    return tuple(found[:_MOST])


def saved(operand: Abstract, axis: object, point: float) -> bool:
    """Whether along an axis some element surely is not at a point."""
    if operand.dims is None or not isinstance(axis, int):
        return False
    axis = operand.axis(axis)
    if 0 <= axis < operand.rank and bool((operand.box.low > point).any(axis=axis).all()):
        return True
    elsewhere = (fact for fact in operand.attained if point not in fact.interval and not fact.interval.nan)
    return any(fact.axes <= {axis} for fact in elsewhere)


def clamped(box: Box, interval: Interval) -> Box:
    """The numbers of a box that are in an interval."""
    low, high = np.maximum(box.low, interval.low), np.minimum(box.high, interval.high)
    least, most = np.minimum(box.low, interval.high), np.maximum(box.high, interval.low)
    return Box(np.minimum(low, most), np.maximum(high, least), box.nan)
