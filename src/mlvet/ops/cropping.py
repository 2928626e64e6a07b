"""Boxes cut out of images and brought to one size, as TensorFlow does it."""

from __future__ import annotations

import numpy as np

from mlvet.domains import dtypes, intervals
from mlvet.domains.dims import Dim
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.enclosures import Operands, Tensors, anything, bounded, overflows, settled, size_of, with_nan
from mlvet.ops.layout import Array, ints_of, proper
from mlvet.ops.numeric import Enclosure
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers


def infer_crop_and_resize(
    image: Tensor,
    boxes: Tensor,
    box_indices: Tensor,
    crop_size: Tensor,
    *,
    require: Require,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Tensor:
    """One crop per box: [boxes, height, width, channels]."""
    del extrapolation_value
    require.holds(method in ("bilinear", "nearest"), f"crop_and_resize has no method {method!r}")
    depth: Dim = image.dims[3] if image.ranked and require.rank(image, 4, "image") else require.unknown()
    count: Dim = require.unknown()
    if boxes.ranked and require.rank(boxes, 2, "boxes"):
        require.equal(boxes.dims[1], 4, "a box has 4 edges")
        count = boxes.dims[0]
    if box_indices.ranked and require.rank(box_indices, 1, "box indices"):
        count = require.equal(count, box_indices.dims[0], "crop_and_resize needs one image index per box")
    sizes = require.ints(crop_size)
    if sizes is None or not require.holds(len(sizes) == 2, "a crop has a height and a width", "rank-differs"):
        sizes = [require.unknown(), require.unknown()]
    return Tensor(dtypes.f32, (count, *proper(require, sizes), depth))


def _places(low: float, high: float, dim: int, size: int) -> Array:
    """Where the rows or columns of a crop lie between the edges, which count 0 to 1 over the image."""
    if size == 1:
        return np.asarray([0.5 * (low + high) * (dim - 1)])
    return low * (dim - 1) + np.arange(size) * (high - low) * (dim - 1) / (size - 1)


def _crop_and_resize(
    image: Array,
    boxes: Array,
    box_indices: Array,
    crop_size: Array,
    *,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Array:
    height, width = ints_of(crop_size)
    rows, columns = image.shape[1:3]
    result = np.full((len(boxes), height, width, image.shape[3]), extrapolation_value)
    for number, ((top, left, bottom, right), entry) in enumerate(
        zip(boxes.tolist(), ints_of(box_indices), strict=True)
    ):
        down, across = _places(top, bottom, rows, height), _places(left, right, columns, width)
        picture = image[entry].astype(np.float64)
        for i, j in np.ndindex(height, width):
            y, x = float(down[i]), float(across[j])
            if not (0 <= y <= rows - 1 and 0 <= x <= columns - 1):
                continue
            if method == "nearest":
                result[number, i, j] = picture[int(y + 0.5), int(x + 0.5)]
                continue
            y0, x0, y1, x1 = int(y), int(x), int(np.ceil(y)), int(np.ceil(x))
            upper = picture[y0, x0] + (picture[y0, x1] - picture[y0, x0]) * (x - x0)
            lower = picture[y1, x0] + (picture[y1, x1] - picture[y1, x0]) * (x - x0)
            result[number, i, j] = upper + (lower - upper) * (y - y0)
    return result.astype(np.float32)


def _cropped(
    operands: Operands, _: Tensors, *, method: str = "bilinear", extrapolation_value: float = 0.0
) -> tuple[Interval, ...]:
    """Picked elements, or means by way of differences, in float32 whatever the image; and what is outside."""
    image = operands[0]
    if image is None or image.empty or (method != "nearest" and not bounded(image)):
        return (anything(dtypes.f32),)
    outside = intervals.cast(Interval(extrapolation_value, extrapolation_value), dtypes.f32)
    if method == "nearest":
        return (intervals.cast(image, dtypes.f32).join(outside),)
    if overflows(2 * size_of(image), dtypes.f32):
        return (anything(dtypes.f32),)
    means = settled(image, dtypes.f32, scale=size_of(image), roundings=16)
    return (with_nan(means.join(outside), image.nan),)


def _sample_crop_and_resize(draw: Draw) -> Sample:
    shape = (draw.integer(1, 2), draw.integer(2, 5), draw.integer(2, 5), draw.integer(1, 2))
    image = draw.array(shape, dtype=draw.choice((dtypes.f32, dtypes.f64, dtypes.i32)))
    count = draw.integer(1, 3)
    corners = draw.array((count, 2), low=-0.2, high=0.5)
    boxes = np.concatenate([corners, corners + draw.array((count, 2), low=0.1, high=0.6)], axis=1)
    indices = draw.array((count,), low=0, high=image.shape[0] - 1, dtype=dtypes.i32)
    attributes = {"method": draw.choice(("bilinear", "nearest")), "extrapolation_value": draw.choice((0.0, 2.0))}
    return Sample((image, boxes, indices, integers([draw.integer(1, 4), draw.integer(1, 4)])), attributes)


crop_and_resize = pure(
    "crop_and_resize",
    infer_crop_and_resize,
    _crop_and_resize,
    _sample_crop_and_resize,
    family="image",
    numeric=Enclosure(_cropped),
    danger=(OVERFLOW,),
)
