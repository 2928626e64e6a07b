"""What was an attribute and became an operand: axes, sizes, bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlvet.domains import dtypes
from mlvet.frontends.onnx.opsets import NEWEST
from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.tensors import DTYPES
from mlvet.frontends.onnx.upgrades.upgrade import Rewrite, upgrade
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Value


def ints_to_operands(*names: str) -> Rewrite:
    """Lists of ints that were attributes become the operands after the first, in this order."""

    def rewrite(source: Source, builder: Builder) -> Source:
        operands: list[Value | None] = list(source.operands)
        for position, name in enumerate(names, start=1):
            ints = source.attributes.get(name)
            if ints is not None:
                operands += [None] * (position + 1 - len(operands))
                operands[position] = source.constant(builder, name, list(ints))
        return source.without(*names).taking(*operands)

    return rewrite


upgrade("Squeeze", "Unsqueeze", "ReduceSum", since=13)(ints_to_operands("axes"))
upgrade(
    "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
    "ReduceSumSquare", since=18,
)(ints_to_operands("axes"))  # fmt: skip
upgrade("Split", since=13)(ints_to_operands("split"))
upgrade("Slice", since=10)(ints_to_operands("starts", "ends", "axes"))
upgrade("Reshape", since=5)(ints_to_operands("shape"))


@upgrade("Split", since=NEWEST[""] + 1)
def _split_in_equal_parts(source: Source, _: Builder) -> Source:
    """Into as many parts as the node has results, whatever `num_outputs` says."""
    return source if source.operand(1) is not None else source.having(num_outputs=len(source.outputs))


@upgrade("Pad", since=2)
def _paddings(source: Source, _: Builder) -> Source:
    pads = source.attributes.get("paddings", source.attributes.get("pads"))
    return source.without("paddings").having(pads=pads)


@upgrade("Pad", since=11)
def _pads(source: Source, builder: Builder) -> Source:
    x = source.operand(0)
    if x is None:
        return source
    pads = source.constant(builder, "pads", list(source.attributes.get("pads") or ()))
    fill = source.number_like(builder, "value", source.attributes.get("value", 0.0), x)
    return source.without("pads", "value").taking(x, pads, fill)


@upgrade("Clip", since=11)
def _bounds(source: Source, builder: Builder) -> Source:
    x = source.operand(0)
    if x is None:
        return source
    low, high = (
        source.number_like(builder, name, source.attributes[name], x) if name in source.attributes else None
        for name in ("min", "max")
    )
    return source.without("min", "max").taking(x, low, high)


@upgrade("TopK", since=10)
def _count(source: Source, builder: Builder) -> Source:
    count = source.constant(builder, "k", [int(source.attributes.get("k", 1))])
    return source.without("k").taking(source.operand(0), count)


@upgrade("Tile", since=6)
def _tiles_along_one_axis(source: Source, builder: Builder) -> Source:
    """`tiles` copies along `axis` become one count for each dim."""
    x, tiles, axis = (source.operand(index) for index in range(3))
    rank = source.step(builder, "shape", source.step(builder, "shape", x))
    ones = source.step(builder, "constant_of_shape", rank, value=1, dtype=dtypes.i64)
    place, count = (_vector(source, builder, operand) for operand in (axis, tiles))
    return source.taking(x, source.step(builder, "scatter_elements", ones, place, count, axis=0))


def _vector(source: Source, builder: Builder, operand: Value | None) -> Value:
    flat = source.step(builder, "reshape", operand, source.constant(builder, "one", [1]))
    return source.step(builder, "cast", flat, to=dtypes.i64)


@upgrade("DFT", since=20)
def _transformed_axis(source: Source, builder: Builder) -> Source:
    axis = source.constant(builder, "axis", int(source.attributes.get("axis", 1)))
    return source.without("axis").taking(source.operand(0), source.operand(1), axis)


@upgrade("Concat", since=4)
def _joined_axis(source: Source, _: Builder) -> Source:
    return source.having(axis=source.attributes.get("axis", 1))


_CODES = {
    "FLOAT": 1, "UINT8": 2, "INT8": 3, "UINT16": 4, "INT16": 5, "INT32": 6, "INT64": 7, "STRING": 8, "BOOL": 9,
    "FLOAT16": 10, "DOUBLE": 11, "UINT32": 12, "UINT64": 13, "COMPLEX64": 14, "COMPLEX128": 15,
}  # fmt: skip


@upgrade("Cast", since=6)
def _named_element_type(source: Source, builder: Builder) -> Source | Sequence[Value]:
    name = source.attributes.get("to")
    if not isinstance(name, str):
        return source
    code = _CODES.get(name.upper())
    return source.having(to=code) if code in DTYPES else source.opaque(builder)


@upgrade("Scatter", since=11)
def _scatter(source: Source, _: Builder) -> Source:
    return source.as_op("ScatterElements")


@upgrade("Dropout", since=12)
def _dropout(source: Source, builder: Builder) -> Source | Sequence[Value]:
    """Before opset 7 `is_test` chose the mode; up to opset 11 dropout was that of inference."""
    x = source.operand(0)
    if x is None:
        return source
    ratio = source.number_like(builder, "ratio", source.attributes.get("ratio", 0.5), x)
    training = source.opset < 7 and not source.attributes.get("is_test", 0)
    mode = source.constant(builder, "training_mode", training)
    newer = source.without("ratio", "is_test").taking(x, ratio, mode)
    if source.opset >= 10 or len(source.outputs) < 2 or not source.outputs[1]:
        return newer
    result = source.result(builder, source.outputs[0])
    mask = builder.value(f"{source.name}.mask")
    newer.add(builder, "dropout", newer.operands, [result, mask], {}, name=source.name)
    typed = source.result(builder, source.outputs[1])
    newer.add(builder, "cast_like", [mask, x], [typed], {}, name=f"{source.name}.mask")
    return [result, typed]


@upgrade("LpPool", "GlobalLpPool", since=2)
def _whole_exponent(source: Source, _: Builder) -> Source:
    return source.having(p=int(source.attributes.get("p", 2)))


@upgrade("MaxPool", since=8)
def _single_result(source: Source, _: Builder) -> Source:
    return replace(source, outputs=source.outputs[:1])
