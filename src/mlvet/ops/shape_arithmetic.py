"""What gradients compute of shapes: which axes were broadcast, where parts of a join began, and shapes put together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Expr, equal
from mlvet.domains.dtypes import i32
from mlvet.domains.tensors import Tensor, UnknownValue
from mlvet.ops.enclosures_counting import AXES, OFFSETS, STITCHED
from mlvet.ops.numeric import Numeric
from mlvet.ops.op import Effects, Infer, Op, Reference, register
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Samples, broadcasting

Array = NDArray[Any]


def _arithmetic(name: str, infer: Infer, reference: Reference, samples: Samples, numeric: Numeric) -> Op:
    return register(
        Op(
            name,
            "shape arithmetic",
            infer=infer,
            numeric=numeric,
            danger=(),
            effects=Effects.PURE,
            reference=reference,
            samples=samples,
            folds=True,
        )
    )


def infer_broadcast_gradient_args(first: Tensor, second: Tensor, *, require: Require) -> tuple[Tensor, Tensor]:
    """The axes over which the gradient by each of two operands that were broadcast is summed."""
    dtype = require.same_dtype(first, second)
    left, right = require.ints(first), require.ints(second)
    if left is None or right is None:
        return Tensor(dtype, (require.unknown(),)), Tensor(dtype, (require.unknown(),))
    require.broadcast(left, right)
    try:
        found = _broadcast_gradient_args(np.asarray(left, object), np.asarray(right, object))
    except UnknownValue:
        return Tensor(dtype, (require.unknown(),)), Tensor(dtype, (require.unknown(),))
    return Tensor(dtype, found[0].shape), Tensor(dtype, found[1].shape)


def _broadcast_gradient_args(first: Array, second: Array) -> tuple[Array, Array]:
    """None of two equal shapes; otherwise the axes in which a shape, filled up from the left, is 1."""
    kind = np.dtype(np.int64) if first.dtype == object else first.dtype
    shapes = [[dim if isinstance(dim, Expr) else int(dim) for dim in shape] for shape in (first, second)]
    rank = max(map(len, shapes))
    same = [equal(a, b) for a, b in zip(*shapes, strict=False)]
    if len(shapes[0]) == len(shapes[1]) and False not in same:
        if None in same:
            raise UnknownValue("sizes may be equal")
        return np.zeros(0, kind), np.zeros(0, kind)
    axes = []
    for shape in shapes:
        ones = [True] * (rank - len(shape)) + [equal(dim, 1) for dim in shape]
        if None in ones:
            raise UnknownValue("a size may be 1")
        axes.append(np.asarray([axis for axis, one in enumerate(ones) if one], kind))
    return axes[0], axes[1]


def _sample_shapes(draw: Draw) -> Sample:
    shapes = broadcasting(draw, 2)
    return Sample(tuple(np.asarray(shape, np.int32) for shape in shapes))


def infer_concat_offset(*shapes: Tensor, require: Require, axis: int = 0) -> tuple[Tensor, ...]:
    """Where each of several tensors begins in their join."""
    return tuple(shape.without_value() for shape in shapes)


def _concat_offset(*shapes: Array, axis: int = 0) -> tuple[Array, ...]:
    offsets, before = [], shapes[0][axis] * 0
    for shape in shapes:
        offset = np.zeros_like(shape)
        offset[axis] = before
        offsets.append(offset)
        before = before + shape[axis]
    return tuple(offsets)


def _sample_offsets(draw: Draw) -> Sample:
    rank = draw.integer(1, 3)
    shapes = tuple(draw.array((rank,), low=0, high=5, dtype=i32) for _ in range(draw.integer(1, 3)))
    return Sample(shapes, {"axis": draw.integer(-rank, rank - 1)})


def infer_dynamic_stitch(*operands: Tensor, require: Require) -> Tensor:
    """Rows placed by index: the first half of the operands are indices, the second half rows for each of them."""
    half = len(operands) // 2
    indices, rows = operands[:half], operands[half:]
    dtype = require.same_dtype(*rows)
    known = [require.known_ints(index) for index in indices]
    places = [place for found in known if found is not None for place in found]
    size = max(places, default=-1) + 1 if None not in known else require.unknown()
    shaped = [row.dims[index.rank :] for index, row in zip(indices, rows, strict=False) if index.ranked and row.ranked]
    return Tensor(dtype, (size, *shaped[0])) if shaped else require.unknown_tensor(dtype)


def _dynamic_stitch(*operands: Array) -> Array:
    half = len(operands) // 2
    indices, rows = operands[:half], operands[half:]
    size = max((int(index.max()) for index in indices if index.size), default=-1) + 1
    dtype = object if any(row.dtype == object for row in rows) else rows[0].dtype
    result: Array = np.zeros((size, *rows[0].shape[indices[0].ndim :]), dtype)
    for index, row in zip(indices, rows, strict=True):
        places = index.ravel().astype(np.int64)
        result[places] = row.reshape(len(places), *result.shape[1:])
    return result


def _sample_stitch(draw: Draw) -> Sample:
    """Every row gets something, in an order of its own."""
    count, first = draw.integer(1, 5), draw.integer(0, 5)
    order = np.argsort(draw.array((count,))).astype(np.int32)
    parts = order[: min(first, count)], order[min(first, count) :]
    shape = draw.shape()
    return Sample((*parts, *(draw.array((len(part), *shape)) for part in parts)))


broadcast_gradient_args = _arithmetic(
    "broadcast_gradient_args", infer_broadcast_gradient_args, _broadcast_gradient_args, _sample_shapes, AXES
)
concat_offset = _arithmetic("concat_offset", infer_concat_offset, _concat_offset, _sample_offsets, OFFSETS)
dynamic_stitch = _arithmetic("dynamic_stitch", infer_dynamic_stitch, _dynamic_stitch, _sample_stitch, STITCHED)
