"""Euclidean norms of channel vectors: a layer makes them grow by its largest singular value, not by the sum of weights.

Intervals alone grow with every layer by the sum of absolute weights, which in a deep network soon leaves every element
type. Beside them a norm is carried: at every position, the channels divided by a scale of their own have a norm along
one axis of at most `bound`. The scale takes up what layers do to single channels, so that the bound only sees how they
are mixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.values import relations
from mlvet.analyses.numerics.values.abstract import Abstract, Norm
from mlvet.analyses.numerics.values.linear import channel_axis
from mlvet.analyses.numerics.values.reductions import reduced_axes
from mlvet.domains import grids
from mlvet.domains.boxes import Box
from mlvet.domains.dtypes import DType
from mlvet.ir.graph import Node
from mlvet.ops import Op
from mlvet.ops.convolution import front_kernel
from mlvet.ops.einsum import DOTS, parse

if TYPE_CHECKING:
    from mlvet.analyses.numerics.analysis import Run
    from mlvet.analyses.numerics.values.transfer import Transfer

Array: TypeAlias = NDArray[np.float64]

SHRINKING = frozenset(
    "relu relu6 silu hard_swish gelu mish tanh neg abs identity stop_gradient softsign sin atan trunc cast"
    " thresholded_relu".split()
)
"""Elementwise operators that make no element larger in absolute value."""
POOLS = frozenset("average_pool global_average_pool adaptive_average_pool max_pool".split())
WEIGHTED = frozenset(("matmul", "linear", "gemm", "conv"))
_SLACK = 1.0 + 1e-3
_SQUARINGS = 2
_LARGEST = 1 << 24
_WORTH_IT = 0.3
_CHANNELS = 4096


def carried(
    run: Transfer, op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], found: list[Abstract]
) -> list[Abstract]:
    """The results with the norm that follows from those of the operands, and elements within it."""
    first = found[0]
    if not run.relational or run.most == 1 or not first.dtype.is_float or first.dims is None:
        return found
    if not operands or operands[0] is None or first.norm is not None:
        return found
    if op.name in ("div", "mul"):
        unit = _by_its_norm(op, operands, first)
        if unit is not None:
            return [replace(first, norm=unit), *found[1:]]
    if op.name == "einsum":
        return [_contracted(operands, str(attributes.get("equation", "")), first), *found[1:]]
    if op.name in WEIGHTED:
        first = _inner(op, operands, attributes, first)
        found = [first, *found[1:]]
        if _is_small(first):
            return found
        return [_after_weights(op, operands, attributes, first), *found[1:]]
    norm = _followed(op, operands, attributes, first)
    return found if norm is None else [replace(first, norm=_rounded(norm, first.dtype)), *found[1:]]


def _rounded(norm: Norm, dtype: DType) -> Norm:
    """A norm after its elements were rounded to an element type."""
    return norm if dtype.bits >= 32 else replace(norm, bound=norm.bound * (1.0 + dtype.epsilon))


def _by_its_norm(op: Op, operands: Sequence[Abstract | None], out: Abstract) -> Norm | None:
    """A vector divided by its own norm."""
    x, y = operands[:2]
    if x is None or y is None or out.dims is None:
        return None
    pairs = ((x, y),) if op.name == "div" else ((x, y), (y, x))
    for whole, edge in pairs:
        known = relations.normed(whole, edge, inverse=op.name == "mul") if whole.dims == out.dims else None
        size = None if known is None else out.dims[known[0]]
        if known is not None and isinstance(size, int) and 0 < size <= _CHANNELS:
            return Norm(known[0], known[1] * _SLACK, np.ones(size))
    return None


def _inner(op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], out: Abstract) -> Abstract:
    """Products of matrices whose rows and columns have norms."""
    x, y = operands[:2]
    if op.name == "conv" or x is None or y is None or x.norm is None or y.norm is None:
        return out
    if any(each is not None for each in operands[2:]) or attributes.get("alpha", 1.0) != 1.0:
        return out
    row = x.rank - (2 if attributes.get("transA") else 1)
    column = y.rank - (1 if op.name == "linear" or attributes.get("transB") else 2)
    return _at_most(x.norm, y.norm, out) if (x.norm.axis, y.norm.axis) == (row, max(column, 0)) else out


def _contracted(operands: Sequence[Abstract | None], equation: str, out: Abstract) -> Abstract:
    """Sums over one index that both operands have, along which both have a norm."""
    letters = parse(equation)
    if letters is None or len(operands) != 2 or len(letters.operands) != 2:
        return out
    x, y = operands
    if x is None or y is None or x.norm is None or y.norm is None:
        return out
    left, right = letters.operands
    if DOTS in (*left, *right) or len(set(left)) != x.rank or len(set(right)) != y.rank:
        return out
    summed = {*left, *right} - {*letters.result}
    return _at_most(x.norm, y.norm, out) if {left[x.norm.axis]} == summed == {right[y.norm.axis]} else out


def inner_sum(run: Run, node: Node, out: Abstract) -> Abstract:
    """Sums of products along an axis along which both factors have a norm."""
    value = node.inputs[0]
    product = None if value is None else run.producers.get(value)
    if value is None or product is None or product.op != "mul" or not run.transfer.relational:
        return out
    whole = run.value(value)
    axes = run.value(node.inputs[1]) if len(node.inputs) > 1 and node.inputs[1] is not None else None
    along = reduced_axes(whole, axes, node.attributes)
    factors = [run.value(each) for each in product.inputs if each is not None]
    for x, y in (factors,) if len(factors) == 2 else ():
        if x.norm is not None and y.norm is not None and x.dims == y.dims == whole.dims:
            return _at_most(x.norm, y.norm, out) if along == (x.norm.axis,) == (y.norm.axis,) else out
    return out


def _at_most(x: Norm, y: Norm, out: Abstract) -> Abstract:
    """Inner products of vectors are at most the products of their norms."""
    if x.scale.shape != y.scale.shape:
        return out
    with np.errstate(all="ignore"):
        terms = 1.0 + 2 * len(x.scale) * out.dtype.epsilon
        limit = float((x.scale * y.scale).max()) * x.bound * y.bound * _SLACK * terms
    if not limit <= float(out.dtype.largest):
        return out
    low, high = np.maximum(out.box.low, -limit), np.minimum(out.box.high, limit)
    return out if (low > high).any() else replace(out, box=Box(low, high, np.zeros(low.shape, bool)))


def _is_small(x: Abstract) -> bool:
    """Whether the elements are so far from the limits of their type that a norm is not worth its cost."""
    interval = x.interval
    return bool(max(abs(interval.low), abs(interval.high)) < float(x.dtype.largest) ** _WORTH_IT)


def magnitudes(x: Abstract, axis: int) -> Array | None:
    """How large the elements of each channel can be; None if that is not known."""
    if x.dims is None or not 0 <= axis < x.rank:
        return None
    size = x.dims[axis]
    if not isinstance(size, int) or not 0 < size <= _CHANNELS:
        return None
    others = tuple(index for index in range(x.rank) if index != axis)
    largest = np.maximum(np.abs(x.box.low), np.abs(x.box.high)).max(axis=others)
    found = np.repeat(largest, grids.element_counts(x.cuts[axis], size).astype(np.int64))
    return found if np.isfinite(found).all() else None


def norm_along(x: Abstract, axis: int) -> Norm | None:
    """The norm that is carried along an axis, or the one that the elements' bounds imply."""
    if x.norm is not None and x.norm.axis == axis:
        return x.norm
    scale = magnitudes(x, axis)
    return None if scale is None else Norm(axis, sqrt(len(scale)), np.maximum(scale, np.finfo(np.float64).tiny))


