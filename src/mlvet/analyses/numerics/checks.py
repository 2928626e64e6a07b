"""Whether an operator can make NaN or infinity of what it gets, and under which rule that falls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, isinf
from typing import Any

import numpy as np

from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.values import relations
from mlvet.analyses.numerics.values.abstract import Abstract
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import Interval
from mlvet.ir.graph import Node
from mlvet.ops import Op
from mlvet.ops.danger import AllAt, GradientAt, Near, Outside, Overflow
from mlvet.ops.numeric import Bounded, ByMode, Convex, Range, Selection

OVERFLOW = "arithmetic-overflow"
HALF_OVERFLOW = "half-precision-overflow"
ANYTHING = "not-a-number"


def forward(op: Op, node: Node, operands: Sequence[Abstract | None], raw: Sequence[Abstract]) -> list[Hazard]:
    """The hazards of computing the results."""
    found = list(_named(op, node, operands, raw))
    if found:
        return found[:1]
    nan, infinite = _arises(operands, raw)
    if not nan and not infinite:
        return []
    result = next(each for each in raw if not each.interval.finite)
    rule = ANYTHING if nan and not infinite else _overflow(OVERFLOW, result.dtype)
    return [Hazard(node, rule, None, result.interval, _outcome(nan, infinite))]


def backward(op: Op, node: Node, operands: Sequence[Abstract | None]) -> list[Hazard]:
    """The hazards of computing the gradient."""
    found = []
    for danger in op.danger or ():
        if not isinstance(danger, GradientAt | AllAt) or danger.operand >= len(operands):
            continue
        if isinstance(danger, AllAt) and not danger.gradient:
            continue
        operand = operands[danger.operand]
        if operand is None or not operand.dtype.is_float:
            continue
        interval = operand.interval
        if isinstance(danger, GradientAt) and danger.below is not None:
            other = operands[danger.below[0]]
            if other is None or other.interval.low >= danger.below[1] or other.interval == Interval(0.0, 0.0):
                continue
        if _reaches(interval, danger.point, operand.dtype):
            found.append(Hazard(node, danger.rule, danger.operand, interval, Outcome.GRADIENT, backward=True))
    return found[:1]


def _named(op: Op, node: Node, operands: Sequence[Abstract | None], raw: Sequence[Abstract]) -> Iterator[Hazard]:
    nan, infinite = _arises(operands, raw)
    for danger in op.danger or ():
        if isinstance(danger, GradientAt) or danger.operand >= len(operands):
            continue
        operand = operands[danger.operand]
        if operand is None:
            continue
        interval = operand.interval
        match danger:
            case Outside() if op.name == "pow" and not nan:
                continue
            case Near() if op.name == "pow" and not (operands[1] is not None and operands[1].interval.low < 0):
                continue
            case Outside(safe=safe):
                if not _within(interval, safe, operand.dtype) and (
                    nan or infinite or not _explained(op, node.attributes)
                ):
                    yield Hazard(node, danger.rule, danger.operand, interval, _outcome(nan, infinite))
            case Near(point=point):
                if point == 0 and operand.away >= (operand.dtype.smallest if operand.dtype.is_float else 1):
                    continue
                if _reaches(interval, point, operand.dtype) and (
                    nan or infinite or not _explained(op, node.attributes) or not operand.dtype.is_float
                ):
                    yield Hazard(node, danger.rule, danger.operand, interval, _outcome(nan, infinite))
            case AllAt(point=point, gradient=False):
                if not nan and _explained(op, node.attributes) and point != -inf:
                    continue
                if point in interval and not relations.saved(operand, node.attributes.get("axis", -1), point):
                    yield Hazard(node, danger.rule, danger.operand, interval, Outcome.NAN)
            case Overflow(rule=rule):
                yield from _overflows(node, rule, danger.operand, operand, raw[0], nan, infinite)
            case _:
                pass


def _explained(op: Op, attributes: Mapping[str, Any]) -> bool:
    """Whether the transfer tells exactly when NaN and infinity arise, so that the facet only names the cause."""
    kind = op.numeric.of(**attributes) if isinstance(op.numeric, ByMode) else op.numeric
    return not isinstance(kind, Bounded | Convex | Selection | None)


def _overflows(
    node: Node, rule: str, index: int, operand: Abstract, result: Abstract, nan: bool, infinite: bool
) -> Iterator[Hazard]:
    if rule == "cast-overflow" and result.dtype.is_float and not operand.interval.nan and result.interval.nan:
        yield Hazard(node, _overflow(rule, result.dtype), index, operand.interval, Outcome.NAN)
    elif nan and not infinite and rule == "singular-matrix":
        yield Hazard(node, rule, None, result.interval, Outcome.NAN)
    elif infinite:
        guilty = index if rule == "exp-overflow" else None
        interval = operand.interval if guilty is not None else result.interval
        yield Hazard(node, _overflow(rule, result.dtype), guilty, interval, Outcome.INFINITY)
    elif rule == "cast-overflow" and operand.dtype.is_float and result.dtype.is_integer:
        interval = operand.interval
        low, high = float(result.dtype.least), float(result.dtype.largest)
        if interval.nan or interval.low <= low - 1 or interval.high >= high + 1:
            yield Hazard(node, rule, index, interval, Outcome.WRAPPED)


def _arises(operands: Sequence[Abstract | None], raw: Sequence[Abstract]) -> tuple[bool, bool]:
    """Whether NaN, and whether infinity, is in the results though not in the operands."""
    given = [operand.box for operand in operands if operand is not None and operand.dtype.is_float]
    had_nan = any(box.nan.any() for box in given)
    had_infinity = any(np.isinf(box.low).any() or np.isinf(box.high).any() for box in given)
    made = [result.box for result in raw if result.dtype.is_float]
    nan = not had_nan and any(box.nan.any() for box in made)
    infinite = not had_infinity and any(_infinite(box) for box in made)
    return nan, infinite


def _infinite(box: Any) -> bool:
    there = box.low <= box.high
    return bool((np.isinf(box.low) & there).any() or (np.isinf(box.high) & there).any())


def _outcome(nan: bool, infinite: bool) -> Outcome:
    return Outcome.EITHER if nan == infinite else Outcome.NAN if nan else Outcome.INFINITY


def _overflow(rule: str, dtype: DType) -> str:
    """The name of an overflow: in half precision it is a cause of its own."""
    if rule in ("exp-overflow", "singular-matrix") or not rule.endswith("-overflow"):
        return rule
    return HALF_OVERFLOW if dtype.is_float and dtype.bits <= 16 else OVERFLOW if rule != "cast-overflow" else rule


def _within(interval: Interval, safe: Range, dtype: DType) -> bool:
    """Whether all numbers are safe, those that may be flushed to zero included."""
    if interval.empty:
        return True
    low, high = interval.low, interval.high
    if dtype.is_float:
        low = 0.0 if 0 < low < dtype.smallest else low
        high = 0.0 if -dtype.smallest < high < 0 else high
    if isinf(low) and low < 0 and safe.low == -inf:
        low = 0.0 if high >= 0 else high
    if isinf(high) and high > 0 and safe.high == inf and not safe.open_high:
        high = low
    return low in safe and high in safe


def _reaches(interval: Interval, point: float, dtype: DType) -> bool:
    gap = dtype.smallest if dtype.is_float and point == 0 else 0.0
    if interval.empty:
        return False
    if gap:
        return interval.low < gap and interval.high > -gap
    return interval.low <= point <= interval.high
