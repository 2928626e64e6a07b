"""Euclidean norms of channel vectors: they grow by the largest singular value of a layer, not by the sum of its weights.

Intervals alone grow with every layer by the sum of absolute weights, which in a deep network soon leaves every element
type. A norm along one axis, at every position, is carried beside them: each bounds the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.abstract import Abstract, Norm
from mlvet.analyses.numerics.linear import channel_axis
from mlvet.domains import grids
from mlvet.domains.boxes import Box
from mlvet.ops import Op
from mlvet.ops.convolution import front_kernel

if TYPE_CHECKING:
    from mlvet.analyses.numerics.transfer import Transfer

SHRINKING = frozenset(
    "relu relu6 silu swish hard_swish gelu mish tanh neg abs identity dropout stop_gradient softsign sin atan erf"
    " floor_toward_zero trunc cast leaky_relu elu selu celu thresholded_relu shrink clip".split()
)
"""Elementwise operators that make no element larger in absolute value, as far as `_factor` does not say otherwise."""
AVERAGES = frozenset("average_pool global_average_pool adaptive_average_pool reduce_mean".split())
_SLACK = 1.0 + 1e-3
_SQUARINGS = 2
_LARGEST = 1 << 24


def along(x: Abstract, axis: int) -> float:
    """A bound of the norm along an axis, from what is carried and from the elements' bounds."""
    if x.dims is None or not 0 <= axis < x.rank:
        return inf
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(x.box.low), np.abs(x.box.high)) ** 2
        shape = [1] * x.rank
        shape[axis] = -1
        counts = grids.element_counts(x.cuts[axis], x.dims[axis]).reshape(shape)
        total = float(np.sqrt((size * counts).sum(axis=axis).max())) if size.size else 0.0
    total = inf if not isfinite(total) else total * _SLACK
    return min(total, x.norm.bound) if x.norm is not None and x.norm.axis == axis else total


def carried(
    run: Transfer, op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], found: list[Abstract]
) -> list[Abstract]:
    """The results with the norm that follows from those of the operands, and elements within it."""
    first = found[0]
    if not run.relational or not first.dtype.is_float or first.dims is None or not operands or operands[0] is None:
        return found
    if _small(first) and all(operand is None or operand.norm is None for operand in operands):
        return found
    norm = _norm(op, operands, attributes, first)
    if norm is None or not isfinite(norm.bound) or norm.bound >= along(first, norm.axis) * _SLACK**2:
        return found
    box = first.box
    if norm.bound > float(first.dtype.largest):
        return found
    least, most = np.maximum(box.low, -norm.bound), np.minimum(box.high, norm.bound)
    nan = np.zeros(box.nan.shape, bool) if op.name in _WEIGHTED | {"add", "sub"} else box.nan
    tight = replace(first, box=Box(np.minimum(least, most), most, nan), norm=norm)
    return [tight, *found[1:]]


def _small(x: Abstract) -> bool:
    """Whether the elements are so far from the limits of their type that a norm is not worth its cost."""
    interval = x.interval
    return max(abs(interval.low), abs(interval.high)) < float(x.dtype.largest) ** 0.3


_WEIGHTED = frozenset(("matmul", "linear", "gemm", "conv"))


def _norm(op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], out: Abstract) -> Norm | None:
    x = operands[0]
    assert x is not None
    if op.name in _WEIGHTED:
        return _weighted(op, operands, attributes, out)
    axis = x.norm.axis if x.norm is not None else None
    if axis is None and len(operands) > 1 and operands[1] is not None and operands[1].norm is not None:
        axis = operands[1].norm.axis
    if axis is None:
        return None
    if op.name in SHRINKING and x.dims == out.dims:
        return Norm(axis, along(x, axis) * _factor(op, attributes) * _SLACK)
    if op.name in AVERAGES and x.rank == out.rank and x.dims is not None and out.dims is not None:
        return Norm(axis, along(x, axis) * _SLACK) if x.dims[axis] == out.dims[axis] else None
    y = operands[1] if len(operands) > 1 else None
    if y is None:
        return None
    match op.name:
        case "add" | "sub":
            return _sum(x, y, out, axis)
        case "mul":
            return _product(x, y, out, axis)
        case "concat":
            return _concatenated(operands, attributes, out, axis)
        case "max" | "min" | "where":
            return None
    return None


def _factor(op: Op, attributes: Mapping[str, Any]) -> float:
    """By how much an activation can enlarge an element."""
    alpha = abs(float(attributes.get("alpha", 1.0) or 1.0)) if op.name in ("leaky_relu", "elu", "celu", "swish") else 1.0
    if op.name == "selu":
        return max(1.0, float(attributes.get("alpha", 1.68))) * max(1.0, float(attributes.get("gamma", 1.06)))
    if op.name in ("shrink", "dropout", "clip"):
        return inf
    return max(1.0, alpha)