def _followed(op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], out: Abstract) -> Norm | None:
    """The norm after an operator that does not mix channels."""
    axis = next((each.norm.axis for each in operands if each is not None and each.norm is not None), None)
    x = operands[0]
    if axis is None or x is None or out.dims is None or axis >= out.rank:
        return None
    y = operands[1] if len(operands) > 1 else None
    if x.dims == out.dims and op.name in SHRINKING:
        return x.norm
    if op.name == "reduce_mean" and x.norm is not None and x.rank == out.rank and x.dims is not None:
        return replace(x.norm, bound=x.norm.bound * _SLACK) if x.dims[axis] == out.dims[axis] else None
    if op.name in POOLS and x.norm is not None and x.rank == out.rank:
        taps = float(np.prod(attributes.get("kernel_shape", (1,)))) if op.name == "max_pool" else 1.0
        between = axis == channel_axis(attributes, x.rank)
        return replace(x.norm, bound=x.norm.bound * sqrt(taps) * _SLACK) if between else None
    if y is None:
        return None
    match op.name:
        case "add" | "sub":
            return _sum(x, y, out, axis)
        case "mul":
            return _product(x, y, out, axis) or _product(y, x, out, axis)
        case "div":
            return _quotient(x, y, axis) if x.dims == out.dims else None
        case "batch_normalization":
            return _normalised(x, operands[1:5], attributes) if axis == channel_axis(attributes, x.rank) else None
        case "concat":
            return _concatenated(operands, attributes, out, axis)
    return None


