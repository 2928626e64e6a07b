"""Convolutions, plain, depthwise, separable and transposed."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlvet.domains.dims import floor_div
from mlvet.frontends.keras.application import Call, NotLowered
from mlvet.frontends.keras.layers.activations import activation
from mlvet.frontends.keras.layers.tables import layer
from mlvet.ir.graph import Value

SPACE = {1: "W", 2: "HW", 3: "DHW"}


def data_format(call: Call, space: int) -> str:
    """The layout of the data: where batch, channels and space are."""
    return f"N{SPACE[space]}C" if call.channels_last else f"NC{SPACE[space]}"


def _space(call: Call) -> int:
    for space in SPACE:
        if f"{space}D" in call.layer.kind:
            return space
    raise NotLowered("number of dims")


def _padded(call: Call, x: Value, kernel: tuple[int, ...], dilations: tuple[int, ...]) -> tuple[Value, str]:
    """The operand and the automatic padding to use; causal padding is written out."""
    padding = call.text("padding", "valid").lower()
    if padding == "causal":
        before = dilations[0] * (kernel[0] - 1)
        pads = [0, before, 0, 0, 0, 0] if call.channels_last else [0, 0, before, 0, 0, 0]
        return call.emit(
            "pad", x, call.constant("pads", np.asarray(pads, np.int64)), part="pad", mode="constant"
        ), "VALID"
    if padding not in ("valid", "same"):
        raise NotLowered("padding")
    return x, "SAME_UPPER" if padding == "same" else "VALID"


@layer("Conv1D", "Conv2D", "Conv3D", "Convolution1D", "Convolution2D", "Convolution3D")
def _conv(call: Call) -> Value:
    space = _space(call)
    x = call.floats(call.x)
    kernel, dilations = call.integers("kernel_size", space), call.integers("dilation_rate", space, 1)
    filters, groups = call.integer("filters"), call.integer("groups", 1)
    channels = call.dim(x, -1 if call.channels_last else 1, "in")
    weight = call.weight("kernel", (*kernel, floor_div(channels, max(groups, 1)), filters), "glorot_uniform")
    bias = call.weight("bias", (filters,), "zeros") if call.flag("use_bias", True) else None
    x, auto_pad = _padded(call, x, kernel, dilations)
    result = call.emit(
        "conv", x, weight, bias, kernel_shape=kernel, strides=call.integers("strides", space, 1), dilations=dilations,
        group=groups, auto_pad=auto_pad, data_format=data_format(call, space), kernel_format=f"{SPACE[space]}IO",
    )  # fmt: skip
    return activation(call, result, call.option("activation"))


def _depthwise(call: Call, name: str, bias: Value | None, part: str = "") -> Value:
    """A convolution per channel. Its kernel has a place per channel and multiple, which is one group per channel."""
    space = _space(call)
    x = call.floats(call.x)
    kernel, dilations = call.integers("kernel_size", space), call.integers("dilation_rate", space, 1)
    axis = -1 if call.channels_last else 1
    weight = call.weight(
        name, (*kernel, call.dim(x, axis, "in"), call.integer("depth_multiplier", 1)), "glorot_uniform"
    )
    stored = call.tensor(weight)
    held = stored.dims[-2] if stored.ranked and stored.rank == space + 2 else None
    channels = held if isinstance(held, int) else call.size(x, axis)
    weight = call.reshape(weight, (*kernel, 1, -1), part="kernel")
    x, auto_pad = _padded(call, x, kernel, dilations)
    return call.emit(
        "conv", x, weight, bias, part=part, kernel_shape=kernel, strides=call.integers("strides", space, 1),
        dilations=dilations, group=channels, auto_pad=auto_pad, data_format=data_format(call, space),
        kernel_format=f"{SPACE[space]}IO",
    )  # fmt: skip


@layer("DepthwiseConv1D", "DepthwiseConv2D")
def _depthwise_conv(call: Call) -> Value:
    name = "depthwise_kernel" if call.lowering.legacy else "kernel"
    if "depthwise_kernel" in call.module.variables:
        name = "depthwise_kernel"
    kernel = call.integers("kernel_size", _space(call))
    axis = -1 if call.channels_last else 1
    channels = call.dim(call.x, axis, "in")
    multiplier = call.integer("depth_multiplier", 1)
    call.weight(name, (*kernel, channels, multiplier), "glorot_uniform", option="depthwise")
    bias = call.weight("bias", (channels * multiplier,), "zeros") if call.flag("use_bias", True) else None
    return activation(call, _depthwise(call, name, bias), call.option("activation"))


@layer("SeparableConv1D", "SeparableConv2D", "SeparableConvolution2D")
def _separable_conv(call: Call) -> Value:
    space = _space(call)
    deep = _depthwise(call, "depthwise_kernel", None, part="depthwise")
    filters = call.integer("filters")
    channels = call.dim(deep, -1 if call.channels_last else 1, "deep")
    point = call.weight("pointwise_kernel", (*(1,) * space, channels, filters), "glorot_uniform")
    bias = call.weight("bias", (filters,), "zeros") if call.flag("use_bias", True) else None
    result = call.emit(
        "conv", deep, point, bias, kernel_shape=(1,) * space, strides=(1,) * space, dilations=(1,) * space, group=1,
        auto_pad="VALID", data_format=data_format(call, space), kernel_format=f"{SPACE[space]}IO",
    )  # fmt: skip
    return activation(call, result, call.option("activation"))


def _around(span: int, extra: int, same: bool) -> tuple[int, int]:
    """What a transposed convolution of a given output padding cuts off before and after; a negative number is added."""
    if not same:
        return 0, -extra
    kept = span + span % 2 - 2 + extra
    before = min(kept - kept // 2, span - 1)
    return span - 1 - before, span - 1 - (kept - before)


@layer("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", "Deconvolution2D")
def _conv_transpose(call: Call) -> Value:
    space = _space(call)
    x = call.floats(call.x)
    kernel, strides = call.integers("kernel_size", space), call.integers("strides", space, 1)
    dilations = call.integers("dilation_rate", space, 1)
    filters = call.integer("filters")
    weight = call.weight(
        "kernel", (*kernel, filters, call.dim(x, -1 if call.channels_last else 1, "in")), "glorot_uniform"
    )
    bias = call.weight("bias", (filters,), "zeros") if call.flag("use_bias", True) else None
    spans = [dilation * (size - 1) + 1 for size, dilation in zip(kernel, dilations, strict=True)]
    same = call.text("padding", "valid").lower() == "same"
    attributes: dict[str, Any] = {}
    if call.option("output_padding") is not None:
        around = [
            _around(span, extra, same)
            for span, extra in zip(spans, call.integers("output_padding", space), strict=True)
        ]
        before, after = zip(*around, strict=True)
        attributes.update(
            pads=(*before, *(max(pad, 0) for pad in after)), output_padding=tuple(max(-pad, 0) for pad in after)
        )
    elif same:
        attributes.update(auto_pad="SAME_UPPER")
    else:
        extra = tuple(max(stride - span, 0) for stride, span in zip(strides, spans, strict=True))
        attributes.update(output_padding=extra)
    result = call.emit(
        "conv_transpose", x, weight, bias, kernel_shape=kernel, strides=strides, dilations=dilations, group=1,
        data_format=data_format(call, space), kernel_format=f"{SPACE[space]}OI", **attributes,
    )  # fmt: skip
    return activation(call, result, call.option("activation"))
