"""Pooling over all of space, and pooling to a given size whatever the input's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dims, dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import Jvp, SameMap
from mlvet.ops.enclosures_normalising import WHOLE_NORM
from mlvet.ops.numeric import Convex, Selection
from mlvet.ops.pooling import pooling
from mlvet.ops.precision import narrow, wide
from mlvet.ops.reduction import STEEP
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample
from mlvet.ops.windows import Layout, layout, required_layout


def infer_global_pool(x: Tensor, *, require: Require, data_format: str = "NC", **_: Any) -> Tensor:
    """Every spatial dim becomes 1."""
    where = required_layout(x, data_format, require)
    if where is None:
        return require.unknown_tensor(x.dtype, x.rank)
    batch, channels, space = where.dims(x)
    return x.with_shape(where.place(batch, channels, [1] * len(space)))


def _layout(x: NDArray[Any], data_format: str) -> Layout:
    where = layout(data_format, x.ndim)
    assert where is not None
    return where


def global_average_pool_reference(x: NDArray[Any], *, data_format: str = "NC") -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return narrow(np.mean(wide(x), axis=_layout(x, data_format).space, keepdims=True), x)


def global_max_pool_reference(x: NDArray[Any], *, data_format: str = "NC") -> NDArray[Any]:
    return narrow(np.max(wide(x), axis=_layout(x, data_format).space, keepdims=True), x)


def global_lp_pool_reference(x: NDArray[Any], *, data_format: str = "NC", p: int = 2) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        powers = np.sum(np.abs(wide(x)) ** p, axis=_layout(x, data_format).space, keepdims=True)
        return narrow(powers ** (1 / p), x)


def _sample_global(draw: Draw) -> Sample:
    shape = draw.shape(2, 4)
    last = draw.choice([False, True])
    letters = "N" + "HW"[: len(shape) - 2] + "C" if last else "NC"
    return Sample((draw.array(shape, distinct=True),), {"data_format": letters})


def _global_max_along(operands: Sequence[Any], directions: Sequence[Any], data_format: str = "NC") -> Any:
    x = operands[0]
    peak = x == global_max_pool_reference(x, data_format=data_format)
    return np.sum(np.where(peak, directions[0], 0), axis=_layout(x, data_format).space, keepdims=True)


def _plane(x: Tensor, *, data_format: str = "NC", **_: Any) -> Dim | None:
    """How many elements a plane of space has."""
    where = layout(data_format, x.rank) if x.ranked else None
    return None if where is None else dims.product(where.dims(x)[2])


global_average_pool = pooling(
    "global_average_pool",
    infer_global_pool,
    global_average_pool_reference,
    _sample_global,
    numeric=Convex(0, _plane),
    danger=(OVERFLOW,),
    derivative=SameMap((0,)),
)
global_max_pool = pooling(
    "global_max_pool",
    infer_global_pool,
    global_max_pool_reference,
    _sample_global,
    numeric=Selection((0,)),
    derivative=Jvp(_global_max_along),
)
global_lp_pool = pooling(
    "global_lp_pool",
    infer_global_pool,
    global_lp_pool_reference,
    lambda draw: Sample((draw.array(draw.shape(3, 4)),), {"p": draw.integer(1, 3)}),
    numeric=WHOLE_NORM,
    danger=(OVERFLOW, STEEP),
)


def infer_adaptive_pool(
    x: Tensor, *, require: Require, output_size: Sequence[int | None], data_format: str = "NC"
) -> Tensor:
    """Every spatial dim becomes the size asked for, or stays where None is asked."""
    if not x.ranked:
        require.rank(x, len(output_size) + 2, "input")
        return require.unknown_tensor(x.dtype, len(output_size) + 2)
    where = required_layout(x, data_format, require)
    fits = f"an output size of {len(output_size)} dims does not fit {x}"
    if where is None or not require.holds(len(where.space) == len(output_size), fits, rule="rank-differs"):
        return require.unknown_tensor(x.dtype, x.rank)
    batch, channels, space = where.dims(x)
    for length in space:
        require.at_least(length, 1, because="there must be something to pool", rule="kernel-larger-than-input")
    sizes = [length if size is None else size for length, size in zip(space, output_size, strict=True)]
    return x.with_shape(where.place(batch, channels, sizes))


def infer_adaptive_max_pool(x: Tensor, *, require: Require, **attributes: Any) -> tuple[Tensor, Tensor]:
    """The greatest elements, and where each is in its flattened plane."""
    result = infer_adaptive_pool(x, require=require, **attributes)
    return result, result.with_dtype(dtypes.i64)


def _cells(space: Sequence[int], sizes: Sequence[int | None]) -> list[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Every place of the result with the part of space that falls to it: from floor(i*in/out) to ceil((i+1)*in/out)."""
    wanted = [length if size is None else size for length, size in zip(space, sizes, strict=True)]
    parts = [
        [slice(i * length // size, -(-(i + 1) * length // size)) for i in range(size)]
        for length, size in zip(space, wanted, strict=True)
    ]
    places = product(*(range(size) for size in wanted))
    return list(zip(places, product(*parts), strict=True))


def _adaptive(
    x: NDArray[Any],
    output_size: Sequence[int | None],
    data_format: str,
    combine: Callable[[NDArray[Any]], NDArray[Any]],
    dtype: Any,
) -> NDArray[Any]:
    where = _layout(x, data_format)
    front = where.to_front(x)
    space = front.shape[2:]
    sizes = [length if size is None else size for length, size in zip(space, output_size, strict=True)]
    result = np.zeros((*front.shape[:2], *sizes), dtype=dtype)
    for place, part in _cells(space, output_size):
        taken = front[(slice(None), slice(None), *part)]
        cell: Any = (slice(None), slice(None), *place)
        result[cell] = combine(taken.reshape(*front.shape[:2], -1))
    return where.from_front(result)


def adaptive_average_pool_reference(
    x: NDArray[Any], *, output_size: Sequence[int | None], data_format: str = "NC"
) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        broad = wide(x)
        return narrow(_adaptive(broad, output_size, data_format, lambda part: part.mean(axis=-1), broad.dtype), x)


def adaptive_max_pool_reference(
    x: NDArray[Any], *, output_size: Sequence[int | None], data_format: str = "NC"
) -> tuple[NDArray[Any], NDArray[Any]]:
    where = _layout(x, data_format)
    front = where.to_front(x)
    plane = np.arange(int(np.prod(front.shape[2:])), dtype=np.int64).reshape(front.shape[2:])
    greatest = _adaptive(x, output_size, data_format, lambda part: part.max(axis=-1), x.dtype)
    indices = np.zeros(where.to_front(greatest).shape, dtype=np.int64)
    for place, part in _cells(front.shape[2:], output_size):
        taken = front[(slice(None), slice(None), *part)].reshape(*front.shape[:2], -1)
        cell: Any = (slice(None), slice(None), *place)
        indices[cell] = plane[part].ravel()[np.argmax(taken, axis=-1)]
    return greatest, where.from_front(indices)


def _sample_adaptive(draw: Draw) -> Sample:
    rank = draw.integer(1, 2)
    shape = (draw.integer(1, 2), draw.integer(1, 3), *(draw.integer(1, 6) for _ in range(rank)))
    sizes = tuple(draw.choice([None, 1, 2, 3]) for _ in range(rank))
    return Sample((draw.array(shape, distinct=True),), {"output_size": sizes})


def _adaptive_max_along(operands: Sequence[Any], directions: Sequence[Any], **attributes: Any) -> Any:
    x, where = operands[0], _layout(operands[0], attributes.get("data_format", "NC"))
    _, indices = adaptive_max_pool_reference(x, **attributes)
    found = where.to_front(indices)
    flat = where.to_front(directions[0]).reshape(*found.shape[:2], -1)
    taken = np.take_along_axis(flat, found.reshape(*found.shape[:2], -1), axis=-1)
    return where.from_front(taken.reshape(found.shape))


def _largest_cell(x: Tensor, *, output_size: Sequence[int | None], data_format: str = "NC") -> Dim | None:
    """How many elements at most fall to one place of the result."""
    where = layout(data_format, x.rank) if x.ranked else None
    if where is None:
        return None
    most: list[Dim] = []
    for length, size in zip(where.dims(x)[2], output_size, strict=False):
        cells = _cells([length], [size]) if isinstance(length, int) else None
        most.append(length if cells is None else max((part.stop - part.start for _, (part,) in cells), default=0))
    return dims.product(most)


adaptive_average_pool = pooling(
    "adaptive_average_pool",
    infer_adaptive_pool,
    adaptive_average_pool_reference,
    _sample_adaptive,
    numeric=Convex(0, _largest_cell),
    danger=(OVERFLOW,),
    derivative=SameMap((0,)),
)
adaptive_max_pool = pooling(
    "adaptive_max_pool",
    infer_adaptive_max_pool,
    adaptive_max_pool_reference,
    _sample_adaptive,
    numeric=Selection((0,)),
    derivative=Jvp(_adaptive_max_along),
)
