"""Operators that pick elements at places given by index operands or masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, equal
from mlvet.domains.tensors import Dims, Tensor
from mlvet.ops.layout import Array, any_axis, index_in_range, layout, proper, same_dims
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample


def infer_gather(x: Tensor, indices: Tensor, *, require: Require, axis: int = 0) -> Tensor:
    """The shape of the indices takes the place of the axis."""
    _integer_indices(require, indices)
    if not require.rank_at_least(x, 1):
        return require.unknown_tensor(x.dtype)
    place = require.axis(axis, x.rank)
    index_in_range(require, indices, x.dims[place])
    return x.with_shape(x.dims[:place] + indices.dims + x.dims[place + 1 :])


def _integer_indices(require: Require, indices: Tensor) -> None:
    if indices.dtype is not None:
        require.holds(indices.dtype.is_integer, f"indices must be integers, but are {indices.dtype}", "dtype-differs")


def _gather(x: Array, indices: Array, *, axis: int = 0) -> Array:
    places = np.asarray(indices, dtype=np.int64)
    picked = np.take(x, places.reshape(-1), axis=axis)
    place = axis % x.ndim
    return picked.reshape(x.shape[:place] + places.shape + x.shape[place + 1 :])


def _indices(draw: Draw, shape: Sequence[int], size: int, negative: bool = True) -> Array:
    return draw.array(shape, low=-size if negative else 0, high=size - 1, dtype=dtypes.i64)


def _sample_gather(draw: Draw) -> Sample:
    dims = draw.shape(1)
    axis = any_axis(draw, len(dims))
    return Sample((draw.array(dims), _indices(draw, draw.shape(0, 2), dims[axis])), {"axis": axis})


gather = layout("gather", infer_gather, _gather, _sample_gather, family="indexing", folds=True)


def infer_gather_elements(x: Tensor, indices: Tensor, *, require: Require, axis: int = 0) -> Tensor:
    """The shape of the indices, which has as many dims as the operand."""
    _integer_indices(require, indices)
    if x.ranked and indices.ranked and require.rank(indices, x.rank, "indices") and x.rank:
        place = require.axis(axis, x.rank)
        index_in_range(require, indices, x.dims[place])
        for other, (dim, size) in enumerate(zip(x.dims, indices.dims, strict=True)):
            if other != place:
                because = f"indices of gather_elements reach beyond dim {other} of {x}"
                require.at_least(dim, size, because, "size-out-of-range")
    return x.with_shape(indices.shape)


def _gather_elements(x: Array, indices: Array, *, axis: int = 0) -> Array:
    places = np.asarray(indices, dtype=np.int64)
    box = tuple(slice(None) if n == axis % x.ndim else slice(0, size) for n, size in enumerate(places.shape))
    return np.take_along_axis(x[box], places, axis)


def _sample_gather_elements(draw: Draw) -> Sample:
    dims = draw.shape(1)
    axis = any_axis(draw, len(dims))
    shape = [draw.integer(1, dim) for dim in dims]
    shape[axis] = draw.integer(1, 4)
    return Sample((draw.array(dims), _indices(draw, shape, dims[axis])), {"axis": axis})


gather_elements = layout(
    "gather_elements", infer_gather_elements, _gather_elements, _sample_gather_elements, family="indexing", folds=True
)


def infer_gather_nd(x: Tensor, indices: Tensor, *, require: Require, batch_dims: int = 0) -> Tensor:
    """The last axis of the indices holds coordinates; what they leave of the operand's dims is appended."""
    _integer_indices(require, indices)
    require.holds(batch_dims >= 0, f"gather_nd cannot have {batch_dims} batch dims")
    if batch_dims < 0 or not require.rank_at_least(indices, 1 + batch_dims, "indices"):
        return require.unknown_tensor(x.dtype)
    width = indices.dims[-1]
    if not isinstance(width, int):
        return require.unknown_tensor(x.dtype)
    because = f"coordinates of {width} dims do not fit {x}"
    if not require.holds(batch_dims + width <= x.rank, because, "rank-differs"):
        return require.unknown_tensor(x.dtype)
    batch = same_dims(require, indices.dims[:batch_dims], x.dims[:batch_dims], "gather_nd has one batch")
    return x.with_shape(batch + indices.dims[batch_dims:-1] + x.dims[batch_dims + width :])


def _gather_nd(x: Array, indices: Array, *, batch_dims: int = 0) -> Array:
    places = np.asarray(indices, dtype=np.int64)
    batch: tuple[Array, ...] = np.indices(x.shape[:batch_dims], sparse=True)
    extra = places.ndim - 1 - batch_dims
    lead = tuple(number.reshape(number.shape + (1,) * extra) for number in batch)
    return np.asarray(x[lead + tuple(np.moveaxis(places, -1, 0)) + (Ellipsis,)])


