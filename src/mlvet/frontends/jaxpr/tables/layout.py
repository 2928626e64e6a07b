"""Operators that only move elements."""

from __future__ import annotations

from mlvet.domains.tensors import Tensor
from mlvet.frontends.jaxpr.context import Context, lowers
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.ir.graph import Value


@lowers("broadcast_in_dim")
def broadcast_in_dim(context: Context) -> Value:
    """The operand's axes go to the places named, new axes of 1 between them, then it stretches."""
    x, *_ = context.operands
    sizes, places = context.param("shape"), context.param("broadcast_dimensions")
    missing = [axis for axis in range(len(sizes)) if axis not in places]
    dims = context.declared().dims
    spread = x.declared.dims
    if missing:
        placed = dict(zip(places, context.dims(x), strict=True))
        spread = tuple(placed.get(axis, 1) for axis in range(len(sizes)))
        if spread == dims and places:
            return context.result("unsqueeze", x, context.vector(missing))
        if places:
            x = context.add("unsqueeze", x, context.vector(missing), like=Tensor(x.declared.dtype, spread))
    return context.result("broadcast_to", x, context.shape(sizes))


@lowers("reshape")
def reshape(context: Context) -> Value:
    x = context.operands[0]
    if context.param("dimensions") is not None:
        x = context.transposed(x, context.param("dimensions"))
    return context.result("reshape", x, context.shape(context.param("new_sizes")), allowzero=1)


@lowers("transpose")
def transpose(context: Context) -> Value:
    return context.result("transpose", *context.operands, perm=tuple(context.param("permutation")))


@lowers("squeeze")
def squeeze(context: Context) -> Value:
    return context.result("squeeze", context.operands[0], context.vector(context.param("dimensions")))


@lowers("expand_dims")
def expand_dims(context: Context) -> Value:
    return context.result("unsqueeze", context.operands[0], context.vector(context.param("dimensions")))


@lowers("concatenate")
def concatenate(context: Context) -> Value:
    return context.result("concat", *context.operands, axis=int(context.param("dimension")))


@lowers("stack")
def stack(context: Context) -> Value:
    return context.result("stack", *context.operands, axis=int(context.param("axis", context.param("dimension", 0))))


@lowers("tile")
def tile(context: Context) -> Value:
    (x,) = context.operands
    return context.result("tile", x, context.shape(context.param("reps")))


@lowers("split")
def split(context: Context) -> list[Value]:
    (x,) = context.operands
    return context.results("split", x, context.shape(context.param("sizes")), axis=int(context.param("axis")))


@lowers("slice")
def slicing(context: Context) -> Value:
    (x,) = context.operands
    rank = context.rank(x)
    starts, ends = context.shape(context.param("start_indices")), context.shape(context.param("limit_indices"))
    steps = context.vector(context.param("strides") or [1] * rank)
    return context.result("slice", x, starts, ends, context.vector(range(rank)), steps)


@lowers("dynamic_slice")
def dynamic_slice(context: Context) -> Value:
    x, *starts = context.operands
    sizes = [context.dim(size) for size in context.param("slice_sizes")]
    if not all(isinstance(size, int) for size in sizes):
        raise Unlowered("slices of symbolic size")
    return context.result("dynamic_slice", x, *starts, sizes=tuple(sizes))


@lowers("dynamic_update_slice")
def dynamic_update_slice(context: Context) -> Value:
    return context.result("dynamic_update_slice", *context.operands)


@lowers("rev")
def rev(context: Context) -> Value:
    return context.result("flip", *context.operands, axes=tuple(context.param("dimensions")))


@lowers("iota")
def iota(context: Context) -> Value:
    """The numbers from 0 on along one axis."""
    dtype, axis = context.declared().dtype, int(context.param("dimension"))
    dims = context.declared().dims
    if dtype is None:
        raise Unlowered("an element type that mlvet lacks")
    limit = context.cast(context.size(dims[axis]), dtype)
    operands = (context.number(0, dtype), limit, context.number(1, dtype))
    if len(dims) == 1:
        return context.result("range", *operands)
    line = context.add("range", *operands, like=Tensor(dtype, (dims[axis],)))
    others = [place for place in range(len(dims)) if place != axis]
    line = context.add("unsqueeze", line, context.vector(others))
    return context.result("broadcast_to", line, context.shape(dims))


@lowers("pad")
def pad(context: Context) -> Value:
    """Gaps between elements first, then padding at the ends, where negative numbers crop."""
    x, fill = context.operands
    config = context.param("padding_config")
    for axis, (_, _, gap) in enumerate(config):
        if gap:
            x = spaced(context, x, fill, axis, int(gap))
    ends = context.shape([*(low for low, _, _ in config), *(high for _, high, _ in config)])
    return context.result("pad", x, ends, fill, mode="constant")


def spaced(context: Context, x: Value, fill: Value, axis: int, gap: int) -> Value:
    """The elements along an axis with `gap` fills after each but the last."""
    dims = context.dims(x)
    size = dims[axis]
    if not isinstance(size, int) or size == 0:
        raise Unlowered("gaps along an axis of unknown size")
    wide = context.add("unsqueeze", x, context.vector([axis + 1]))
    wide = context.add("pad", wide, context.vector([0, gap]), fill, context.vector([axis + 1]), mode="constant")
    total = size * (1 + gap)
    flat = context.add("reshape", wide, context.shape([*dims[:axis], total, *dims[axis + 1 :]]), allowzero=1)
    like = Tensor(x.declared.dtype, (*dims[:axis], total - gap, *dims[axis + 1 :]))
    ends = context.vector([total - gap])
    return context.add("slice", flat, context.vector([0]), ends, context.vector([axis]), like=like)
