"""Resizing of images and signals."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.ir.graph import Value

NEAREST = ("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact1d",
    "_upsample_nearest_exact2d", "_upsample_nearest_exact3d")  # fmt: skip
SMOOTH = ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d",
    "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")  # fmt: skip


@lowers(*NEAREST, *SMOOTH)
def upsample(context: Context) -> Value:
    value = context.value("self", "input")
    attributes: dict[str, Any] = {}
    if "exact" in context.key:
        attributes |= {"mode": "nearest", "coordinate_transformation_mode": "half_pixel"}
        attributes |= {"nearest_mode": "round_prefer_ceil"}
    elif context.key in NEAREST:
        attributes |= {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    else:
        corners = bool(context.raw("align_corners", default=False))
        attributes["mode"] = "cubic" if "bicubic" in context.key else "linear"
        attributes["coordinate_transformation_mode"] = "align_corners" if corners else "pytorch_half_pixel"
        if "bicubic" in context.key:
            attributes["cubic_coeff_a"] = -0.5 if context.key.endswith("_aa") else -0.75
        if context.key.endswith("_aa"):
            attributes["antialias"] = 1
    written = context.raw("output_size")
    if isinstance(written, list) and written:
        sizes = context.sizes([context.size(value, 0), context.size(value, 1), *written])
        return context.result("resize", value, None, None, sizes, **attributes)
    factors = context.raw("scale_factors")
    if not isinstance(factors, list) or not all(isinstance(factor, int | float) for factor in factors):
        raise Unlowered("neither sizes nor factors")
    scales = [1.0, 1.0, *(float(factor) for factor in factors)]
    constant = context.builder.constant(f"{context.call.name}.scales", np.asarray(scales, dtypes.f32.numpy))
    return context.result("resize", value, None, constant, None, **attributes)


@lowers("grid_sampler", "grid_sampler_2d", "grid_sampler_3d")
def grid_sample(context: Context) -> Value:
    mode = ("linear", "nearest", "cubic")[context.plain_int("interpolation_mode", default=0)]
    padding = ("zeros", "border", "reflection")[context.plain_int("padding_mode", default=0)]
    return context.result(
        "grid_sample", context.value("input"), context.value("grid"), mode=mode, padding_mode=padding,
        align_corners=int(bool(context.raw("align_corners", default=False))),
    )  # fmt: skip
