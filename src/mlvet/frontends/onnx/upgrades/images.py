"""Resampling: upsample, resize, grid sampling and regions of interest of older opsets."""

from __future__ import annotations

from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.upgrades.upgrade import upgrade
from mlvet.ir.builder import Builder


@upgrade("Upsample", since=7)
def _height_and_width(source: Source, _: Builder) -> Source:
    known = source.attributes
    if "scales" in known:
        return source
    scales = (1.0, 1.0, float(known.get("height_scale", 1.0)), float(known.get("width_scale", 1.0)))
    mode = "linear" if known.get("mode") == "bilinear" else known.get("mode", "nearest")
    return source.without("height_scale", "width_scale").having(scales=scales, mode=mode)


@upgrade("Upsample", since=9)
def _scales(source: Source, builder: Builder) -> Source:
    scales = source.constant(builder, "scales", [float(scale) for scale in source.attributes.get("scales", ())])
    return source.without("scales").taking(source.operand(0), scales)


@upgrade("Upsample", since=10)
def _upsample(source: Source, _: Builder) -> Source:
    mode = source.attributes.get("mode", "nearest")
    return source.as_op("Resize").having(mode="linear" if mode == "bilinear" else mode)


@upgrade("Resize", since=11)
def _asymmetric(source: Source, _: Builder) -> Source:
    return source.having(coordinate_transformation_mode="asymmetric", nearest_mode="floor").taking(
        source.operand(0), None, source.operand(1)
    )


@upgrade("GridSample", since=20)
def _names_of_modes(source: Source, _: Builder) -> Source:
    mode = source.attributes.get("mode", "bilinear")
    return source.having(mode={"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode))


@upgrade("RoiAlign", since=16)
def _whole_pixels(source: Source, _: Builder) -> Source:
    return source.having(coordinate_transformation_mode="output_half_pixel")
