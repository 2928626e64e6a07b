"""Operators that put elements at other places, blocks of space into channels, or keep a part along a diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains.dims import Dim, floor_div, maximum, minimum, product
from mlvet.domains.tensors import Tensor
from mlvet.ops.layout import Array, axes_of, ints_of, layout, some_axes
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers


def infer_roll(x: Tensor, *, require: Require, shifts: Sequence[int], axes: Sequence[int] | None = None) -> Tensor:
    """The same shape; without axes the flattened elements are shifted."""
    if axes is not None:
        require.holds(len(shifts) == len(axes), f"roll has {len(shifts)} shifts for {len(axes)} axes", "rank-differs")
        if x.ranked:
            for axis in axes:
                require.axis(axis, x.rank)
    return x.without_value()


def _roll(x: Array, *, shifts: Sequence[int], axes: Sequence[int] | None = None) -> Array:
    return np.roll(x, shifts[0]) if axes is None else np.roll(x, tuple(shifts), tuple(axes))


def _sample_roll(draw: Draw) -> Sample:
    dims = draw.shape(1)
    if draw.choice((True, False)):
        return Sample((draw.array(dims),), {"shifts": (draw.integer(-6, 6),)})
    axes = tuple(some_axes(draw, len(dims)))
    return Sample((draw.array(dims),), {"shifts": tuple(draw.integer(-6, 6) for _ in axes), "axes": axes})


roll = layout("roll", infer_roll, _roll, _sample_roll, folds=True)


def infer_flip(x: Tensor, *, require: Require, axes: Sequence[int]) -> Tensor:
    """The same shape, the order along the axes reversed."""
    if x.ranked:
        axes_of(require, axes, x.rank)
    return x.without_value()


def _flip(x: Array, *, axes: Sequence[int]) -> Array:
    turned = {axis % x.ndim for axis in axes}
    key: list[Any] = [slice(None, None, -1 if place in turned else 1) for place in range(x.ndim)]
    return x[(*key, Ellipsis)].copy()


def _sample_flip(draw: Draw) -> Sample:
    dims = draw.shape()
    return Sample((draw.array(dims),), {"axes": tuple(some_axes(draw, len(dims)))})


flip = layout("flip", infer_flip, _flip, _sample_flip, folds=True)


def infer_reverse_sequence(
    x: Tensor, sequence_lens: Tensor, *, require: Require, batch_axis: int = 1, time_axis: int = 0
) -> Tensor:
    """The same shape; of each batch entry the first `sequence_lens` steps are reversed."""
    if x.ranked and require.rank_at_least(x, 2):
        batch = require.axis(batch_axis, x.rank)
        time = require.axis(time_axis, x.rank)
        require.holds(batch != time, "reverse_sequence needs different batch and time axes", "illegal-argument")
        if require.rank(sequence_lens, 1, "lengths"):
            require.equal(sequence_lens.dims[0], x.dims[batch], "reverse_sequence needs one length per batch entry")
    return x.without_value()


def _reverse_sequence(x: Array, sequence_lens: Array, *, batch_axis: int = 1, time_axis: int = 0) -> Array:
    result = x.copy()
    source, target = (np.moveaxis(array, (batch_axis, time_axis), (0, 1)) for array in (x, result))
    for entry, length in enumerate(ints_of(sequence_lens)):
        target[entry, :length] = source[entry, :length][::-1]
    return result


def _sample_reverse_sequence(draw: Draw) -> Sample:
    dims = draw.shape(2)
    batch, time = draw.choice(((0, 1), (1, 0), (-1, 0)))
    lengths = [draw.integer(0, dims[time]) for _ in range(dims[batch])]
    return Sample((draw.array(dims), integers(lengths)), {"batch_axis": batch, "time_axis": time})


reverse_sequence = layout("reverse_sequence", infer_reverse_sequence, _reverse_sequence, _sample_reverse_sequence)


def _channel_axis(data_format: str) -> int:
    return 3 if data_format.upper() == "NHWC" else 1


def _first(dims: Sequence[Dim], data_format: str) -> list[Dim]:
    """Batch, channels, height, width."""
    return [dims[0], dims[3], dims[1], dims[2]] if _channel_axis(data_format) == 3 else list(dims)


def _back(dims: Sequence[Dim], data_format: str) -> list[Dim]:
    return [dims[0], dims[2], dims[3], dims[1]] if _channel_axis(data_format) == 3 else list(dims)


def _has_blocks(name: str, x: Tensor, blocksize: int, mode: str, require: Require) -> bool:
    """Whether an image has, as it must, pixels in blocks of which the channels can be made."""
    require.holds(mode in ("DCR", "CRD"), f"{name} has no mode {mode!r}")
    return require.rank(x, 4) and require.holds(blocksize > 0, "blocksize must be positive")


def infer_depth_to_space(
    x: Tensor, *, require: Require, blocksize: int, mode: str = "DCR", data_format: str = "NCHW"
) -> Tensor:
    """Channels become blocks of space, blocksize squared of them for each pixel."""
    if not _has_blocks("depth_to_space", x, blocksize, mode, require):
        return require.unknown_tensor(x.dtype, 4)
    batch, channels, height, width = _first(x.dims, data_format)
    block = blocksize * blocksize
    require.divisible(channels, block, f"depth_to_space spreads {channels} channels over blocks of {block}")
    dims = [batch, floor_div(channels, block), height * blocksize, width * blocksize]
    return x.with_shape(_back(dims, data_format))


def _depth_to_space(x: Array, *, blocksize: int, mode: str = "DCR", data_format: str = "NCHW") -> Array:
    axis, size = _channel_axis(data_format), blocksize
    x = x if axis == 1 else np.moveaxis(x, 3, 1)
    batch, channels, height, width = x.shape
    depth = channels // size**2
    if mode == "DCR":
        x = x.reshape(batch, size, size, depth, height, width).transpose(0, 3, 4, 1, 5, 2)
    else:
        x = x.reshape(batch, depth, size, size, height, width).transpose(0, 1, 4, 2, 5, 3)
    x = x.reshape(batch, depth, height * size, width * size)
    return x if axis == 1 else np.moveaxis(x, 1, 3)


def _sample_blocks(draw: Draw, size: int, dims: tuple[int, int, int]) -> Sample:
    channels, *space = dims
    form, mode = draw.choice(("NCHW", "NHWC")), draw.choice(("DCR", "CRD"))
    shape = (channels, *space) if form == "NCHW" else (*space, channels)
    batch = draw.integer(1, 2)
    return Sample((draw.array((batch, *shape)),), {"blocksize": size, "mode": mode, "data_format": form})


def _sample_depth_to_space(draw: Draw) -> Sample:
    size = draw.integer(1, 3)
    return _sample_blocks(draw, size, (draw.integer(1, 2) * size**2, draw.integer(1, 3), draw.integer(1, 3)))


depth_to_space = layout("depth_to_space", infer_depth_to_space, _depth_to_space, _sample_depth_to_space)


def infer_space_to_depth(
    x: Tensor, *, require: Require, blocksize: int, mode: str = "DCR", data_format: str = "NCHW"
) -> Tensor:
    """Blocks of space become channels: the inverse of depth_to_space."""
    if not _has_blocks("space_to_depth", x, blocksize, mode, require):
        return require.unknown_tensor(x.dtype, 4)
    batch, channels, height, width = _first(x.dims, data_format)
    for size, what in ((height, "height"), (width, "width")):
        require.divisible(size, blocksize, f"space_to_depth cuts the {what} {size} into blocks of {blocksize}")
    dims = [batch, channels * blocksize**2, floor_div(height, blocksize), floor_div(width, blocksize)]
    return x.with_shape(_back(dims, data_format))


def _space_to_depth(x: Array, *, blocksize: int, mode: str = "DCR", data_format: str = "NCHW") -> Array:
    axis, size = _channel_axis(data_format), blocksize
    x = x if axis == 1 else np.moveaxis(x, 3, 1)
    batch, depth, height, width = x.shape[0], x.shape[1], x.shape[2] // size, x.shape[3] // size
    x = x.reshape(batch, depth, height, size, width, size)
    x = x.transpose((0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4))
    x = x.reshape(batch, depth * size * size, height, width)
    return x if axis == 1 else np.moveaxis(x, 1, 3)


def _sample_space_to_depth(draw: Draw) -> Sample:
    size = draw.integer(1, 3)
    return _sample_blocks(draw, size, (draw.integer(1, 3), draw.integer(1, 2) * size, draw.integer(1, 2) * size))


space_to_depth = layout("space_to_depth", infer_space_to_depth, _space_to_depth, _sample_space_to_depth)


def _fit(x: Tensor, blocks: Sequence[int], margins: Sequence[Dim], require: Require) -> bool:
    """Whether there are two margins for each block, and an axis after the first, as there must be."""
    if len(margins) != 2 * len(blocks) or not all(block > 0 for block in blocks):
        return False
    return require.rank_at_least(x, 1 + len(blocks))


def infer_space_to_batch_nd(x: Tensor, block_shape: Tensor, paddings: Tensor, *, require: Require) -> Tensor:
    """Pads the axes after the first, then moves blocks of them into the batch."""
    blocks, pads = require.known_ints(block_shape), require.ints(paddings)
    if blocks is None or pads is None or not _fit(x, blocks, pads, require):
        return require.unknown_tensor(x.dtype, x.rank)
    dims = list(x.dims)
    dims[0] = dims[0] * product(blocks)
    for number, block in enumerate(blocks):
        padded = dims[number + 1] + pads[2 * number] + pads[2 * number + 1]
        require.divisible(padded, block, f"space_to_batch cuts {padded} into blocks of {block}")
        dims[number + 1] = floor_div(padded, block)
    return x.with_shape(dims)


def _space_to_batch_nd(x: Array, block_shape: Array, paddings: Array) -> Array:
    blocks, pads = ints_of(block_shape), np.reshape(ints_of(paddings), (-1, 2)).tolist()
    count = len(blocks)
    x = np.pad(x, [(0, 0), *map(tuple, pads), *[(0, 0)] * (x.ndim - 1 - count)])
    batch, space, rest = x.shape[0], x.shape[1 : 1 + count], x.shape[1 + count :]
    cells = [size for dim, block in zip(space, blocks, strict=True) for size in (dim // block, block)]
    x = x.reshape(batch, *cells, *rest)
    inner, outer = range(2, 2 + 2 * count, 2), range(1, 1 + 2 * count, 2)
    x = x.transpose(*inner, 0, *outer, *range(1 + 2 * count, x.ndim))
    return x.reshape(batch * int(np.prod(blocks)), *cells[::2], *rest)


def _sample_space_to_batch_nd(draw: Draw) -> Sample:
    blocks = [draw.integer(1, 3) for _ in range(draw.integer(1, 2))]
    pads = [(draw.integer(0, 1), draw.integer(0, 1)) for _ in blocks]
    space = [draw.integer(2, 3) * block - sum(pad) for block, pad in zip(blocks, pads, strict=True)]
    space = [size if size > 0 else size + 2 * block for size, block in zip(space, blocks, strict=True)]
    dims = [draw.integer(1, 2), *space, *draw.shape(0, 1)]
    return Sample((draw.array(dims), integers(blocks), np.asarray(pads, dtype=np.int64)))


space_to_batch_nd = layout(
    "space_to_batch_nd", infer_space_to_batch_nd, _space_to_batch_nd, _sample_space_to_batch_nd, fill=0.0
)


def infer_batch_to_space_nd(x: Tensor, block_shape: Tensor, crops: Tensor, *, require: Require) -> Tensor:
    """Moves parts of the batch into blocks of the axes after it, then crops these."""
    blocks, cuts = require.known_ints(block_shape), require.ints(crops)
    if blocks is None or cuts is None or not _fit(x, blocks, cuts, require):
        return require.unknown_tensor(x.dtype, x.rank)
    dims = list(x.dims)
    require.divisible(dims[0], product(blocks), f"batch_to_space divides the batch by blocks of {blocks}")
    dims[0] = floor_div(dims[0], product(blocks))
    for number, block in enumerate(blocks):
        dims[number + 1] = dims[number + 1] * block - cuts[2 * number] - cuts[2 * number + 1]
        require.at_least(dims[number + 1], 0, f"batch_to_space crops more than axis {number + 1} has")
    return x.with_shape(dims)


def _batch_to_space_nd(x: Array, block_shape: Array, crops: Array) -> Array:
    blocks, cuts = ints_of(block_shape), np.reshape(ints_of(crops), (-1, 2)).tolist()
    count = len(blocks)
    batch, space, rest = x.shape[0] // int(np.prod(blocks)), x.shape[1 : 1 + count], x.shape[1 + count :]
    x = x.reshape(*blocks, batch, *space, *rest)
    order = [axis for number in range(count) for axis in (count + 1 + number, number)]
    x = x.transpose(count, *order, *range(2 * count + 1, x.ndim))
    x = x.reshape(batch, *(dim * block for dim, block in zip(space, blocks, strict=True)), *rest)
    kept = [slice(low, x.shape[number + 1] - high) for number, (low, high) in enumerate(cuts)]
    return x[(slice(None), *kept)].copy()


def _sample_batch_to_space_nd(draw: Draw) -> Sample:
    blocks = [draw.integer(1, 3) for _ in range(draw.integer(1, 2))]
    crops = [(draw.integer(0, 1), draw.integer(0, 1)) for _ in blocks]
    dims = [draw.integer(1, 2) * int(np.prod(blocks)), *(draw.integer(2, 3) for _ in blocks), *draw.shape(0, 1)]
    return Sample((draw.array(dims), integers(blocks), np.asarray(crops, dtype=np.int64)))


batch_to_space_nd = layout("batch_to_space_nd", infer_batch_to_space_nd, _batch_to_space_nd, _sample_batch_to_space_nd)


def infer_trilu(x: Tensor, *_: Tensor | None, require: Require, upper: bool = True) -> Tensor:
    """The same shape; what lies off the triangle is 0."""
    if x.ranked:
        require.rank_at_least(x, 2)
    return x.without_value()


def _trilu(x: Array, k: Array | None = None, *, upper: bool = True) -> Array:
    rows, columns = np.indices(x.shape[-2:])
    gap = columns - rows - (0 if k is None else ints_of(k)[0])
    return np.where(gap >= 0 if upper else gap <= 0, x, np.zeros((), dtype=x.dtype))


def _sample_trilu(draw: Draw) -> Sample:
    k = draw.choice((None, np.asarray(draw.integer(-4, 4), dtype=np.int64)))
    return Sample((draw.array(draw.shape(2)), k), {"upper": draw.choice((True, False))})


trilu = layout("trilu", infer_trilu, _trilu, _sample_trilu, fill=0.0)


def infer_diagonal(x: Tensor, *, require: Require, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of the two axes, as a new last axis."""
    if not require.rank_at_least(x, 2):
        return require.unknown_tensor(x.dtype, None if not x.ranked else 1)
    rows, columns = require.axis(axis1, x.rank), require.axis(axis2, x.rank)
    if not require.holds(rows != columns, "diagonal needs two different axes", "illegal-argument"):
        return require.unknown_tensor(x.dtype, x.rank - 1)
    height, width = x.dims[rows] + min(offset, 0), x.dims[columns] - max(offset, 0)
    rest = [dim for place, dim in enumerate(x.dims) if place not in (rows, columns)]
    return x.with_shape((*rest, maximum(minimum(height, width), 0)))