def _sum(x: Abstract, y: Abstract, out: Abstract, axis: int) -> Norm | None:
    if x.dims is None or y.dims is None:
        return None
    return Norm(axis, (_along_broadcast(x, out, axis) + _along_broadcast(y, out, axis)) * _SLACK)


def _along_broadcast(part: Abstract, out: Abstract, axis: int) -> float:
    """The norm along an axis of the result of an operand that is broadcast to it."""
    assert part.dims is not None and out.dims is not None
    own = axis - (out.rank - part.rank)
    if own >= 0 and part.dims[own] == out.dims[axis]:
        return along(part, own)
    size = out.dims[axis]
    interval = part.interval
    return sqrt(size if isinstance(size, int) else grids.MANY) * max(abs(interval.low), abs(interval.high))


def _product(x: Abstract, y: Abstract, out: Abstract, axis: int) -> Norm | None:
    if x.dims is None or y.dims is None:
        return None
    found = inf
    for part, other in ((x, y), (y, x)):
        interval = other.interval
        size = max(abs(interval.low), abs(interval.high))
        if isfinite(size):
            found = min(found, _along_broadcast(part, out, axis) * size)
    return Norm(axis, found * _SLACK)


def _concatenated(
    operands: Sequence[Abstract | None], attributes: Mapping[str, Any], out: Abstract, axis: int
) -> Norm | None:
    joined = out.axis(int(attributes.get("axis", 0)))
    bounds = [along(part, axis) for part in operands if part is not None]
    return Norm(axis, (sqrt(sum(bound**2 for bound in bounds)) if joined == axis else max(bounds)) * _SLACK)


def _weighted(op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], out: Abstract) -> Norm | None:
    x, w = operands[0], operands[1] if len(operands) > 1 else None
    if x is None or w is None or w.exact is None or w.exact.size > _LARGEST or out.dims is None or x.dims is None:
        return None
    bias = operands[2] if len(operands) > 2 else None
    if op.name == "conv":
        axis = channel_axis(attributes, x.rank)
        kernel, group = front_kernel(w.exact, attributes.get("kernel_format", "OI"), int(attributes.get("group", 1)))
        gain = _taps(kernel, group)
        place = channel_axis(attributes, out.rank)
    else:
        if w.exact.ndim != 2 or out.rank != x.rank or attributes.get("transA") or float(attributes.get("alpha", 1.0)) != 1:
            return None
        axis, place, gain = x.rank - 1, out.rank - 1, singular(w.exact)
    bound = along(x, axis) * gain
    if bias is not None:
        if bias.rank != 1 or float(attributes.get("beta", 1.0)) != 1:
            return None
        bound += along(bias, 0)
    return Norm(place, bound * _SLACK)


def _taps(kernel: NDArray[Any], group: int) -> float:
    """The greatest growth of a channel vector: each tap of a kernel is a matrix, and their results are added."""
    flat = kernel.reshape(kernel.shape[0], kernel.shape[1], -1).astype(np.float32)
    if group > 1 and kernel.shape[1] == 1 and kernel.shape[0] == group:
        return float(np.abs(flat[:, 0]).max(axis=0).sum())
    many = kernel.shape[0] // max(group, 1)
    total = 0.0
    for tap in range(flat.shape[2]):
        parts = [singular(flat[index * many : (index + 1) * many, :, tap]) for index in range(group)] if group <= 64 else [inf]
        total += max(parts)
    stacked = [singular(flat[index * many : (index + 1) * many].reshape(many, -1)) for index in range(min(group, 64))]
    return min(total, max(stacked) * sqrt(flat.shape[2])) if group <= 64 else total


def singular(matrix: NDArray[Any]) -> float:
    """A bound of the largest singular value, from the traces of powers of the Gram matrix."""
    wide = np.asarray(matrix, dtype=np.float32)
    scale = float(np.abs(wide).max()) if wide.size else 0.0
    if not isfinite(scale) or scale == 0.0:
        return scale
    wide = wide / scale
    gram = wide @ wide.T if wide.shape[0] <= wide.shape[1] else wide.T @ wide
    root = 2.0
    shift = 1.0
    for _ in range(_SQUARINGS):
        size = float(np.abs(gram).max())
        gram = gram / size
        shift *= size ** (1.0 / root)
        gram = gram @ gram
        root *= 2
    return scale * shift * float(np.linalg.norm(gram)) ** (1.0 / root) * _SLACK
