"""Convolutions, pools, normalisation over channels, and resizing of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value

_PADDING = {"SAME": "SAME_UPPER", "VALID": "VALID"}


def spatial(values: Sequence[int], data_format: str) -> tuple[int, ...]:
    """The numbers for the dims of space, from one per dim."""
    return tuple(number for number, letter in zip(values, data_format, strict=False) if letter not in "NC")


def _window(site: Site, data_format: str) -> dict[str, Any] | None:
    """Strides, dilations and padding in canonical form."""
    attributes: dict[str, Any] = {"data_format": data_format}
    strides, dilations = site.attributes.ints("strides"), site.attributes.ints("dilations")
    if len(strides) not in (0, len(data_format)) or len(dilations) not in (0, len(data_format)):
        return None
    if strides:
        attributes["strides"] = spatial(strides, data_format)
    if any(number != 1 for number in dilations):
        attributes["dilations"] = spatial(dilations, data_format)
    padding = site.attributes.text("padding")
    if padding in _PADDING:
        attributes["auto_pad"] = _PADDING[padding]
        return attributes
    widths = site.attributes.ints("explicit_paddings")
    if padding != "EXPLICIT" or len(widths) != 2 * len(data_format):
        return None
    attributes["pads"] = spatial(widths[::2], data_format) + spatial(widths[1::2], data_format)
    return attributes


def _conv(default: str) -> Lowering:
    """A kernel for fewer channels than there are is applied to each part of them."""

    def lower(site: Site) -> Sequence[Value] | None:
        data_format = site.attributes.text("data_format", default)
        attributes = _window(site, data_format)
        if attributes is None or len(site.inputs) != 2:
            return None
        attributes["kernel_format"] = "".join(letter for letter in default if letter not in "NC") + "IO"
        return site.emit("conv", attributes={**attributes, "group": 0})

    return lower


def _depthwise(site: Site) -> Sequence[Value] | None:
    attributes = _window(site, site.attributes.text("data_format", "NHWC"))
    if attributes is None:
        return None
    return site.emit("conv", attributes={**attributes, "kernel_format": "HWCM"})


def _transposed(default: str) -> Lowering:
    """The gradient of a convolution by its input, which is also the transposed convolution."""

    def lower(site: Site) -> Sequence[Value] | None:
        data_format = site.attributes.text("data_format", default)
        attributes = _window(site, data_format)
        if attributes is None or "auto_pad" not in attributes or len(site.inputs) != 3:
            return None
        shape, kernel, x = site.inputs
        numbers = site.ints(shape)
        if numbers is not None and len(numbers) != len(data_format):
            return None
        attributes["kernel_format"] = "".join(letter for letter in default if letter not in "NC") + "OI"
        return site.emit("conv_transpose_to", [x, kernel, shape], attributes)

    return lower


def _pool(op: str, default: str) -> Lowering:
    def lower(site: Site) -> Sequence[Value] | None:
        data_format = site.attributes.text("data_format", default)
        attributes = _window(site, data_format)
        sizes = site.attributes.ints("ksize")
        if attributes is None or len(sizes) != len(data_format) or not set(data_format) <= set("NCDHW"):
            return None
        fixed = [
            number
            for name in ("ksize", "strides")
            for number, letter in zip(site.attributes.ints(name), data_format, strict=False)
            if letter in "NC"
        ]
        if any(number != 1 for number in fixed):
            return None
        attributes["kernel_shape"] = spatial(sizes, data_format)
        return site.emit(op, site.inputs[:1], attributes, outputs=1)

    return lower


def _batch_norm(site: Site) -> Sequence[Value] | None:
    """Statistics are operands at inference and results in training, where old ones may be left out."""
    if len(site.inputs) != 5:
        return None
    x, scale, offset, mean, variance = site.inputs
    data_format = site.attributes.text("data_format", "NHWC")
    attributes: dict[str, Any] = {"epsilon": site.attributes.float("epsilon", 1e-4), "data_format": data_format}
    if not site.attributes.bool("is_training", True):
        normal = site.emit("batch_normalization", attributes=attributes, outputs=1)
        return [*normal, mean, variance, mean, variance, mean][: max(len(site.declared), 1)]
    factor = site.attributes.float("exponential_avg_factor", 1.0)
    if factor == 1.0:
        mean, variance = site.extra("zeros_like", scale), site.extra("ones_like", scale)
    attributes |= {"training_mode": True, "momentum": 1.0 - factor}
    y, *statistics = site.emit("batch_normalization", [x, scale, offset, mean, variance], attributes, outputs=3)
    return [y, *statistics, *statistics, statistics[0]][: max(len(site.declared), 1)]


def _lrn(site: Site) -> Sequence[Value]:
    """The canonical operator has the channels second and divides the scale by the number of neighbours."""
    size = 2 * site.attributes.int("depth_radius", 5) + 1
    forward = site.extra("transpose", site.inputs[0], perm=(0, 3, 1, 2))
    normal = site.extra(
        "lrn",
        forward,
        size=size,
        alpha=site.attributes.float("alpha", 1.0) * size,
        beta=site.attributes.float("beta", 0.5),
        bias=site.attributes.float("bias", 1.0),
    )
    return site.emit("transpose", [normal], {"perm": (0, 2, 3, 1)})


def _resize(mode: str) -> Lowering:
    """Images of any element type become f32 unless elements are only repeated."""

    def lower(site: Site) -> Sequence[Value] | None:
        if len(site.inputs) != 2:
            return None
        attributes: dict[str, Any] = {"mode": mode, "axes": (1, 2)}
        half, align = site.attributes.bool("half_pixel_centers"), site.attributes.bool("align_corners")
        attributes["coordinate_transformation_mode"] = (
            "align_corners" if align else "half_pixel" if half else "asymmetric"
        )
        if mode == "nearest":
            attributes["nearest_mode"] = "round_prefer_ceil" if half or align else "floor"
        if mode == "cubic":
            attributes["cubic_coeff_a"] = -0.5 if half else -0.75
        x = site.inputs[0]
        if mode != "nearest" and site.attributes.dtype("T", dtypes.f32) is not dtypes.f32:
            x = site.extra("cast", x, to=dtypes.f32)
        return site.emit("resize", [x, None, None, site.inputs[1]], attributes)

    return lower


def _fake_quantise(site: Site) -> Sequence[Value]:
    attributes = {"num_bits": site.attributes.int("num_bits", 8), "narrow_range": site.attributes.bool("narrow_range")}
    return site.emit("fake_quantize", attributes=attributes)


def _fake_quantise_between(site: Site) -> Sequence[Value]:
    ends = [
        site.constant(np.asarray(site.attributes.float(name, default), np.float32), name)
        for name, default in (("min", -6.0), ("max", 6.0))
    ]
    site.inputs = [site.inputs[0], *ends]
    return _fake_quantise(site)


TABLE: dict[str, Lowering] = {
    "Conv2D": _conv("NHWC"),
    "Conv3D": _conv("NDHWC"),
    "DepthwiseConv2dNative": _depthwise,
    "Conv2DBackpropInput": _transposed("NHWC"),
    "Conv3DBackpropInputV2": _transposed("NDHWC"),
    "MaxPool": _pool("max_pool", "NHWC"),
    "MaxPool3D": _pool("max_pool", "NDHWC"),
    "AvgPool": _pool("average_pool", "NHWC"),
    "AvgPool3D": _pool("average_pool", "NDHWC"),
    "FusedBatchNorm": _batch_norm,
    "FusedBatchNormV2": _batch_norm,
    "FusedBatchNormV3": _batch_norm,
    "LRN": _lrn,
    "ResizeBilinear": _resize("linear"),
    "ResizeNearestNeighbor": _resize("nearest"),
    "ResizeBicubic": _resize("cubic"),
    "FakeQuantWithMinMaxVars": _fake_quantise,
    "FakeQuantWithMinMaxVarsPerChannel": _fake_quantise,
    "FakeQuantWithMinMaxArgs": _fake_quantise_between,
}
