"""Batch and group normalisation of older opsets."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.upgrades.upgrade import upgrade
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Value


@upgrade("BatchNormalization", since=9)
def _batch_normalization_per_element(source: Source, builder: Builder) -> Source | Sequence[Value]:
    """Without `spatial` every element of a sample has its own mean, variance, scale and shift."""
    if source.attributes.get("spatial", 1):
        return source.without("spatial", "is_test")
    x = source.operand(0)
    if _results(source) > 1 or x is None or len(source.operands) < 5:
        return source.opaque(builder)
    scale, shift, mean, variance = source.operands[1:5]
    epsilon = source.number_like(builder, "epsilon", source.attributes.get("epsilon", 1e-5), x)
    deviation = source.step(builder, "sqrt", source.step(builder, "add", variance, epsilon))
    centred = source.step(builder, "div", source.step(builder, "sub", x, mean), deviation)
    return source.results(builder, "add", source.step(builder, "mul", centred, scale), shift)


@upgrade("BatchNormalization", since=14)
def _batch_normalization(source: Source, builder: Builder) -> Source | Sequence[Value]:
    """More than one result meant training; the statistics kept for the gradient have no counterpart now."""
    if _results(source) <= 1:
        return source.without("is_test", "spatial")
    x = source.operand(0)
    if x is None:
        return source.opaque(builder)
    known = {name: source.attributes[name] for name in ("epsilon", "momentum") if name in source.attributes}
    first = [source.result(builder, name) for name in (*source.outputs[:3], *[""] * (3 - len(source.outputs)))]
    source.add(builder, "batch_normalization", source.operands, first, {**known, "training_mode": 1})
    rest = [source.result(builder, name) for name in source.outputs[3:]]
    if rest:
        source.add(builder, "opaque", source.operands, rest, {}, name=f"{source.name}.saved")
    return [*first, *rest][: len(source.outputs)]


def _results(source: Source) -> int:
    return max((place + 1 for place, name in enumerate(source.outputs) if name), default=0)


@upgrade("GroupNormalization", since=21)
def _scale_per_group(source: Source, builder: Builder) -> Source:
    """Scale and shift had one element per group, and have one per channel."""
    x = source.operand(0)
    groups = int(source.attributes.get("num_groups", 1))
    channels = source.step(builder, "shape", x, start=1, end=2)
    count = source.constant(builder, "groups", [groups])
    target = source.step(builder, "concat", count, source.step(builder, "div", channels, count), axis=0)
    column = source.constant(builder, "column", [groups, 1])
    flat = source.constant(builder, "flat", [-1])
    spread = []
    for operand in (source.operand(1), source.operand(2)):
        wide = source.step(builder, "expand", source.step(builder, "reshape", operand, column), target)
        spread.append(source.step(builder, "reshape", wide, flat))
    return source.taking(x, *spread)
