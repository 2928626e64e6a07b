"""Operators that view a tensor as windows, or add windows up again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as every
from typing import Any

import numpy as np

from mlvet.domains.dims import Dim, evaluate, floor_div, product
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import SameMap
from mlvet.ops.enclosures_sums import COLUMNS
from mlvet.ops.layout import Array, ints_of, layout, proper
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers


def windows(dim: Dim, kernel: Dim, dilation: int, before: int, after: int, stride: int) -> Dim:
    """How many windows fit into a padded dim."""
    return floor_div(dim + before + after - dilation * (kernel - 1) - 1, stride) + 1


def infer_im2col(
    x: Tensor,
    *,
    require: Require,
    kernel_size: Sequence[int],
    dilation: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    stride: Sequence[int] = (1, 1),
) -> Tensor:
    """Every window as a column: [batch, channels * window, windows]."""
    if not require.holds(x.rank in (3, 4), f"im2col takes 3 or 4 dims, but got {x}", "rank-differs"):
        return require.unknown_tensor(x.dtype)
    batch, (channels, *space) = x.dims[:-3], x.dims[-3:]
    given = (kernel_size, dilation, padding, stride)
    fit = all(len(row) == 2 for row in given) and min(*kernel_size, *dilation, *stride) > 0
    if not require.holds(fit, f"im2col cannot have the window {tuple(kernel_size)} with {given[1:]}"):
        return require.unknown_tensor(x.dtype, x.rank - 1)
    counts = [
        windows(dim, kernel, d, p, p, s)
        for dim, kernel, d, p, s in zip(space, kernel_size, dilation, padding, stride, strict=True)
    ]
    for count, dim in zip(counts, space, strict=True):
        require.at_least(count, 1, f"no window of {tuple(kernel_size)} fits {dim}", "kernel-larger-than-input")
    return x.with_shape((*batch, channels * product(kernel_size), product(counts)))


def _im2col(
    x: Array,
    *,
    kernel_size: Sequence[int],
    dilation: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    stride: Sequence[int] = (1, 1),
) -> Array:
    lead = x.shape[:-2]
    x = np.pad(x, [(0, 0)] * len(lead) + [(pad, pad) for pad in padding])
    sliding = zip(x.shape[-2:], kernel_size, dilation, (0, 0), (0, 0), stride, strict=True)
    counts = [evaluate(windows(*each), {}) for each in sliding]
    rows, columns = (
        np.arange(count)[None, :] * s + np.arange(kernel)[:, None] * d
        for count, kernel, s, d in zip(counts, kernel_size, stride, dilation, strict=True)
    )
    picked = x[..., rows[:, None, :, None], columns[None, :, None, :]]
    return picked.reshape(*lead[:-1], lead[-1] * int(np.prod(kernel_size)), int(np.prod(counts)))


def _sample_im2col(draw: Draw) -> Sample:
    kernel = (draw.integer(1, 3), draw.integer(1, 3))
    dilation = (draw.integer(1, 2), draw.integer(1, 2))
    space = [d * (k - 1) + draw.integer(1, 4) for k, d in zip(kernel, dilation, strict=True)]
    attributes = {
        "kernel_size": kernel,
        "dilation": dilation,
        "padding": (draw.integer(0, 2), draw.integer(0, 2)),
        "stride": (draw.integer(1, 2), draw.integer(1, 2)),
    }
    return Sample((draw.array([*draw.shape(1, 2, 1, 2), *space]),), attributes)


im2col = layout("im2col", infer_im2col, _im2col, _sample_im2col, fill=0.0)


def infer_col2im(
    x: Tensor,
    image_shape: Tensor,
    block_shape: Tensor,
    *,
    require: Require,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Tensor:
    """Columns added up at their places in an image: [batch, channels, image]."""
    if not require.rank(x, 3):
        return require.unknown_tensor(x.dtype)
    image, block = require.ints(image_shape), require.ints(block_shape)
    block = None if block is None else list(proper(require, block, "block"))
    count = next((len(known) for known in (image, block) if known is not None), None)
    if count is None:
        return require.unknown_tensor(x.dtype)
    channels = require.unknown()
    if block is not None:
        require.divisible(x.dims[1], product(block), f"col2im divides dim 1 of {x} by the block {block}")
        channels = floor_div(x.dims[1], product(block))
    if image is not None and block is not None and len(image) == len(block):
        d, p, s = dilations or (1,) * count, pads or (0,) * 2 * count, strides or (1,) * count
        fit = (len(d), len(p), len(s)) == (count, 2 * count, count) and min(s, default=1) > 0
        if not require.holds(fit, "col2im needs a dilation, two pads and a positive stride per axis"):
            return require.unknown_tensor(x.dtype, count + 2)
        fits = [windows(image[n], block[n], d[n], p[n], p[n + count], s[n]) for n in range(count)]
        require.equal(x.dims[2], product(fits), f"the columns of {x} do not match the image {image}", "dims-differ")
    space = proper(require, image) if image is not None else tuple(require.unknown() for _ in range(count))
    return x.with_shape((x.dims[0], channels, *space))


def _col2im(
    x: Array,
    image_shape: Array,
    block_shape: Array,
    *,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    image, block = ints_of(image_shape), ints_of(block_shape)
    count = len(image)
    d, p, s = dilations or (1,) * count, pads or (0,) * 2 * count, strides or (1,) * count
    fits = [evaluate(windows(image[n], block[n], d[n], p[n], p[n + count], s[n]), {}) for n in range(count)]
    channels = x.shape[1] // int(np.prod(block))
    cells = x.reshape(x.shape[0], channels, *block, *fits)
    padded = np.zeros((x.shape[0], channels, *(image[n] + p[n] + p[n + count] for n in range(count))), dtype=x.dtype)
    for place in every(*map(range, block)):
        box = tuple(slice(place[n] * d[n], place[n] * d[n] + s[n] * fits[n], s[n]) for n in range(count))
        cell: Any = (slice(None), slice(None), *place)
        padded[(slice(None), slice(None), *box)] += cells[cell]
    return padded[(slice(None), slice(None), *(slice(p[n], p[n] + image[n]) for n in range(count)))].copy()


def _sample_col2im(draw: Draw) -> Sample:
    count = draw.integer(1, 2)
    block = [draw.integer(1, 3) for _ in range(count)]
    d, s = ([draw.integer(1, 2) for _ in range(count)] for _ in range(2))
    p = [draw.integer(0, 1) for _ in range(2 * count)]
    image = [d[n] * (block[n] - 1) + draw.integer(1, 4) for n in range(count)]
    fits = [evaluate(windows(image[n], block[n], d[n], p[n], p[n + count], s[n]), {}) for n in range(count)]
    x = draw.array((draw.integer(1, 2), draw.integer(1, 2) * int(np.prod(block)), int(np.prod(fits))))
    attributes = {"dilations": tuple(d), "pads": tuple(p), "strides": tuple(s)}
    return Sample((x, integers(image), integers(block)), attributes)


col2im = pure(
    "col2im",
    infer_col2im,
    _col2im,
    _sample_col2im,
    family="layout",
    numeric=COLUMNS,
    danger=(OVERFLOW,),
    derivative=SameMap(),
)


def infer_as_strided(
    x: Tensor, *, require: Require, size: Sequence[int], stride: Sequence[int], offset: int = 0
) -> Tensor:
    """A view of the elements, taken as a flat row, by strides."""
    require.holds(len(size) == len(stride), f"{len(size)} sizes and {len(stride)} strides differ", "rank-differs")
    if all(size):
        reach = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=False))
        require.at_least(x.size, reach + 1, f"as_strided reaches element {reach} of {x}", "size-out-of-range")
    return x.with_shape(proper(require, size))


def _as_strided(x: Array, *, size: Sequence[int], stride: Sequence[int], offset: int = 0) -> Array:
    index = np.full((), offset)
    for n, step in zip(size, stride, strict=True):
        index = index[..., None] + np.arange(n) * step
    return np.asarray(x.ravel()[index])


def _sample_as_strided(draw: Draw) -> Sample:
    size = draw.shape(0, 3, 1, 3)
    stride = tuple(draw.integer(0, 3) for _ in size)
    offset = draw.integer(0, 2)
    need = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True)) + 1
    x = draw.array((need,)) if draw.choice((True, False)) else draw.array((2, need))
    return Sample((x,), {"size": size, "stride": stride, "offset": offset})


as_strided = layout("as_strided", infer_as_strided, _as_strided, _sample_as_strided)
