"""Operators on boxes in images: choosing boxes, and pooling or cropping what they enclose."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil, floor
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, evaluate
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import Zero
from mlvet.ops.enclosures_counting import SUPPRESSED
from mlvet.ops.layout import Array, ints_of, layout, proper
from mlvet.ops.numeric import Convex, Selection
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers

_pooling = partial(pure, family="image")


def infer_roi_align(
    x: Tensor,
    rois: Tensor,
    batch_indices: Tensor,
    *,
    require: Require,
    output_height: int = 1,
    output_width: int = 1,
    mode: str = "avg",
    coordinate_transformation_mode: str = "half_pixel",
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Tensor:
    """One small image per region: [regions, channels, height, width]."""
    del sampling_ratio, spatial_scale
    require.holds(mode in ("avg", "max"), f"roi_align has no mode {mode!r}")
    how = coordinate_transformation_mode
    require.holds(how in ("half_pixel", "output_half_pixel"), f"roi_align knows no {how!r}")
    channels: Dim = x.dims[1] if x.ranked and require.rank(x, 4) else require.unknown()
    count: Dim = require.unknown()
    if rois.ranked and require.rank(rois, 2, "regions"):
        require.equal(rois.dims[1], 4, "a region has 4 coordinates")
        count = rois.dims[0]
    if batch_indices.ranked and require.rank(batch_indices, 1, "batch indices"):
        count = require.equal(count, batch_indices.dims[0], "roi_align needs one batch index per region")
    return x.with_shape((count, channels, *proper(require, (output_height, output_width))))


def _corners(at: float, dim: int) -> tuple[int, int, float]:
    """The two points next to a place, and how far past the first it lies."""
    at = max(at, 0.0)
    low = int(at)
    return (dim - 1, dim - 1, 0.0) if low >= dim - 1 else (low, low + 1, at - low)


def _roi_align(
    x: Array,
    rois: Array,
    batch_indices: Array,
    *,
    output_height: int = 1,
    output_width: int = 1,
    mode: str = "avg",
    coordinate_transformation_mode: str = "half_pixel",
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Array:
    half = coordinate_transformation_mode == "half_pixel"
    result = np.zeros((len(rois), x.shape[1], output_height, output_width))
    height, width = x.shape[2:]
    for number, (box, entry) in enumerate(zip(rois.tolist(), ints_of(batch_indices), strict=True)):
        left, top, right, bottom = (edge * spatial_scale - (0.5 if half else 0.0) for edge in box)
        spans = [bottom - top, right - left] if half else [max(bottom - top, 1.0), max(right - left, 1.0)]
        cells = [spans[0] / output_height, spans[1] / output_width]
        counts = [sampling_ratio if sampling_ratio > 0 else ceil(cell) for cell in cells]
        image = x[entry].astype(np.float64)
        for row, column in np.ndindex(output_height, output_width):
            parts = []
            for i, j in np.ndindex(max(counts[0], 0), max(counts[1], 0)):
                y = top + row * cells[0] + (i + 0.5) * cells[0] / counts[0]
                z = left + column * cells[1] + (j + 0.5) * cells[1] / counts[1]
                if y < -1 or y > height or z < -1 or z > width:
                    parts.append(np.zeros((4, x.shape[1])))
                    continue
                (y0, y1, dy), (z0, z1, dz) = _corners(y, height), _corners(z, width)
                weights = np.array([(1 - dy) * (1 - dz), (1 - dy) * dz, dy * (1 - dz), dy * dz])
                points = np.stack([image[:, y0, z0], image[:, y0, z1], image[:, y1, z0], image[:, y1, z1]])
                parts.append(weights[:, None] * points)
            if not parts:
                continue
            stacked = np.stack(parts)
            pooled = stacked.sum(axis=1).mean(axis=0) if mode == "avg" else stacked.max(axis=(0, 1))
            result[number, :, row, column] = pooled
    return result.astype(x.dtype)


def _sample_roi_align(draw: Draw) -> Sample:
    x = draw.array((draw.integer(1, 2), draw.integer(1, 2), draw.integer(2, 6), draw.integer(2, 6)))
    count = draw.integer(1, 3)
    corners = draw.array((count, 2), low=0, high=3)
    rois = np.concatenate([corners, corners + draw.array((count, 2), low=0.5, high=3)], axis=1)
    attributes = {
        "output_height": draw.integer(1, 3),
        "output_width": draw.integer(1, 3),
        "mode": draw.choice(("avg", "max")),
        "coordinate_transformation_mode": draw.choice(("half_pixel", "output_half_pixel")),
        "sampling_ratio": draw.integer(0, 2),
    }
    return Sample((x, rois, draw.array((count,), low=0, high=x.shape[0] - 1, dtype=dtypes.i64)), attributes)


def _sampled_points(*_: Any, mode: str = "avg", sampling_ratio: int = 0, **__: Any) -> int | None:
    """How many interpolated points of a cell are added up, which the regions decide unless it is asked for."""
    return 1 if mode == "max" else sampling_ratio**2 if sampling_ratio > 0 else None


roi_align = _pooling(
    "roi_align",
    infer_roi_align,
    _roi_align,
    _sample_roi_align,
    numeric=Convex(0, _sampled_points),
    danger=(OVERFLOW,),
)


def infer_max_roi_pool(
    x: Tensor, rois: Tensor, *, require: Require, pooled_shape: Sequence[int], spatial_scale: float = 1.0
) -> Tensor:
    """One small image per region; a region is a batch index and four edges."""
    del spatial_scale
    channels: Dim = x.dims[1] if x.ranked and require.rank(x, 4) else require.unknown()
    count: Dim = require.unknown()
    if rois.ranked and require.rank(rois, 2, "regions"):
        require.equal(rois.dims[1], 5, "a region has a batch index and 4 edges")
        count = rois.dims[0]
    return x.with_shape((count, channels, *proper(require, pooled_shape)))


def _max_roi_pool(x: Array, rois: Array, *, pooled_shape: Sequence[int], spatial_scale: float = 1.0) -> Array:
    result = np.zeros((len(rois), x.shape[1], *pooled_shape), dtype=x.dtype)
    for number, (entry, *box) in enumerate(rois.tolist()):
        left, top, right, bottom = (floor(edge * spatial_scale + 0.5) for edge in box)
        spans = [max(bottom - top + 1, 1), max(right - left + 1, 1)]
        for place in np.ndindex(*pooled_shape):
            cut: list[Any] = [int(entry), slice(None)]
            for cell, span, parts, first, dim in zip(place, spans, pooled_shape, (top, left), x.shape[2:], strict=True):
                low, high = floor(cell * span / parts) + first, ceil((cell + 1) * span / parts) + first
                cut.append(slice(min(max(low, 0), dim), min(max(high, 0), dim)))
            window = x[tuple(cut)]
            if window.size:
                result[(number, slice(None), *place)] = window.max(axis=(1, 2))
    return result


def _sample_max_roi_pool(draw: Draw) -> Sample:
    x = draw.array((draw.integer(1, 2), draw.integer(1, 2), draw.integer(2, 6), draw.integer(2, 6)))
    rows = []
    for _ in range(draw.integer(1, 3)):
        left, top = draw.integer(0, 3), draw.integer(0, 3)
        rows.append([draw.integer(0, x.shape[0] - 1), left, top, left + draw.integer(0, 3), top + draw.integer(0, 3)])
    shape = (draw.integer(1, 3), draw.integer(1, 3))
    return Sample((x, np.asarray(rows, dtype=np.float32)), {"pooled_shape": shape})


max_roi_pool = _pooling(
    "max_roi_pool", infer_max_roi_pool, _max_roi_pool, _sample_max_roi_pool, numeric=Selection((0,), 0.0)
)


def infer_max_unpool(
    x: Tensor,
    indices: Tensor,
    output_shape: Tensor | None = None,
    *,
    require: Require,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Tensor:
    """The size before a max pooling, or the wanted one; elements return to their indices, the rest is 0."""
    if indices.ranked and x.ranked and require.rank(indices, x.rank, "indices"):
        for a, b in zip(x.dims, indices.dims, strict=True):
            require.equal(a, b, "max_unpool needs one index per element")
    wanted = require.ints(output_shape)
    if output_shape is not None:
        if wanted is None:
            return require.unknown_tensor(x.dtype, x.rank if x.ranked else None)
        return x.with_shape(proper(require, wanted))
    if not require.rank(x, len(kernel_shape) + 2):
        return require.unknown_tensor(x.dtype)
    count = len(kernel_shape)
    fit = (pads is None or len(pads) == 2 * count) and (strides is None or len(strides) == count)
    if not require.holds(fit, "max_unpool needs two pads and a stride per axis"):
        return require.unknown_tensor(x.dtype, x.rank)
    return x.with_shape([*x.dims[:2], *proper(require, _unpooled(x.dims[2:], kernel_shape, pads, strides))])


def _unpooled(
    dims: Sequence[Dim], kernel: Sequence[int], pads: Sequence[int] | None, strides: Sequence[int] | None
) -> list[Dim]:
    count = len(kernel)
    p, s = pads or (0,) * 2 * count, strides or (1,) * count
    return [(dims[n] - 1) * s[n] - p[n] - p[n + count] + kernel[n] for n in range(count)]


def _max_unpool(
    x: Array,
    indices: Array,
    output_shape: Array | None = None,
    *,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    space = [evaluate(dim, {}) for dim in _unpooled(x.shape[2:], kernel_shape, pads, strides)]
    small = np.zeros((*x.shape[:2], *space), dtype=x.dtype)
    small.reshape(-1)[np.asarray(indices, dtype=np.int64).reshape(-1)] = x.reshape(-1)
    if output_shape is None:
        return small
    result = np.zeros(ints_of(output_shape), dtype=x.dtype)
    result[tuple(slice(0, dim) for dim in small.shape)] = small
    return result


def _sample_max_unpool(draw: Draw) -> Sample:
    kernel = draw.integer(1, 3)
    dims = (draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 3), draw.integer(1, 3))
    space = [dim * kernel for dim in dims[2:]]
    x = draw.array(dims)
    indices = np.zeros(dims, dtype=np.int64)
    for place in np.ndindex(*dims):
        row, column = (place[2 + n] * kernel + draw.integer(0, kernel - 1) for n in range(2))
        indices[place] = ((place[0] * dims[1] + place[1]) * space[0] + row) * space[1] + column
    shape = draw.choice((None, integers([*dims[:2], space[0] + 1, space[1] + 2])))
    return Sample((x, indices, shape), {"kernel_shape": (kernel, kernel), "strides": (kernel, kernel)})


max_unpool = layout("max_unpool", infer_max_unpool, _max_unpool, _sample_max_unpool, family="image", fill=0.0)


def infer_non_max_suppression(
    boxes: Tensor, scores: Tensor, *_: Tensor | None, require: Require, center_point_box: bool = False
) -> Tensor:
    """The boxes chosen, each as batch index, class and box."""
    del center_point_box
    if boxes.ranked and scores.ranked and require.rank(boxes, 3, "boxes") and require.rank(scores, 3, "scores"):
        require.equal(boxes.dims[2], 4, "a box has 4 coordinates")
        require.equal(boxes.dims[0], scores.dims[0], "boxes and scores have one batch")
        require.equal(boxes.dims[1], scores.dims[2], "non_max_suppression needs a score per box")
    return Tensor(dtypes.i64, (require.counted(), 3))


def _overlap(first: Array, second: Array) -> float:
    """The area that two boxes share, over the area they cover. Boxes are low corner, then high corner."""
    shared = np.minimum(first[2:], second[2:]) - np.maximum(first[:2], second[:2])
    if (shared <= 0).any():
        return 0.0
    common = float(np.prod(shared))
    return common / (float(np.prod(first[2:] - first[:2])) + float(np.prod(second[2:] - second[:2])) - common)


def _non_max_suppression(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array | None = None,
    iou_threshold: Array | None = None,
    score_threshold: Array | None = None,
    *,
    center_point_box: bool = False,
) -> Array:
    most = 0 if max_output_boxes_per_class is None else ints_of(max_output_boxes_per_class)[0]
    limit = 0.0 if iou_threshold is None else float(np.ravel(iou_threshold)[0])
    corners = boxes.astype(np.float64)
    if center_point_box:
        centre, half = corners[..., :2], corners[..., 2:] / 2
        corners = np.concatenate([centre - half, centre + half], axis=-1)
    else:
        a, b = corners[..., :2], corners[..., 2:]
        corners = np.concatenate([np.minimum(a, b), np.maximum(a, b)], axis=-1)
    chosen = []
    for batch, group in np.ndindex(*scores.shape[:2]):
        row = scores[batch, group]
        kept: list[int] = []
        for box in np.argsort(-row.astype(np.float64), kind="stable").tolist():
            if len(kept) >= most:
                break
            if score_threshold is not None and not row[box] > float(np.ravel(score_threshold)[0]):
                continue
            if all(_overlap(corners[batch, box], corners[batch, other]) <= limit for other in kept):
                kept.append(box)
        chosen += [[batch, group, box] for box in kept]
    return np.asarray(chosen, dtype=np.int64).reshape(-1, 3)


def _sample_non_max_suppression(draw: Draw) -> Sample:
    batch, groups, count = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 5)
    boxes = np.abs(draw.array((batch, count, 4), low=0, high=2))
    scores = draw.array((batch, groups, count), low=0, high=1, distinct=True)
    limits = [np.asarray([draw.choice((0.0, 0.3, 0.6))], dtype=np.float32) for _ in range(2)]
    attributes = {"center_point_box": draw.choice((True, False))}
    return Sample((boxes, scores, integers([draw.integer(0, 3)]), *limits), attributes)


non_max_suppression = pure(
    "non_max_suppression",
    infer_non_max_suppression,
    _non_max_suppression,
    _sample_non_max_suppression,
    family="image",
    numeric=SUPPRESSED,
    derivative=Zero(),
)
