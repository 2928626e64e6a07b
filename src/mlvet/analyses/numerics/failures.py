"""Tests for NaN and infinity: `where(isfinite(y), y, 0)` keeps what went wrong with y out of the result."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from mlvet.analyses.numerics.values.abstract import Abstract
from mlvet.domains.boxes import Box
from mlvet.domains.intervals import Interval
from mlvet.ir.graph import Node, Value

if TYPE_CHECKING:
    from mlvet.analyses.numerics.analysis import Run

NAN, ABOVE, BELOW = "NaN", "infinity", "minus infinity"
ALL = frozenset({NAN, ABOVE, BELOW})
_ORDER = frozenset("less less_or_equal greater greater_or_equal equal".split())


def of(run: Run, value: Value) -> frozenset[str]:
    """What the operator that yields a value can make of numbers."""
    raw = run.raws.get(value, Interval(0.0, 0.0))
    kinds = ((NAN, raw.nan), (ABOVE, raw.high == inf), (BELOW, raw.low == -inf))
    return frozenset(kind for kind, there in kinds if there)


def absent(run: Run, condition: Value, holds: bool, depth: int) -> dict[int, frozenset[str]]:
    """What tensors, by number, surely are not where a condition is true, or false."""
    node = run.producers.get(condition)
    if node is None or depth == 0:
        return {}
    sides = [value for value in node.inputs if value is not None]
    match node.op, holds:
        case "not", _:
            return absent(run, sides[0], not holds, depth - 1)
        case (("identity" | "expand" | "broadcast_to" | "stop_gradient"), _):
            return absent(run, sides[0], holds, depth - 1)
        case ("and", True) | ("or", False):
            found: dict[int, frozenset[str]] = {}
            for side in sides:
                for number, kinds in absent(run, side, holds, depth - 1).items():
                    found[number] = found.get(number, frozenset()) | kinds
            return found
        case ("is_nan", False) | ("is_inf", False) | ("is_finite", True):
            return {run.value(sides[0]).number: _tested(node)}
    if (node.op, holds) in (("equal", False), ("not_equal", True)) and len(sides) == 2:
        return _different(run, sides[0], sides[1])
    if (node.op in _ORDER and holds) or (node.op == "not_equal" and not holds):
        return {run.value(side).number: frozenset({NAN}) for side in sides}
    return {}


def is_test(run: Run, node: Node) -> bool:
    """Whether a node only asks for NaN or infinity, so that its answer is the same however they arose."""
    if node.op in ("is_nan", "is_inf", "is_finite"):
        return True
    if node.op not in ("equal", "not_equal"):
        return False
    tensors = [run.value(value) for value in node.inputs if value is not None]
    return any(each.interval.low == each.interval.high and abs(each.interval.low) == inf for each in tensors)


def with_replacements(run: Run, node: Node, value: Value, plain: Abstract) -> Abstract:
    """The numbers of a value, and those that take the place of what is none."""
    tensor = run.value(value)
    if not plain.dtype.is_float:
        return plain
    limit = float(plain.dtype.largest)
    given = node.attributes
    instead = {NAN: given.get("nan") or 0.0, ABOVE: given.get("posinf"), BELOW: given.get("neginf")}
    low, high = np.maximum(tensor.box.low, -limit), np.minimum(tensor.box.high, limit)
    made = of(run, value)
    for kind, there in (
        (NAN, tensor.box.nan | (NAN in made)),
        (ABOVE, np.isposinf(tensor.box.high) | (ABOVE in made)),
        (BELOW, np.isneginf(tensor.box.low) | (BELOW in made)),
    ):
        number = instead[kind]
        if number is None:
            number = limit if kind == ABOVE else -limit
        low, high = np.where(there, np.minimum(low, number), low), np.where(there, np.maximum(high, number), high)
    box = Box(np.minimum(low, high), high, np.zeros(low.shape, bool))
    same = box.low.shape == plain.box.low.shape
    return replace(plain, box=box, form=None, exact=None, attained=(), extremes=()) if same else plain


def _tested(node: Node) -> frozenset[str]:
    if node.op == "is_finite":
        return ALL
    if node.op == "is_nan":
        return frozenset({NAN})
    signs = ((ABOVE, "detect_positive"), (BELOW, "detect_negative"))
    return frozenset(kind for kind, attribute in signs if node.attributes.get(attribute, 1))


def _different(run: Run, left: Value, right: Value) -> dict[int, frozenset[str]]:
    """What a tensor is not that differs from an infinity."""
    found = {}
    for tensor, other in ((run.value(left), run.value(right)), (run.value(right), run.value(left))):
        point = other.interval
        if point.low == point.high and abs(point.low) == inf and not point.nan:
            found[tensor.number] = frozenset({ABOVE if point.low > 0 else BELOW})
    return found
