"""Normalisation by statistics of the batch or of the features."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.frontends.torch_export.mutation import rebind
from mlvet.ir.graph import Value


def _filled(context: Context, given: Value | None, number: float, like: Value, sizes: tuple[object, ...]) -> Value:
    """A scale or offset; a missing one is 1 or 0 everywhere."""
    if given is not None:
        return given
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) < len(sizes) or not 0 <= prod(known) < 1 << 28:
        raise Unlowered("features of unknown size")
    array = np.full(known, number, context.dtype(like).numpy)
    return context.builder.constant(f"{context.call.name}.{'scale' if number else 'offset'}", array)


@lowers("batch_norm", "native_batch_norm", "cudnn_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update",
    "_native_batch_norm_legit_functional", "_native_batch_norm_legit_no_training", "_batch_norm_no_update",
    "_batch_norm_with_update_functional", "instance_norm")  # fmt: skip
def batch_norm(context: Context) -> Value | list[Value | None]:
    """Torch's momentum is the share of the new statistics, the canonical one that of the old."""
    value = context.value("input")
    channels = (context.dims(value)[1],)
    scale = _filled(context, context.optional("weight"), 1, value, channels)
    offset = _filled(context, context.optional("bias"), 0, value, channels)
    epsilon = float(context.raw("eps", "epsilon", default=1e-5))
    if context.key == "instance_norm":
        if not context.raw("use_input_stats", default=True):
            raise Unlowered("instance_norm with running statistics")
        return context.result("instance_normalization", value, scale, offset, epsilon=epsilon)
    training = bool(context.raw("training", "train", default=False))
    training = training or context.key in ("_batch_norm_with_update", "_batch_norm_with_update_functional")
    mean = _filled(context, context.optional("running_mean"), 0, value, channels)
    variance = _filled(context, context.optional("running_var"), 1, value, channels)
    momentum = 1 - float(context.raw("momentum", "exponential_average_factor", default=0.1))
    operands = (value, scale, offset, mean, variance)
    if not training:
        made: Value = context.result("batch_normalization", *operands, epsilon=epsilon, momentum=momentum)
        return made if len(context.call.outputs) == 1 else _statistics(context, [made])
    functional = context.key.endswith("_functional")
    outputs = [context.out(), *(context.out(place) if functional else context.fresh(old)
        for place, old in ((3, mean), (4, variance)))]  # fmt: skip
    attributes = {"epsilon": epsilon, "momentum": momentum, "training_mode": 1}
    context.node("batch_normalization", operands, outputs, attributes)
    if functional:
        return _statistics(context, [outputs[0], None, None, *outputs[1:]])
    for old, new in zip((mean, variance), outputs[1:], strict=True):
        rebind(context, old, new)
    return outputs[0] if len(context.call.outputs) == 1 else _statistics(context, [outputs[0]])


def _statistics(context: Context, found: list[Value | None]) -> list[Value | None]:
    """Saved statistics for a backward pass have no canonical form; they are opaque where somebody reads them."""
    for index, name in enumerate(context.call.outputs):
        missing = index >= len(found) or found[index] is None
        if index >= len(found):
            found.append(None)
        if missing and name in context.used:
            output = context.out(index)
            context.opaque(context.call.target, [context.value("input")], [output])
            found[index] = output
    return found


@lowers("layer_norm", "native_layer_norm")
def layer_norm(context: Context) -> Value | list[Value]:
    value, sizes = context.value("input"), context.raw("normalized_shape")
    scale = _filled(context, context.optional("weight"), 1, value, tuple(sizes))
    offset = context.optional("bias")
    attributes: dict[str, Any] = {"axis": -len(sizes), "epsilon": float(context.raw("eps", default=1e-5))}
    if context.key == "native_layer_norm":
        return context.results("layer_normalization", value, scale, offset, indices=(0, 1, 2), **attributes)
    return context.result("layer_normalization", value, scale, offset, **attributes)


@lowers("rms_norm", "_fused_rms_norm")
def rms_norm(context: Context) -> Value:
    value, sizes = context.value("input"), context.raw("normalized_shape")
    scale = _filled(context, context.optional("weight"), 1, value, tuple(sizes))
    epsilon = context.raw("eps")
    epsilon = context.dtype(value).epsilon if epsilon is None else float(epsilon)
    return context.result("rms_normalization", value, scale, axis=-len(sizes), epsilon=epsilon)


@lowers("group_norm", "native_group_norm")
def group_norm(context: Context) -> Value | list[Value | None]:
    value = context.value("input")
    channels = (context.dims(value)[1],)
    scale = _filled(context, context.optional("weight"), 1, value, channels)
    offset = _filled(context, context.optional("bias"), 0, value, channels)
    made = context.result(
        "group_normalization", value, scale, offset, num_groups=context.plain_int("num_groups", "group"),
        epsilon=float(context.raw("eps", default=1e-5)),
    )  # fmt: skip
    return made if context.key == "group_norm" else _statistics(context, [made])
