"""Elements picked, ordered, searched and counted."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays import shaping
from mlvet.frontends.python.arrays.arithmetic import cast, common_dtype, operand
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.emission import emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_spread
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, axes_of, function, method, ndarray, one_axis
from mlvet.frontends.python.libraries.registry import model, overload
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@overload("numpy.where")
def where_true(condition: ArrayLike, /) -> Any:
    return nonzero(condition)


@overload("numpy.where")
def where(condition: ArrayLike, x: Any, y: Any, /) -> Tensor:
    plain = (bool, int, float, complex)
    left, right = (each if isinstance(each, plain) else as_ndarray(each) for each in (x, y))
    if isinstance(left, plain) and isinstance(right, plain):
        left, right = as_ndarray(left), as_ndarray(right)
    common = common_dtype(left, right, ndarray.framework)
    sides = [operand(each, common, ndarray) for each in (left, right)]
    return emit("where", cast(as_ndarray(condition), dtypes.bool_), *sides, kind=ndarray)


@method()
@function("numpy.nonzero")
def nonzero(a: ArrayLike) -> Any:
    rank = rank_of(a)
    if rank is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    count = symbol(machine().fresh("found"), counted=True)
    return tuple(opaque("nonzero", [a], Type(dtypes.i64, (count,)), ndarray) for _ in range(max(rank, 1)))


@function("numpy.argwhere")
def argwhere(a: ArrayLike) -> Tensor:
    return emit("transpose", emit("nonzero", a), perm=(1, 0))


@function("numpy.flatnonzero")
def flatnonzero(a: ArrayLike) -> Tensor:
    return nonzero(shaping.reshape(a, (-1,)))[0]


@function("numpy.extract")
def extract(condition: ArrayLike, arr: ArrayLike) -> Tensor:
    return emit("masked_select", shaping.reshape(arr, (-1,)), shaping.reshape(condition, (-1,)))


@method()
@function("numpy.take")
def take(a: ArrayLike, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Tensor:
    flat = shaping.reshape(a, (-1,)) if axis is None else a
    places = as_ndarray(indices)
    if isinstance(indices, ListValue | tuple) and dims_of(places) == (0,):
        places = cast(places, dtypes.i64)
    return emit("gather", flat, places, axis=0 if axis is None else one_axis(axis))


@function("numpy.take_along_axis")
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: Any = -1) -> Tensor:
    if axis is None:
        return emit("gather", shaping.reshape(arr, (-1,)), indices, axis=0)
    return emit("gather_elements", arr, indices, axis=one_axis(axis))


@function("numpy.compress")
def compress(condition: ArrayLike, a: ArrayLike, axis: Any = None, out: Any = None) -> Tensor:
    return emit("compress", a, condition, axis=None if axis is None else one_axis(axis))


@function("numpy.sort")
def sort(a: ArrayLike, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Tensor:
    flat = shaping.reshape(a, (-1,)) if axis is None else a
    return emit("sort", flat, axis=-1 if axis is None else one_axis(axis))


@method("sort")
def _sort(self: ArrayLike, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
    become(self, sort(self, axis))


@method("partition")
def _partition(self: ArrayLike, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> None:
    become(self, partition(self, kth, axis))


@function("numpy.partition")
def partition(a: ArrayLike, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Tensor:
    return opaque("partition", [a], tensor_of(a).without_value(), ndarray)


@method()
@function("numpy.argsort")
def argsort(a: ArrayLike, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Tensor:
    flat = shaping.reshape(a, (-1,)) if axis is None else a
    return emit("argsort", flat, axis=-1 if axis is None else one_axis(axis))


@method()
@function("numpy.argpartition")
def argpartition(a: ArrayLike, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Tensor:
    return opaque("argpartition", [a], Type(dtypes.i64, tensor_of(a).shape), ndarray)


@function("numpy.lexsort")
def lexsort(keys: Any, axis: int = -1) -> Tensor:
    rows = as_ndarray(keys)
    return opaque("lexsort", [rows], Type(dtypes.i64, (tensor_of(rows).dims or (0,))[1:]), ndarray)


@function("numpy.unique")
def unique(
    ar: ArrayLike, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: Any = None, *, equal_nan: bool = True, sorted: bool = True,
) -> Any:  # fmt: skip
    place = None if axis is None else one_axis(axis)
    flat = shaping.reshape(ar, (-1,)) if place is None else ar
    values, first, inverse, counts = emit_all("unique", flat, count=4, axis=0 if place is None else place)
    if place is None and return_inverse:
        inverse = opaque("unique", [ar], Type(dtypes.i64, tensor_of(ar).shape), ndarray)
    more = ((return_index, first), (return_inverse, inverse), (return_counts, counts))
    chosen = [each for wanted, each in more if wanted]
    return (values, *chosen) if chosen else values


@function("numpy.searchsorted")
def searchsorted(a: ArrayLike, v: ArrayLike, side: str = "left", sorter: Any = None) -> Tensor:
    return opaque("searchsorted", [a, v], Type(dtypes.i64, tensor_of(v).shape), ndarray)


method("searchsorted")(searchsorted)


@function("numpy.digitize")
def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Tensor:
    return opaque("digitize", [x, bins], Type(dtypes.i64, tensor_of(x).shape), ndarray)


@function("numpy.isin", "numpy.in1d")
def isin(element: ArrayLike, test_elements: Any, assume_unique: bool = False, invert: bool = False) -> Tensor:
    return opaque("isin", [element], Type(dtypes.bool_, tensor_of(element).shape), ndarray)


@function("numpy.union1d", "numpy.intersect1d", "numpy.setdiff1d", "numpy.setxor1d")
def set_operation(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Tensor:
    count = symbol(machine().fresh("unique"), counted=True)
    return opaque("set operation", [ar1, ar2], Type(dtype_of(ar1), (count,)), ndarray)


@function("numpy.bincount")
def bincount(x: ArrayLike, /, weights: Any = None, minlength: int = 0) -> Tensor:
    weighed = None if weights is None else as_ndarray(weights, dtypes.f64)
    return cast(emit("bincount", x, weighed, minlength=minlength), dtypes.i64 if weighed is None else dtypes.f64)


@function("numpy.histogram")
def histogram(a: ArrayLike, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    count = _bins(bins)
    counted = dtypes.f64 if density or weights is not None else dtypes.i64
    edges = opaque("histogram", [a], Type(dtypes.f64, (count + 1,)), ndarray)
    return opaque("histogram", [a], Type(counted, (count,)), ndarray), edges


@function("numpy.histogram2d")
def histogram2d(x: ArrayLike, y: ArrayLike, bins: Any = 10, range: Any = None, density: Any = None) -> Any:
    rows = columns = _bins(bins)
    kinds = ((rows, columns), (rows + 1,), (columns + 1,))
    return tuple(opaque("histogram2d", [x, y], Type(dtypes.f64, sizes), ndarray) for sizes in kinds)


def _bins(bins: Any) -> Dim:
    if isinstance(bins, TensorValue | ListValue | tuple):
        return tensor_of(as_ndarray(bins)).dim(0) - 1
    if isinstance(bins, str):
        return symbol(machine().fresh("bins"))
    return as_spread((bins,))[0]


@method("put")
def _put(self: ArrayLike, indices: Any, values: Any, mode: str = "raise") -> None:
    become(self, opaque("put", [self], tensor_of(self).without_value(), ndarray))


@model("numpy.put_along_axis", "numpy.fill_diagonal", "numpy.copyto", "numpy.place", "numpy.putmask", "numpy.put")
def written(a: ArrayLike, *args: Any, **keywords: Any) -> None:
    become(a, opaque("written", [a], tensor_of(a).without_value(), type(a)))


@method()
@function("numpy.diagonal")
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    return emit("diagonal", a, offset=offset, axis1=axis1, axis2=axis2)


@method()
@function("numpy.trace")
def trace(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Tensor:
    return emit("reduce_sum", diagonal(a, offset, axis1, axis2), (-1,), keepdims=0)


@function("numpy.unravel_index")
def unravel_index(indices: ArrayLike, shape: Any, order: str = "C") -> Any:
    sizes = as_spread((shape,))
    return tuple(opaque("unravel_index", [indices], Type(dtypes.i64, tensor_of(indices).shape), ndarray) for _ in sizes)


@function("numpy.apply_along_axis")
def apply_along_axis(func1d: Any, axis: Any, arr: ArrayLike, *args: Any, **kwargs: Any) -> Tensor:
    dims, place = dims_of(arr), one_axis(axis)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    place %= len(dims)
    row = opaque("row", [arr], Type(dtype_of(arr), (dims[place],)), ndarray)
    result = machine().call(func1d, row, *args, **kwargs)
    if isinstance(result, Unknown):
        raise Undecided(result)
    made = as_ndarray(result)
    inner = dims_of(made)
    if inner is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "rows of unknown shape")
    return opaque(
        "apply_along_axis", [made], Type(dtype_of(made), (*dims[:place], *inner, *dims[place + 1 :])), ndarray
    )


@function("numpy.diff")
def diff(a: ArrayLike, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    dims = dims_of(a)
    if dims is None or prepend is not None or append is not None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "differences with ends")
    place = axis % len(dims)
    whole = (slice(None),) * place
    result: Any = a
    for _ in range(n):
        result = result[(*whole, slice(1, None))] - result[(*whole, slice(None, -1))]
    return result


@function("numpy.gradient")
def gradient(f: ArrayLike, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    rank = rank_of(f)
    axes = axes_of(axis)
    count = len(axes) if axes is not None else rank
    if count is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    parts = [opaque("gradient", [f], tensor_of(cast(f, dtypes.f64)).without_value(), ndarray) for _ in range(count)]
    return parts[0] if count == 1 else tuple(parts)
