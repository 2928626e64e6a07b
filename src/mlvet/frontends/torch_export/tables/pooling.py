"""Pooling."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.ir.graph import Value


def _batched(context: Context, op: str, value: Value, space: int, **attributes: Any) -> Value:
    """Torch also pools an operand without batch, which gets one for the time being."""
    if context.rank(value) == space + 2:
        return context.result(op, value, **attributes)
    one = context.vector([0])
    return context.result("squeeze", context.add(op, context.add("unsqueeze", value, one), **attributes), one)


def _space(context: Context) -> int:
    return int(next(sign for sign in context.key if sign.isdigit()))


@lowers("max_pool1d", "max_pool2d", "max_pool3d", "max_pool1d_with_indices", "max_pool2d_with_indices",
    "max_pool3d_with_indices")  # fmt: skip
def max_pool(context: Context) -> Value | list[Value | None]:
    """Torch counts positions within each plane, ONNX over the whole tensor; positions that are read stay opaque."""
    value, space = context.value("self"), _space(context)
    kernel = context.int_list("kernel_size", length=space)
    pads = context.int_list("padding", length=space, default=0)
    made = _batched(
        context, "max_pool", value, space, kernel_shape=tuple(kernel),
        strides=tuple(context.int_list("stride", length=space) or kernel), pads=(*pads, *pads),
        dilations=tuple(context.int_list("dilation", length=space, default=1)),
        ceil_mode=int(bool(context.raw("ceil_mode", default=False))),
    )  # fmt: skip
    if len(context.call.outputs) < 2:
        return made
    if context.call.outputs[1] not in context.used:
        return [made, None]
    places = context.out(1)
    context.opaque(context.call.target, [value], [places])
    return [made, places]


@lowers("avg_pool1d", "avg_pool2d", "avg_pool3d")
def average_pool(context: Context) -> Value:
    value, space = context.value("self"), _space(context)
    if context.raw("divisor_override") is not None:
        raise Unlowered("a divisor of its own")
    kernel = context.int_list("kernel_size", length=space)
    pads = context.int_list("padding", length=space, default=0)
    return _batched(
        context, "average_pool", value, space, kernel_shape=tuple(kernel),
        strides=tuple(context.int_list("stride", length=space) or kernel), pads=(*pads, *pads),
        ceil_mode=int(bool(context.raw("ceil_mode", default=False))),
        count_include_pad=int(bool(context.raw("count_include_pad", default=True))),
    )  # fmt: skip


@lowers("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "_adaptive_avg_pool2d",
    "_adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")  # fmt: skip
def adaptive_pool(context: Context) -> Value | list[Value | None]:
    """A mean over everything for sizes of 1, plain windows where the sizes divide, else torch's own operator."""
    value, space = context.value("self"), _space(context)
    wanted = context.int_list("output_size", length=space)
    largest = "max" in context.key
    axes = list(range(context.rank(value) - space, context.rank(value)))
    sizes = [context.dims(value)[axis] for axis in axes]
    if len(context.call.outputs) > 1 and context.call.outputs[1] in context.used:
        raise Unlowered("positions within planes")
    if all(size == 1 for size in wanted):
        made = context.result("reduce_max" if largest else "reduce_mean", value, context.vector(axes), keepdims=1)
    elif all(isinstance(size, int) and size % want == 0 for size, want in zip(sizes, wanted, strict=True)):
        kernel = tuple(int(str(size)) // want for size, want in zip(sizes, wanted, strict=True))
        made = _batched(
            context, "max_pool" if largest else "average_pool", value, space, kernel_shape=kernel, strides=kernel
        )
    else:
        op = "adaptive_max_pool" if largest else "adaptive_average_pool"
        made = _batched(context, op, value, space, output_size=tuple(wanted))
    return [made, None] if len(context.call.outputs) > 1 else made
