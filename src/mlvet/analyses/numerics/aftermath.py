"""What an operator yields where its hazard has not struck, so that what follows is judged by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlvet.analyses.numerics.values import relations
from mlvet.analyses.numerics.values.abstract import Abstract
from mlvet.domains import boxes, dtypes
from mlvet.domains.boxes import Box
from mlvet.domains.intervals import Interval
from mlvet.ops import Op
from mlvet.ops.numeric import Monotone

AVERAGES = frozenset("reduce_mean average_pool global_average_pool adaptive_average_pool".split())


def survivors(op: Op, operands: Sequence[Abstract | None], attributes: Any, result: Abstract) -> Abstract:
    """The finite results, and infinities that came in as values."""
    if not result.dtype.is_float:
        return result
    raw = result.box
    box = boxes.cut_to_finite(raw, result.dtype)
    given = [operand.box for operand in operands if operand is not None and operand.dtype.is_float]
    if any(np.isneginf(each.low).any() for each in given):
        box = replace(box, low=np.where(np.isneginf(raw.low), -np.inf, box.low))
    if any(np.isposinf(each.high).any() for each in given):
        box = replace(box, high=np.where(np.isposinf(raw.high), np.inf, box.high))
    if op.name in ("div", "reciprocal"):
        box = _divided(op, operands, result, box)
    elif op.name in AVERAGES and operands[0] is not None:
        box = _between(operands[0], box)
    elif isinstance(op.numeric, Monotone) and op.numeric.domain.open_low:
        box = _beyond_the_edge(op, op.numeric, attributes, result, box)
    facts = tuple(fact for fact in result.attained if fact.interval.finite)
    return replace(result, box=box, form=None, exact=None, attained=facts, norm=None)


def _between(x: Abstract, box: Box) -> Box:
    """A mean whose sum has not overflowed is about between the elements, or the zeros that pad them."""
    hull = x.interval
    slack = 1e-2 * max(abs(hull.low), abs(hull.high))
    low, high = min(hull.low - slack, 0.0), max(hull.high + slack, 0.0)
    return replace(box, low=np.maximum(box.low, low), high=np.minimum(box.high, high))


def _divided(op: Op, operands: Sequence[Abstract | None], result: Abstract, box: Box) -> Box:
    """A quotient by what is not 0: it has the sign of its operands, and bounds that hold between them."""
    parts = [operand for operand in operands if operand is not None]
    below = parts[-1]
    tiny = below.dtype.smallest * below.dtype.epsilon if below.dtype.is_float else 1.0
    known = below.interval
    if known.low >= 0:
        known = Interval(max(known.low, tiny), max(known.high, tiny))
    elif known.high <= 0:
        known = Interval(min(known.low, -tiny), min(known.high, -tiny))
    else:
        return box
    above = parts[0].interval if op.name == "div" else Interval(1.0, 1.0)
    if not above.finite:
        return box
    quotient = boxes.smashed(boxes.div(boxes.of_interval(above), boxes.of_interval(known), dtypes.f64))
    quotient = boxes.smashed(boxes.fused(quotient.low, quotient.high, False, result.dtype))
    related = relations.ratio(parts[0], below, finite=True) if op.name == "div" else None
    within = quotient if related is None else quotient.meet(related)
    return box if within.empty else relations.clamped(box, within)


def _beyond_the_edge(op: Op, kind: Monotone, attributes: Any, result: Abstract, box: Box) -> Box:
    """A function that is infinite at the edge of its domain is finite at the next float."""
    assert op.reference is not None
    tiny = result.dtype.smallest * result.dtype.epsilon
    nearest = kind.domain.low + max(tiny, abs(kind.domain.low) * result.dtype.epsilon / 2)
    with np.errstate(all="ignore"):
        end = float(op.reference(np.asarray(nearest, np.float64), **attributes))
    if not np.isfinite(end):
        return box
    slack = abs(end) * 8 * result.dtype.epsilon
    if kind.increasing:
        return replace(box, low=np.minimum(np.maximum(box.low, end - slack), box.high))
    return replace(box, high=np.maximum(np.minimum(box.high, end + slack), box.low))
