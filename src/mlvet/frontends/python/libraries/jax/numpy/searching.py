"""Elements by their place, by their order, or by what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays import shaping
from mlvet.frontends.python.arrays.indexing import within
from mlvet.frontends.python.emission import emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import Size, Sizes
from mlvet.frontends.python.libraries.jax.array import Array, ArrayLike, Tensor, as_jax, cast_to, together
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("jax.numpy.take")
def take(
    a: ArrayLike, indices: ArrayLike, axis: Any = None, out: Any = None, mode: Any = None,
    unique_indices: bool = False, indices_are_sorted: bool = False, fill_value: Any = None,
) -> Tensor:  # fmt: skip
    x = shaping.reshape(a, (-1,)) if axis is None else a
    return gathered(x, indices, 0 if axis is None else axis)


def gathered(x: Any, indices: Any, axis: Any) -> Any:
    """Elements by their place; places out of range are filled or moved, never refused."""
    dims = dims_of(x)
    if dims is not None and isinstance(axis, int) and -len(dims) <= axis < len(dims):
        indices = within(indices, dims[axis])
    return emit("gather", x, indices, axis=axis)


@model("jax.numpy.take_along_axis")
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: Any = -1, mode: Any = None, **rest: Any) -> Tensor:
    """Dims besides the axis broadcast."""
    x = shaping.reshape(arr, (-1,)) if axis is None else arr
    at = 0 if axis is None else axis
    dims, places = dims_of(x), dims_of(indices)
    if dims is None or places is None or len(dims) != len(places) or not -len(dims) <= at < len(dims):
        return emit("gather_elements", x, indices, axis=at)
    indices = within(indices, dims[at])
    others = [each for each in range(len(dims)) if each != at % len(dims)]
    if all(places[n] == 1 or places[n] == dims[n] for n in others) and not all(places[n] == dims[n] for n in others):
        wide = tuple(dims[n] if n in others else places[n] for n in range(len(dims)))
        indices = shaping.broadcast(indices, wide)
    return emit("gather_elements", x, indices, axis=at)


@model("jax.numpy.sort", "jax.lax.sort")
def sort(
    a: ArrayLike, axis: Any = -1, *, kind: Any = None, order: Any = None, stable: bool = True,
    descending: bool = False, **rest: Any,
) -> Tensor:  # fmt: skip
    x = shaping.reshape(a, (-1,)) if axis is None else a
    return emit("sort", x, axis=-1 if axis is None else axis, descending=descending)


@model("jax.numpy.argsort")
def argsort(
    a: ArrayLike, axis: Any = -1, *, kind: Any = None, order: Any = None, stable: bool = True,
    descending: bool = False,
) -> Tensor:  # fmt: skip
    x = shaping.reshape(a, (-1,)) if axis is None else a
    found = emit("argsort", x, axis=-1 if axis is None else axis, descending=descending)
    return cast_to(found, dtypes.i32)


@model("jax.numpy.partition")
def partition(a: ArrayLike, kth: int, axis: int = -1) -> Tensor:
    return emit("sort", a, axis=axis)


@model("jax.numpy.argpartition")
def argpartition(a: ArrayLike, kth: int, axis: int = -1) -> Tensor:
    return argsort(a, axis)


@model("jax.lax.top_k")
def top_k(operand: ArrayLike, k: Size, *, axis: int = -1) -> Any:
    values, places = emit_all("top_k", operand, (k,), count=2, axis=axis)
    return [values, cast_to(places, dtypes.i32)]


def _count(a: Any, size: Any) -> Any:
    if size is not None:
        return size
    return tensor_of(emit("nonzero", cast_to(a, dtypes.bool_))).dim(-1)


@model("jax.numpy.argwhere")
def argwhere(a: ArrayLike, *, size: Any = None, fill_value: Any = None) -> Tensor:
    dims = dims_of(a)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    return opaque("argwhere", [a], Known(dtypes.i32, (_count(a, size), len(dims))), Array)


@model("jax.numpy.flatnonzero")
def flatnonzero(a: ArrayLike, *, size: Any = None, fill_value: Any = None) -> Tensor:
    return opaque("flatnonzero", [a], Known(dtypes.i32, (_count(a, size),)), Array)


@model("jax.numpy.nonzero")
def nonzero(a: ArrayLike, *, size: Any = None, fill_value: Any = None) -> Any:
    dims = dims_of(a)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    count = _count(a, size)
    return tuple(opaque("nonzero", [a], Known(dtypes.i32, (count,)), Array) for _ in dims)


@model("jax.numpy.unique")
def unique(
    ar: ArrayLike, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: Any = None, *, equal_nan: bool = True, size: Size | None = None, fill_value: Any = None, sorted: bool = True,
) -> Any:  # fmt: skip
    if size is not None:
        dims = dims_of(ar)
        if dims is None or axis is not None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "unique rows of a given number")
        values: Any = opaque("unique", [ar], Known(dtype_of(ar), (size,)), Array)
        row = opaque("unique", [ar], Known(dtypes.i32, (size,)), Array)
        inverse: Any = opaque("unique", [ar], Known(dtypes.i32, dims), Array)
        first: Any = row
        counts: Any = row
    else:
        values, first, inverse, counts = emit_all("unique", ar, count=4, axis=axis)
        first, inverse, counts = (cast_to(each, dtypes.i32) for each in (first, inverse, counts))
        shape = dims_of(ar)
        if axis is None and shape is not None:
            inverse = shaping.reshape(inverse, shape)
    wanted = [values]
    wanted += [
        each for each, asked in ((first, return_index), (inverse, return_inverse), (counts, return_counts)) if asked
    ]
    return tuple(wanted) if len(wanted) > 1 else values


@model("jax.numpy.searchsorted")
def searchsorted(a: ArrayLike, v: ArrayLike, side: Any = "left", sorter: Any = None, *, method: Any = "scan") -> Tensor:
    return cast_to(emit("searchsorted", *together(a, v), right=side == "right"), dtypes.i32)


@model("jax.numpy.digitize")
def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False, *, method: Any = None) -> Tensor:
    return opaque("digitize", [x, bins], Known(dtypes.i32, tensor_of(x).shape), Array)


@model("jax.numpy.bincount")
def bincount(x: ArrayLike, weights: Any = None, minlength: int = 0, *, length: Size | None = None) -> Tensor:
    to = dtypes.i32 if weights is None else dtype_of(as_jax(weights)) or dtypes.f32
    if length is None:
        length = symbol(machine().fresh("bins"))
    return opaque("bincount", [x], Known(to, (length,)), Array)


@model("jax.numpy.histogram")
def histogram(a: ArrayLike, bins: Any = 10, range: Any = None, weights: Any = None, density: Any = None) -> Any:
    count = bins if isinstance(bins, int) else symbol(machine().fresh("bins"))
    line = opaque("histogram", [a], Known(dtypes.f32, (count,)), Array)
    return line, opaque("histogram", [a], Known(dtypes.f32, (count + 1,)), Array)


@model("jax.numpy.isin")
def isin(element: ArrayLike, test_elements: ArrayLike, assume_unique: bool = False, invert: bool = False) -> Tensor:
    return opaque("isin", [element, test_elements], Known(dtypes.bool_, tensor_of(element).shape), Array)


@model("jax.numpy.interp")
def interp(
    x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: Any = None, right: Any = None, period: Any = None
) -> Tensor:
    return opaque("interp", [x, xp, fp], Known(dtypes.f32, tensor_of(x).shape), Array)


@model("jax.numpy.array_equal", "jax.numpy.allclose", "jax.numpy.array_equiv")
def array_equal(a1: ArrayLike, a2: ArrayLike, *rest: Any, **options: Any) -> Tensor:
    return opaque("array_equal", [a1, a2], Known(dtypes.bool_, ()), Array)


@model("jax.numpy.diff")
def diff(a: ArrayLike, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    dims = dims_of(a)
    if dims is None or prepend is not None or append is not None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "differences with more before or after")
    sizes = list(dims)
    sizes[axis] = sizes[axis] - n
    return opaque("diff", [a], Known(dtype_of(a), tuple(sizes)), Array)


@model("jax.numpy.gradient")
def gradient(f: ArrayLike, *varargs: Any, axis: Any = None, edge_order: Any = None) -> Any:
    dims = dims_of(f)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    count = len(dims) if axis is None else 1
    made = [opaque("gradient", [f], tensor_of(f).without_value(), Array) for _ in range(count)]
    return made[0] if count == 1 else list(made)


@model("jax.numpy.indices")
def indices(dimensions: Sizes, dtype: Any = None, sparse: bool = False) -> Tensor:
    return opaque("indices", [], Known(dtypes.i32, (len(dimensions), *dimensions)), Array)


def _entries(n: Any, k: int, m: Any, indices: Callable[..., Any]) -> Any:
    if isinstance(n, int) and isinstance(m, int | None):
        count: Any = len(indices(n, k, m)[0])
    else:
        count = symbol(machine().fresh("entries"))
    return tuple(opaque("indices", [], Known(dtypes.i32, (count,)), Array) for _ in range(2))


@model("jax.numpy.tril_indices")
def tril_indices(n: Size, k: int = 0, m: Size | None = None) -> Any:
    return _entries(n, k, m, np.tril_indices)


@model("jax.numpy.triu_indices")
def triu_indices(n: Size, k: int = 0, m: Size | None = None) -> Any:
    return _entries(n, k, m, np.triu_indices)


@model("jax.numpy.unravel_index")
def unravel_index(indices: ArrayLike, shape: Sizes) -> Any:
    return tuple(opaque("unravel_index", [indices], tensor_of(indices).without_value(), Array) for _ in shape)


@model("jax.numpy.tril")
def tril(m: ArrayLike, k: Any = 0) -> Tensor:
    return emit("trilu", m, k if isinstance(k, int) else 0, upper=False)


@model("jax.numpy.triu")
def triu(m: ArrayLike, k: Any = 0) -> Tensor:
    return emit("trilu", m, k if isinstance(k, int) else 0, upper=True)


@model("jax.numpy.diag")
def diag(v: ArrayLike, k: int = 0) -> Tensor:
    dims = dims_of(v)
    if dims is not None and len(dims) == 2:
        return emit("diagonal", v, offset=k, axis1=0, axis2=1)
    return emit("diag", v, offset=k)


@model("jax.numpy.diagonal")
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    return emit("diagonal", a, offset=offset, axis1=axis1, axis2=axis2)


@model("jax.numpy.apply_along_axis")
def apply_along_axis(func1d: Any, axis: int, arr: ArrayLike, *args: Any, **keywords: Any) -> Any:
    dims = dims_of(arr)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    line = opaque("row", [arr], Known(dtype_of(arr), (dims[axis],)), Array)
    made = as_jax(machine().call(func1d, line, *args, **keywords))
    at = axis % len(dims)
    inner = dims_of(made)
    if inner is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "results of unknown rank")
    return opaque("apply_along_axis", [arr], Known(dtype_of(made), (*dims[:at], *inner, *dims[at + 1 :])), Array)


@model("jax.numpy.vectorize")
def vectorize(pyfunc: Any, *, excluded: Any = (), signature: Any = None) -> Any:
    return pyfunc