def _beside(x: Abstract, out: Abstract, axis: int) -> Norm | None:
    """The norm of an operand along an axis of the result that it is broadcast to."""
    if x.dims is None or out.dims is None:
        return None
    own = axis - (out.rank - x.rank)
    if own >= 0 and x.dims[own] == out.dims[axis]:
        found = norm_along(x, own)
        return None if found is None else replace(found, axis=axis)
    size, interval = out.dims[axis], x.interval
    largest = max(abs(interval.low), abs(interval.high))
    if not isinstance(size, int) or size > _CHANNELS or not isfinite(largest):
        return None
    return Norm(axis, sqrt(size), np.full(size, max(largest, np.finfo(np.float64).tiny)))


def _sum(x: Abstract, y: Abstract, out: Abstract, axis: int) -> Norm | None:
    left, right = _beside(x, out, axis), _beside(y, out, axis)
    if left is None or right is None:
        return None
    with np.errstate(all="ignore"):
        scale = left.scale + right.scale
        if not np.isfinite(scale).all():
            return None
        bound = left.bound * float((left.scale / scale).max()) + right.bound * float((right.scale / scale).max())
    return Norm(axis, min(bound, sqrt(len(scale))) * _SLACK, scale)


def _product(x: Abstract, y: Abstract, out: Abstract, axis: int) -> Norm | None:
    """A product by factors that each channel has a bound for."""
    left, right = _beside(x, out, axis), _beside(y, out, axis)
    if left is None or right is None or x.norm is None:
        return None
    with np.errstate(all="ignore"):
        factors = right.scale if y.norm is None else magnitudes(y, axis) if y.rank == out.rank else None
        scale = None if factors is None else left.scale * np.maximum(factors, 1e-30)
    return None if scale is None or not np.isfinite(scale).all() else Norm(axis, left.bound * _SLACK, scale)


def _quotient(x: Abstract, y: Abstract, axis: int) -> Norm | None:
    interval = y.interval
    least = max(interval.low, -interval.high, y.away)
    if x.norm is None or least <= 0:
        return None
    scale = x.norm.scale / least
    return Norm(axis, x.norm.bound * _SLACK, scale) if np.isfinite(scale).all() and scale.all() else None


def _normalised(x: Abstract, statistics: Sequence[Abstract | None], attributes: Mapping[str, Any]) -> Norm | None:
    """Channels scaled and shifted by stored statistics."""
    known = [None if each is None else each.exact for each in statistics]
    if x.norm is None or any(each is None or each.shape != x.norm.scale.shape for each in known):
        return None
    gain, shift, mean, variance = (np.asarray(each, np.float64) for each in known)
    with np.errstate(all="ignore"):
        slope = np.abs(gain / np.sqrt(variance + float(attributes.get("epsilon", 1e-5))))
        scale, offset = np.maximum(x.norm.scale * slope, 1e-30), np.abs(shift) + np.abs(mean) * slope
        total = scale + offset
        bound = x.norm.bound * float((scale / total).max()) + float(np.linalg.norm(offset / total))
    return Norm(x.norm.axis, min(bound, sqrt(len(total))) * _SLACK, total) if np.isfinite(total).all() else None


def _concatenated(
    operands: Sequence[Abstract | None], attributes: Mapping[str, Any], out: Abstract, axis: int
) -> Norm | None:
    if out.axis(int(attributes.get("axis", 0))) != axis:
        return None
    parts = [None if part is None else norm_along(part, axis) for part in operands]
    known = [part for part in parts if part is not None]
    if len(known) < len(operands):
        return None
    bound = sqrt(sum(part.bound**2 for part in known)) * _SLACK
    return Norm(axis, bound, np.concatenate([part.scale for part in known]))


