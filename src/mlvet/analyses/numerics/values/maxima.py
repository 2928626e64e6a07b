"""Sums of functions of a - m and b - m, where m is the maximum of a and b: element by element one of these is 0.

So exp(a - m) + exp(b - m) is at least 1. The operators from there on are interpreted for each choice of the one that is
0, and the results are joined.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mlvet.analyses.numerics.guards import Narrowing
from mlvet.analyses.numerics.values.abstract import Abstract
from mlvet.domains import boxes
from mlvet.domains.boxes import Box
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Node, Value
from mlvet.ops import REGISTRY
from mlvet.ops.index_map import Elementwise

if TYPE_CHECKING:
    from mlvet.analyses.numerics.analysis import Run

_DEPTH = 6


def refined(run: Run, node: Node, out: Tensor, plain: Abstract) -> Abstract:
    """A tighter sum of two functions of which one is that of 0."""
    left, right = node.inputs[:2]
    if left is None or right is None or not run.transfer.relational or plain.dims is None:
        return plain
    for value in _ancestors(run, left):
        partner = _partner(run, value, right)
        if partner is not None:
            return _joined(run, node, (value, partner), out, plain)
    return plain


def _joined(run: Run, node: Node, gaps: tuple[Value, Value], out: Tensor, plain: Abstract) -> Abstract:
    found: Box | None = None
    for gap in gaps:
        narrowing = Narrowing(run, {run.value(gap).number: Interval(0.0, 0.0)})
        parts = [None if value is None else narrowing.of(value, _DEPTH) for value in node.inputs]
        if narrowing.impossible:
            continue
        piece = run.transfer.results(REGISTRY[node.op], parts, node.attributes, [out])[0].box
        if piece.low.shape != plain.box.low.shape:
            return plain
        found = piece if found is None else boxes.join(found, piece)
    if found is None:
        return plain
    low, high = np.maximum(plain.box.low, found.low), np.minimum(plain.box.high, found.high)
    return plain if (low > high).any() else replace(plain, box=Box(low, high, plain.box.nan & found.nan))


def _partner(run: Run, gap: Value, other: Value) -> Value | None:
    """What the other operand is made of that is 0 wherever a difference is not."""
    made = _operands(run, gap, "sub")
    if len(made) != 2:
        return None
    part, top = made
    parts = _operands(run, top, "max")
    if len(parts) != 2 or part not in parts or not run.value(top).interval.finite:
        return None
    rest = parts[0] if parts[1] is part else parts[1]
    for value in _ancestors(run, other):
        if _operands(run, value, "sub") == [rest, top] and run.value(value).dims == run.value(gap).dims:
            return value
    return None


def _operands(run: Run, value: Value, op: str) -> list[Value]:
    node = run.producers.get(value)
    return [] if node is None or node.op != op else [each for each in node.inputs if each is not None]


def _ancestors(run: Run, value: Value) -> list[Value]:
    """A tensor and those that it is a function of, nearest first."""
    found = [value]
    for _ in range(_DEPTH):
        node = run.producers.get(found[-1])
        op = None if node is None else REGISTRY.get(node.op)
        if node is None or op is None or node.op == "sub" or not isinstance(op.index_map, Elementwise) or node.regions:
            return found
        free = {each for each in node.inputs if each is not None and run.value(each).interval.width > 0}
        if len(free) != 1:
            return found
        found.append(free.pop())
    return found
