"""What holds between a tensor and another that bounds it: a maximum, a sum of what is not negative, a norm.

Rounding is monotone, so x <= y makes the computed x - y at most 0 and, for x >= 0 < y, the computed x / y at most 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from mlvet.analyses.numerics.abstract import Abstract, Attained, Extreme
from mlvet.domains.boxes import Box
from mlvet.domains.intervals import Interval

if TYPE_CHECKING:
    from mlvet.analyses.numerics.transfer import Transfer

_MOST = 4


def bounding(edge: Abstract, whole: Abstract) -> Extreme | None:
    """How one tensor bounds another beside which broadcasting puts it."""
    if edge.dims is None or whole.dims is None or len(edge.dims) > len(whole.dims):
        return None
    padded = (1,) * (len(whole.dims) - len(edge.dims)) + edge.dims
    for extreme in edge.extremes:
        if extreme.of != whole.number:
            continue
        if padded == tuple(1 if axis in extreme.axes else dim for axis, dim in enumerate(whole.dims)):
            return extreme
    return None


def difference(x: Abstract, y: Abstract) -> tuple[Interval, tuple[Attained, ...]] | None:
    """The side of 0 on which x - y is, where one bounds the other, and where it is 0."""
    for whole, edge, sign in ((x, y, 1), (y, x, -1)):
        extreme = bounding(edge, whole)
        if extreme is None or extreme.magnitude or extreme.factor != 1:
            continue
        side = Interval(-inf, 0.0) if extreme.greatest == (sign == 1) else Interval(0.0, inf)
        return side, (Attained(extreme.axes, Interval(0.0, 0.0)),) if extreme.attains else ()
    return None


def ratio(x: Abstract, y: Abstract) -> Interval | None:
    """Bounds of x / y where y bounds x."""
    extreme = bounding(y, x)
    if extreme is None or not extreme.greatest or not y.dtype.is_float or y.interval.low <= 0:
        return None
    if extreme.magnitude:
        if y.interval.low <= 4 * float(np.sqrt(y.dtype.smallest)):
            return None
        most = extreme.factor * (1.0 + 8 * y.dtype.epsilon)
        return Interval(-most, most)
    return Interval(0.0 if x.interval.low >= 0 else -inf, extreme.factor)


def of_sum(operands: Sequence[Abstract], result: Abstract) -> tuple[Extreme, ...]:
    """A sum bounds each part from above if the other is not negative, and what that part bounds."""
    found: list[Extreme] = []
    for part, other in (operands, operands[::-1]):
        if other.interval.low >= 0 and part.dims is not None and part.dims == result.dims:
            found.append(Extreme(part.number, frozenset(), attains=False))
            found += [replace(each, attains=False) for each in part.extremes if each.greatest]
    return tuple(found[:_MOST])


def of_maximum(operands: Sequence[Abstract], result: Abstract, greatest: bool) -> tuple[Extreme, ...]:
    """A maximum bounds its operands, and what they bound."""
    found: list[Extreme] = []
    for part in operands:
        if part.dims is not None and part.dims == result.dims:
            found.append(Extreme(part.number, frozenset(), greatest=greatest, attains=False))
            found += [replace(each, attains=False) for each in part.extremes if each.greatest == greatest]
    return tuple(found[:_MOST])


def of_root(run: Transfer, x: Abstract) -> tuple[Extreme, ...]:
    """The root of what bounds a square bounds the magnitude of what was squared."""
    found = []
    for extreme in x.extremes:
        root = run.roots.get(extreme.of)
        if root is not None and extreme.greatest and not extreme.magnitude:
            factor = extreme.factor if extreme.factor == 1 else float(np.sqrt(extreme.factor))
            found.append(Extreme(root, extreme.axes, attains=False, magnitude=True, factor=factor))
    return tuple(found[:_MOST])


def saved(operand: Abstract, axis: object, point: float) -> bool:
    """Whether along an axis some element surely is not at a point."""
    if operand.dims is None or not isinstance(axis, int):
        return False
    axis = operand.axis(axis)
    if 0 <= axis < operand.rank and bool((operand.box.low > point).any(axis=axis).all()):
        return True
    return any(fact.axes <= {axis} and point not in fact.interval and not fact.interval.nan for fact in operand.attained)


def clamped(box: Box, interval: Interval) -> Box:
    """The numbers of a box that are in an interval."""
    low, high = np.maximum(box.low, interval.low), np.minimum(box.high, interval.high)
    return Box(np.minimum(low, np.maximum(box.high, interval.low)), np.maximum(high, np.minimum(box.low, interval.high)), box.nan)
