"""Preprocessing layers that are plain arithmetic; those on text stay opaque."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.frontends.keras.application import Call, NotLowered, figure
from mlvet.frontends.keras.layers.reshaping import cut, resize
from mlvet.frontends.keras.layers.tables import layer
from mlvet.ir.graph import Value


def _numbers(call: Call, raw: Any, name: str) -> Value:
    """A number or a nested list of numbers as a constant."""
    if isinstance(raw, list | tuple):
        try:
            with np.errstate(over="ignore"):
                array = np.asarray(raw, call.compute.numpy)
        except (TypeError, ValueError, OverflowError) as error:
            raise NotLowered(name) from error
    else:
        return call.scalar(figure(raw, name), call.x, name)
    return call.constant(name, array)


@layer("Rescaling")
def _rescaling(call: Call) -> Value:
    x = call.floats(call.x)
    scaled = call.emit("mul", x, _numbers(call, call.option("scale", 1), "scale"))
    offset = call.option("offset", 0)
    return call.emit("add", scaled, _numbers(call, offset, "offset")) if offset not in (0, 0.0, None) else scaled


@layer("Normalization")
def _normalization(call: Call) -> Value:
    x = call.floats(call.x)
    raw = call.option("axis", -1)
    axes = list(raw) if isinstance(raw, list | tuple) else [] if raw is None else [raw]
    tensor = call.tensor(x)
    last = axes in ([], [-1]) or (tensor.ranked and axes == [tensor.rank - 1])
    if not last or call.flag("invert"):
        raise NotLowered("axis")
    if call.option("mean") is not None:
        mean = _numbers(call, call.option("mean"), "mean")
        variance = _numbers(call, call.option("variance"), "variance")
    else:
        shape = (call.dim(x, -1, "features"),) if axes else ()
        mean = call.weight("mean", shape, "zeros", trainable=False)
        variance = call.weight("variance", shape, "ones", trainable=False)
    deviation = call.emit("sqrt", variance, part="sqrt")
    least = call.emit("max", deviation, call.scalar(1e-7, x, "least"), part="max")
    return call.emit("div", call.emit("sub", x, mean, part="sub"), least)


def _height_and_width(call: Call) -> tuple[int, int]:
    """The axes of an image, batched or not."""
    first = call.rank(call.x) - (3 if call.channels_last else 2)
    return first, first + 1


@layer("Resizing")
def _resizing(call: Call) -> Value:
    if call.flag("crop_to_aspect_ratio") or call.flag("pad_to_aspect_ratio") or call.flag("antialias"):
        raise NotLowered("aspect ratio")
    sizes = call.constant("sizes", np.asarray([call.integer("height"), call.integer("width")], np.int64))
    mode = call.text("interpolation", "bilinear")
    return resize(call, call.floats(call.x), mode, sizes=sizes, axes=_height_and_width(call))


@layer("CenterCrop")
def _center_crop(call: Call) -> Value:
    x = call.x
    bounds = []
    for axis, wanted in zip(_height_and_width(call), (call.integer("height"), call.integer("width")), strict=True):
        size = call.size(x, axis)
        if size < wanted:
            raise NotLowered("smaller than the crop")
        start = int((size - wanted) / 2)
        bounds.append((axis, start, start + wanted, 1))
    return cut(call, x, bounds)


@layer("CategoryEncoding")
def _category_encoding(call: Call) -> Value:
    mode = call.text("output_mode", "multi_hot")
    if len(call.inputs) != 1 or call.flag("sparse") or mode not in ("multi_hot", "one_hot"):
        raise NotLowered("output_mode")
    indices = call.cast(call.x, dtypes.i64)
    rank = call.rank(indices)
    values = call.constant("values", np.asarray([0, 1], call.compute.numpy))
    depth = call.constant("depth", np.asarray(call.integer("num_tokens"), np.int64))
    if mode == "one_hot" and rank > 1 and call.tensor(indices).dims[-1] == 1:
        indices = call.emit("squeeze", indices, call.axes(-1), part="squeeze")
    hot = call.emit("one_hot", indices, depth, values, axis=-1)
    if mode == "multi_hot" and rank > 1:
        return call.emit("reduce_max", hot, call.axes(-2), keepdims=0)
    return hot


@layer("Discretization")
def _discretization(call: Call) -> Value:
    bounds = call.option("bin_boundaries")
    if not isinstance(bounds, list | tuple) or call.text("output_mode", "int") != "int":
        raise NotLowered("bin_boundaries")
    x = call.emit("unsqueeze", call.cast(call.x, dtypes.f32), call.axes(-1), part="unsqueeze")
    above = call.emit("greater_or_equal", x, _numbers(call, bounds, "bin_boundaries"), part="above")
    count = call.cast(above, dtypes.i32)
    return call.emit("reduce_sum", count, call.axes(-1), keepdims=0)
