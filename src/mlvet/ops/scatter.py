"""Operators that write elements of one tensor into places of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Expr
from mlvet.domains.dims import maximum as larger
from mlvet.domains.dims import minimum as smaller
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import Jvp, SameMap
from mlvet.ops.enclosures_sums import MULTIPLIED, SEGMENTS, added
from mlvet.ops.indexing import draw_key, indexed, key_of
from mlvet.ops.layout import Array, any_axis, index_in_range, layout, proper, same_dims
from mlvet.ops.numeric import ByMode, Numeric, Selection
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers

REDUCTIONS = ("none", "add", "mul", "min", "max")


def kind_of_scatter(reduction: str = "none", **_: Any) -> Numeric:
    """Elements are written, compared, added up or multiplied."""
    return {"add": added(2), "mul": MULTIPLIED}.get(reduction, Selection((0, 2)))


_scatter = partial(pure, family="scatter", numeric=ByMode(kind_of_scatter), danger=(OVERFLOW,), folds=True)


def minimum(old: Any, update: Any) -> Any:
    """The smaller of two elements, which may be sizes."""
    return smaller(old, update) if isinstance(old, Expr) or isinstance(update, Expr) else min(old, update)


def maximum(old: Any, update: Any) -> Any:
    """The larger of two elements, which may be sizes."""
    return larger(old, update) if isinstance(old, Expr) or isinstance(update, Expr) else max(old, update)


def _write(result: Array, places: Iterator[tuple[tuple[Any, ...], Any]], reduction: str) -> None:
    """Updates in turn; later ones win where there is no reduction."""
    for place, update in places:
        old = result[place]
        if reduction == "none":
            result[place] = update
        elif reduction == "add":
            result[place] = old + update
        elif reduction == "mul":
            result[place] = old * update
        else:
            result[place] = minimum(old, update) if reduction == "min" else maximum(old, update)


def _write_moving(
    result: Array, change: Array, places: Sequence[tuple[tuple[Any, ...], Any, Any]], reduction: str
) -> None:
    """The same on values with directions."""
    for place, update, move in places:
        old, moved = result[place], change[place]
        if reduction == "none":
            result[place], change[place] = update, move
        elif reduction == "add":
            result[place], change[place] = old + update, moved + move
        elif reduction == "mul":
            result[place], change[place] = old * update, moved * update + old * move
        elif (update < old) == (reduction == "min") and update != old:
            result[place], change[place] = update, move


def _directions(operands: Sequence[Array], directions: Sequence[Array | None]) -> tuple[Array, Array]:
    moved, update = directions[0], directions[2]
    return (
        np.zeros_like(operands[0]) if moved is None else moved.copy(),
        np.zeros_like(operands[2]) if update is None else update,
    )


def infer_scatter_elements(
    x: Tensor, indices: Tensor, updates: Tensor, *, require: Require, axis: int = 0, reduction: str = "none"
) -> Tensor:
    """The shape of the operand; indices and updates have one shape of as many dims."""
    require.holds(reduction in REDUCTIONS, f"scatter_elements has no reduction {reduction!r}")
    dtype = require.same_dtype(x, updates)
    if indices.ranked and updates.ranked:
        same_dims(require, indices.dims, updates.dims, "indices and updates have one shape", "dims-differ")
    if x.ranked and indices.ranked and require.rank(indices, x.rank, "indices") and x.rank:
        place = require.axis(axis, x.rank)
        index_in_range(require, indices, x.dims[place])
        for other, (dim, size) in enumerate(zip(x.dims, indices.dims, strict=True)):
            if other != place:
                require.at_least(dim, size, f"indices reach beyond dim {other} of {x}", "size-out-of-range")
    return Tensor(dtype, x.shape)


def _element_places(x: Array, indices: Array, axis: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for source in np.ndindex(*indices.shape):
        target = list(source)
        target[axis] = int(indices[source]) % x.shape[axis]
        yield tuple(target), source


def _scatter_elements(x: Array, indices: Array, updates: Array, *, axis: int = 0, reduction: str = "none") -> Array:
    result = x.copy()
    _write(result, ((to, updates[at]) for to, at in _element_places(x, indices, axis)), reduction)
    return result


def _move_scatter_elements(
    operands: Sequence[Array], directions: Sequence[Array | None], *, axis: int = 0, reduction: str = "none"
) -> Array:
    x, indices, updates = operands
    change, moves = _directions(operands, directions)
    places = [(to, updates[at], moves[at]) for to, at in _element_places(x, indices, axis)]
    _write_moving(x.copy(), change, places, reduction)
    return change


def _sample_scatter_elements(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    axis = any_axis(draw, len(dims))
    shape = [draw.integer(1, dim) for dim in dims]
    indices = draw.array(shape, low=-dims[axis], high=dims[axis] - 1, dtype=dtypes.i64)
    x, updates = draw.array(dims, distinct=True), draw.array(shape, low=-3.07, high=5.11, distinct=True)
    return Sample((x, indices, updates), {"axis": axis, "reduction": draw.choice(REDUCTIONS)})


scatter_elements = _scatter(
    "scatter_elements",
    infer_scatter_elements,
    _scatter_elements,
    _sample_scatter_elements,
    derivative=Jvp(_move_scatter_elements),
)


def infer_scatter_nd(
    x: Tensor, indices: Tensor, updates: Tensor, *, require: Require, reduction: str = "none"
) -> Tensor:
    """The shape of the operand; updates have the indices' leading dims, then the dims that coordinates leave."""
    require.holds(reduction in REDUCTIONS, f"scatter_nd has no reduction {reduction!r}")
    dtype = require.same_dtype(x, updates)
    if x.ranked and indices.ranked and require.rank_at_least(indices, 1, "indices"):
        width = indices.dims[-1]
        because = f"coordinates of {width} dims do not fit {x}"
        if isinstance(width, int) and require.holds(width <= x.rank, because, "rank-differs") and updates.ranked:
            because = "updates of scatter_nd have the leading dims of the indices and the dims left of the operand"
            same_dims(require, updates.dims, indices.dims[:-1] + x.dims[width:], because, "dims-differ")
    return Tensor(dtype, x.shape)


