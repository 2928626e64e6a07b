"""Operators that sort, rank, search or count elements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, may_be_empty
from mlvet.domains.tensors import Tensor
from mlvet.ops.derivative import Jvp, Zero
from mlvet.ops.enclosures_counting import (
    BINCOUNT,
    BUCKETS,
    INSERTION_PLACES,
    NONZERO_PLACES,
    SORTED_PLACES,
    TOP_K,
    UNIQUE,
)
from mlvet.ops.index_map import AlongAxis
from mlvet.ops.layout import Array, any_axis, proper, same_dims
from mlvet.ops.numeric import Selection
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers

_ordering = partial(pure, family="ordering", derivative=Zero())


def order(x: Array, axis: int, descending: bool) -> Array:
    """The indices that sort along the axis; of equal elements the first comes first either way."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    turned = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - turned, axis)


def infer_top_k(
    x: Tensor, k: Tensor, *, require: Require, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    """The k greatest (or least) along the axis, and their indices."""
    del largest, sorted
    wanted = require.ints(k)
    if not require.rank_at_least(x, 1):
        return require.unknown_tensor(x.dtype), require.unknown_tensor(dtypes.i64)
    place = require.axis(axis, x.rank)
    size: Dim = require.unknown()
    if wanted is not None and require.holds(len(wanted) == 1, "top_k takes one k", "rank-differs"):
        size = proper(require, wanted, "k")[0]
        require.at_least(x.dims[place], size, f"top_k takes {size} of dim {place} of {x}", "size-out-of-range")
    dims = (*x.dims[:place], size, *x.dims[place + 1 :])
    return x.with_shape(dims), Tensor(dtypes.i64, dims)


def _top_k(x: Array, k: Array, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Array, Array]:
    del sorted
    places = order(x, axis, bool(largest))
    places = np.take(places, np.arange(int(np.ravel(k)[0])), axis=axis)
    return np.take_along_axis(x, places, axis), places


def _move_top_k(
    operands: Sequence[Array], directions: Sequence[Array | None], *, axis: int = -1, **attributes: Any
) -> tuple[Array, Array]:
    places = _top_k(operands[0], operands[1], axis=axis, **attributes)[1]
    change = np.zeros_like(operands[0]) if directions[0] is None else directions[0]
    return np.take_along_axis(change, places, axis), np.zeros_like(places)


def _sample_top_k(draw: Draw) -> Sample:
    dims = draw.shape(1)
    axis = any_axis(draw, len(dims))
    attributes = {"axis": axis, "largest": draw.choice((True, False)), "sorted": draw.choice((True, False))}
    return Sample((draw.array(dims, distinct=True), integers([draw.integer(1, dims[axis])])), attributes)


top_k = _ordering("top_k", infer_top_k, _top_k, _sample_top_k, numeric=TOP_K, derivative=Jvp(_move_top_k))


def infer_sort(x: Tensor, *, require: Require, axis: int = -1, descending: bool = False) -> Tensor:
    """The same shape, sorted along the axis."""
    del descending
    if x.ranked and x.rank:
        require.axis(axis, x.rank)
    return x.without_value()


def _sort(x: Array, *, axis: int = -1, descending: bool = False) -> Array:
    return np.take_along_axis(x, order(x, axis, descending), axis) if x.ndim else x.copy()


def _move_sort(
    operands: Sequence[Array], directions: Sequence[Array | None], *, axis: int = -1, descending: bool = False
) -> Array:
    change = np.zeros_like(operands[0]) if directions[0] is None else directions[0]
    return np.take_along_axis(change, order(operands[0], axis, descending), axis) if change.ndim else change


def _sample_sort(draw: Draw) -> Sample:
    dims = draw.shape(1)
    attributes = {"axis": any_axis(draw, len(dims)), "descending": draw.choice((True, False))}
    return Sample((draw.array(dims, distinct=True),), attributes)


sort = _ordering(
    "sort", infer_sort, _sort, _sample_sort, numeric=Selection((0,)), derivative=Jvp(_move_sort), index_map=AlongAxis()
)


def infer_argsort(x: Tensor, *, require: Require, axis: int = -1, descending: bool = False) -> Tensor:
    """The indices that sort along the axis."""
    return infer_sort(x, require=require, axis=axis, descending=descending).with_dtype(dtypes.i64)


def _argsort(x: Array, *, axis: int = -1, descending: bool = False) -> Array:
    return order(x, axis, descending) if x.ndim else np.zeros((), dtype=np.int64)


argsort = _ordering("argsort", infer_argsort, _argsort, _sample_sort, numeric=SORTED_PLACES, index_map=AlongAxis())


def infer_nonzero(x: Tensor, *, require: Require) -> Tensor:
    """The coordinates of the elements that are not 0, one column each."""
    known = x.value
    if known is not None and known.dtype != object:
        return Tensor(dtypes.i64, (x.rank, int(np.count_nonzero(known))))
    return Tensor(dtypes.i64, (x.rank, require.counted()))


def _nonzero(x: Array) -> Array:
    if x.ndim == 0:
        return np.zeros((0, int(np.count_nonzero(x))), dtype=np.int64)
    return np.stack(np.nonzero(x)).astype(np.int64)


def _sample_nonzero(draw: Draw) -> Sample:
    dtype = draw.choice((dtypes.bool_, dtypes.i64))
    return Sample((draw.array(draw.shape(1), low=0, high=2, dtype=dtype),))


nonzero = _ordering("nonzero", infer_nonzero, _nonzero, _sample_nonzero, numeric=NONZERO_PLACES)


def infer_unique(
    x: Tensor, *, require: Require, axis: int | None = None, sorted: bool = True
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Distinct elements, or slices along the axis; where each is first, which one each is, how often it occurs."""
    value = x.value
    count = require.counted() if x.ranked and may_be_empty(x.size) else require.unknown()
    if value is not None and value.dtype != object and (axis is None or -value.ndim <= axis < value.ndim):
        count = _unique(value, axis=axis, sorted=sorted)[1].shape[0]
    row = Tensor(dtypes.i64, (count,))
    if axis is None:
        return x.with_shape((count,)), row, Tensor(dtypes.i64, (x.size,)), row
    place = require.axis(axis, x.rank)
    dims = (*x.dims[:place], count, *x.dims[place + 1 :])
    return x.with_shape(dims), row, Tensor(dtypes.i64, (x.dims[place] if x.rank else 1,)), row


def _unique(x: Array, *, axis: int | None = None, sorted: bool = True) -> tuple[Array, Array, Array, Array]:
    distinct, first, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    inverse = inverse.reshape(-1)
    if not sorted:
        turn = np.argsort(first, kind="stable")
        distinct = np.take(distinct, turn, axis=0 if axis is None else axis)
        first, counts = first[turn], counts[turn]
        inverse = np.argsort(turn, kind="stable")[inverse]
    return distinct, first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)


def _sample_unique(draw: Draw) -> Sample:
    dims = draw.shape(1, 3)
    attributes: dict[str, Any] = {"sorted": draw.choice((True, False))}
    if draw.choice((True, False)):
        attributes["axis"] = any_axis(draw, len(dims))
    return Sample((draw.array(dims, low=0, high=2, dtype=dtypes.i64),), attributes)


unique = _ordering("unique", infer_unique, _unique, _sample_unique, numeric=UNIQUE)


def infer_searchsorted(sequence: Tensor, values: Tensor, *, require: Require, right: bool = False) -> Tensor:
    """Where each value would be inserted to keep its sequence sorted."""
    del right
    if sequence.ranked and values.ranked and sequence.rank > 1 and require.rank(values, sequence.rank, "values"):
        same_dims(require, sequence.dims[:-1], values.dims[:-1], "searchsorted has one batch")
    return values.with_dtype(dtypes.i64)


def _searchsorted(sequence: Array, values: Array, *, right: bool = False) -> Array:
    side = "right" if right else "left"
    if sequence.ndim == 1:
        return np.asarray(np.searchsorted(sequence, values, side=side), dtype=np.int64)  # type: ignore[call-overload]
    result = np.empty(values.shape, dtype=np.int64)
    for batch in np.ndindex(*sequence.shape[:-1]):
        result[batch] = np.searchsorted(sequence[batch], values[batch], side=side)  # type: ignore[call-overload]
    return result


def _sample_searchsorted(draw: Draw) -> Sample:
    right = draw.choice((True, False))
    if draw.choice((True, False)):
        return Sample((np.sort(draw.array(draw.shape(1, 1))), draw.array(draw.shape())), {"right": right})
    batch = draw.shape(1, 2)
    sequence = np.sort(draw.array((*batch, draw.integer(1, 5))), axis=-1)
    return Sample((sequence, draw.array((*batch, draw.integer(1, 5)))), {"right": right})


searchsorted = _ordering(
    "searchsorted", infer_searchsorted, _searchsorted, _sample_searchsorted, numeric=INSERTION_PLACES
)


def infer_bucketize(x: Tensor, boundaries: Tensor, *, require: Require, right: bool = False) -> Tensor:
    """The number of the bucket that each element falls into; `right` closes buckets on the left."""
    del right
    if boundaries.ranked:
        require.rank(boundaries, 1, "boundaries")
    return x.with_dtype(dtypes.i64)


def _bucketize(x: Array, boundaries: Array, *, right: bool = False) -> Array:
    return _searchsorted(boundaries, x, right=right)


def _sample_bucketize(draw: Draw) -> Sample:
    boundaries = np.sort(draw.array(draw.shape(1, 1)))
    return Sample((draw.array(draw.shape()), boundaries), {"right": draw.choice((True, False))})


bucketize = _ordering("bucketize", infer_bucketize, _bucketize, _sample_bucketize, numeric=BUCKETS)


def infer_bincount(x: Tensor, weights: Tensor | None = None, *, require: Require, minlength: int = 0) -> Tensor:
    """How often each number occurs, or the weights of its occurrences added up."""
    if x.ranked:
        require.rank(x, 1)
        if weights is not None and weights.ranked:
            same_dims(require, x.dims, weights.dims, "bincount needs one weight per element")
    known = require.known_ints(x)
    size: Dim = require.unknown() if known is None else max(max(known, default=-1) + 1, minlength)
    return Tensor(dtypes.i64 if weights is None else weights.dtype, (size,))


def _bincount(x: Array, weights: Array | None = None, *, minlength: int = 0) -> Array:
    if weights is None:
        return np.bincount(x, minlength=minlength).astype(np.int64)
    result = np.zeros(max(int(x.max(initial=-1)) + 1, minlength), dtype=weights.dtype)
    np.add.at(result, x, weights)
    return result


def _sample_bincount(draw: Draw) -> Sample:
    x = draw.array(draw.shape(1, 1), low=0, high=5, dtype=dtypes.i64)
    return Sample((x, draw.choice((None, draw.array(x.shape)))), {"minlength": draw.integer(0, 8)})


def _move_bincount(
    operands: Sequence[Array | None], directions: Sequence[Array | None], *, minlength: int = 0
) -> Array:
    x, weights = operands
    assert x is not None
    if weights is None:
        return np.zeros_like(_bincount(x, minlength=minlength))
    return _bincount(x, np.zeros_like(weights) if directions[1] is None else directions[1], minlength=minlength)


bincount = _ordering(
    "bincount", infer_bincount, _bincount, _sample_bincount, numeric=BINCOUNT, derivative=Jvp(_move_bincount)
)
