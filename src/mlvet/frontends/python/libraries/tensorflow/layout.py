"""Other shapes of the same elements; tensors put together, taken apart and padded."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, floor_div, total
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, emit_all, unknown_tensor
from mlvet.frontends.python.libraries.binding import ArrayLike, as_items, as_size
from mlvet.frontends.python.libraries.limits import one_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import (
    axes_of,
    axis_of,
    cast_to,
    chosen,
    dims_or_undecided,
    sizes_of,
)  # fmt: skip
from mlvet.frontends.python.libraries.tensorflow.shapes import partial_sizes, shape_of
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, alongside, convert, matched, op_of, typed
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

_END = 2**31 - 1


@model("tensorflow.reshape")
def reshape(tensor: ArrayLike, shape: Any, name: Any = None) -> Tensor:
    del name
    sizes = sizes_of(shape)
    return op_of("reshape", convert(tensor), sizes, allowzero=int(0 in sizes))


@model("tensorflow.shape", "tensorflow.shape_n")
def shape(input: ArrayLike, out_type: DType | None = dtypes.i32, name: Any = None) -> Tensor:
    del name
    return cast_to(op_of("shape", convert(input)), out_type or dtypes.i32)


@model("tensorflow.size")
def size(input: ArrayLike, out_type: DType | None = dtypes.i32, name: Any = None) -> Tensor:
    del name
    return cast_to(op_of("size", convert(input)), out_type or dtypes.i32)


@model("tensorflow.rank")
def rank(input: ArrayLike, name: Any = None) -> Tensor:
    del name
    return cast_to(op_of("rank", convert(input)), dtypes.i32)


@model("tensorflow.expand_dims")
def expand_dims(input: Any = None, axis: Any = None, name: Any = None, dim: Any = None) -> Tensor:
    del name
    return op_of("unsqueeze", convert(input), (axis_of(chosen(axis, dim)),))


@model("tensorflow.squeeze")
def squeeze(input: Any = None, axis: Any = None, name: Any = None, squeeze_dims: Any = None) -> Tensor:
    del name
    axes = axes_of(chosen(axis, squeeze_dims))
    return op_of("squeeze", convert(input), axes or None)


@model("tensorflow.concat")
def concat(values: Any, axis: Any, name: Any = "concat") -> Tensor:
    del name
    if isinstance(values, TensorValue):
        return op_of("identity", convert(values))
    repeated = _repeated(values)
    if repeated is not None:
        x, where = convert(repeated.element), axis_of(axis)
        dims = list(dims_or_undecided(x))
        dims[where] = dims[where] * repeated.length
        return typed("concat", [x], dtype_of(x), *dims)
    return op_of("concat", *matched(*as_items(values)), axis=axis_of(axis))


@model("tensorflow.stack", "tensorflow.parallel_stack", "tensorflow.pack")
def stack(values: Any, axis: Any = 0, name: Any = "stack") -> Tensor:
    del name
    repeated = _repeated(values)
    if repeated is not None:
        x, where = convert(repeated.element), axis_of(axis)
        dims = list(dims_or_undecided(x))
        dims.insert(where if where >= 0 else where + len(dims) + 1, repeated.length)
        return typed("stack", [x], dtype_of(x), *dims)
    if isinstance(values, TensorValue):
        return op_of("identity", convert(values))
    return op_of("stack", *matched(*as_items(values)), axis=axis_of(axis))


def _repeated(values: Any) -> Repeated | None:
    items = values.items if isinstance(values, ListValue) else values
    return items if isinstance(items, Repeated) else None


@model("tensorflow.unstack", "tensorflow.unpack")
def unstack(value: ArrayLike, num: Any = None, axis: Any = 0, name: Any = "unstack") -> Any:
    del name
    x, where = convert(value), axis_of(axis)
    dims = dims_of(x)
    inside = dims is not None and -len(dims) <= where < len(dims)
    count = num if isinstance(num, int) else dims[where] if dims is not None and inside else None
    if isinstance(count, int):
        return ListValue(emit_all("unstack", x, count=count, kind=Tensor, axis=where, num=count))
    if dims is None or count is None:
        demand(dims is None, "there is no such axis", "axis-out-of-range")
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    row = op_of("gather", x, 0, axis=where)
    return ListValue(Repeated(row, count))


@model("tensorflow.split")
def split(value: ArrayLike, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: Any = "split") -> Any:
    """So many equal parts, or parts of these sizes, of which one may be what is left."""
    del num, name
    x = convert(value)
    if isinstance(axis, Unknown) and isinstance(num_or_size_splits, int):
        return ListValue(unknown_tensor(Tensor, dtype_of(x)) for _ in range(num_or_size_splits))
    where = axis_of(axis)
    dims = dims_of(x)
    whole: Dim | None = dims[where] if dims is not None and -len(dims) <= where < len(dims) else None
    if isinstance(num_or_size_splits, int):
        count = num_or_size_splits
        if whole is None:
            return ListValue(emit_all("split", x, None, count=count, kind=Tensor, axis=where, num_outputs=count))
        demand(
            whole % count == 0 if isinstance(whole, int) else None,
            f"{whole} is no multiple of {count}",
            "not-divisible",
        )
        return ListValue(emit_all("split", x, (floor_div(whole, count),) * count, count=count, kind=Tensor, axis=where))
    if isinstance(num_or_size_splits, Expr):
        if dims is None or whole is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an unknown number of parts")
        part = list(dims)
        part[where] = floor_div(whole, num_or_size_splits)
        return ListValue(Repeated(typed("split", [x], dtype_of(x), *part), num_or_size_splits))
    sizes = list(sizes_of(num_or_size_splits))
    if any(isinstance(size, int) and size == -1 for size in sizes) and whole is not None:
        rest = whole - total(size for size in sizes if not (isinstance(size, int) and size == -1))
        sizes = [rest if isinstance(size, int) and size == -1 else size for size in sizes]
    return ListValue(emit_all("split", x, tuple(sizes), count=len(sizes), kind=Tensor, axis=where))


@model("tensorflow.tile")
def tile(input: ArrayLike, multiples: Any, name: Any = None) -> Tensor:
    del name
    if isinstance(multiples, int | Expr):
        demand(False, "multiples are a row of numbers, one per dim", "rank-differs")
    return op_of("tile", convert(input), sizes_of(multiples))


@model("tensorflow.repeat")
def repeat(input: ArrayLike, repeats: Any, axis: Any = None, name: Any = None) -> Tensor:
    del name
    x = convert(input)
    if axis is None:
        x = op_of("reshape", x, (-1,))
    where = 0 if axis is None else axis_of(axis)
    dims = dims_of(x)
    if isinstance(repeats, int | Expr) and dims is not None and -len(dims) <= where < len(dims):
        sizes = list(dims)
        sizes[where] = sizes[where] * repeats
        return typed("repeat", [x], dtype_of(x), *sizes)
    return op_of("repeat_interleave", x, op_of("cast", convert(repeats), to=dtypes.i64), axis=where)


@model("tensorflow.transpose", "tensorflow.compat.v1.linalg.transpose")
def transpose(a: ArrayLike, perm: Any = None, conjugate: bool = False, name: Any = "transpose") -> Tensor:
    del name, conjugate
    x = convert(a)
    return op_of("transpose", x, perm=axes_of(perm)) if perm is not None else op_of("transpose", x)


@model("tensorflow.linalg.matrix_transpose", "tensorflow.compat.v1.matrix_transpose", "tensorflow.linalg.adjoint")
def matrix_transpose(a: ArrayLike, name: Any = None, conjugate: bool = False) -> Tensor:
    del name, conjugate
    x = convert(a)
    count = rank_of(x)
    if count is None or count < 2:
        demand(count is None, "a matrix has two dims", "rank-differs")
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    return op_of("transpose", x, perm=(*range(count - 2), count - 1, count - 2))


@model("tensorflow.broadcast_to")
def broadcast_to(input: ArrayLike, shape: Any, name: Any = None) -> Tensor:
    del name
    return op_of("broadcast_to", convert(input), sizes_of(shape))


@model("tensorflow.reverse")
def reverse(tensor: ArrayLike, axis: Any, name: Any = None) -> Tensor:
    del name
    return op_of("flip", convert(tensor), axes=axes_of(axis))


@model("tensorflow.roll")
def roll(input: ArrayLike, shift: Any, axis: Any, name: Any = None) -> Tensor:
    del name
    axes = axes_of(axis) or ()
    return op_of("roll", convert(input), shifts=tuple(shift_of(shift, len(axes))), axes=axes)


def shift_of(shift: Any, count: int) -> tuple[int, ...]:
    """How far elements move: known or not, shapes stay."""
    items = as_items(shift) if isinstance(shift, tuple | list | ListValue) else (shift,)
    return tuple(item if isinstance(item, int) else 1 for item in items)[:count]


@model("tensorflow.pad")
def pad(
    tensor: ArrayLike,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: Any = None,
) -> Tensor:
    del name
    x = convert(tensor)
    one_of("mode", mode.upper(), ("CONSTANT", "REFLECT", "SYMMETRIC"))
    rows = _pairs(paddings)
    pads = (*(before for before, _ in rows), *(after for _, after in rows))
    if mode.upper() != "CONSTANT":
        return op_of("pad", x, pads, mode=mode.lower())
    return op_of("pad", x, pads, alongside(constant_values, x), mode="constant")


def _pairs(paddings: Any) -> list[tuple[Dim, Dim]]:
    if isinstance(paddings, TensorValue):
        known = tensor_of(paddings)
        if known.value is not None and known.value.ndim == 2:
            return [(as_size(_own(row[0])), as_size(_own(row[1]))) for row in known.value]
        if not known.ranked or known.rank != 2 or not isinstance(known.dims[0], int):
            raise Undecided(Reason.EXTERNAL_DATA, "paddings in a tensor")
        unknown = [sizes_of(typed("pads", [], dtypes.i32, 2), "padding") for _ in range(known.dims[0])]
        return [(before, after) for before, after in unknown]
    pairs = [sizes_of(row, "padding") for row in as_items(paddings)]
    if any(len(pair) != 2 for pair in pairs):
        demand(False, "paddings are pairs of numbers", "illegal-argument")
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "paddings")
    return [(pair[0], pair[1]) for pair in pairs]


def _own(element: Any) -> Any:
    return element if isinstance(element, Expr) else int(element)


@model("tensorflow.slice")
def slice(input_: ArrayLike, begin: Any, size: Any, name: Any = None) -> Tensor:
    """A size of -1 means up to the end."""
    del name
    x = convert(input_)
    begins, sizes = sizes_of(begin, "begin"), sizes_of(size, "size")
    if any(isinstance(extent, int) and extent == -1 for extent in sizes):
        ends = tuple(
            _END if isinstance(extent, int) and extent == -1 else first + extent
            for first, extent in zip(begins, sizes, strict=False)
        )
        return op_of("slice", x, begins, ends, tuple(range(len(sizes))))
    return op_of("slice_sizes", x, begins, sizes)


@model("tensorflow.strided_slice")
def strided_slice(
    input_: ArrayLike,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: Any = None,
) -> Tensor:
    del var, name
    first, last = sizes_of(begin, "begin"), sizes_of(end, "end")
    step = (1,) * len(first) if strides is None else sizes_of(strides, "step")
    return op_of(
        "strided_slice", convert(input_), first, last, step, begin_mask=begin_mask, end_mask=end_mask,
        ellipsis_mask=ellipsis_mask, new_axis_mask=new_axis_mask, shrink_axis_mask=shrink_axis_mask,
    )  # fmt: skip


@model("tensorflow.reverse_sequence")
def reverse_sequence(
    input: ArrayLike, seq_lengths: ArrayLike, seq_axis: Any = None, batch_axis: Any = None, name: Any = None, **old: Any
) -> Tensor:
    del name
    time = axis_of(chosen(seq_axis, old.get("seq_dim")))
    batch = axis_of(chosen(batch_axis, old.get("batch_dim"), 0))
    lengths = op_of("cast", convert(seq_lengths), to=dtypes.i64)
    return op_of("reverse_sequence", convert(input), lengths, time_axis=time, batch_axis=batch)


def _blocks(op: str) -> Any:
    def function(input: ArrayLike, block_size: int, data_format: str = "NHWC", name: Any = None) -> Tensor:
        del name
        return op_of(op, convert(input), blocksize=block_size, data_format=data_format)

    return function


model("tensorflow.nn.depth_to_space", "tensorflow.compat.v1.depth_to_space")(_blocks("depth_to_space"))
model("tensorflow.nn.space_to_depth", "tensorflow.compat.v1.space_to_depth")(_blocks("space_to_depth"))


@model("tensorflow.space_to_batch_nd", "tensorflow.space_to_batch")
def space_to_batch_nd(input: ArrayLike, block_shape: Any, paddings: Any, name: Any = None) -> Tensor:
    del name
    return op_of("space_to_batch_nd", convert(input), convert(block_shape), convert(paddings))


@model("tensorflow.compat.v1.batch_to_space_nd", "tensorflow.batch_to_space")
def batch_to_space_nd(input: ArrayLike, block_shape: Any, crops: Any, name: Any = None) -> Tensor:
    del name
    return op_of("batch_to_space_nd", convert(input), convert(block_shape), convert(crops))


@model("tensorflow.broadcast_static_shape")
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> Any:
    left, right = (typed("shape", [], dtypes.f32, *(partial_sizes(each) or ())) for each in (shape_x, shape_y))
    return shape_of(dims_of(op_of("add", left, right)))


@model("tensorflow.broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    return convert(broadcast_static_shape(shape_x, shape_y))


def fresh_tensor(name: str, dtype: DType | None, *names: str) -> Tensor:
    """A tensor of data with one symbol per dim."""
    from mlvet.domains.dims import symbol
    from mlvet.domains.tensors import Tensor as Known
    from mlvet.frontends.python.emission import source

    return source(name, Known(dtype, tuple(symbol(machine().fresh(each)) for each in names)), Tensor)