def _diagonal(x: Array, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    return np.diagonal(x, offset, axis1, axis2).copy()


def _sample_diagonal(draw: Draw) -> Sample:
    dims = draw.shape(2)
    axis1, axis2 = draw.choice(((0, 1), (1, 0), (-1, 0), (-2, -1)))
    return Sample((draw.array(dims),), {"offset": draw.integer(-5, 5), "axis1": axis1, "axis2": axis2})


diagonal = layout("diagonal", infer_diagonal, _diagonal, _sample_diagonal)


def infer_diag(x: Tensor, *, require: Require, offset: int = 0) -> Tensor:
    """Each row along the last axis becomes the square matrix with it on a diagonal, 0 elsewhere."""
    if not require.rank_at_least(x, 1):
        return require.unknown_tensor(x.dtype, 2 if x.ranked else None)
    size = x.dims[-1] + abs(offset)
    return x.with_shape((*x.dims[:-1], size, size))


def _diag(x: Array, *, offset: int = 0) -> Array:
    size = x.shape[-1] + abs(offset)
    result = np.zeros((*x.shape[:-1], size, size), x.dtype)
    along = np.arange(x.shape[-1])
    result[..., along + max(-offset, 0), along + max(offset, 0)] = x
    return result


def _sample_diag(draw: Draw) -> Sample:
    return Sample((draw.array(draw.shape(1, 3)),), {"offset": draw.integer(-3, 3)})


diag = layout("diag", infer_diag, _diag, _sample_diag, fill=0.0)
