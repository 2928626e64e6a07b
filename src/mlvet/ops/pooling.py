"""Pooling: each window of the spatial dims becomes one element, its greatest, its mean or its norm."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.ops.convolution import sample_window
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import Jvp, SameMap
from mlvet.ops.enclosures_normalising import WINDOW_NORM
from mlvet.ops.numeric import Convex, Selection
from mlvet.ops.op import pure
from mlvet.ops.precision import narrow, wide
from mlvet.ops.reduction import STEEP
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample
from mlvet.ops.windows import Layout, layout, pad, required_layout, view, windows

pooling = partial(pure, family="pooling")


def infer_pool(
    x: Tensor,
    *,
    require: Require,
    kernel_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    auto_pad: str = "NOTSET",
    ceil_mode: bool = False,
    data_format: str = "NC",
    cut: bool = False,
    **_: Any,
) -> Tensor:
    """As for a convolution, rounded up with `ceil_mode` unless the last window would start in the padding after.

    With `cut` a window that is larger than the padded input takes what there is, instead of being an error.
    """
    if not x.ranked:
        require.rank(x, len(kernel_shape) + 2, "input")
        return require.unknown_tensor(x.dtype, len(kernel_shape) + 2)
    where = required_layout(x, data_format, require)
    fits = f"a window of {len(kernel_shape)} dims does not fit {x}"
    if where is None or not require.holds(len(where.space) == len(kernel_shape), fits, rule="rank-differs"):
        return require.unknown_tensor(x.dtype, x.rank)
    batch, channels, space = where.dims(x)
    options: dict[str, Any] = {"strides": strides, "pads": pads, "dilations": dilations, "auto_pad": auto_pad}
    sliding = windows(kernel_shape, require, ceil_mode=ceil_mode, cut=cut, **options)
    if sliding is None:
        return x.with_shape(where.place(batch, channels, [require.unknown() for _ in space]))
    steps = [window.steps(length, require) for window, length in zip(sliding, space, strict=True)]
    return x.with_shape(where.place(batch, channels, steps))


def infer_max_pool(x: Tensor, *, require: Require, **attributes: Any) -> tuple[Tensor, Tensor]:
    """The greatest elements, and where they are in the flattened input."""
    result = infer_pool(x, require=require, **attributes)
    return result, result.with_dtype(dtypes.i64)


def _front(x: NDArray[Any], data_format: str) -> tuple[NDArray[Any], Layout]:
    where = layout(data_format, x.ndim)
    assert where is not None
    return where.to_front(x), where


def pooled_windows(
    x: NDArray[Any],
    fill: Any,
    *,
    kernel_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    auto_pad: str = "NOTSET",
    ceil_mode: bool = False,
    cut: bool = False,
    inside: Any = None,
    **_: Any,
) -> NDArray[Any]:
    """The windows of [N, C, *space] as [N, C, *steps, elements]; `inside`, if given, fills the padding asked for."""
    options: dict[str, Any] = {"strides": strides, "pads": pads, "dilations": dilations, "auto_pad": auto_pad}
    sliding = windows(kernel_shape, Require(), ceil_mode=ceil_mode, cut=cut, **options)
    assert sliding is not None
    space = x.shape[2:]
    counts = [window.steps(length, Require()) for window, length in zip(sliding, space, strict=True)]
    steps = [count for count in counts if isinstance(count, int)]
    around = [window.pads(length) for window, length in zip(sliding, space, strict=True)]
    x = pad(x, around, fill if inside is None else inside)
    beyond = []
    for window, step, length in zip(sliding, steps, x.shape[2:], strict=True):
        assert isinstance(window.extent, int)
        beyond.append((0, max((step - 1) * window.stride + window.extent - length, 0)))
    taken = view(pad(x, beyond, fill), sliding, steps)
    return taken.reshape(*taken.shape[: 2 + len(steps)], -1)


def _numbers(x: NDArray[Any], where: Layout, storage_order: int) -> NDArray[Any]:
    """The flat index of every element, with space in column-major order if asked, as [N, C, *space]."""
    if not storage_order:
        return where.to_front(np.arange(x.size, dtype=np.int64).reshape(x.shape))
    batch, channels, *space = (x.shape[axis] for axis in where.order)
    plane = np.arange(int(np.prod(space)), dtype=np.int64).reshape(space, order="F")
    return np.arange(batch * channels, dtype=np.int64).reshape(batch, channels, *(1,) * len(space)) * plane.size + plane


def max_pool_reference(
    x: NDArray[Any], *, data_format: str = "NC", storage_order: int = 0, **options: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    front, where = _front(x, data_format)
    dtype = dtypes.of(x.dtype)
    least = x.dtype.type(-np.inf) if dtype.is_float else x.dtype.type(dtype.least)
    taken = pooled_windows(front, least, **options)
    numbers = pooled_windows(_numbers(x, where, storage_order), -1, **options)
    best = np.argmax(wide(taken), axis=-1)[..., None]
    chosen = np.take_along_axis(numbers, best, -1)
    best = np.where(chosen < 0, np.argmax(numbers >= 0, axis=-1)[..., None], best)
    greatest, indices = (np.take_along_axis(part, best, -1)[..., 0] for part in (taken, numbers))
    return where.from_front(greatest), where.from_front(indices)


def _max_pool_along(operands: Sequence[Any], directions: Sequence[Any], **attributes: Any) -> Any:
    _, indices = max_pool_reference(*operands, **{**attributes, "storage_order": 0})
    return np.ravel(directions[0])[indices]


def average_pool_reference(
    x: NDArray[Any], *, data_format: str = "NC", count_include_pad: bool = False, **options: Any
) -> NDArray[Any]:
    front, where = _front(wide(x), data_format)
    counted = pooled_windows(
        np.ones((1, 1, *front.shape[2:])), 0.0, inside=1.0 if count_include_pad else 0.0, **options
    ).sum(axis=-1)
    with np.errstate(all="ignore"):
        total = pooled_windows(front, 0, **options).sum(axis=-1)
        return narrow(where.from_front(total / counted.astype(total.dtype)), x)


def _window_size(_: Tensor, *, kernel_shape: Sequence[int], **__: Any) -> int:
    return prod(kernel_shape)


def lp_pool_reference(x: NDArray[Any], *, data_format: str = "NC", p: int = 2, **options: Any) -> NDArray[Any]:
    front, where = _front(wide(x), data_format)
    with np.errstate(all="ignore"):
        powers = pooled_windows(np.abs(front) ** p, 0, **options).sum(axis=-1)
        return narrow(where.from_front(powers ** (1 / p)), x)


def _sample_pool(draw: Draw, *, distinct: bool = False) -> Sample:
    rank = draw.integer(1, 2)
    lengths, sizes, options = sample_window(draw, rank)
    options |= {"kernel_shape": tuple(sizes), "ceil_mode": draw.choice([False, True])}
    batch, channels = draw.integer(1, 2), draw.integer(1, 3)
    shape: tuple[int, ...] = (batch, channels, *lengths)
    if draw.choice([True, False]):
        options["data_format"] = {1: "NWC", 2: "NHWC"}[rank]
        shape = (batch, *lengths, channels)
    return Sample((draw.array(shape, distinct=distinct),), options)


def _sample_max_pool(draw: Draw) -> Sample:
    sample = _sample_pool(draw, distinct=True)
    return Sample(sample.operands, {**sample.attributes, "storage_order": draw.integer(0, 1)})


def _sample_average_pool(draw: Draw) -> Sample:
    sample = _sample_pool(draw)
    return Sample(sample.operands, {**sample.attributes, "count_include_pad": draw.choice([False, True])})


def _sample_lp_pool(draw: Draw) -> Sample:
    sample = _sample_pool(draw)
    return Sample(sample.operands, {**sample.attributes, "p": draw.integer(1, 3)})


max_pool = pooling(
    "max_pool",
    infer_max_pool,
    max_pool_reference,
    _sample_max_pool,
    numeric=Selection((0,)),
    derivative=Jvp(_max_pool_along),
)
average_pool = pooling(
    "average_pool",
    infer_pool,
    average_pool_reference,
    _sample_average_pool,
    numeric=Convex(0, _window_size),
    danger=(OVERFLOW,),
    derivative=SameMap((0,)),
)
lp_pool = pooling(
    "lp_pool", infer_pool, lp_pool_reference, _sample_lp_pool, numeric=WINDOW_NORM, danger=(OVERFLOW, STEEP)
)
