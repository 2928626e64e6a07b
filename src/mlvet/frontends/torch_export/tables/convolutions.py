"""Convolutions."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.ir.graph import Value

TRANSPOSED = ("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")


@lowers("conv1d", "conv2d", "conv3d", "convolution", "_convolution", *TRANSPOSED)
def convolution(context: Context) -> Value:
    value, weight, bias = context.value("input"), context.value("weight"), context.optional("bias")
    space = context.rank(weight) - 2
    if context.raw("transposed", default=False) or context.key in TRANSPOSED:
        return _transposed(context, value, weight, bias, space)
    dilations = context.int_list("dilation", length=space, default=1)
    attributes = {
        "strides": tuple(context.int_list("stride", length=space, default=1)),
        "pads": _pads(context, weight, dilations, space),
        "dilations": tuple(dilations),
        "group": context.plain_int("groups", default=1),
    }
    return _batched(context, "conv", value, weight, bias, space, attributes)


def _transposed(context: Context, value: Value, weight: Value, bias: Value | None, space: int) -> Value:
    pads = context.int_list("padding", length=space, default=0)
    attributes = {
        "strides": tuple(context.int_list("stride", length=space, default=1)),
        "pads": (*pads, *pads),
        "dilations": tuple(context.int_list("dilation", length=space, default=1)),
        "output_padding": tuple(context.int_list("output_padding", length=space, default=0)),
        "group": context.plain_int("groups", default=1),
    }
    return _batched(context, "conv_transpose", value, weight, bias, space, attributes)


def _batched(
    context: Context, op: str, value: Value, weight: Value, bias: Value | None, space: int, attributes: dict[str, Any]
) -> Value:
    """Torch also takes an operand without batch, which gets one for the time being."""
    if context.rank(value) == space + 2:
        return context.result(op, value, weight, bias, **attributes)
    one = context.vector([0])
    return context.result(
        "squeeze", context.add(op, context.add("unsqueeze", value, one), weight, bias, **attributes), one
    )


def _pads(context: Context, weight: Value, dilations: list[int], space: int) -> tuple[int, ...]:
    """Padding on both sides; `same` puts the odd one behind."""
    written = context.raw("padding", default=0)
    if written == "valid":
        return (0,) * (2 * space)
    if written == "same":
        totals = []
        for size, dilation in zip(context.dims(weight)[2:], dilations, strict=True):
            if not isinstance(size, int):
                raise Unlowered("a kernel of unknown size")
            totals.append(dilation * (size - 1))
        return (*(total // 2 for total in totals), *(total - total // 2 for total in totals))
    pads = context.int_list("padding", length=space, default=0)
    return (*pads, *pads)
