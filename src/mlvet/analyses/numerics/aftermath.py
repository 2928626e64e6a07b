"""What an operator yields where its hazard has not struck, so that what follows is judged by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlvet.analyses.numerics.abstract import Abstract
from mlvet.domains import boxes
from mlvet.domains.boxes import Box
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
        box = _signed(op, operands, box)
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


def _signed(op: Op, operands: Sequence[Abstract | None], box: Box) -> Box:
    """A quotient by what is not 0 has the sign of its operands."""
    parts = [operand.interval for operand in operands if operand is not None]
    top, bottom = (parts[0], parts[1]) if op.name == "div" else (None, parts[0])
    above = top is None or top.low >= 0
    below = top is not None and top.high <= 0
    if (above and bottom.low >= 0) or (below and bottom.high <= 0):
        return replace(box, low=np.maximum(box.low, 0.0))
    if (above and bottom.high <= 0) or (below and bottom.low >= 0):
        return replace(box, high=np.minimum(box.high, 0.0))
    return box


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