def _sample_gather_nd(draw: Draw) -> Sample:
    dims = draw.shape(1)
    batch = draw.integer(0, len(dims) - 1)
    width = draw.integer(1, len(dims) - batch)
    shape = (*dims[:batch], *draw.shape(0, 2))
    columns = [_indices(draw, shape, dims[batch + n]) for n in range(width)]
    return Sample((draw.array(dims), np.stack(columns, axis=-1)), {"batch_dims": batch})


gather_nd = layout("gather_nd", infer_gather_nd, _gather_nd, _sample_gather_nd, family="indexing", folds=True)


def indexed(require: Require, x: Tensor, indices: Sequence[Tensor | None]) -> tuple[Dims, Dims, int]:
    """For advanced indexing: dims of the whole result, of the indexed part alone, and where that part stands."""
    taken: list[tuple[int, Tensor]] = []
    shapes: list[Dims] = []
    place = 0
    for index in indices:
        if index is None:
            place += 1
            continue
        if index.dtype is dtypes.bool_:
            width = index.rank
            for number, dim in enumerate(index.dims):
                if place + number < x.rank:
                    because = f"mask {index} does not cover dims of {x}"
                    require.equal(dim, x.dims[place + number], because, "dims-differ")
            known = require.known_ints(index)
            shapes.append((require.counted() if known is None else sum(known),))
        else:
            width = 1
            _integer_indices(require, index)
            if place < x.rank:
                index_in_range(require, index, x.dims[place])
            shapes.append(index.dims)
        taken += [(place + number, index) for number in range(width)]
        place += width
    require.holds(place <= x.rank, f"{place} indices for {x}, which has {x.rank} dims", "rank-differs")
    part = require.broadcast(*shapes)
    places = [number for number, _ in taken]
    adjacent = not places or places[-1] - places[0] == len(places) - 1
    first = places[0] if adjacent and places else 0
    if any(index is not None and index.dtype is dtypes.bool_ and index.rank == 0 for index in indices):
        first = 0
    rest = [dim for number, dim in enumerate(x.dims) if number not in places]
    return (*rest[:first], *part, *rest[first:]), part, first


def infer_index(x: Tensor, *indices: Tensor | None, require: Require) -> Tensor:
    """Advanced indexing: indices broadcast together, a mask counts as its coordinates, None takes a whole axis."""
    return x.with_shape(indexed(require, x, indices)[0])


def key_of(indices: Sequence[Array | None]) -> tuple[Any, ...]:
    return (*(slice(None) if index is None else index for index in indices), Ellipsis)


def _index(x: Array, *indices: Array | None) -> Array:
    return np.asarray(x[key_of(indices)])


def draw_key(draw: Draw, dims: Sequence[int]) -> list[Array | None]:
    """Index operands for some axes, of shapes that broadcast, now and then a mask."""
    common = draw.shape(0, 2)
    key: list[Array | None] = []
    if draw.choice((True, False, False, False)):
        return [draw.array(dims[: draw.integer(1, len(dims))], dtype=dtypes.bool_)]
    for dim in dims[: draw.integer(1, len(dims))]:
        key.append(draw.choice((None, _indices(draw, draw.broadcastable(common), dim))))
    return key if any(index is not None for index in key) else [_indices(draw, common, dims[0])]


def _sample_index(draw: Draw) -> Sample:
    dims = draw.shape(1)
    return Sample((draw.array(dims), *draw_key(draw, dims)))


index = layout("index", infer_index, _index, _sample_index, family="indexing")


def infer_embedding(
    weight: Tensor, indices: Tensor, *, require: Require, padding_idx: int | None = None, **_: Any
) -> Tensor:
    """One row of the weight per index."""
    _integer_indices(require, indices)
    if not require.rank(weight, 2, "the weight of an embedding"):
        return require.unknown_tensor(weight.dtype, indices.rank + 1)
    rows, width = weight.dims
    known = require.known_ints(indices)
    if known and isinstance(rows, int):
        worst = max(known, key=lambda row: row if row >= 0 else rows - row)
        because = f"index {worst} is out of range for {rows} rows"
        require.holds(0 <= worst < rows, because, "size-out-of-range")
    if padding_idx is not None and isinstance(rows, int):
        require.holds(-rows <= padding_idx < rows, f"padding index {padding_idx} is out of range", "size-out-of-range")
    return weight.with_shape((*indices.dims, width))


def _embedding(weight: Array, indices: Array, **_: Any) -> Array:
    return weight[np.asarray(indices, dtype=np.int64)]


def _sample_embedding(draw: Draw) -> Sample:
    rows, width = draw.integer(1, 5), draw.integer(1, 4)
    indices = _indices(draw, draw.shape(0, 3), rows, negative=False)
    return Sample((draw.array((rows, width)), indices), draw.choice(({}, {"padding_idx": draw.integer(0, rows - 1)})))


embedding = layout("embedding", infer_embedding, _embedding, _sample_embedding, family="indexing")