def _after_weights(
    op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], out: Abstract
) -> Abstract:
    """A layer: its elements are bounded by the norms of its rows, its norm by the largest singular value."""
    x, w = operands[0], operands[1] if len(operands) > 1 else None
    if x is None or w is None or w.exact is None or w.exact.size > _LARGEST or x.dims is None or out.dims is None:
        return out
    if op.name == "conv":
        axis, place = channel_axis(attributes, x.rank), channel_axis(attributes, out.rank)
        kernel, group = front_kernel(w.exact, attributes.get("kernel_format", "OI"), int(attributes.get("group", 1)))
        weights = kernel.reshape(kernel.shape[0], kernel.shape[1], -1)
    else:
        if w.exact.ndim != 2 or out.rank != x.rank or attributes.get("transA") or attributes.get("alpha", 1.0) != 1.0:
            return out
        axis, place, group = x.rank - 1, out.rank - 1, 1
        rows = w.exact if op.name == "linear" or attributes.get("transB") else w.exact.T
        weights = rows[:, :, None]
    before = norm_along(x, axis)
    bias = operands[2] if len(operands) > 2 else None
    if before is None or group < 1 or len(before.scale) != weights.shape[1] * group or len(weights) % group:
        return out
    offset = None
    if bias is not None:
        if bias.exact is None or bias.exact.shape != (len(weights),):
            return out
        offset = np.abs(bias.exact.astype(np.float64)) * abs(float(attributes.get("beta", 1.0)))
    return _bounded(before, np.asarray(weights, np.float64), group, offset, out, place)


def _bounded(before: Norm, weights: Array, group: int, offset: Array | None, out: Abstract, place: int) -> Abstract:
    outputs, taps = weights.shape[0], weights.shape[2]
    if out.dims is None or out.dims[place] != outputs:
        return out
    inputs = np.repeat(before.scale.reshape(group, -1), outputs // group, axis=0)
    with np.errstate(all="ignore"):
        scaled = weights * inputs[:, :, None]
        rows = np.sqrt((scaled**2).sum(axis=(1, 2))) * sqrt(taps) * before.bound * _SLACK
        rows = (rows if offset is None else rows + offset) * (1.0 + out.dtype.epsilon)
    if not np.isfinite(rows).all():
        return out
    tight = _within(out, rows, place)
    largest = magnitudes(tight, place)
    if largest is None:
        return tight
    scale = np.maximum(largest - (0.0 if offset is None else np.minimum(offset, largest / 2)), 1e-30)
    mixed = _growth(scaled / scale[:, None, None], group) * before.bound * _SLACK
    if offset is not None:
        total = scale + offset
        mixed = mixed * float((scale / total).max()) + float(np.linalg.norm(offset / total))
        scale = total
    return replace(tight, norm=_rounded(Norm(place, min(mixed, sqrt(outputs)) * _SLACK, scale), out.dtype))


def _within(out: Abstract, rows: Array, place: int) -> Abstract:
    """The result with elements no larger than the rows of the layer allow."""
    shape = [1] * out.rank
    shape[place] = -1
    if len(rows) > _CHANNELS or rows.max() > float(out.dtype.largest):
        return out
    if not out.cuts[place]:
        limit = np.full((1,) * out.rank, rows.max())
    elif len(out.cuts[place]) == len(rows) - 1:
        limit = rows.reshape(shape)
    else:
        return out
    box = out.box
    low, high = np.maximum(box.low, -limit), np.minimum(box.high, limit)
    shown = np.broadcast_to(limit, box.nan.shape) <= float(out.dtype.largest)
    return replace(out, box=Box(np.minimum(low, high), high, box.nan & ~shown), form=None)


def _growth(scaled: Array, group: int) -> float:
    """By how much the norm of a scaled channel vector can grow; taps see different vectors and their results add up."""
    outputs, inputs, taps = scaled.shape
    many = outputs // group
    if inputs == 1 and many == 1:
        sums = np.abs(scaled[:, 0]).sum(axis=1, keepdims=True)
        return float(np.sqrt((np.abs(scaled[:, 0]) * sums).max(axis=0).sum()))
    if group > 64:
        return inf
    parts = [singular(scaled[index * many : (index + 1) * many].reshape(many, -1)) for index in range(group)]
    return max(parts) * sqrt(taps)


def singular(matrix: NDArray[Any]) -> float:
    """A bound of the largest singular value, from the norm of a power of the Gram matrix."""
    scale = float(np.abs(matrix).max()) if matrix.size else 0.0
    if not isfinite(scale) or scale == 0.0:
        return scale
    wide = (matrix / scale).astype(np.float32)
    gram = wide @ wide.T if wide.shape[0] <= wide.shape[1] else wide.T @ wide
    power, root = 1.0, 2.0
    for _ in range(_SQUARINGS):
        size = float(np.abs(gram).max())
        gram = gram / size
        power *= size ** (1.0 / root)
        gram = gram @ gram
        root *= 2
    return float(scale * power * np.linalg.norm(gram) ** (1.0 / root) * _SLACK)
