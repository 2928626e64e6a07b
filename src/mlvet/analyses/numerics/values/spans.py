"""Differences of maxima and minima: a box around two boxes is at least as wide as each, what they share at most.

Rounding is monotone, so the computed max(a, b) - min(c, d) is at least every computed difference of one of the former
and one of the latter, and min(a, b) - max(c, d) at most every one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mlvet.analyses.numerics.values.abstract import Abstract, regridded
from mlvet.domains.boxes import Box
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Node, Value
from mlvet.ops import REGISTRY

if TYPE_CHECKING:
    from mlvet.analyses.numerics.analysis import Run

_MOST = 4


def refined(run: Run, node: Node, out: Tensor, plain: Abstract) -> Abstract:
    """A tighter difference of two tensors of which one is a maximum or a minimum."""
    left, right = node.inputs[:2]
    if left is None or right is None or not run.transfer.relational or plain.dims is None:
        return plain
    box = plain.box
    for upper, lower, least in (("max", "min", True), ("min", "max", False)):
        tops, bottoms = _parts(run, left, upper), _parts(run, right, lower)
        if len(tops) * len(bottoms) == 1:
            continue
        for top in tops:
            for bottom in bottoms:
                pair = run.transfer.results(REGISTRY["sub"], [run.value(top), run.value(bottom)], {}, [out])[0]
                box = _bounded(box, pair, plain, least)
    return replace(plain, box=box)


def _parts(run: Run, value: Value, op: str) -> list[Value]:
    """The operands of a maximum or minimum that have its dims, else the value itself."""
    node = run.producers.get(value)
    if node is None or node.op != op or len(node.inputs) > _MOST:
        return [value]
    dims = run.value(value).dims
    return [value, *(part for part in node.inputs if part is not None and run.value(part).dims == dims)]


def _bounded(box: Box, pair: Abstract, plain: Abstract, least: bool) -> Box:
    if pair.dims != plain.dims or pair.box.nan.any():
        return box
    other = regridded(pair, plain.cuts)
    if other.low.shape != box.low.shape:
        return box
    low = np.maximum(box.low, other.low) if least else box.low
    high = box.high if least else np.minimum(box.high, other.high)
    return box if (low > high).any() else Box(low, high, box.nan)