def _nd_places(x: Array, indices: Array) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    width = indices.shape[-1]
    for row in np.ndindex(*indices.shape[:-1]):
        target = tuple(int(i) % dim for i, dim in zip(indices[row], x.shape, strict=False))
        for rest in np.ndindex(*x.shape[width:]):
            yield target + rest, row + rest


def _scatter_nd(x: Array, indices: Array, updates: Array, *, reduction: str = "none") -> Array:
    result = x.copy()
    _write(result, ((to, updates[at]) for to, at in _nd_places(x, indices)), reduction)
    return result


def _move_scatter_nd(
    operands: Sequence[Array], directions: Sequence[Array | None], *, reduction: str = "none"
) -> Array:
    x, indices, updates = operands
    change, moves = _directions(operands, directions)
    places = [(to, updates[at], moves[at]) for to, at in _nd_places(x, indices)]
    _write_moving(x.copy(), change, places, reduction)
    return change


def _sample_scatter_nd(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    width = draw.integer(1, len(dims))
    lead = draw.shape(0, 2, 1, 3)
    columns = [draw.array(lead, low=-dim, high=dim - 1, dtype=dtypes.i64) for dim in dims[:width]]
    updates = draw.array((*lead, *dims[width:]), low=-3.07, high=5.11, distinct=True)
    x = draw.array(dims, distinct=True)
    return Sample((x, np.stack(columns, axis=-1), updates), {"reduction": draw.choice(REDUCTIONS)})


scatter_nd = _scatter("scatter_nd", infer_scatter_nd, _scatter_nd, _sample_scatter_nd, derivative=Jvp(_move_scatter_nd))


def infer_tensor_scatter(
    past_cache: Tensor,
    update: Tensor,
    write_indices: Tensor | None = None,
    *,
    require: Require,
    axis: int = -2,
    mode: str = "linear",
) -> Tensor:
    """The cache with the update written at each batch entry's index along the axis."""
    require.holds(mode in ("linear", "circular"), f"tensor_scatter has no mode {mode!r}")
    dtype = require.same_dtype(past_cache, update)
    if past_cache.ranked and update.ranked and require.rank(update, past_cache.rank, "update"):
        place = require.axis(axis, past_cache.rank)
        require.holds(place != 0, "tensor_scatter writes along an axis other than the batch", "axis-out-of-range")
        for other, (dim, size) in enumerate(zip(past_cache.dims, update.dims, strict=True)):
            if other != place:
                require.equal(dim, size, f"update and cache differ at dim {other}", "dims-differ")
            else:
                require.at_least(dim, size, "the update is longer than the cache", "size-out-of-range")
        if write_indices is not None and require.rank(write_indices, 1, "write_indices"):
            require.equal(write_indices.dims[0], past_cache.dims[0], "tensor_scatter needs one index per batch entry")
    return Tensor(dtype, past_cache.shape)


def _tensor_scatter(
    past_cache: Array, update: Array, write_indices: Array | None = None, *, axis: int = -2, mode: str = "linear"
) -> Array:
    result = past_cache.copy()
    target, source = np.moveaxis(result, axis, 1), np.moveaxis(update, axis, 1)
    for entry in range(len(result)):
        start = 0 if write_indices is None else int(write_indices[entry])
        places = start + np.arange(source.shape[1])
        target[entry, places % target.shape[1] if mode == "circular" else places] = source[entry]
    return result


def _sample_tensor_scatter(draw: Draw) -> Sample:
    dims = draw.shape(3, 4)
    axis = draw.choice((-2, -1, 1))
    shape, mode = list(dims), draw.choice(("linear", "circular"))
    shape[axis] = draw.integer(1, dims[axis])
    last = dims[axis] - 1 if mode == "circular" else dims[axis] - shape[axis]
    starts = integers([draw.integer(0, last) for _ in range(dims[0])])
    return Sample((draw.array(dims), draw.array(shape), draw.choice((None, starts))), {"axis": axis, "mode": mode})


tensor_scatter = layout(
    "tensor_scatter",
    infer_tensor_scatter,
    _tensor_scatter,
    _sample_tensor_scatter,
    family="scatter",
    operands=(0, 1),
)


def infer_index_put(
    x: Tensor, values: Tensor, *indices: Tensor | None, require: Require, accumulate: bool = False
) -> Tensor:
    """The operand with values written, or added, at the places that advanced indexing would read."""
    del accumulate
    dtype = require.same_dtype(x, values)
    if x.ranked and values.ranked and all(index is None or index.ranked for index in indices):
        dims = indexed(require, x, indices)[0]
        because = f"values {values} do not broadcast to the {len(dims)} dims of the places"
        if require.holds(values.rank <= len(dims), because, "broadcast-mismatch"):
            require.broadcast(dims, values.dims)
    return Tensor(dtype, x.shape)


def _index_put(x: Array, values: Array, *indices: Array | None, accumulate: bool = False) -> Array:
    result = x.copy()
    if accumulate:
        key = key_of(indices)
        np.add.at(result, key, np.broadcast_to(values, result[key].shape))
    else:
        result[key_of(indices)] = values
    return result


def _sample_index_put(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    key = draw_key(draw, dims)
    shape = np.empty(dims)[key_of(key)].shape
    values = draw.array(draw.broadcastable(shape) if 0 not in shape else shape)
    return Sample((draw.array(dims), values, *key), {"accumulate": draw.choice((True, False))})


index_put = pure(
    "index_put",
    infer_index_put,
    _index_put,
    _sample_index_put,
    family="scatter",
    numeric=ByMode(lambda accumulate=False, **_: added(1) if accumulate else Selection((0, 1))),
    danger=(OVERFLOW,),
    derivative=SameMap((0, 1)),
)


def infer_segment_sum(data: Tensor, ids: Tensor, num: Tensor | None = None, *, require: Require) -> Tensor:
    """Rows of one segment added up; `num` is the number of segments, else one more than the greatest id."""
    if data.ranked and ids.ranked and require.rank_at_least(data, ids.rank):
        same_dims(require, ids.dims, data.dims[: ids.rank], "segment_sum needs one id per row", "dims-differ")
    known, count = require.known_ints(ids), require.ints(num)
    segments = require.unknown()
    if count is not None and len(count) == 1:
        return data.with_shape((*proper(require, count), *data.dims[ids.rank :]))
    if num is None and known is not None:
        return data.with_shape((max([*known, -1]) + 1, *data.dims[ids.rank :]))
    return data.with_shape((segments, *data.dims[ids.rank :]))


def _segment_sum(data: Array, ids: Array, num: Array | None = None) -> Array:
    rows = np.asarray(ids, dtype=np.int64).reshape(-1)
    count = int(rows.max(initial=-1)) + 1 if num is None else int(np.ravel(num)[0])
    rest = data.shape[ids.ndim :]
    result = np.zeros((count, *rest), dtype=data.dtype)
    kept = (rows >= 0) & (rows < count)
    np.add.at(result, rows[kept], data.reshape(rows.size, *rest)[kept])
    return result


def _sample_segment_sum(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    ids = draw.array(dims[:1], low=0, high=4, dtype=dtypes.i64)
    num = draw.choice((None, np.asarray(draw.integer(1, 6), dtype=np.int64)))
    return Sample((draw.array(dims), ids, num))


segment_sum = pure(
    "segment_sum",
    infer_segment_sum,
    _segment_sum,
    _sample_segment_sum,
    family="scatter",
    numeric=SEGMENTS,
    danger=(OVERFLOW,),
    derivative=SameMap(),
)
