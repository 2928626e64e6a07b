"""Broadcasting as it was before opset 7, and activations whose axes or slopes were read differently."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.domains import dtypes
from mlvet.domains.tensors import Unranked
from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.upgrades.upgrade import upgrade
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Value


@upgrade("Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less", since=7)
def _broadcast_from_an_axis(source: Source, builder: Builder) -> Source:
    """With `axis` the second operand lies on the dims of the first from there on, otherwise on the last ones."""
    a, b = source.operand(0), source.operand(1)
    axis = source.attributes.get("axis")
    if axis is not None and source.attributes.get("broadcast", 0) and a is not None and b is not None:
        b = aligned(source, builder, a, b, int(axis))
    return source.without("axis", "broadcast").taking(a, b)


def aligned(source: Source, builder: Builder, a: Value, b: Value, axis: int) -> Value:
    """`b` with as many dims of size 1 at the end as it needs to begin at dim `axis` of `a`."""
    if not isinstance(b.declared.shape, Unranked) and (axis < 0 or not isinstance(a.declared.shape, Unranked)):
        missing = (-axis if axis < 0 else a.declared.rank - axis) - b.declared.rank
        if missing <= 0:
            return b
        axes = [b.declared.rank + place for place in range(missing)]
        return source.step(builder, "unsqueeze", b, source.constant(builder, "axes", axes))
    dims = source.step(builder, "shape", b)
    taken = source.step(builder, "shape", dims)
    if axis < 0:
        room = source.constant(builder, "room", [-axis])
    else:
        rank = source.step(builder, "shape", source.step(builder, "shape", a))
        room = source.step(builder, "sub", rank, source.constant(builder, "axis", [axis]))
    missing_dims = source.step(builder, "sub", room, taken)
    ones = source.step(builder, "constant_of_shape", missing_dims, value=1, dtype=dtypes.i64)
    return source.step(builder, "reshape", b, source.step(builder, "concat", dims, ones, axis=0))


@upgrade("PRelu", since=7)
def _slope_per_channel(source: Source, builder: Builder) -> Source:
    x, slope = source.operand(0), source.operand(1)
    if x is None or slope is None or slope.declared.shape == ():
        return source
    return source.taking(x, aligned(source, builder, x, slope, 1))


@upgrade("Gemm", since=7)
def _gemm(source: Source, _: Builder) -> Source:
    return source.without("broadcast")


@upgrade("Softmax", "LogSoftmax", "Hardmax", since=13)
def _over_all_dims_from_the_axis(source: Source, builder: Builder) -> Source:
    """The operand was seen as a matrix whose columns are the dims from `axis` on."""
    x = source.operand(0)
    axis = int(source.attributes.get("axis", 1))
    if x is None:
        return source
    rank = None if isinstance(x.declared.shape, Unranked) else x.declared.rank
    if axis == -1 or axis + 1 == rank:
        return source.having(axis=-1)
    if rank is not None and not -rank <= axis < rank:
        return source
    op = {"Softmax": "softmax", "LogSoftmax": "log_softmax", "Hardmax": "hardmax"}[source.op_type]
    matrix = source.step(builder, "flatten", x, axis=axis)
    result = source.step(builder, op, matrix, axis=-1)
    return source.as_op("Reshape").without("axis").taking(result, source.step(builder, "shape", x))


@upgrade("Selu", since=6)
def _selu(source: Source, _: Builder) -> Source:
    return source.having(alpha=source.attributes.get("alpha", 1.6732), gamma=source.attributes.get("gamma", 1.0507))


@upgrade("Affine", since=10)
def _affine(source: Source, builder: Builder) -> Sequence[Value]:
    x = source.operand(0)
    if x is None:
        return source.opaque(builder)
    alpha = source.number_like(builder, "alpha", source.attributes.get("alpha", 1.0), x)
    beta = source.number_like(builder, "beta", source.attributes.get("beta", 0.0), x)
    return source.results(builder, "add", source.step(builder, "mul", x, alpha), beta)


@upgrade("Scale", since=10)
def _scale(source: Source, builder: Builder) -> Sequence[Value]:
    x = source.operand(0)
    if x is None:
        return source.opaque(builder)
    return source.results(
        builder, "mul", x, source.number_like(builder, "scale", source.attributes.get("scale", 1.0), x)
    )


@upgrade("ScaledTanh", since=10)
def _scaled_tanh(source: Source, builder: Builder) -> Sequence[Value]:
    x = source.operand(0)
    if x is None:
        return source.opaque(builder)
    alpha, beta = (source.number_like(builder, n, source.attributes.get(n, 1.0), x) for n in ("alpha", "beta"))
    bent = source.step(builder, "tanh", source.step(builder, "mul", x, beta))
    return source.results(builder, "mul", bent, alpha)
