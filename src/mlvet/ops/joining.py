"""Operators that join tensors, take them apart, or repeat them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mlvet.domains.dims import Dim, ceil_div, evaluate, minimum, total
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ops.layout import Array, any_axis, ints_of, layout, length_of, proper, same_dims
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers


def infer_concat(*xs: Tensor, require: Require, axis: int = 0) -> Tensor:
    """Sizes add up along the axis and are equal elsewhere, save in operands without elements beside others."""
    dtype = require.same_dtype(*xs)
    ranked = [x for x in xs if not isinstance(x.shape, Unranked)]
    if not ranked:
        return require.unknown_tensor(dtype)
    rank = ranked[0].rank
    require.holds(rank > 0, "concat takes operands of at least one dim", "rank-differs")
    place = require.axis(axis, rank)
    same = [x for x in ranked if require.rank(x, rank, "every operand of concat")]
    full = [x for x in same if x.size != 0] or same
    dims: list[Dim] = list(full[0].dims)
    for number, x in enumerate(same, start=1):
        if x is full[0] or (x.size == 0 and full is not same):
            continue
        for other, dim in enumerate(x.dims):
            if other != place:
                because = f"concat along axis {place} needs equal sizes elsewhere, dim {other} of operand {number}"
                dims[other] = require.equal(dims[other], dim, because, "concat-dims")
    if rank:
        dims[place] = total(x.dims[place] for x in same) if len(same) == len(xs) else require.unknown()
    return Tensor(dtype, tuple(dims))


def _concat(*xs: Array, axis: int = 0) -> Array:
    return np.concatenate(xs, axis=axis)


def _sample_concat(draw: Draw) -> Sample:
    dims = draw.shape(1)
    axis = any_axis(draw, len(dims))
    shapes = []
    for _ in range(draw.integer(1, 3)):
        shape = list(dims)
        shape[axis] = draw.integer(1, 4)
        shapes.append(shape)
    return Sample(tuple(draw.array(shape) for shape in shapes), {"axis": axis})


concat = layout("concat", infer_concat, _concat, _sample_concat, operands=None, folds=True)


def infer_stack(*xs: Tensor, require: Require, axis: int = 0) -> Tensor:
    """Operands of one shape, along a new axis."""
    dtype = require.same_dtype(*xs)
    ranked = [x for x in xs if not isinstance(x.shape, Unranked)]
    if not ranked:
        return require.unknown_tensor(dtype)
    dims = ranked[0].dims
    for x in ranked[1:]:
        dims = same_dims(require, dims, x.dims, "stack joins operands of one shape", "concat-dims")
    place = require.axis(axis, len(dims) + 1)
    return Tensor(dtype, (*dims[:place], len(xs), *dims[place:]))


def _stack(*xs: Array, axis: int = 0) -> Array:
    return np.stack(xs, axis=axis)


def _sample_stack(draw: Draw) -> Sample:
    dims = draw.shape(0, 3)
    operands = tuple(draw.array(dims) for _ in range(draw.integer(1, 3)))
    return Sample(operands, {"axis": any_axis(draw, len(dims) + 1)})


stack = layout("stack", infer_stack, _stack, _sample_stack, operands=None, folds=True)


def infer_unstack(x: Tensor, *, require: Require, axis: int = 0, num: int | None = None) -> tuple[Tensor, ...]:
    """One result per index along the axis, which goes."""
    place = require.axis(axis, x.rank)
    size: Dim = x.dims[place] if x.rank else 1
    if num is not None:
        require.equal(size, num, f"unstack yields {num} results along axis {place}", "dims-differ")
        size = num
    rest = x.with_shape(x.dims[:place] + x.dims[place + 1 :])
    return (rest,) * (size if isinstance(size, int) else 0)


def _unstack(x: Array, *, axis: int = 0, num: int | None = None) -> tuple[Array, ...]:
    count = x.shape[axis] if num is None else num
    first = np.moveaxis(x, axis, 0)
    return tuple(first[index : index + 1].reshape(first.shape[1:]) for index in range(count))


def _sample_unstack(draw: Draw) -> Sample:
    dims = draw.shape(1)
    axis = any_axis(draw, len(dims))
    return Sample((draw.array(dims),), {"axis": axis, "num": dims[axis]})


unstack = layout("unstack", infer_unstack, _unstack, _sample_unstack, folds=True)


def infer_split(
    x: Tensor, split: Tensor | None = None, *, require: Require, axis: int = 0, num_outputs: int | None = None
) -> tuple[Tensor, ...]:
    """Parts of the given sizes along the axis, or `num_outputs` parts of one size of which the last may be smaller."""
    sizes = require.ints(split)
    count = len(sizes) if sizes is not None else num_outputs if num_outputs is not None else length_of(split)
    if isinstance(x.shape, Unranked) or x.rank == 0:
        require.rank_at_least(x, 1)
        return tuple(require.unknown_tensor(x.dtype) for _ in range(count or 0))
    place = require.axis(axis, x.rank)
    dim = x.dims[place]
    if sizes is not None:
        if sizes.count(-1) == 1:
            sizes[sizes.index(-1)] = dim - total(size for size in sizes if size != -1)
        sizes = list(proper(require, sizes, "part"))
        require.equal(dim, total(sizes), f"split sizes must add up to dim {place} of {x}", "dims-differ")
    elif split is None and count:
        sizes = equal_parts(dim, count)
    else:
        sizes = [require.counted() for _ in range(count or 0)]
    return tuple(x.with_shape((*x.dims[:place], size, *x.dims[place + 1 :])) for size in sizes)


def equal_parts(dim: Dim, count: int) -> list[Dim]:
    """The sizes of parts that are equal, save for the last ones if the dim does not divide."""
    part = ceil_div(dim, count)
    if not isinstance(dim, int) and count > 1:
        return [part] * (count - 1) + [dim - part * (count - 1)]
    ends = [minimum(part * number, dim) for number in range(count + 1)]
    return [high - low for low, high in pairwise(ends)]


def _split(x: Array, split: Array | None = None, *, axis: int = 0, num_outputs: int | None = None) -> tuple[Array, ...]:
    dim = x.shape[axis]
    parts = equal_parts(dim, num_outputs or 1)
    sizes = [evaluate(part, {}) for part in parts] if split is None else ints_of(split)
    if -1 in sizes:
        sizes[sizes.index(-1)] = dim - sum(sizes) - 1
    return tuple(np.split(x, np.cumsum(sizes)[:-1], axis=axis))


def _sample_split(draw: Draw) -> Sample:
    dims = list(draw.shape(1))
    axis = any_axis(draw, len(dims))
    if draw.choice((True, False)):
        sizes = [draw.integer(0, 3) for _ in range(draw.integer(1, 3))]
        dims[axis] = sum(sizes)
        if draw.choice((True, False, False)):
            sizes[0] = -1
        return Sample((draw.array(dims), integers(sizes)), {"axis": axis})
    count = draw.integer(1, 3)
    dims[axis] = count * draw.integer(1, 2) + draw.integer(0, 1)
    return Sample((draw.array(dims),), {"axis": axis, "num_outputs": count})


split = layout("split", infer_split, _split, _sample_split, folds=True)


def infer_tile(x: Tensor, repeats: Tensor, *, require: Require) -> Tensor:
    """Each size times its repeats."""
    counts = require.ints(repeats)
    if counts is None:
        return require.unknown_tensor(x.dtype, length_of(repeats) if not x.ranked else x.rank)
    if isinstance(x.shape, Unranked):
        return require.unknown_tensor(x.dtype, len(counts))
    because = f"tile needs one count per dim of {x}, but has {len(counts)}"
    if not require.holds(len(counts) == x.rank, because, "rank-differs"):
        return require.unknown_tensor(x.dtype)
    return x.with_shape(dim * n for dim, n in zip(x.dims, proper(require, counts, "count"), strict=True))


def _tile(x: Array, repeats: Array) -> Array:
    return np.tile(x, ints_of(repeats))


def _sample_tile(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    return Sample((draw.array(dims), integers([draw.integer(0, 3) for _ in dims])))


tile = layout("tile", infer_tile, _tile, _sample_tile, folds=True)


def infer_repeat_interleave(x: Tensor, repeats: Tensor, *, require: Require, axis: int | None = None) -> Tensor:
    """Each element along the axis (of the flattened operand, without axis) repeated in place."""
    counts = require.ints(repeats)
    counts = None if counts is None else list(proper(require, counts, "count"))
    dim: Dim = x.size if axis is None else x.dims[require.axis(axis, x.rank)] if x.rank else 1
    if counts is None:
        size = require.counted()
    elif len(counts) == 1:
        size = dim * counts[0]
    else:
        require.equal(dim, len(counts), "repeat_interleave takes one count, or one per index", "dims-differ")
        size = total(counts)
    if axis is None:
        return x.with_shape((size,))
    place = axis % x.rank if x.rank else 0
    return x.with_shape((*x.dims[:place], size, *x.dims[place + 1 :]))


def _repeat_interleave(x: Array, repeats: Array, *, axis: int | None = None) -> Array:
    counts = ints_of(repeats)
    return np.repeat(x, counts[0] if len(counts) == 1 else counts, axis=axis)


def _sample_repeat_interleave(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    axis = draw.choice((None, any_axis(draw, len(dims))))
    size = int(np.prod(dims)) if axis is None else dims[axis]
    counts = [draw.integer(0, 3) for _ in range(draw.choice((1, size)))]
    return Sample((draw.array(dims), integers(counts)), {} if axis is None else {"axis": axis})


repeat_interleave = layout(
    "repeat_interleave", infer_repeat_interleave, _repeat_interleave, _sample_repeat_interleave, folds=True
)


def infer_meshgrid(*xs: Tensor, require: Require, indexing: str = "ij") -> tuple[Tensor, ...]:
    """One grid per vector; `xy` swaps the first two axes."""
    sizes = [x.size for x in xs]
    for x in xs:
        if x.ranked:
            require.holds(x.rank <= 1, f"meshgrid takes vectors, but got {x}", "rank-differs")
    require.holds(indexing in ("ij", "xy"), f"meshgrid has no indexing {indexing!r}")
    if indexing == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1::-1]
    return tuple(x.with_shape(sizes) for x in xs)


def _meshgrid(*xs: Array, indexing: str = "ij") -> tuple[Array, ...]:
    return tuple(np.meshgrid(*xs, indexing=indexing))  # type: ignore[call-overload]


def _sample_meshgrid(draw: Draw) -> Sample:
    operands = tuple(draw.array((draw.integer(1, 4),)) for _ in range(draw.integer(1, 3)))
    return Sample(operands, {"indexing": draw.choice(("ij", "xy"))})


meshgrid = layout("meshgrid", infer_meshgrid, _meshgrid, _sample_meshgrid, operands=None)