def infer_one_hot(indices: Tensor, depth: Tensor, values: Tensor, *, require: Require, axis: int = -1) -> Tensor:
    """A new axis of the depth, on at the index and off elsewhere; `values` holds off and on."""
    sizes = require.ints(depth)
    if values.ranked and require.rank(values, 1, "values"):
        require.equal(values.dims[0], 2, "values of one_hot are off and on")
    size = proper(require, sizes, "depth")[0] if sizes is not None and len(sizes) == 1 else require.unknown()
    place = require.axis(axis, indices.rank + 1)
    return Tensor(values.dtype, (*indices.dims[:place], size, *indices.dims[place:]))


def _one_hot(indices: Array, depth: Array, values: Array, *, axis: int = -1) -> Array:
    size = int(np.ravel(depth)[0])
    places = np.asarray(indices).astype(np.int64)
    valid = (places >= -size) & (places < size)
    hot = (np.where(places < 0, places + size, places)[..., None] == np.arange(size)) & valid[..., None]
    return np.moveaxis(np.where(hot, values[1], values[0]).astype(values.dtype), -1, axis)


def _sample_one_hot(draw: Draw) -> Sample:
    dims, size = draw.shape(0, 3), draw.integer(1, 5)
    depth = np.asarray(draw.choice((size, [size])), dtype=np.int64)
    indices = draw.array(dims, low=-size - 1, high=size, dtype=dtypes.i64)
    return Sample((indices, depth, draw.array((2,))), {"axis": any_axis(draw, len(dims) + 1)})


one_hot = layout("one_hot", infer_one_hot, _one_hot, _sample_one_hot, family="indexing", operands=(2,))


def infer_compress(x: Tensor, condition: Tensor, *, require: Require, axis: int | None = None) -> Tensor:
    """Along the axis (of the flattened operand, without axis) the entries whose condition holds."""
    if condition.ranked:
        require.rank(condition, 1, "the condition of compress")
    known = require.known_ints(condition)
    size: Dim = require.counted() if known is None else sum(map(bool, known))
    if axis is None:
        return x.with_shape((size,))
    place = require.axis(axis, x.rank)
    if condition.ranked and condition.rank == 1 and x.rank:
        because = f"the condition is longer than dim {place} of {x}"
        require.at_least(x.dims[place], condition.dims[0], because, "size-out-of-range")
    return x.with_shape((*x.dims[:place], size, *x.dims[place + 1 :]))


def _compress(x: Array, condition: Array, *, axis: int | None = None) -> Array:
    return np.compress(condition, x, axis=axis)


def _sample_compress(draw: Draw) -> Sample:
    dims = draw.shape(1)
    axis = draw.choice((None, any_axis(draw, len(dims))))
    size = int(np.prod(dims)) if axis is None else dims[axis]
    condition = draw.array((draw.integer(1, size),), dtype=dtypes.bool_)
    return Sample((draw.array(dims), condition), {} if axis is None else {"axis": axis})


compress = layout("compress", infer_compress, _compress, _sample_compress, family="indexing")


def infer_masked_fill(x: Tensor, mask: Tensor, value: Tensor, *, require: Require) -> Tensor:
    """The operand where the mask is false, the value where it is true."""
    require.dtype(mask, [dtypes.bool_], "mask")
    if value.ranked:
        require.equal(value.size, 1, "masked_fill fills with one value")
    return x.with_shape(require.broadcast_tensors(x, mask))


def _masked_fill(x: Array, mask: Array, value: Array) -> Array:
    return np.where(mask, np.asarray(value).reshape(()).astype(x.dtype), x)


def _sample_masked_fill(draw: Draw) -> Sample:
    dims = draw.shape()
    mask = draw.array(draw.broadcastable(dims), dtype=dtypes.bool_)
    return Sample((draw.array(draw.broadcastable(dims)), mask, draw.array(())))


masked_fill = layout(
    "masked_fill", infer_masked_fill, _masked_fill, _sample_masked_fill, family="indexing", operands=(0, 2)
)


def infer_masked_select(x: Tensor, mask: Tensor, *, require: Require) -> Tensor:
    """The elements whose mask holds, in a row."""
    require.dtype(mask, [dtypes.bool_], "mask")
    if x.ranked and mask.ranked:
        require.broadcast(x.dims, mask.dims)
    known = require.known_ints(mask)
    whole = known is not None and x.ranked and len(x.dims) == mask.rank
    whole = whole and all(equal(a, b) for a, b in zip(x.dims, mask.dims, strict=True))
    return x.with_shape((sum(known) if whole and known is not None else require.counted(),))


def _masked_select(x: Array, mask: Array) -> Array:
    elements, holds = np.broadcast_arrays(x, mask)
    return np.asarray(elements[holds])


def _sample_masked_select(draw: Draw) -> Sample:
    dims = draw.shape()
    return Sample((draw.array(dims), draw.array(dims, dtype=dtypes.bool_)))


masked_select = layout("masked_select", infer_masked_select, _masked_select, _sample_masked_select, family="indexing")
