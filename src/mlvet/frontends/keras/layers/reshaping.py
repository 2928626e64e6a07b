"""Layers that move, repeat, cut or pad elements, and those that change nothing at inference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from mlvet.frontends.keras.application import Call, NotLowered, whole
from mlvet.frontends.keras.layers.convolution import SPACE
from mlvet.frontends.keras.layers.tables import layer
from mlvet.ir.graph import Value

END = (1 << 63) - 1
"""The end of a slice that goes to the last element."""


def cut(call: Call, x: Value, bounds: Sequence[tuple[int, int, int, int]], part: str = "") -> Value:
    """A slice, given as (axis, start, end, step) each."""
    if not bounds:
        return x
    axes, starts, ends, steps = (np.asarray(column, np.int64) for column in zip(*bounds, strict=True))
    operands = [
        call.constant(name, column)
        for name, column in (("starts", starts), ("ends", ends), ("axes", axes), ("steps", steps))
    ]
    return call.emit("slice", x, *operands, part=part)


@layer("Flatten")
def _flatten(call: Call) -> Value:
    x = call.x
    if not call.channels_last and (rank := call.rank(x)) > 2:
        x = call.emit("transpose", x, part="transpose", perm=(0, *range(2, rank), 1))
    return call.emit("flatten", x, axis=1)


@layer("Reshape")
def _reshape(call: Call) -> Value:
    target = call.integers("target_shape", None, ())
    if 0 in target or sum(dim < 0 for dim in target) > 1:
        raise NotLowered("target_shape")
    return call.reshape(call.x, (0, *target))


@layer("Permute")
def _permute(call: Call) -> Value:
    return call.emit("transpose", call.x, perm=(0, *call.integers("dims")))


@layer("RepeatVector")
def _repeat_vector(call: Call) -> Value:
    x = call.emit("unsqueeze", call.x, call.axes(1), part="unsqueeze")
    return call.emit("tile", x, call.constant("repeats", np.asarray((1, call.integer("n"), 1), np.int64)))


def _pairs(call: Call, key: str, space: int) -> list[tuple[int, int]]:
    """What to take or give before and after, per dim of space: one number, one each, or two each."""
    raw = call.option(key, 1)
    if space == 1 and isinstance(raw, list | tuple) and len(raw) == 2:
        return [(whole(raw[0], key), whole(raw[1], key))]
    each = raw if isinstance(raw, list | tuple) else [raw] * space
    if len(each) != space:
        raise NotLowered(key)
    pairs = [item if isinstance(item, list | tuple) else (item, item) for item in each]
    if any(len(pair) != 2 for pair in pairs):
        raise NotLowered(key)
    return [(whole(pair[0], key), whole(pair[1], key)) for pair in pairs]


def _cropping(call: Call, space: int) -> Value:
    first = 1 if call.channels_last else 2
    pairs = _pairs(call, "cropping", space)
    bounds = [
        (first + place, before, -after if after else END, 1)
        for place, (before, after) in enumerate(pairs)
        if before or after
    ]
    return cut(call, call.x, bounds) if bounds else call.emit("identity", call.x)


def _zero_padding(call: Call, space: int) -> Value:
    pairs = _pairs(call, "padding", space)
    around = [(0, 0), *pairs, (0, 0)] if call.channels_last else [(0, 0), (0, 0), *pairs]
    pads = [before for before, _ in around] + [after for _, after in around]
    return call.emit("pad", call.x, call.constant("pads", np.asarray(pads, np.int64)), mode="constant")


def _up_sampling(call: Call, space: int) -> Value:
    size = call.integers("size", space, 2)
    mode = call.text("interpolation", "nearest")
    scales = [1, *size, 1] if call.channels_last else [1, 1, *size]
    return resize(call, call.x, mode, scales=call.constant("scales", np.asarray(scales, np.float32)))


def resize(
    call: Call,
    x: Value,
    mode: str,
    *,
    scales: Value | None = None,
    sizes: Value | None = None,
    axes: tuple[int, ...] = (),
) -> Value:
    """Sample anew, by the nearest element as repetition does or between elements at the centres of pixels."""
    attributes: dict[str, Any] = {"axes": axes} if axes else {}
    if mode == "nearest":
        asymmetric = scales is not None
        attributes |= {
            "mode": "nearest", "nearest_mode": "floor" if asymmetric else "round_prefer_ceil",
            "coordinate_transformation_mode": "asymmetric" if asymmetric else "half_pixel",
        }  # fmt: skip
    elif mode in ("bilinear", "linear"):
        attributes |= {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
    elif mode == "bicubic":
        attributes |= {"mode": "cubic", "coordinate_transformation_mode": "half_pixel", "cubic_coeff_a": -0.5}
    else:
        raise NotLowered("interpolation")
    return call.emit("resize", x, None, scales, sizes, **attributes)


for _space in SPACE:
    layer(f"Cropping{_space}D")(partial(_cropping, space=_space))
    layer(f"ZeroPadding{_space}D")(partial(_zero_padding, space=_space))
    layer(f"UpSampling{_space}D")(partial(_up_sampling, space=_space))


@layer("Dropout")
def _dropout(call: Call) -> Value:
    return call.emit("dropout", call.x, call.constant("ratio", np.asarray(call.number("rate", 0.5), np.float32)))


@layer(
    "Identity", "ActivityRegularization", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "AlphaDropout",
    "GaussianDropout", "GaussianNoise", "RandomFlip", "RandomRotation", "RandomZoom", "RandomTranslation",
    "RandomContrast", "RandomBrightness", "RandomShear", "RandomHue", "RandomSaturation", "RandomColorJitter",
    "RandomColorDegeneration", "RandomGaussianBlur", "RandomGrayscale", "RandomInvert", "RandomPerspective",
    "RandomPosterization", "RandomSharpness", "RandomErasing", "RandomElasticTransform", "MixUp", "CutMix",
    "RandAugment", "AugMix",
)  # fmt: skip
def _identity(call: Call) -> Value:
    return call.emit("identity", call.x)


@layer("Masking")
def _masking(call: Call) -> Value:
    x = call.floats(call.x)
    same = call.emit("equal", x, call.scalar(call.number("mask_value", 0), x, "mask_value"), part="equal")
    differs = call.cast(call.emit("not", same, part="not"), call.compute)
    kept = call.emit("reduce_max", differs, call.axes(-1), part="kept", keepdims=1)
    call.lowering.note(f"`{call.path}` masks steps; layers after it are taken without the mask")
    return call.emit("mul", x, kept)
