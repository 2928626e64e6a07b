"""Reading and writing by computed positions."""

from __future__ import annotations

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor
from mlvet.frontends.torch_export.context import Context, Unlowered, lowers
from mlvet.ir.graph import Value


@lowers("embedding")
def embedding(context: Context) -> Value:
    return context.result("gather", context.value("weight"), context.value("indices"), axis=0)


@lowers("index_select")
def index_select(context: Context) -> Value:
    return context.result("gather", context.value("self"), context.value("index"), axis=context.plain_int("dim"))


@lowers("gather")
def gather(context: Context) -> Value:
    return context.result(
        "gather_elements", context.value("self"), context.value("index"), axis=context.plain_int("dim")
    )


@lowers("take")
def take(context: Context) -> Value:
    flat = context.add("reshape", context.value("self"), context.vector([-1]))
    return context.result("gather", flat, context.value("index"), axis=0)


@lowers("take_along_dim")
def take_along_dim(context: Context) -> Value:
    value, index, axis = context.value("self"), context.value("indices"), context.raw("dim")
    if axis is None or any(a != b for i, (a, b) in enumerate(zip(context.dims(value), context.dims(index), strict=True))
                           if i != context.axis(value, axis)):  # fmt: skip
        raise Unlowered("broadcast or flat positions")
    return context.result("gather_elements", value, index, axis=axis)


@lowers("index", "_unsafe_index")
def index(context: Context) -> Value:
    """`x[i, :, j]`: the indexed axes go to the front, positions broadcast and are stacked, and the result takes its place."""
    value = context.value("self")
    positions = _positions(context, value)
    axes = sorted(positions)
    if len(axes) == 1:
        return context.result("gather", value, positions[axes[0]], axis=axes[0])
    rank, together = _broadcast_rank(context, positions), axes[-1] - axes[0] + 1 == len(axes)
    rest = [axis for axis in range(context.rank(value)) if axis not in axes]
    moved = context.transposed(value, [*axes, *rest])
    stacked = _stacked(context, [positions[axis] for axis in axes])
    if not together or axes[0] == 0:
        return context.result("gather_nd", moved, stacked)
    found = context.add("gather_nd", moved, stacked)
    before = axes[0]
    perm = [*range(rank, rank + before), *range(rank), *range(rank + before, rank + len(rest))]
    return context.result("transpose", found, perm=tuple(perm))


def _positions(context: Context, value: Value) -> dict[int, Value]:
    """The positions by axis; a mask stands for as many axes as it has dims."""
    given = context.raw("indices")
    found: dict[int, Value] = {}
    axis = 0
    for entry in given:
        if entry is None:
            axis += 1
            continue
        if context.dtype(entry) in (dtypes.bool_, dtypes.u8):
            rank = context.rank(entry)
            if rank == 0:
                raise Unlowered("a truth value as position")
            where = context.add("non_zero", context.cast(entry, dtypes.bool_))
            count = Tensor(dtypes.i64, (symbol(f"size({where.name})"),))
            for place in range(rank):
                found[axis + place] = context.add("gather", where, context.number(place), axis=0, like=count)
            axis += rank
        else:
            found[axis] = entry
            axis += 1
    if not found:
        raise Unlowered("no positions")
    return found


def _broadcast_rank(context: Context, positions: dict[int, Value]) -> int:
    return max(context.rank(position) for position in positions.values())


def _stacked(context: Context, positions: list[Value]) -> Value:
    """Positions of several axes, made of one shape, along a new last axis."""
    positions = [context.cast(position, dtypes.i64) for position in positions]
    shapes = {context.dims(position) for position in positions}
    if len(shapes) > 1:
        whole = positions[0]
        for position in positions[1:]:
            whole = context.add("add", whole, position)
        shape = context.add("shape", whole)
        positions = [context.add("expand", position, shape) for position in positions]
    return context.add("stack", *positions, axis=-1)


