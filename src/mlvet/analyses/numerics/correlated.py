"""Products and quotients of two functions of one tensor: x * sigmoid(x), x / (1 + |x|), 0.5 x (1 + erf(x)).

Element by element both operands hang on the same number. Its range is cut into pieces, the operators from there on are
interpreted on each piece, and the results are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from mlvet.analyses.numerics.guards import Narrowing
from mlvet.analyses.numerics.values.abstract import Abstract
from mlvet.domains.boxes import Box
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Node, Value
from mlvet.ops import REGISTRY
from mlvet.ops.index_map import Elementwise

if TYPE_CHECKING:
    from mlvet.analyses.numerics.analysis import Run

_DEPTH = 6
_ABOVE = (0.25, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 128.0, inf)
_EDGES = (*(-edge for edge in reversed(_ABOVE)), 0.0, *_ABOVE)
_CELLS = 8192


def refined(run: Run, node: Node, operands: Sequence[Abstract | None], out: Tensor, plain: Abstract) -> Abstract:
    """A tighter result of a product or quotient whose operands come from one tensor."""
    if not run.transfer.relational or plain.dims is None or plain.box.low.size > _CELLS:
        return plain
    left, right = (value for value in node.inputs[:2])
    x, y = operands[:2]
    if left is None or right is None or x is None or y is None or x.number == y.number:
        return plain
    root = _common(run, left, right)
    if root is None:
        return plain
    source = run.value(root)
    if source.dims != plain.dims or source.cuts != plain.cuts or source.exact is not None:
        return plain
    if plain.dims not in (x.dims, y.dims) or source.interval.width == 0 or source.interval.nan:
        return plain
    return _joined(run, node, source, out, plain)


def _joined(run: Run, node: Node, source: Abstract, out: Tensor, plain: Abstract) -> Abstract:
    op = REGISTRY[node.op]
    low, high = np.full(plain.box.low.shape, inf), np.full(plain.box.low.shape, -inf)
    nan = np.zeros(low.shape, bool)
    for first, last in pairwise(_EDGES):
        there = (source.box.low <= last) & (source.box.high >= first)
        if not there.any():
            continue
        narrowing = Narrowing(run, {source.number: Interval(first, last)})
        parts = [None if value is None else narrowing.of(value, _DEPTH) for value in node.inputs]
        if any(part is not None and part.cuts != plain.cuts and part.box.low.size > 1 for part in parts):
            return plain
        (piece,) = run.transfer.results(op, parts, node.attributes, [out])[:1]
        if piece.box.low.shape != low.shape:
            return plain
        low = np.where(there, np.minimum(low, piece.box.low), low)
        high = np.where(there, np.maximum(high, piece.box.high), high)
        nan |= there & piece.box.nan
    if (low > high).any():
        return plain
    tight = Box(np.maximum(low, plain.box.low), np.minimum(high, plain.box.high), nan & plain.box.nan)
    return plain if (tight.low > tight.high).any() else replace(plain, box=tight)


def _common(run: Run, left: Value, right: Value) -> Value | None:
    """The nearest tensor of which both are functions, element by element."""
    others = set(_ancestors(run, right))
    return next((value for value in _ancestors(run, left) if value in others), None)


def _ancestors(run: Run, value: Value) -> list[Value]:
    """A tensor and those that it is a function of, nearest first."""
    found = [value]
    for _ in range(_DEPTH):
        node = run.producers.get(found[-1])
        op = None if node is None else REGISTRY.get(node.op)
        if node is None or op is None or not isinstance(op.index_map, Elementwise) or node.regions:
            return found
        free = {each for each in node.inputs if each is not None and run.value(each).interval.width > 0}
        if len(free) != 1:
            return found
        found.append(free.pop())
    return found
