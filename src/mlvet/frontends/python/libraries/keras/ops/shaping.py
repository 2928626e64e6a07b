"""Other shapes of the same elements, and tensors put together, taken apart or looked into."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, floor_div
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays import shaping
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import demand, emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Items, Tensor, as_items, as_size, as_sizes
from mlvet.frontends.python.libraries.keras.layers.merging import joined
from mlvet.frontends.python.libraries.keras.ops.axes import axes_of, axis_of, ranked_dims
from mlvet.frontends.python.libraries.keras.ops.pointwise import names
from mlvet.frontends.python.libraries.keras.promotion import alike_typed
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def sizes(shape: Any) -> tuple[Dim, ...]:
    """A shape given as a number, a sequence of numbers or a tensor; None leaves a size open."""
    if isinstance(shape, int | Expr):
        return (shape,)
    if isinstance(shape, TensorValue) and rank_of(shape) == 0:
        return (as_size(shape),)
    if isinstance(shape, tuple | list | ListValue):
        return tuple(-1 if each is None else as_size(each) for each in as_items(shape))
    return as_sizes(shape)


@model("keras.ops.shape")
def shape(x: ArrayLike) -> Any:
    return ranked_dims(array(x))


@model(*names("ndim"))
def ndim(x: ArrayLike) -> Any:
    return len(ranked_dims(array(x)))


@model(*names("size"))
def size(x: ArrayLike) -> Any:
    return cast(emit("size", array(x)), dtypes.i32)


@model("keras.ops.dtype")
def dtype(x: ArrayLike) -> Any:
    from mlvet.frontends.python.libraries.keras.settings import name_of

    return name_of(dtype_of(array(x)))


@model(*names("reshape"))
def reshape(x: ArrayLike, newshape: Any) -> Tensor:
    return shaping.reshape(array(x), sizes(newshape))


@model(*names("ravel"))
def ravel(x: ArrayLike) -> Tensor:
    return shaping.flattened(array(x))


@model(*names("transpose"))
def transpose(x: ArrayLike, axes: Any = None) -> Tensor:
    made = array(x)
    if axes is None:
        return emit("transpose", made)
    return shaping.transpose(made, axes_of(axes) or ())


@model(*names("swapaxes"))
def swapaxes(x: ArrayLike, axis1: int, axis2: int) -> Tensor:
    return shaping.swapped(array(x), axis1, axis2)


@model(*names("moveaxis"))
def moveaxis(x: ArrayLike, source: Any, destination: Any) -> Tensor:
    made = array(x)
    rank = len(ranked_dims(made))
    start, end = (axes_of(each) or () for each in (source, destination))
    if not all(-rank <= axis < rank for axis in (*start, *end)):
        return emit("unsqueeze", made, (rank + 5,))
    order = [axis for axis in range(rank) if axis not in {each % rank for each in start}]
    for place, axis in sorted(zip((each % rank for each in end), (each % rank for each in start), strict=True)):
        order.insert(place, axis)
    return emit("transpose", made, perm=tuple(order))


@model(*names("expand_dims"))
def expand_dims(x: ArrayLike, axis: Any) -> Tensor:
    return shaping.unsqueezed(array(x), axes_of(axis) or ())


@model(*names("squeeze"))
def squeeze(x: ArrayLike, axis: Any = None) -> Tensor:
    return shaping.squeezed(array(x), axes_of(axis))


@model(*names("broadcast_to"))
def broadcast_to(x: ArrayLike, shape: Any) -> Tensor:
    return shaping.broadcast(array(x), sizes(shape))


@model(*names("concatenate"))
def concatenate(xs: Items, axis: Any = 0) -> Tensor:
    if axis is None:
        return joined([shaping.flattened(array(each)) for each in xs], 0)
    return joined(xs, axis_of(axis))


@model(*names("append"))
def append(x1: ArrayLike, x2: ArrayLike, axis: Any = None) -> Tensor:
    return concatenate((x1, x2), axis)


@model(*names("stack"))
def stack(x: Items, axis: Any = 0) -> Tensor:
    return shaping.stacked(alike_typed(x), axis_of(axis))


@model(*names("hstack"))
def hstack(xs: Items) -> Tensor:
    parts = alike_typed(xs)
    return emit("concat", *parts, axis=0 if rank_of(parts[0]) == 1 else 1)


@model(*names("vstack"))
def vstack(xs: Items) -> Tensor:
    parts = [emit("unsqueeze", each, (0,)) if rank_of(each) == 1 else each for each in alike_typed(xs)]
    return emit("concat", *parts, axis=0)


@model(*names("dstack"))
def dstack(xs: Items) -> Tensor:
    parts = []
    for each in alike_typed(xs):
        rank = rank_of(each)
        parts.append(emit("unsqueeze", each, (0, 2) if rank == 1 else (2,)) if rank in (1, 2) else each)
    return emit("concat", *parts, axis=2)


@model(*names("split"), *names("array_split"))
def split(x: ArrayLike, indices_or_sections: Any, axis: Any = 0) -> Any:
    made = array(x)
    place = axis_of(axis)
    if isinstance(indices_or_sections, int):
        dims = dims_of(made)
        total = dims[place] if dims is not None and -len(dims) <= place < len(dims) else None
        if isinstance(total, int):
            demand(
                total % max(indices_or_sections, 1) == 0,
                f"{total} cannot be split into {indices_or_sections} equal parts", "not-divisible",
            )  # fmt: skip
        return list(shaping.chunks(made, indices_or_sections, place))
    ends = sizes(indices_or_sections)
    total = ranked_dims(made)[place]
    bounds = [0, *ends, total]
    return list(shaping.split(made, [after - before for before, after in pairwise(bounds)], place))


@model(*names("hsplit"))
def hsplit(x: ArrayLike, indices_or_sections: Any) -> Any:
    return split(x, indices_or_sections, 0 if rank_of(array(x)) == 1 else 1)


@model(*names("vsplit"))
def vsplit(x: ArrayLike, indices_or_sections: Any) -> Any:
    return split(x, indices_or_sections, 0)


@model(*names("dsplit"))
def dsplit(x: ArrayLike, indices_or_sections: Any) -> Any:
    return split(x, indices_or_sections, 2)


@model("keras.ops.unstack")
def unstack(x: ArrayLike, num: Any = None, axis: Any = 0) -> Any:
    made = array(x)
    count = num if isinstance(num, int) else ranked_dims(made)[axis_of(axis)]
    if not isinstance(count, int):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an unknown number of parts")
    return list(emit_all("unstack", made, count=count, axis=axis_of(axis), num=count))


@model(*names("tile"))
def tile(x: ArrayLike, repeats: Any) -> Tensor:
    made = array(x)
    times = sizes(repeats)
    rank = rank_of(made)
    if rank is not None and rank < len(times):
        made = emit("unsqueeze", made, tuple(range(len(times) - rank)))
    elif rank is not None:
        times = (1,) * (rank - len(times)) + times
    return emit("tile", made, times)


@model(*names("repeat"))
def repeat(x: ArrayLike, repeats: Any, axis: Any = None) -> Tensor:
    made = array(x)
    if axis is None:
        made, axis = shaping.flattened(made), 0
    place = axis_of(axis)
    dims = list(ranked_dims(made))
    if isinstance(repeats, int | Expr) and -len(dims) <= place < len(dims):
        dims[place] = dims[place] * repeats
        return opaque("ops.repeat", [made], Known(dtype_of(made), tuple(dims)), type(made))
    return emit("repeat_interleave", made, array(repeats), axis=place)


@model(*names("flip"))
def flip(x: ArrayLike, axis: Any = None) -> Tensor:
    made = array(x)
    return emit("flip", made, axes=axes_of(axis) if axis is not None else tuple(range(len(ranked_dims(made)))))


@model(*names("fliplr"))
def fliplr(x: ArrayLike) -> Tensor:
    return emit("flip", array(x), axes=(1,))


@model(*names("flipud"))
def flipud(x: ArrayLike) -> Tensor:
    return emit("flip", array(x), axes=(0,))


@model(*names("roll"))
def roll(x: ArrayLike, shift: Any, axis: Any = None) -> Tensor:
    made = array(x)
    return opaque("ops.roll", [made], tensor_of(made).without_value(), type(made))


@model(*names("rot90"))
def rot90(array: ArrayLike, k: Any = 1, axes: Any = (0, 1)) -> Tensor:
    dims = list(ranked_dims(array))
    first, second = axes_of(axes) or (0, 1)
    if isinstance(k, int) and k % 2:
        dims[first], dims[second] = dims[second], dims[first]
    return opaque("ops.rot90", [array], Known(dtype_of(array), tuple(dims)), KerasTensor)


@model(*names("pad"))
def pad(x: ArrayLike, pad_width: Any, mode: Any = "constant", constant_values: Any = None) -> Tensor:
    made = array(x)
    rank = len(ranked_dims(made))
    pairs = _pairs(pad_width, rank)
    if len(pairs) != rank:
        demand(False, f"pad_width has {len(pairs)} parts for {tensor_of(made)}")
        raise Undecided(Reason.EXCEPTION, "pad_width")
    pads = (*(before for before, _ in pairs), *(after for _, after in pairs))
    ways = {"constant": "constant", "reflect": "reflect", "edge": "edge", "wrap": "wrap"}
    if mode not in ways:
        dims = tuple(dim + before + after for dim, (before, after) in zip(ranked_dims(made), pairs, strict=True))
        return opaque("ops.pad", [made], Known(dtype_of(made), dims), type(made))
    return emit("pad", made, pads, mode=ways[mode])


def _pairs(widths: Any, rank: int) -> list[tuple[Dim, Dim]]:
    if isinstance(widths, int | Expr):
        return [(widths, widths)] * rank
    if isinstance(widths, TensorValue):
        flat = as_sizes(widths)
        return [(flat[2 * place], flat[2 * place + 1]) for place in range(len(flat) // 2)]
    items = as_items(widths)
    if items and all(isinstance(each, int | Expr) for each in items):
        pair = (items[0], items[-1])
        return [pair] * rank
    pairs = [sizes(each) for each in items]
    made = [(each[0], each[-1]) for each in pairs]
    return made * rank if len(made) == 1 else made


@model(*names("take"))
def take(x: ArrayLike, indices: Any, axis: Any = None) -> Tensor:
    made, places = array(x), array(indices)
    if axis is None:
        made, axis = shaping.flattened(made), 0
    known = dtype_of(places)
    places = places if known is None or known.is_integer else cast(places, dtypes.i32)
    return emit(
        "gather", made, places, axis=axis_of(axis), kind=type(made) if not isinstance(made, KerasTensor) else None
    )


@model(*names("take_along_axis"))
def take_along_axis(x: ArrayLike, indices: Any, axis: Any = None) -> Tensor:
    made, places = array(x), array(indices)
    if axis is None:
        made, places, axis = shaping.flattened(made), shaping.flattened(places), 0
    place = axis_of(axis)
    dims, wanted = dims_of(made), dims_of(places)
    if dims is None or wanted is None or len(dims) != len(wanted) or not -len(dims) <= place < len(dims):
        return emit("gather_elements", made, places, axis=place)
    at = place % len(dims)
    result = tuple(
        want if axis == at or have == 1 else have for axis, (have, want) in enumerate(zip(dims, wanted, strict=True))
    )
    return opaque("ops.take_along_axis", [made, places], Known(dtype_of(made), result), type(made))


@model(*names("get_item"))
def get_item(x: ArrayLike, key: Any) -> Any:
    return array(x)[key]


@model("keras.ops.slice")
def slice_(inputs: ArrayLike, start_indices: Any, shape: Any) -> Tensor:
    made = array(inputs)
    wanted = sizes(shape)
    return opaque("ops.slice", [made], Known(dtype_of(made), wanted), type(made))


@model("keras.ops.slice_update")
def slice_update(inputs: ArrayLike, start_indices: Any, updates: ArrayLike) -> Tensor:
    made = array(inputs)
    return opaque("ops.slice_update", [made, array(updates)], tensor_of(made).without_value(), type(made))


@model("keras.ops.scatter")
def scatter(indices: ArrayLike, values: ArrayLike, shape: Any) -> Tensor:
    made = array(values)
    return opaque("ops.scatter", [array(indices), made], Known(dtype_of(made), sizes(shape)), type(made))


@model("keras.ops.scatter_update")
def scatter_update(inputs: ArrayLike, indices: ArrayLike, updates: ArrayLike, reduction: Any = None) -> Tensor:
    made = array(inputs)
    return opaque(
        "ops.scatter_update", [made, array(indices), array(updates)], tensor_of(made).without_value(), type(made)
    )


@model(*names("tril"))
def tril(x: ArrayLike, k: int = 0) -> Tensor:
    return emit("trilu", array(x), k, upper=0)


@model(*names("triu"))
def triu(x: ArrayLike, k: int = 0) -> Tensor:
    return emit("trilu", array(x), k, upper=1)


@model(*names("diag"))
def diag(x: ArrayLike, k: int = 0) -> Tensor:
    made = array(x)
    return emit("diagonal", made, offset=k) if rank_of(made) == 2 else emit("diag", made, offset=k)


@model(*names("diagflat"))
def diagflat(x: ArrayLike, k: int = 0) -> Tensor:
    return emit("diag", shaping.flattened(array(x)), offset=k)


@model(*names("diagonal"))
def diagonal(x: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    return emit("diagonal", array(x), offset=offset, axis1=axis1, axis2=axis2)


@model(*names("trace"))
def trace(x: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    return emit("reduce_sum", diagonal(x, offset, axis1, axis2), (-1,), keepdims=0)


@model(*names("searchsorted"))
def searchsorted(sorted_sequence: ArrayLike, values: ArrayLike, side: Any = "left") -> Tensor:
    made = array(values)
    return opaque(
        "ops.searchsorted", [array(sorted_sequence), made], tensor_of(made).with_dtype(dtypes.i32), type(made)
    )


@model(*names("digitize"))
def digitize(x: ArrayLike, bins: ArrayLike) -> Tensor:
    made = array(x)
    return opaque("ops.digitize", [made], tensor_of(made).with_dtype(dtypes.i32), type(made))


@model(*names("unravel_index"))
def unravel_index(indices: ArrayLike, shape: Any) -> Any:
    made = array(indices)
    return tuple(opaque("ops.unravel_index", [made], tensor_of(made).without_value(), type(made)) for _ in sizes(shape))


@model(*names("copy"))
def copy(x: ArrayLike) -> Tensor:
    return emit("identity", array(x))


@model("keras.ops.convert_to_tensor")
def convert_to_tensor(x: Any, dtype: DType | None = None, sparse: Any = None, ragged: Any = None) -> Tensor:
    return array(x, dtype)


@model(*names("array"))
def array_(x: Any, dtype: DType | None = None) -> Tensor:
    return array(x, dtype)


@model("keras.ops.convert_to_numpy")
def convert_to_numpy(x: ArrayLike) -> Any:
    from mlvet.frontends.python.libraries.keras.tensor import numpy_class

    return numpy_class().of(array(x).graph_value)


@model("keras.ops.is_tensor")
def is_tensor(x: Any) -> bool:
    return isinstance(x, TensorValue)


@model("keras.ops.extract_sequences")
def extract_sequences(x: ArrayLike, sequence_length: Any, sequence_stride: Any) -> Tensor:
    made = array(x)
    dims = ranked_dims(made)
    length, stride = as_size(sequence_length), as_size(sequence_stride)
    frames = floor_div(dims[-1] - length, stride) + 1
    return opaque("ops.extract_sequences", [made], Known(dtype_of(made), (*dims[:-1], frames, length)), type(made))


@model(*names("unique"))
def unique(
    x: ArrayLike, sorted: Any = True, return_index: Any = False, return_inverse: Any = False,
    return_counts: Any = False, axis: Any = None, size: Any = None, fill_value: Any = None,
) -> Any:  # fmt: skip
    from mlvet.domains.dims import symbol
    from mlvet.frontends.python.active import machine

    made = array(x)
    if axis is not None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "unique along an axis")
    count = symbol(machine().fresh("unique"), counted=True) if size is None else as_size(size)
    values = opaque("ops.unique", [made], Known(dtype_of(made), (count,)), type(made))
    if not any(flag is True for flag in (return_index, return_inverse, return_counts)):
        return values
    rest = [
        opaque("ops.unique", [made], Known(dtypes.i32, (count,)), type(made))
        for flag in (return_index, return_counts)
        if flag
    ]
    return (values, *rest)