@lowers("index_put", "_unsafe_index_put", "_index_put_impl")
def index_put(context: Context) -> Value:
    value, new = context.value("self"), context.cast(context.value("values"), context.dtype(context.value("self")))
    given = context.raw("indices")
    masks = [entry for entry in given if entry is not None and context.dtype(entry) is dtypes.bool_]
    accumulate = bool(context.raw("accumulate", default=False))
    if len(masks) == 1 and len(given) == 1 and context.rank(new) == 0 and not accumulate:
        mask, missing = masks[0], context.rank(value) - context.rank(masks[0])
        if missing:
            mask = context.add("unsqueeze", mask, context.vector(list(range(context.rank(mask), context.rank(value)))))
        return context.result("where", mask, new, value)
    positions = _positions(context, value)
    axes = sorted(positions)
    if axes[-1] - axes[0] + 1 != len(axes):
        raise Unlowered("positions around whole axes")
    before, rank = axes[0], context.rank(value)
    stacked = _stacked(context, [positions[axis] for axis in axes])
    places = _broadcast_rank(context, positions)
    middle = context.add("slice", context.add("shape", stacked), context.vector([0]), context.vector([-1]))
    parts = [middle]
    if before:
        parts.insert(0, context.sizes([context.size(value, axis) for axis in range(before)]))
    if axes[-1] + 1 < rank:
        parts.append(context.sizes([context.size(value, axis) for axis in range(axes[-1] + 1, rank)]))
    updates = context.add("expand", new, context.add("concat", *parts, axis=0) if len(parts) > 1 else middle)
    reduction = "add" if accumulate else "none"
    if not before:
        return context.result("scatter_nd", value, stacked, updates, reduction=reduction)
    perm = [*axes, *range(before), *range(axes[-1] + 1, rank)]
    last = before + places + rank - axes[-1] - 1
    front = [*range(before, before + places), *range(before), *range(before + places, last)]
    updates = context.add("transpose", updates, perm=tuple(front))
    written = context.add("scatter_nd", context.transposed(value, perm), stacked, updates, reduction=reduction)
    return context.result("transpose", written, perm=tuple(perm.index(axis) for axis in range(rank)))


@lowers("scatter", "scatter_add", "scatter_reduce")
def scatter(context: Context) -> Value:
    value, index = context.value("self"), context.value("index")
    source = context.raw("src")
    if not isinstance(source, Value):
        number = context.raw("value") if source is None else source
        if isinstance(number, Value):
            source = context.add("expand", number, context.shape(index))
        else:
            source = context.add("expand", context.number(number, context.dtype(value)), context.shape(index))
    elif context.dims(source) != context.dims(index):
        ends = context.shape(index)
        rank = context.rank(index)
        source = context.add("slice", source, context.vector([0] * rank), ends, context.vector(list(range(rank))))
    written = context.raw("reduce")
    kinds = {None: "none", "sum": "add", "add": "add", "multiply": "mul", "prod": "mul", "amax": "max", "amin": "min"}
    reduction = "add" if context.key == "scatter_add" else kinds.get(written)
    if reduction is None or (context.key == "scatter_reduce" and context.raw("include_self", default=True) is False):
        raise Unlowered(f"scatter by {written}")
    return context.result("scatter_elements", value, index, source, axis=context.plain_int("dim"), reduction=reduction)


@lowers("index_add", "index_copy", "index_fill")
def index_write(context: Context) -> Value:
    """Rows along an axis, brought to the front, added to or replaced."""
    value, positions = context.value("self"), context.value("index")
    axis = context.axis(value, context.plain_int("dim"))
    if context.raw("alpha", default=1) != 1 or context.rank(positions) != 1:
        raise Unlowered("scaled rows")
    perm = [axis, *(place for place in range(context.rank(value)) if place != axis)]
    back = [perm.index(place) for place in range(len(perm))]
    base = context.transposed(value, perm)
    where = context.add("unsqueeze", positions, context.vector([1]))
    if context.key == "index_fill":
        fill = context.raw("value")
        fill = fill if isinstance(fill, Value) else context.number(fill, context.dtype(value))
        sizes = [context.size(positions, 0), *(context.size(value, place) for place in perm[1:])]
        updates = context.add("expand", fill, context.sizes(sizes))
    else:
        updates = context.transposed(context.value("source"), perm)
    reduction = "add" if context.key == "index_add" else "none"
    if axis == 0:
        return context.result("scatter_nd", base, where, updates, reduction=reduction)
    written = context.add("scatter_nd", base, where, updates, reduction=reduction)
    return context.result("transpose", written, perm=tuple(back))


@lowers("nonzero")
def nonzero(context: Context) -> Value:
    return context.result("transpose", context.add("non_zero", context.value("self")), perm=(1, 0))


@lowers("masked_select")
def masked_select(context: Context) -> Value:
    value, mask = context.value("self"), context.value("mask")
    if context.dims(value) != context.dims(mask):
        raise Unlowered("a mask of another shape")
    where = context.add("transpose", context.add("non_zero", mask), perm=(1, 0))
    return context.result("gather_nd", value, where)


@lowers("one_hot")
def one_hot(context: Context) -> Value:
    value, classes = context.value("self"), context.raw("num_classes", default=-1)
    if classes == -1:
        largest = context.add("reduce_max", value, keepdims=0)
        depth = context.add("add", largest, context.number(1))
    else:
        depth = classes if isinstance(classes, Value) else context.number(classes)
    return context.result("one_hot", value, depth, context.vector([0, 1]), axis=-1)


@lowers("bucketize", "searchsorted", "unique_consecutive", "unique_dim", "bincount", "masked_scatter")
def data_dependent(context: Context) -> Value:
    raise Unlowered(context.key)
