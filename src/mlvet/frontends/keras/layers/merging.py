"""Layers that join several tensors into one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mlvet.frontends.keras.application import Call, NotLowered, whole
from mlvet.frontends.keras.layers.tables import layer
from mlvet.ir.graph import Value


def _aligned(call: Call) -> list[Value]:
    """The operands with as many dims as the largest has; new ones go after the batch."""
    inputs = call.inputs
    if len(inputs) < 2:
        raise NotLowered("one operand")
    tensors = [call.tensor(value) for value in inputs]
    if not all(tensor.ranked for tensor in tensors):
        return inputs
    rank = max(tensor.rank for tensor in tensors)
    aligned = []
    for value, tensor in zip(inputs, tensors, strict=True):
        missing = rank - tensor.rank
        aligned.append(
            call.emit("unsqueeze", value, call.axes(*range(1, 1 + missing)), part="unsqueeze") if missing else value
        )
    return aligned


def _chain(call: Call, op: str) -> Value:
    first, *others = _aligned(call)
    for other in others:
        first = call.emit(op, first, other)
    return first


def _nary(call: Call, op: str) -> Value:
    return call.emit(op, *_aligned(call))


for _kind, _op, _way in (
    ("Add", "add", _chain), ("Subtract", "sub", _chain), ("Multiply", "mul", _chain), ("Maximum", "max", _nary),
    ("Minimum", "min", _nary),
):  # fmt: skip
    _rule: Callable[[Call], Value] = partial(_way, op=_op)
    layer(_kind)(_rule)


@layer("Average")
def _average(call: Call) -> Value:
    total = _chain(call, "add")
    return call.emit("div", total, call.scalar(len(call.inputs), total, "count"))


@layer("Concatenate")
def _concatenate(call: Call) -> Value:
    return call.emit("concat", *call.inputs, axis=call.integer("axis", -1))


@layer("Merge")
def _merge(call: Call) -> Value:
    mode = call.text("mode", "sum")
    if mode == "concat":
        return call.emit("concat", *call.inputs, axis=call.integer("concat_axis", -1))
    ops = {"sum": "add", "mul": "mul", "max": "max"}
    if mode not in ops:
        raise NotLowered("mode")
    return _chain(call, ops[mode])


@layer("Dot")
def _dot(call: Call) -> Value:
    left, right = call.inputs[:2] if len(call.inputs) == 2 else (None, None)
    if left is None or right is None:
        raise NotLowered("not two operands")
    ranks = call.rank(left), call.rank(right)
    raw = call.option("axes")
    pair = [raw, raw] if isinstance(raw, int) else list(raw or ())
    axes = [whole(axis, "axes") % rank for axis, rank in zip(pair, ranks, strict=False)]
    if len(axes) != 2 or 0 in axes:
        raise NotLowered("axes")
    if call.flag("normalize"):
        left, right = (
            call.emit("lp_normalization", value, part="normalize", axis=axis, p=2)
            for value, axis in zip((left, right), axes, strict=True)
        )
    return contract(call, left, right, (axes[0], axes[1]))


def contract(call: Call, left: Value, right: Value, axes: tuple[int, int]) -> Value:
    """The product of two batches summed along an axis of each; two vectors give one number, in a dim of its own."""
    if call.rank(left) + call.rank(right) > 25:
        raise NotLowered("too many dims")
    letters = iter("abcdefghijklmnopqrstuvwxy")
    first = ["z", *(next(letters) for _ in range(call.rank(left) - 1))]
    second = ["z", *(next(letters) for _ in range(call.rank(right) - 1))]
    second[axes[1]] = first[axes[0]]
    result = [letter for place, letter in enumerate(first) if place != axes[0]]
    result += [letter for place, letter in enumerate(second) if place not in (0, axes[1])]
    equation = f"{''.join(first)},{''.join(second)}->{''.join(result)}"
    product = call.emit("einsum", left, right, equation=equation)
    return call.emit("unsqueeze", product, call.axes(1)) if len(result) == 1 else product
