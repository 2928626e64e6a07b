"""Operators that only move elements."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import LAST, Context, lowers
from mlvet.frontends.torch_export.mutation import replace_slice
from mlvet.ir.graph import Value


@lowers("view", "reshape", "_unsafe_view", "_reshape_alias", "view_copy", "reshape_copy")
def reshape(context: Context) -> Value:
    value = context.value("self")
    shape = context.raw("size", "shape")
    if not isinstance(shape, list):
        raise Unlowered("a view of another dtype")
    return context.result("reshape", value, context.sizes(shape), allowzero=1)


@lowers("view_as", "reshape_as")
def reshape_as(context: Context) -> Value:
    return context.result("reshape", context.value("self"), context.shape(context.value("other")), allowzero=1)


@lowers("flatten")
def flatten(context: Context) -> Value:
    value = context.value("self")
    first = context.axis(value, context.plain_int("start_dim", default=0))
    last = context.axis(value, context.plain_int("end_dim", default=-1))
    if context.rank(value) == 0:
        return context.result("reshape", value, context.vector([1]))
    sizes: list[int | Value] = [context.size(value, axis) for axis in range(context.rank(value))]
    parts = [*sizes[:first], -1, *sizes[last + 1 :]]
    return context.result("reshape", value, context.sizes(parts), allowzero=int(0 in parts))


@lowers("unflatten")
def unflatten(context: Context) -> Value:
    value = context.value("self")
    axis = context.axis(value, context.plain_int("dim"))
    sizes: list[Any] = [context.size(value, place) for place in range(context.rank(value))]
    parts = [*sizes[:axis], *context.raw("sizes"), *sizes[axis + 1 :]]
    return context.result("reshape", value, context.sizes(parts), allowzero=1)


@lowers("ravel")
def ravel(context: Context) -> Value:
    return context.result("reshape", context.value("self"), context.vector([-1]))


@lowers("permute", "permute_copy")
def permute(context: Context) -> Value:
    value = context.value("self")
    return context.result("transpose", value, perm=tuple(context.axis(value, axis) for axis in context.raw("dims")))


@lowers("transpose", "swapaxes", "swapdims", "t", "numpy_T", "mT", "adjoint", "matrix_H", "transpose_copy", "t_copy")
def transpose(context: Context) -> Value:
    value = context.value("self")
    rank = context.rank(value)
    perm = list(range(rank))
    if context.key == "numpy_T":
        perm.reverse()
    elif rank >= 2:
        ends = (-2, -1) if context.key in ("mT", "adjoint", "matrix_H") else (0, 1)
        first = context.axis(value, context.plain_int("dim0", "axis0", default=ends[0]))
        second = context.axis(value, context.plain_int("dim1", "axis1", default=ends[1]))
        perm[first], perm[second] = perm[second], perm[first]
    return context.result("transpose", value, perm=tuple(perm))


@lowers("movedim", "moveaxis")
def move_axis(context: Context) -> Value:
    value = context.value("self")
    source = [context.axis(value, axis) for axis in context.int_list("source")]
    target = [context.axis(value, axis) for axis in context.int_list("destination")]
    rest = iter(axis for axis in range(context.rank(value)) if axis not in source)
    placed = dict(zip(target, source, strict=True))
    perm = tuple(placed[place] if place in placed else next(rest) for place in range(context.rank(value)))
    return context.result("transpose", value, perm=perm)


@lowers("squeeze", "squeeze_copy")
def squeeze(context: Context) -> Value:
    """Named dims of another size than 1 stay, as in torch."""
    value = context.value("self")
    dims = context.dims(value)
    named = context.int_list("dim") if context.raw("dim") is not None else list(range(len(dims)))
    axes = [axis for each in named if dims and dims[axis := context.axis(value, each)] == 1]
    return context.result("squeeze", value, context.vector(axes)) if axes else context.result("identity", value)


@lowers("unsqueeze", "unsqueeze_copy")
def unsqueeze(context: Context) -> Value:
    value = context.value("self")
    axis = context.plain_int("dim")
    return context.result("unsqueeze", value, context.vector([axis + context.rank(value) + 1 if axis < 0 else axis]))


@lowers("expand", "expand_copy", "broadcast_to")
def expand(context: Context) -> Value:
    """A size of -1 keeps the dim."""
    sizes = [1 if size == -1 else size for size in context.raw("size")]
    return context.result("expand", context.value("self"), context.sizes(sizes))


@lowers("expand_as")
def expand_as(context: Context) -> Value:
    return context.result("expand", context.value("self"), context.shape(context.value("other")))


@lowers("repeat", "tile")
def repeat(context: Context) -> Value:
    value, counts = context.value("self"), list(context.raw("repeats", "dims"))
    rank = context.rank(value)
    counts = [*[1] * (rank - len(counts)), *counts]
    if len(counts) > rank:
        value = context.add("unsqueeze", value, context.vector(list(range(len(counts) - rank))))
    return context.result("tile", value, context.sizes(counts))


@lowers("repeat_interleave")
def repeat_interleave(context: Context) -> Value:
    value, repeats, axis = context.optional("self"), context.raw("repeats"), context.raw("dim")
    if value is None or not isinstance(repeats, Value | int):
        raise Unlowered("repeats alone")
    counts = repeats if isinstance(repeats, Value) and context.rank(repeats) == 1 else context.sizes([repeats])
    return context.result("repeat_interleave", value, counts, **({} if axis is None else {"axis": axis}))


@lowers("cat", "concat", "concatenate")
def concat(context: Context) -> Value:
    to = context.out_dtype()
    values = context.values("tensors")
    kept = [value for value in values if context.dims(value) != (0,)] or values[:1]
    return context.result(
        "concat", *(context.cast(value, to) for value in kept), axis=context.plain_int("dim", default=0)
    )


@lowers("stack")
def stack(context: Context) -> Value:
    to = context.out_dtype()
    values = [context.cast(value, to) for value in context.values("tensors")]
    axis = context.plain_int("dim", default=0)
    return context.result("stack", *values, axis=axis + context.rank(values[0]) + 1 if axis < 0 else axis)


@lowers("split", "split_with_sizes", "chunk", "tensor_split", "split_copy", "split_with_sizes_copy", "unsafe_split",
    "unsafe_chunk")  # fmt: skip
def split(context: Context) -> list[Value]:
    """The sizes of the parts are those that the program tells of the results, or those written."""
    value = context.value("self")
    axis = context.axis(value, context.plain_int("dim", default=0))
    written = context.raw("split_sizes", "split_size")
    count = len(context.call.outputs)
    sizes: list[Any] = []
    if isinstance(written, list):
        sizes = written
    else:
        for index in range(count):
            declared = context.declared(index)
            size = declared.dims[axis] if declared is not None and declared.ranked else None
            if not isinstance(size, int):
                raise Unlowered("parts of unknown size")
            sizes.append(size)
    return context.results("split", value, context.sizes(sizes), indices=range(count), axis=axis)


@lowers("unbind", "unbind_copy")
def unbind(context: Context) -> list[Value]:
    value = context.value("self")
    axis = context.axis(value, context.plain_int("dim", default=0))
    return context.results("unstack", value, indices=range(len(context.call.outputs)), axis=axis)


def cut(context: Context, value: Value, axis: int, start: Any, end: Any, step: Any = 1) -> tuple[Value, ...]:
    """The operands of a slice along one axis."""
    return value, context.sizes([start]), context.sizes([end]), context.vector([axis]), context.sizes([step])


@lowers("slice", "slice_copy")
def slicing(context: Context) -> Value:
    value = context.value("self")
    axis = context.axis(value, context.plain_int("dim", default=0))
    start, end = context.raw("start", default=0), context.raw("end", default=LAST)
    return context.result("slice", *cut(context, value, axis, start, end, context.raw("step", default=1)))


@lowers("narrow")
def narrow(context: Context) -> Value:
    value = context.value("self")
    axis = context.axis(value, context.plain_int("dim"))
    start, length = context.plain_int("start"), context.plain_int("length")
    end = LAST if start < 0 and start + length == 0 else start + length
    return context.result("slice", *cut(context, value, axis, start, end))


@lowers("select", "select_copy")
def select(context: Context) -> Value:
    value = context.value("self")
    axis = context.axis(value, context.plain_int("dim"))
    index = context.raw("index")
    place = context.number(index) if isinstance(index, int) else index
    return context.result("gather", value, place, axis=axis)


@lowers("slice_scatter")
def slice_scatter(context: Context) -> Value:
    value = context.value("self")
    if context.raw("step", default=1) != 1:
        raise Unlowered("steps")
    axis = context.axis(value, context.plain_int("dim", default=0))
    start, end = context.plain_int("start", default=0), context.plain_int("end", default=LAST)
    return replace_slice(context, value, context.value("src"), axis, start, end, final=True)


@lowers("select_scatter")
def select_scatter(context: Context) -> Value:
    value, index = context.value("self"), context.plain_int("index")
    axis = context.axis(value, context.plain_int("dim"))
    part = context.add("unsqueeze", context.value("src"), context.vector([axis]))
    return replace_slice(context, value, part, axis, index, index + 1 if index != -1 else LAST, final=True)


@lowers("roll")
def roll(context: Context) -> Value:
    axes, shifts = context.int_list("dims"), tuple(context.int_list("shifts"))
    if not axes:
        return context.result("roll", context.value("self"), shifts=shifts)
    return context.result("roll", context.value("self"), shifts=shifts, axes=tuple(axes))


@lowers("flip", "fliplr", "flipud")
def flip(context: Context) -> Value:
    fixed = {"fliplr": [1], "flipud": [0]}.get(context.key)
    return context.result("flip", context.value("self"), axes=tuple(fixed or context.int_list("dims")))


@lowers("tril", "triu")
def triangle(context: Context) -> Value:
    k = context.number(context.plain_int("diagonal", default=0))
    return context.result("trilu", context.value("self"), k, upper=int(context.key == "triu"))


@lowers("diagonal", "diagonal_copy", "linalg_diagonal")
def diagonal(context: Context) -> Value:
    ends = (-2, -1) if context.key == "linalg_diagonal" else (0, 1)
    return context.result(
        "diagonal", context.value("self", "A"), offset=context.plain_int("offset", default=0),
        axis1=context.plain_int("dim1", default=ends[0]), axis2=context.plain_int("dim2", default=ends[1]),
    )  # fmt: skip


@lowers("pad", "constant_pad_nd", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d",
    "replication_pad2d", "replication_pad3d")  # fmt: skip
def pad(context: Context) -> Value:
    """Torch lists pairs from the last axis on; negative ones crop."""
    value = context.value("self")
    pairs = list(context.raw("pad", "padding"))
    mode = context.raw("mode", default="constant")
    mode = "reflect" if "reflection" in context.key else "replicate" if "replication" in context.key else mode
    axes = [context.rank(value) - 1 - place for place in range(len(pairs) // 2)][::-1]
    before, after = pairs[0::2][::-1], pairs[1::2][::-1]
    name = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode]
    fill = context.number(context.raw("value", default=0), context.dtype(value)) if name == "constant" else None
    return context.result("pad", value, context.sizes([*before, *after]), fill, context.vector(axes), mode=name)


@lowers("pixel_shuffle")
def pixel_shuffle(context: Context) -> Value:
    value = context.value("self")
    if context.rank(value) != 4:
        raise Unlowered("pixel_shuffle needs four dims")
    return context.result("depth_to_space", value, blocksize=context.plain_int("upscale_factor"), mode="CRD")


@lowers("pixel_unshuffle")
def pixel_unshuffle(context: Context) -> Value:
    value = context.value("self")
    if context.rank(value) != 4:
        raise Unlowered("pixel_unshuffle needs four dims")
    return context.result("space_to_depth", value, blocksize=context.plain_int("downscale_factor"), mode="CRD")


@lowers("im2col")
def im2col(context: Context) -> Value:
    kernel, dilation = tuple(context.int_list("kernel_size")), tuple(context.int_list("dilation"))
    padding, stride = tuple(context.int_list("padding")), tuple(context.int_list("stride"))
    return context.result(
        "im2col", context.value("self"), kernel_size=kernel, dilation=dilation, padding=padding, stride=stride
    )


@lowers("meshgrid")
def meshgrid(context: Context) -> list[Value]:
    values = context.values("tensors")
    return context.results(
        "meshgrid", *values, indices=range(len(values)), indexing=context.raw("indexing", default="ij")
    )


@lowers("broadcast_tensors")
def broadcast_tensors(context: Context) -> list[Value]:
    values = context.values("tensors")
    known = context.declared()
    if known is not None and known.ranked and all(isinstance(dim, int) for dim in known.dims):
        shape = context.vector([dim for dim in known.dims if isinstance(dim, int)])
    else:
        whole = values[0]
        for value in values[1:]:
            whole = context.add("expand", whole, context.add("shape", value))
        shape = context.add("shape", whole)
    return [context.result("expand", value, shape, index=index) for index, value in enumerate(values)]


@lowers("diff")
def diff(context: Context) -> Value:
    """Each element minus the one before it."""
    value = context.value("self")
    axis = context.axis(value, context.plain_int("dim", default=-1))
    if context.plain_int("n", default=1) != 1:
        raise Unlowered("differences of differences")
    parts = [part for part in (context.optional("prepend"), value, context.optional("append")) if part is not None]
    if len(parts) > 1:
        value = context.add("concat", *parts, axis=axis)
    later = context.add("slice", *cut(context, value, axis, 1, LAST))
    earlier = context.add("slice", *cut(context, value, axis, 0, -1))
    if context.out_dtype() is dtypes.bool_:
        return context.result("xor", later, earlier)
    return context.result("sub", later, earlier)
