"""Convolution whose kernel samples the input at learned places between the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import product
from mlvet.domains.tensors import Tensor
from mlvet.ops.convolution import convolution, infer_conv
from mlvet.ops.enclosures_sums import DEFORMED
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample
from mlvet.ops.windows import windows


def infer_deform_conv(
    x: Tensor,
    w: Tensor,
    offset: Tensor,
    b: Tensor | None = None,
    mask: Tensor | None = None,
    *,
    require: Require,
    offset_group: int = 1,
    **attributes: Any,
) -> Tensor:
    """As conv. Offsets hold one coordinate per spatial dim and kernel element, the mask one weight."""
    result = infer_conv(x, w, b, require=require, **attributes)
    require.same_dtype(x, offset, mask)
    if not (result.ranked and w.ranked and w.rank == x.rank and x.rank >= 2):
        return result
    channels = offset_group * product(w.dims[2:])
    require.divisible(x.dims[1], offset_group, because="the input channels fall into offset groups")
    for operand, each, what in ((offset, x.rank - 2, "offset"), (mask, 1, "mask")):
        if operand is None or not require.rank(operand, x.rank, what):
            continue
        wanted = (x.dims[0], channels * each, *result.dims[2:])
        for found, right in zip(operand.dims, wanted, strict=True):
            require.equal(found, right, because=f"the {what} covers each place of the result")
    return result


def _sampled(plane: NDArray[Any], places: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The planes [C, *space] at fractional places, linear between elements and zero outside."""
    rank = len(places)
    result = np.zeros((plane.shape[0], *places[0].shape), plane.dtype)
    below = [np.floor(place) for place in places]
    for corner in range(2**rank):
        weight: Any = 1
        inside: Any = True
        index = []
        for axis, (place, floor) in enumerate(zip(places, below, strict=True)):
            upper = corner >> axis & 1
            at = floor + upper
            weight = weight * (place - floor if upper else floor + 1 - place)
            inside = inside & (at >= 0) & (at < plane.shape[1 + axis])
            index.append(np.clip(at, 0, plane.shape[1 + axis] - 1).astype(np.int64))
        at_corner: Any = (slice(None), *index)
        result += np.where(inside, weight * plane[at_corner], 0)
    return result


def deform_conv_reference(
    x: NDArray[Any],
    w: NDArray[Any],
    offset: NDArray[Any],
    b: NDArray[Any] | None = None,
    mask: NDArray[Any] | None = None,
    *,
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    group: int = 1,
    offset_group: int = 1,
    **_: Any,
) -> NDArray[Any]:
    sizes, rank = w.shape[2:], x.ndim - 2
    sliding = windows(sizes, Require(), strides=strides, pads=pads, dilations=dilations)
    assert sliding is not None
    steps = offset.shape[2:]
    batch, channels = x.shape[:2]
    moves = wide(offset).reshape(batch, offset_group, *sizes, rank, *steps)
    weights = None if mask is None else wide(mask).reshape(batch, offset_group, *sizes, *steps)
    each, per_group, outs = channels // offset_group, w.shape[1], w.shape[0] // group
    columns = np.zeros((batch, channels, *sizes, *steps), wide(x).dtype)
    grid = np.meshgrid(*(np.arange(step) for step in steps), indexing="ij")
    for n, part, *element in np.ndindex(batch, offset_group, *sizes):
        here = (n, part, *element)
        places = [
            grid[axis] * window.stride - window.before + element[axis] * window.dilation + moves[(*here, axis)]
            for axis, window in enumerate(sliding)
        ]
        chosen = slice(part * each, (part + 1) * each)
        taken = _sampled(wide(x)[n, chosen], places)
        cell: Any = (n, chosen, *element)
        columns[cell] = taken if weights is None else taken * weights[here]
    axes = list(range(1, 2 + rank))
    parts = [
        np.tensordot(
            wide(w)[g * outs : (g + 1) * outs], columns[:, g * per_group : (g + 1) * per_group], (axes, axes)
        ).swapaxes(0, 1)
        for g in range(group)
    ]
    result = np.concatenate(parts, axis=1)
    if b is not None:
        result = result + wide(b).reshape(-1, *(1,) * rank)
    return narrow(result, x)


def _sample_deform_conv(draw: Draw) -> Sample:
    group, offset_group, per_group = draw.integer(1, 2), draw.integer(1, 2), draw.choice([2, 4])
    batch, channels, out = draw.integer(1, 2), group * per_group, group * draw.integer(1, 2)
    size, stride, more = draw.integer(1, 2), draw.integer(1, 2), draw.integer(0, 2)
    length = size + more
    steps = more // stride + 1
    offset = draw.array((batch, offset_group * size * size * 2, steps, steps), low=-1.5, high=1.5)
    mask = draw.choice([None, draw.array((batch, offset_group * size * size, steps, steps))])
    b = draw.choice([None, draw.array((out,))])
    x, w = draw.array((batch, channels, length, length)), draw.array((out, per_group, size, size))
    attributes = {"strides": (stride, stride), "group": group, "offset_group": offset_group}
    return Sample((x, w, offset, b, mask), attributes)


deform_conv = convolution(
    "deform_conv", infer_deform_conv, deform_conv_reference, _sample_deform_conv, numeric=DEFORMED
)
