"""Other shapes of the same elements, and arrays put together or taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, floor_div, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays import shaping
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.emission import demand, emit, opaque, unknown_tensor
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_items, as_sizes, as_spread
from mlvet.frontends.python.libraries.numpy.arrays import (
    as_ndarray,
    axes_of,
    function,
    local,
    method,
    ndarray,
    one_axis,
)
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@function("numpy.reshape")
def reshape(a: ArrayLike, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None) -> Tensor:
    return shaping.reshape(a, as_spread((newshape if shape is None else shape,)))


@method("reshape")
def _reshape(self: ArrayLike, *shape: Any, order: str = "C", copy: Any = None) -> Tensor:
    return shaping.reshape(self, as_spread(shape))


@method("resize")
def _resize(self: ArrayLike, *new_shape: Any, refcheck: bool = True) -> None:
    become(self, opaque("resize", [self], Type(dtype_of(self), as_spread(new_shape)), ndarray))


@function("numpy.resize")
def resize(a: ArrayLike, new_shape: Any) -> Tensor:
    return opaque("resize", [a], Type(dtype_of(a), as_spread((new_shape,))), ndarray)


@method("ravel", "flatten")
@function("numpy.ravel")
def ravel(a: Any, order: str = "C") -> Tensor:
    """Of an array, or of the grid of drawings that matplotlib makes."""
    if isinstance(a, Object) and not isinstance(a, TensorValue) and hasattr(type(a), "ravel"):
        return a.ravel()
    return shaping.reshape(as_ndarray(a), (-1,))


@function("numpy.transpose", "numpy.permute_dims")
def transpose(a: ArrayLike, axes: Any = None) -> Tensor:
    if axes is None:
        return emit("transpose", a)
    order = axes_of(axes) or ()
    rank = rank_of(a)
    if rank is not None and sorted(axis % rank if rank else axis for axis in order) != list(range(rank)):
        demand(False, f"axes {order} are no order of the dims of {tensor_of(a)}", "axis-out-of-range")
        raise Undecided(Reason.EXCEPTION, "axes that do not fit")
    return shaping.transpose(a, order)


@method("transpose")
def _transpose(self: ArrayLike, *axes: Any) -> Tensor:
    if not axes or axes == (None,):
        return transpose(self)
    return transpose(self, axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes)


ndarray.T = property(lambda self: emit("transpose", self))  # type: ignore[attr-defined]
ndarray.mT = property(lambda self: shaping.swapped(self, -1, -2))  # type: ignore[attr-defined]


@method()
@function("numpy.swapaxes")
def swapaxes(a: ArrayLike, axis1: Any, axis2: Any) -> Tensor:
    first, second = one_axis(axis1), one_axis(axis2)
    rank = rank_of(a)
    if rank is not None and not (-rank <= first < rank and -rank <= second < rank):
        demand(False, f"axes {first} and {second} are not both in {tensor_of(a)}", "axis-out-of-range")
        raise Undecided(Reason.EXCEPTION, "axes that do not fit")
    return shaping.swapped(a, first, second)


@function("numpy.matrix_transpose", "numpy.linalg.matrix_transpose")
def matrix_transpose(x: ArrayLike, /) -> Tensor:
    return swapaxes(x, -1, -2)


@function("numpy.moveaxis")
def moveaxis(a: ArrayLike, source: Any, destination: Any) -> Tensor:
    rank = rank_of(a)
    if rank is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    places, wanted = axes_of(source) or (), axes_of(destination) or ()
    if len(places) != len(wanted) or not all(-rank <= axis < rank for axis in (*places, *wanted)):
        demand(False, f"axes {places} of {tensor_of(a)} cannot be moved to {wanted}", "axis-out-of-range")
        raise Undecided(Reason.EXCEPTION, "axes that do not fit")
    moved = [axis % rank for axis in places]
    order = [axis for axis in range(rank) if axis not in moved]
    for target, axis in sorted(zip((axis % rank for axis in wanted), moved, strict=True)):
        order.insert(target, axis)
    return emit("transpose", a, perm=tuple(order))


@function("numpy.rollaxis")
def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> Tensor:
    rank = rank_of(a) or 0
    place = axis % rank if rank else axis
    target = start + rank if start < 0 else start
    return moveaxis(a, place, target - 1 if place < target else target)


@method()
@function("numpy.squeeze")
def squeeze(a: ArrayLike, axis: Any = None) -> Tensor:
    return shaping.squeezed(a, axes_of(axis))


@function("numpy.expand_dims")
def expand_dims(a: ArrayLike, axis: Any) -> Tensor:
    return shaping.unsqueezed(a, axes_of(axis) or ())


@function("numpy.broadcast_to")
def broadcast_to(array: ArrayLike, shape: Any, subok: bool = False) -> Tensor:
    return emit("broadcast_to", array, as_spread((shape,)))


@function("numpy.broadcast_arrays")
def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> Any:
    common: Any = args[0]
    for other in args[1:]:
        common = emit("add", cast(common, dtypes.f64), cast(other, dtypes.f64))
    dims = dims_of(common)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "arrays of unknown rank")
    return tuple(emit("broadcast_to", arg, dims) for arg in args)


def _register_at_least(rank: int) -> None:
    @function(f"numpy.atleast_{rank}d")
    def apply(*arys: ArrayLike) -> Any:
        made = tuple(_at_least(each, rank) for each in arys)
        return made[0] if len(made) == 1 else made


for _rank in (1, 2, 3):
    _register_at_least(_rank)


def _at_least(a: TensorValue, rank: int) -> Any:
    """New dims go in front, but the third of `atleast_3d` to the end."""
    own = rank_of(a)
    if own is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    if own >= rank:
        return a
    places = {(0, 1): (0,), (0, 2): (0, 1), (1, 2): (0,), (0, 3): (0, 1, 2), (1, 3): (0, 2), (2, 3): (2,)}
    return shaping.unsqueezed(a, places[own, rank])


@function("numpy.shape")
def shape(a: ArrayLike) -> Any:
    return a.shape


@model("numpy.isscalar")
def isscalar(element: Any) -> Any:
    """Whether it is one number; computations of NumPy yield such, not arrays without dims."""
    if isinstance(element, Unknown):
        raise Undecided(element)
    if isinstance(element, TensorValue):
        dims = dims_of(element)
        return Scalar(bool) if dims is None else not dims
    return isinstance(element, int | float | complex | str | bytes | Expr | Scalar)


@function("numpy.ndim", "numpy.rank")
def ndim(a: ArrayLike) -> Any:
    return a.ndim


@function("numpy.size")
def size(a: ArrayLike, axis: Any = None) -> Any:
    if axis is None:
        return tensor_of(a).size
    return a.shape[one_axis(axis)]


def together(arrays: Sequence[TensorValue]) -> list[Any]:
    """Arrays in their common element type, which is not known if that of one of them is not."""
    known = [dtype_of(array) for array in arrays]
    if len(set(known)) <= 1:
        return list(arrays)
    if any(found is None for found in known):
        return [opaque("astype", [array], Type(None, tensor_of(array).shape), ndarray) for array in arrays]
    wide: DType = dtypes.text if dtypes.text in known else dtypes.of(np.result_type(*(k.numpy for k in known if k)))
    return [cast(array, wide) for array in arrays]


def parts_of(arrays: Any) -> tuple[Any, ...] | Repeated:
    """The arrays of a list, or one that stands for a number that is not known."""
    if isinstance(arrays, ListValue) and isinstance(arrays.items, Repeated):
        return Repeated(as_ndarray(arrays.items.element), arrays.items.length)
    if isinstance(arrays, TensorValue):
        found = arrays.iterate()
        return found if isinstance(found, Repeated) else tuple(found)
    return tuple(as_ndarray(local(each)) for each in as_items(arrays))


@function("numpy.concatenate", "numpy.concat")
def concatenate(arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Tensor:
    parts = parts_of(arrays)
    place = None if axis is None else one_axis(axis)
    if isinstance(parts, Repeated):
        return _joined_many(parts, place)
    listed = together([shaping.reshape(part, (-1,)) for part in parts] if place is None else parts)
    if len(listed) == 1:
        return local(listed[0], fresh=True)
    return shaping.joined(listed, place or 0, ndarray)


def _joined_many(parts: Repeated, axis: int | None) -> Any:
    """An unknown number of arrays one after the other: the dim along the axis is as many times as large."""
    dims = dims_of(parts.element)
    if dims is None or axis is None or not -len(dims) <= axis < len(dims):
        raise Undecided(Reason.DYNAMIC_CONTAINER, "arrays in a list of unknown length")
    sizes = list(dims)
    sizes[axis] = sizes[axis] * parts.length
    return opaque("concatenate", [parts.element], Type(dtype_of(parts.element), tuple(sizes)), ndarray)


@function("numpy.stack")
def stack(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Tensor:
    parts = parts_of(arrays)
    place = one_axis(axis)
    if not isinstance(parts, Repeated):
        return shaping.stacked(together(parts), place, ndarray)
    dims = dims_of(parts.element)
    if dims is None:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "arrays in a list of unknown length")
    where = place if place >= 0 else place + len(dims) + 1
    sizes = (*dims[:where], parts.length, *dims[where:])
    return opaque("stack", [parts.element], Type(dtype_of(parts.element), sizes), ndarray)


@function("numpy.vstack", "numpy.row_stack")
def vstack(tup: Any, *, dtype: Any = None, casting: Any = None) -> Tensor:
    return concatenate(_each(tup, lambda part: _at_least(part, 2)), 0)


@function("numpy.hstack")
def hstack(tup: Any, *, dtype: Any = None, casting: Any = None) -> Tensor:
    parts = _each(tup, lambda part: shaping.reshape(part, (1,)) if rank_of(part) == 0 else part)
    first = parts.items.element if isinstance(parts.items, Repeated) else parts.items[0]
    return concatenate(parts, 0 if rank_of(first) == 1 else 1)


@function("numpy.dstack")
def dstack(tup: Any) -> Tensor:
    def deep(part: TensorValue) -> Any:
        flat = _at_least(part, 2)
        return shaping.unsqueezed(flat, (2,)) if rank_of(flat) == 2 else flat

    return concatenate(_each(tup, deep), 2)


@function("numpy.column_stack")
def column_stack(tup: Any) -> Tensor:
    return concatenate(_each(tup, lambda part: shaping.reshape(part, (-1, 1)) if rank_of(part) == 1 else part), 1)


def _each(tup: Any, change: Any) -> ListValue:
    parts = parts_of(tup)
    if isinstance(parts, Repeated):
        return ListValue(Repeated(change(parts.element), parts.length))
    return ListValue(change(part) for part in parts)


@function("numpy.append")
def append(arr: ArrayLike, values: ArrayLike, axis: Any = None) -> Tensor:
    return concatenate((arr, values), axis)


@function("numpy.split")
def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> Any:
    dims = dims_of(ary)
    if dims is not None and not -len(dims) <= axis < len(dims):
        demand(False, f"axis {axis} is out of range for {tensor_of(ary)}", "axis-out-of-range")
        raise Undecided(Reason.EXCEPTION, "an axis that does not fit")
    if isinstance(indices_or_sections, int):
        return list(shaping.chunks(ary, indices_or_sections, axis))
    count = _number_of_pieces(indices_or_sections)
    if count is not None and dims is None:
        return ListValue(Repeated(unknown_tensor(ndarray, dtype_of(ary)), count))
    if count is not None and dims is not None:
        part = list(dims)
        part[axis] = symbol(machine().fresh("part"))
        return ListValue(Repeated(opaque("split", [ary], Type(dtype_of(ary), tuple(part)), ndarray), count))
    return _pieces(ary, as_sizes(indices_or_sections), axis % len(dims) if dims is not None else 0)


def _number_of_pieces(given: Any) -> Dim | None:
    """How many parts an array is split into where that is a symbol, None where it is known or open."""
    if isinstance(given, Expr):
        return given
    if isinstance(given, TensorValue) and tensor_of(given).value is None:
        dims = dims_of(given)
        return dims[0] + 1 if dims is not None and len(dims) == 1 and isinstance(dims[0], Expr) else None
    return None


def _pieces(ary: TensorValue, places: Sequence[Dim], axis: int) -> list[Any]:
    whole = (slice(None),) * axis
    starts, ends = (None, *places), (*places, None)
    return [ary[(*whole, slice(start, end))] for start, end in zip(starts, ends, strict=True)]  # type: ignore[index]


@function("numpy.array_split")
def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> Any:
    if not isinstance(indices_or_sections, int):
        return split(ary, indices_or_sections, axis)
    count = indices_or_sections
    size: Any = tensor_of(ary).dim(axis)
    if isinstance(size, int):
        each, more = divmod(size, count)
        ends: list[Dim] = [each * (n + 1) + min(n + 1, more) for n in range(count - 1)]
    else:
        ends = [floor_div(size, count) * (n + 1) for n in range(count - 1)]
    return split(ary, tuple(ends), axis)


@function("numpy.vsplit")
def vsplit(ary: ArrayLike, indices_or_sections: Any) -> Any:
    return split(ary, indices_or_sections, 0)


@function("numpy.hsplit")
def hsplit(ary: ArrayLike, indices_or_sections: Any) -> Any:
    return split(ary, indices_or_sections, 0 if rank_of(ary) == 1 else 1)


@function("numpy.tile")
def tile(A: ArrayLike, reps: Any) -> Tensor:
    counts = as_spread((reps,))
    rank = rank_of(A)
    if rank is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    extended = emit("unsqueeze", A, tuple(range(len(counts) - rank))) if len(counts) > rank else A
    return emit("tile", extended, (*(1,) * (rank - len(counts)), *counts))


@method()
@function("numpy.repeat")
def repeat(a: ArrayLike, repeats: Any, axis: Any = None) -> Tensor:
    flat = shaping.reshape(a, (-1,)) if axis is None else a
    counts = as_ndarray(repeats) if not isinstance(repeats, Unknown) else as_spread((repeats,))
    return emit("repeat_interleave", flat, counts, axis=0 if axis is None else one_axis(axis))


@function("numpy.flip")
def flip(m: ArrayLike, axis: Any = None) -> Tensor:
    axes = axes_of(axis)
    return emit("flip", m, axes=tuple(range(len(dims_of(m) or ()))) if axes is None else axes)


@function("numpy.fliplr")
def fliplr(m: ArrayLike) -> Tensor:
    return emit("flip", m, axes=(1,))


@function("numpy.flipud")
def flipud(m: ArrayLike) -> Tensor:
    return emit("flip", m, axes=(0,))


@function("numpy.rot90")
def rot90(m: ArrayLike, k: Any = 1, axes: Any = (0, 1)) -> Tensor:
    first, second = axes_of(axes) or (0, 1)
    turned = shaping.swapped(m, first, second)
    if not isinstance(k, int):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a number of turns that is not known")
    match k % 4:
        case 1:
            return emit("flip", turned, axes=(first,))
        case 2:
            return emit("flip", m, axes=(first, second))
        case 3:
            return emit("flip", turned, axes=(second,))
    return local(m, fresh=True)


@function("numpy.roll")
def roll(a: ArrayLike, shift: Any, axis: Any = None) -> Tensor:
    axes = axes_of(axis)
    steps = as_items(shift) if isinstance(shift, tuple | ListValue) else (shift,) * len(axes or (0,))
    if not all(isinstance(step, int) for step in steps):
        return opaque("roll", [a], tensor_of(a).without_value(), ndarray)
    return emit("roll", a, shifts=tuple(steps), axes=axes)


@function("numpy.pad")
def pad(array: ArrayLike, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Tensor:
    rank = rank_of(array)
    if rank is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    widths = _widths(pad_width, rank)
    names = {"constant": "constant", "edge": "edge", "reflect": "reflect", "wrap": "wrap", "empty": "constant"}
    before, after = [pair[0] for pair in widths], [pair[1] for pair in widths]
    number = kwargs.get("constant_values", 0)
    if mode in names and isinstance(number, int | float):
        value = as_ndarray(number, dtype_of(array)) if number and mode == "constant" else None
        return emit("pad", array, (*before, *after), value, mode=names[mode])
    dims = [low + dim + high for low, dim, high in zip(before, dims_of(array) or (), after, strict=True)]
    return opaque("pad", [array], Type(dtype_of(array), tuple(dims)), ndarray)


def _widths(pad_width: Any, rank: int) -> list[tuple[Dim, Dim]]:
    """How much is added before and after each dim."""
    if isinstance(pad_width, TensorValue):
        value = tensor_of(pad_width).value
        if value is None:
            raise Undecided(Reason.EXTERNAL_DATA, "widths of padding")
        pairs = np.broadcast_to(value, (rank, 2)).tolist()
        return [(low, high) for low, high in pairs]
    if not isinstance(pad_width, tuple | ListValue | list):
        (width,) = as_spread((pad_width,))
        return [(width, width)] * rank
    items = as_items(pad_width)
    nested = [isinstance(item, tuple | list | ListValue) for item in items]
    if not any(nested):
        low, high = (items[0], items[-1])
        return [as_sizes((low, high))] * rank  # type: ignore[list-item]
    pairs = [as_sizes(item) for item in items]
    found = [(pair[0], pair[-1]) for pair in pairs]
    if len(found) != rank and len(found) != 1:
        demand(False, f"padding of {len(found)} dims for an array of {rank}", "rank-differs")
        raise Undecided(Reason.EXCEPTION, "padding that does not fit")
    return found * rank if len(found) == 1 else found


@function("numpy.delete")
def delete(arr: ArrayLike, obj: Any, axis: Any = None) -> Tensor:
    flat = shaping.reshape(arr, (-1,)) if axis is None else arr
    place = 0 if axis is None else one_axis(axis)
    dims = dims_of(flat)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    count: Any = 1 if isinstance(obj, int) else None
    if isinstance(obj, ListValue) and isinstance(obj.items, tuple):
        count = len(set(obj.items)) if all(isinstance(item, int) for item in obj.items) else None
    return _with_size(flat, place, dims[place] - count if count is not None else None)


@function("numpy.insert")
def insert(arr: ArrayLike, obj: Any, values: Any, axis: Any = None) -> Tensor:
    flat = shaping.reshape(arr, (-1,)) if axis is None else arr
    place = 0 if axis is None else one_axis(axis)
    dims = dims_of(flat)
    single = isinstance(obj, int) and (dims is None or len(dims) > 1 or isinstance(values, int | float))
    return _with_size(flat, place, dims[place] + 1 if dims is not None and single else None)


def _with_size(a: TensorValue, axis: int, size: Dim | None) -> Any:
    """The array with another number of elements along an axis, which is perhaps not known."""
    from mlvet.domains.dims import symbol
    from mlvet.frontends.python.active import machine

    dims = dims_of(a)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    sizes = list(dims)
    sizes[axis] = symbol(machine().fresh("kept"), counted=True) if size is None else size
    return opaque("resized", [a], Type(dtype_of(a), tuple(sizes)), ndarray)


@function("numpy.trim_zeros")
def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Any = None) -> Tensor:
    return _with_size(filt, 0, None)


@model("numpy.lib.stride_tricks.sliding_window_view")
def sliding_window_view(x: ArrayLike, window_shape: Any, axis: Any = None) -> Tensor:
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    widths = as_spread((window_shape,))
    axes = axes_of(axis) or tuple(range(len(dims)))
    sizes = list(dims)
    for place, width in zip(axes, widths, strict=True):
        sizes[place] = sizes[place] - width + 1
    return opaque("sliding_window_view", [x], Type(dtype_of(x), (*sizes, *widths)), ndarray)


@model("numpy.broadcast_shapes")
def broadcast_shapes(*args: Any) -> Any:
    common: Any = None
    for arg in args:
        made = opaque("shape", [], Type(dtypes.f32, as_spread((arg,))), ndarray)
        common = made if common is None else emit("add", common, made)
    return dims_of(common)
