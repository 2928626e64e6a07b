"""Other shapes of the same elements, and arrays put together or taken apart."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from mlvet.domains.dims import Dim, Expr
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays import shaping
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Size, SizeOrSizes, Sizes, Tensors, as_items, as_sizes
from mlvet.frontends.python.libraries.jax.array import (
    Array,
    ArrayLike,
    ShapeLike,
    Tensor,
    as_jax,
    axes_named,
    cast_to,
    together,
)
from mlvet.frontends.python.libraries.jax.numpy.creation import sized
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def rank(x: TensorValue) -> int:
    found = rank_of(x)
    if found is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    return found


@model("jax.numpy.reshape", "jax.lax.reshape")
def reshape(
    a: ArrayLike, shape: ShapeLike, order: Any = "C", *, copy: Any = None, out_sharding: Any = None,
    dimensions: Any = None,
) -> Tensor:  # fmt: skip
    return shaping.reshape(a, sized(shape))


@model("jax.numpy.ravel")
def ravel(a: ArrayLike, order: Any = "C", *, out_sharding: Any = None) -> Tensor:
    return shaping.reshape(a, (-1,))


@model("jax.numpy.transpose")
def transpose(a: ArrayLike, axes: Any = None) -> Tensor:
    named = axes_named(axes)
    return emit("transpose", a) if named is None else shaping.transpose(a, named)


@model("jax.numpy.permute_dims", "jax.lax.transpose")
def permute_dims(a: ArrayLike, /, axes: Any) -> Tensor:
    return transpose(a, axes)


@model("jax.numpy.matrix_transpose")
def matrix_transpose(x: ArrayLike, /) -> Tensor:
    return shaping.swapped(x, -2, -1)


@model("jax.numpy.swapaxes")
def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Tensor:
    return shaping.swapped(a, axis1, axis2)


@model("jax.numpy.moveaxis")
def moveaxis(a: ArrayLike, source: Any, destination: Any) -> Tensor:
    count = rank(a)
    start, end = axes_named(source) or (), axes_named(destination) or ()
    fits = len(start) == len(end) and all(-count <= axis < count for axis in (*start, *end))
    demand(fits, f"moveaxis of {source} to {destination} does not fit {count} dims", "axis-out-of-range")
    if not fits:
        return emit("unsqueeze", a, (count + 5,))
    rest = [axis for axis in range(count) if axis not in {each % count for each in start}]
    for to, of in sorted((e % count, s % count) for s, e in zip(start, end, strict=True)):
        rest.insert(to, of)
    return shaping.transpose(a, rest)


@model("jax.numpy.rollaxis")
def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> Tensor:
    order = [each for each in range(rank(a)) if each != axis]
    order.insert(start - 1 if start > axis else start, axis)
    return shaping.transpose(a, order)


@model("jax.numpy.expand_dims", "jax.lax.expand_dims")
def expand_dims(a: ArrayLike, axis: Any) -> Tensor:
    return shaping.unsqueezed(a, axes_named(axis) or ())


@model("jax.lax.squeeze")
def lax_squeeze(array: ArrayLike, dimensions: Any) -> Tensor:
    return squeeze(array, dimensions)


@model("jax.numpy.squeeze")
def squeeze(a: ArrayLike, axis: Any = None) -> Tensor:
    return shaping.squeezed(a, axes_named(axis))


@model("jax.numpy.atleast_1d")
def atleast_1d(*arys: ArrayLike) -> Any:
    return _at_least(1, arys, lambda dims: dims or (1,))


@model("jax.numpy.atleast_2d")
def atleast_2d(*arys: ArrayLike) -> Any:
    return _at_least(2, arys, lambda dims: (1,) * (2 - len(dims)) + dims if len(dims) < 2 else dims)


@model("jax.numpy.atleast_3d")
def atleast_3d(*arys: ArrayLike) -> Any:
    forms: dict[int, Any] = {0: lambda dims: (1, 1, 1), 1: lambda dims: (1, *dims, 1), 2: lambda dims: (*dims, 1)}
    return _at_least(3, arys, lambda dims: forms[len(dims)](dims) if len(dims) < 3 else dims)


def _at_least(count: int, arrays: tuple[TensorValue, ...], shape: Any) -> Any:
    made = []
    for x in arrays:
        dims = dims_of(x)
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
        made.append(x if len(dims) >= count else shaping.reshape(x, shape(dims)))
    return made[0] if len(made) == 1 else list(made)


def parts(arrays: Any) -> tuple[TensorValue, ...] | Repeated:
    """The arrays of a list, of one common element type, or the one that stands for a number of them."""
    if isinstance(arrays, ListValue) and isinstance(arrays.items, Repeated):
        return Repeated(as_jax(arrays.items.element), arrays.items.length)
    if isinstance(arrays, TensorValue):
        found = as_jax(arrays).iterate()
        return found if isinstance(found, Repeated) else together(*found)
    items = as_items(arrays)
    demand(bool(items), "there must be at least one array", "illegal-argument")
    if not items:
        raise Undecided(Reason.EXCEPTION, "no arrays")
    return together(*items)


@model("jax.numpy.concatenate", "jax.numpy.concat", "jax.lax.concatenate")
def concatenate(arrays: Any, axis: Any = 0, dtype: DType | None = None, dimension: Any = None) -> Tensor:
    xs = parts(arrays)
    axis = axis if dimension is None else dimension
    if isinstance(xs, Repeated):
        return _repeated(xs, axis, dtype)
    if axis is None:
        xs, axis = tuple(shaping.reshape(x, (-1,)) for x in xs), 0
    demand(all(rank_of(x) != 0 for x in xs), "arrays without dims cannot be concatenated", "rank-differs")
    return cast_to(shaping.joined(xs, axis, Array), dtype)


def _repeated(xs: Repeated, axis: Any, dtype: Any) -> Tensor:
    dims = dims_of(xs.element)
    if dims is None or not isinstance(axis, int) or not dims:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "arrays in a list of unknown length")
    at = axis % len(dims)
    sizes = (*dims[:at], dims[at] * xs.length, *dims[at + 1 :])
    return cast_to(opaque("concatenate", [xs.element], Known(dtype_of(xs.element), sizes), Array), dtype)


@model("jax.numpy.stack")
def stack(arrays: Any, axis: Any = 0, out: Any = None, dtype: DType | None = None) -> Tensor:
    xs = parts(arrays)
    if isinstance(xs, Repeated):
        dims = dims_of(xs.element)
        if dims is None or not isinstance(axis, int):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "arrays in a list of unknown length")
        at = axis % (len(dims) + 1)
        sizes = (*dims[:at], xs.length, *dims[at:])
        return cast_to(opaque("stack", [xs.element], Known(dtype_of(xs.element), sizes), Array), dtype)
    return cast_to(shaping.stacked(xs, axis, Array), dtype)


@model("jax.numpy.vstack", "jax.numpy.row_stack")
def vstack(tup: Tensors, dtype: DType | None = None) -> Tensor:
    return concatenate(tuple(atleast_2d(x) for x in tup), 0, dtype)


@model("jax.numpy.hstack")
def hstack(tup: Tensors, dtype: DType | None = None) -> Tensor:
    xs = tuple(atleast_1d(x) for x in tup)
    return concatenate(xs, 0 if xs and rank_of(xs[0]) == 1 else 1, dtype)


@model("jax.numpy.dstack")
def dstack(tup: Tensors, dtype: DType | None = None) -> Tensor:
    return concatenate(tuple(atleast_3d(x) for x in tup), 2, dtype)


@model("jax.numpy.column_stack")
def column_stack(tup: Tensors) -> Tensor:
    return concatenate(tuple(shaping.reshape(x, (-1, 1)) if rank(x) < 2 else x for x in tup), 1)


@model("jax.numpy.append")
def append(arr: ArrayLike, values: ArrayLike, axis: Any = None) -> Tensor:
    return concatenate((arr, values), axis)


@model("jax.numpy.split")
def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> Any:
    return _split(ary, indices_or_sections, axis, even=True)


@model("jax.numpy.array_split")
def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> Any:
    return _split(ary, indices_or_sections, axis, even=False)


@model("jax.numpy.vsplit")
def vsplit(ary: ArrayLike, indices_or_sections: Any) -> Any:
    return _split(ary, indices_or_sections, 0, even=True)


@model("jax.numpy.hsplit")
def hsplit(ary: ArrayLike, indices_or_sections: Any) -> Any:
    return _split(ary, indices_or_sections, 0 if rank(ary) == 1 else 1, even=True)


@model("jax.numpy.dsplit")
def dsplit(ary: ArrayLike, indices_or_sections: Any) -> Any:
    return _split(ary, indices_or_sections, 2, even=True)


def _split(x: TensorValue, wanted: Any, axis: int, *, even: bool) -> Any:
    dims = dims_of(x)
    if isinstance(wanted, Expr):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a number of parts that is not known")
    if isinstance(wanted, int):
        if dims is None or not -len(dims) <= axis < len(dims):
            return list(shaping.chunks(x, wanted, axis))
        size = dims[axis]
        if isinstance(size, int) and wanted > 0 and size % wanted:
            demand(not even, f"{size} elements do not fall into {wanted} equal parts", "not-divisible")
            share, more = divmod(size, wanted)
            return list(shaping.split(x, [share + 1] * more + [share] * (wanted - more), axis))
        return list(shaping.chunks(x, wanted, axis))
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    cuts: list[Dim] = [0, *as_sizes(wanted), dims[axis]]
    known = [min(max(cut + dims[axis] if cut < 0 else cut, 0), dims[axis]) if isinstance(cut, int) and  # type: ignore
        isinstance(dims[axis], int) else cut for cut in cuts]  # fmt: skip
    return list(shaping.split(x, [b - a for a, b in pairwise(known)], axis))


@model("jax.numpy.unstack")
def unstack(x: ArrayLike, /, *, axis: int = 0) -> Any:
    count = dims_of(x)
    if count is None or not isinstance(count[axis], int):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a number of parts that is not known")
    moved = moveaxis(x, axis, 0)
    return tuple(moved.iterate())


@model("jax.numpy.tile")
def tile(A: ArrayLike, reps: SizeOrSizes) -> Tensor:
    times, count = sized(reps), rank(A)
    x = shaping.reshape(A, (*(1,) * (len(times) - count), *(dims_of(A) or ()))) if len(times) > count else A
    return emit("tile", x, (*(1,) * (count - len(times)), *times))


@model("jax.numpy.repeat")
def repeat(
    a: ArrayLike, repeats: Any, axis: Any = None, *, total_repeat_length: Size | None = None, out_sharding: Any = None
) -> Tensor:
    x, at = (shaping.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    if total_repeat_length is not None:
        dims = list(dims_of(x) or ())
        dims[at] = total_repeat_length
        return opaque("repeat", [x], Known(dtype_of(x), tuple(dims)), Array)
    times = (repeats,) if isinstance(repeats, int | Expr) else as_sizes(repeats)
    return emit("repeat_interleave", x, times, axis=at)


@model("jax.numpy.broadcast_to")
def broadcast_to(array: ArrayLike, shape: ShapeLike, *, out_sharding: Any = None) -> Tensor:
    return shaping.broadcast(array, sized(shape))


@model("jax.numpy.broadcast_arrays")
def broadcast_arrays(*args: ArrayLike) -> Any:
    total: Any = args[0]
    for x in args[1:]:
        total = emit("add", *(cast_to(each, dtype_of(args[0])) for each in (total, x)), kind=Array)
    dims = dims_of(total)
    return list(args) if dims is None else [shaping.broadcast(x, dims) for x in args]


@model("jax.numpy.broadcast_shapes", "jax.lax.broadcast_shapes")
def broadcast_shapes(*shapes: Sizes) -> Any:
    total: Any = opaque("shape", [], Known(None, shapes[0] if shapes else ()), Array)
    for shape in shapes[1:]:
        total = emit("add", total, opaque("shape", [], Known(None, shape), Array))
    return dims_of(total)


@model("jax.numpy.flip")
def flip(m: ArrayLike, axis: Any = None) -> Tensor:
    return emit("flip", m, axes=tuple(range(rank(m))) if axis is None else axes_named(axis))


@model("jax.numpy.flipud")
def flipud(m: ArrayLike) -> Tensor:
    return emit("flip", m, axes=(0,))


@model("jax.numpy.fliplr")
def fliplr(m: ArrayLike) -> Tensor:
    return emit("flip", m, axes=(1,))


@model("jax.lax.rev")
def rev(operand: ArrayLike, dimensions: Any) -> Tensor:
    return flip(operand, dimensions)


@model("jax.numpy.roll")
def roll(a: ArrayLike, shift: Any, axis: Any = None) -> Tensor:
    dims = dims_of(a)
    named = axes_named(axis)
    if dims is not None and named is not None:
        fits = all(-len(dims) <= each < len(dims) for each in named)
        demand(fits, f"roll along {axis} of {len(dims)} dims", "axis-out-of-range")
    return opaque("roll", [a], a.graph_value.declared.without_value(), Array)


@model("jax.numpy.rot90")
def rot90(m: ArrayLike, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    first, second = axes_named(axes) or (0, 1)
    turned = shaping.swapped(m, first, second) if k % 2 else m
    return opaque("rot90", [m], turned.graph_value.declared.without_value(), Array)


@model("jax.numpy.pad")
def pad(array: ArrayLike, pad_width: Any, mode: Any = "constant", **options: Any) -> Tensor:
    """Widths are one number, a pair for all axes, or a pair for each."""
    count = rank(array)
    widths = _widths(pad_width, count)
    fill = options.get("constant_values", 0)
    value = cast_to(as_jax(fill if isinstance(fill, int | float) else 0), dtype_of(array))
    modes = {"maximum": "edge", "minimum": "edge", "mean": "edge", "median": "edge", "empty": "constant"}
    name = modes.get(mode, mode) if isinstance(mode, str) else "constant"
    flat = (*(low for low, _ in widths), *(high for _, high in widths))
    return emit("pad", array, flat, value if name == "constant" else None, mode=name)


def _widths(given: Any, count: int) -> list[tuple[Dim, Dim]]:
    if isinstance(given, int | Expr):
        return [(given, given)] * count
    if isinstance(given, TensorValue):
        numbers = as_sizes(given)
        items: tuple[Any, ...] = (
            numbers if rank_of(given) == 1 else tuple(zip(numbers[::2], numbers[1::2], strict=True))
        )
    else:
        items = as_items(given)
    if items and all(isinstance(each, int | Expr) for each in items):
        pair = items if len(items) == 2 else items * 2
        return [(pair[0], pair[1])] * count
    pairs = [as_sizes(each) for each in items]
    pairs = [each if len(each) == 2 else each * 2 for each in pairs]
    pairs = pairs * count if len(pairs) == 1 else pairs
    return [(low, high) for low, high in pairs]


@model("jax.numpy.shape")
def shape(a: ArrayLike) -> Any:
    return a.shape


@model("jax.numpy.ndim")
def ndim(a: ArrayLike) -> Any:
    return a.ndim


@model("jax.numpy.size")
def size(a: ArrayLike, axis: int | None = None) -> Any:
    return a.size if axis is None else a.shape[axis]
