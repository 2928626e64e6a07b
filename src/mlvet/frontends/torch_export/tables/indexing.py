"""Reading and writing by computed positions."""

from __future__ import annotations

from mlvet.domains import dtypes
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.ir.graph import Value


@lowers("embedding")
def embedding(context: Context) -> Value:
    return context.result("embedding", context.value("weight"), context.value("indices"))


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


def _positions(context: Context) -> list[Value | None]:
    """One index per axis, None for a whole one; a mask stands for as many axes as it has dims."""
    given = context.raw("indices")
    return [
        context.cast(entry, dtypes.bool_) if entry is not None and context.dtype(entry) is dtypes.u8 else entry
        for entry in given
    ]


@lowers("index", "_unsafe_index")
def index(context: Context) -> Value:
    """`x[i]` along one axis is a gather."""
    value, positions = context.value("self"), _positions(context)
    given = [(axis, position) for axis, position in enumerate(positions) if position is not None]
    if len(given) == 1 and context.dtype(given[0][1]) is not dtypes.bool_:
        return context.result("gather", value, given[0][1], axis=given[0][0])
    return context.result("index", value, *positions)


@lowers("index_put", "_unsafe_index_put", "_index_put_impl")
def index_put(context: Context) -> Value:
    """A number written where a mask holds is a choice between two tensors."""
    value, positions = context.value("self"), _positions(context)
    new = context.cast(context.value("values"), context.dtype(value))
    accumulate = bool(context.raw("accumulate", default=False))
    first = positions[0] if len(positions) == 1 and context.rank(new) == 0 and not accumulate else None
    if first is not None and context.dtype(first) is dtypes.bool_:
        missing = list(range(context.rank(first), context.rank(value)))
        mask = context.add("unsqueeze", first, context.vector(missing)) if missing else first
        return context.result("where", mask, new, value)
    return context.result("index_put", value, new, *positions, accumulate=accumulate)


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
    return context.result("transpose", context.add("nonzero", context.value("self")), perm=(1, 0))


@lowers("masked_select")
def masked_select(context: Context) -> Value:
    return context.result("masked_select", context.value("self"), context.value("mask"))


@lowers("one_hot")
def one_hot(context: Context) -> Value:
    value, classes = context.value("self"), context.raw("num_classes", default=-1)
    if classes == -1:
        largest = context.add("reduce_max", value, keepdims=0)
        depth = context.add("add", largest, context.number(1))
    else:
        depth = classes if isinstance(classes, Value) else context.number(classes)
    return context.result("one_hot", value, depth, context.vector([0, 1]), axis=-1)
