"""Arrays made of sizes, numbers and lists."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, ceil_div, maximum
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import SMALL
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.creation import full as filled
from mlvet.frontends.python.emission import constant, demand, emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Misfit, Size, Tensor, as_size, as_spread
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, function, local, ndarray
from mlvet.frontends.python.libraries.numpy.element_types import element_type
from mlvet.frontends.python.libraries.registry import model, overload
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

for _name, _value in {
    "pi": math.pi, "e": math.e, "inf": math.inf, "Inf": math.inf, "infty": math.inf, "nan": math.nan, "NaN": math.nan,
    "NAN": math.nan, "PINF": math.inf, "NINF": -math.inf, "euler_gamma": 0.5772156649015329, "newaxis": None,
}.items():  # fmt: skip
    model(f"numpy.{_name}")(_value)


def sizes_of(shape: Any) -> tuple[Dim, ...]:
    """The sizes that an argument `shape` or `size` stands for; an unknown one that was used as a size is one."""
    if isinstance(shape, Unknown) and shape.size is not None:
        return (as_size(shape),)
    return as_spread((shape,), "size")


@function("numpy.array", "numpy.asarray", "numpy.asanyarray", "numpy.ascontiguousarray", "numpy.asfarray")
def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: Any = False,
    ndmin: int = 0,
    like: Any = None,
) -> Tensor:
    made = as_ndarray(object, element_type(dtype))
    missing = ndmin - (rank_of(made) or 0) if ndmin and rank_of(made) is not None else 0
    return emit("unsqueeze", made, tuple(range(missing))) if missing > 0 else local(made, fresh=True)


@model("numpy.zeros", "numpy.empty")
def zeros(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None) -> Tensor:
    return filled(sizes_of(shape), 0, _named(dtype), ndarray)


@model("numpy.ones")
def ones(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None) -> Tensor:
    return filled(sizes_of(shape), 1, _named(dtype), ndarray)


@model("numpy.full")
def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Tensor:
    wanted = element_type(dtype)
    sizes = sizes_of(shape)
    if isinstance(fill_value, Unknown):
        return opaque("full", [], Type(wanted, sizes), ndarray)
    value = as_ndarray(fill_value, wanted)
    if isinstance(fill_value, bool | int | float) and dtype_of(value) is not dtypes.text:
        return filled(sizes, fill_value, wanted or dtype_of(value) or dtypes.f64, ndarray)
    return emit("broadcast_to", value, sizes)


def _named(dtype: Any) -> DType:
    return element_type(dtype) or dtypes.f64


@function("numpy.zeros_like", "numpy.empty_like")
def zeros_like(a: ArrayLike, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None) -> Tensor:
    return _like(a, 0, dtype, shape)


@function("numpy.ones_like")
def ones_like(a: ArrayLike, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None) -> Tensor:
    return _like(a, 1, dtype, shape)


@function("numpy.full_like")
def full_like(
    a: ArrayLike, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Tensor:
    return _like(a, fill_value, dtype, shape)


def _like(a: TensorValue, value: Any, dtype: Any, shape: Any) -> Any:
    wanted = element_type(dtype) or dtype_of(a)
    dims = dims_of(a) if shape is None else sizes_of(shape)
    if dims is None:
        return opaque("full_like", [a], Type(wanted, tensor_of(a).shape), ndarray)
    if wanted is None or not isinstance(value, bool | int | float) or wanted is dtypes.text:
        return opaque("full_like", [a], Type(wanted, dims), ndarray)
    return filled(dims, value, wanted, ndarray)


@overload("numpy.arange")
def arange_to(stop: Any, /, *, dtype: Any = None, device: Any = None, like: Any = None) -> Tensor:
    return _progression(0, stop, 1, dtype)


@overload("numpy.arange")
def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: Any = None, like: Any = None
) -> Tensor:
    if stop is None:
        start, stop = 0, start
    return _progression(start, stop, 1 if step is None else step, dtype)


def _progression(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    bounds = [_plain(bound) for bound in (start, stop, step)]
    wanted = element_type(dtype)
    if all(isinstance(bound, int | float) for bound in bounds):
        if bounds[2] == 0:
            demand(False, "the step of a range cannot be 0")
            raise Undecided(Reason.EXCEPTION, "a range without step")
        count = max(math.ceil((bounds[1] - bounds[0]) / bounds[2]), 0)
        natural = wanted or (dtypes.f64 if any(isinstance(bound, float) for bound in bounds) else dtypes.i64)
        if count <= SMALL:
            return constant(np.arange(*bounds).astype(natural.numpy), ndarray, "range")
        return opaque("arange", [], Type(natural, (count,)), ndarray)
    floats = any(isinstance(b, float) or (isinstance(b, Scalar) and b.kind is float) for b in bounds)
    natural = wanted or (dtypes.f64 if floats else dtypes.i64)
    if all(isinstance(bound, int | Expr) for bound in bounds) and isinstance(bounds[2], int) and bounds[2] != 0:
        first, last, step = bounds
        distance = last - first if step > 0 else first - last
        return opaque("arange", [], Type(natural, (maximum(ceil_div(distance, abs(step)), 0),)), ndarray)
    return opaque("arange", [], Type(natural, (as_size(Scalar(int), "steps"),)), ndarray)


def _plain(bound: Any) -> Any:
    if isinstance(bound, TensorValue):
        value = tensor_of(bound).value
        if value is not None and value.size == 1:
            only = value.reshape(-1)[0]
            return only if isinstance(only, Expr) else only.item()
        return Scalar(float if (dtype_of(bound) or dtypes.i64).is_float else int)
    if isinstance(bound, Unknown):
        return bound.size if bound.size is not None else Scalar(int)
    return bound


@model("numpy.linspace", "numpy.logspace", "numpy.geomspace")
def linspace(
    start: Any, stop: Any, num: Size = 50, endpoint: Any = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0, base: Any = 10.0,
) -> Any:  # fmt: skip
    ends = [as_ndarray(end, None) for end in (start, stop) if isinstance(end, TensorValue | ListValue | tuple)]
    dims: tuple[Dim, ...] = (num,)
    if ends and any(rank_of(end) != 0 for end in ends):
        shape = dims_of(emit("add", ends[0], ends[-1]))
        if shape is None or axis != 0:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "arrays as ends")
        dims = (num, *shape)
    made = opaque("linspace", ends, Type(element_type(dtype) or dtypes.f64, dims), ndarray)
    step = opaque("step", ends, Type(dtypes.f64, dims[1:]), ndarray)
    return (made, step) if retstep else made


@model("numpy.eye")
def eye(
    N: Size,
    M: Size | None = None,
    k: int = 0,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Tensor:
    like_this = filled((N, N if M is None else M), 0, _named(dtype), ndarray)
    return emit("eye_like", like_this, k=k)


@model("numpy.identity")
def identity(n: Size, dtype: Any = None, *, like: Any = None) -> Tensor:
    return eye(n, None, 0, dtype)


@model("numpy.tri")
def tri(N: Size, M: Size | None = None, k: int = 0, dtype: Any = None, *, like: Any = None) -> Tensor:
    return emit("tri", N, N if M is None else M, k=k, dtype=_named(dtype), kind=ndarray)


@function("numpy.tril")
def tril(m: ArrayLike, k: int = 0) -> Tensor:
    return emit("trilu", m, k, upper=False)


@function("numpy.triu")
def triu(m: ArrayLike, k: int = 0) -> Tensor:
    return emit("trilu", m, k, upper=True)


@model("numpy.tril_indices")
def tril_indices(n: Size, k: int = 0, m: Size | None = None) -> Any:
    return _pairs(np.tril_indices, n, k, m)


@model("numpy.triu_indices")
def triu_indices(n: Size, k: int = 0, m: Size | None = None) -> Any:
    return _pairs(np.triu_indices, n, k, m)


def _pairs(indices: Any, n: Any, k: Any, m: Any) -> Any:
    width = n if m is None else m
    known = all(isinstance(each, int) for each in (n, width, k))
    count: Dim = len(indices(n, k, width)[0]) if known else as_size(Scalar(int), "pairs")
    return tuple(opaque("indices", [], Type(dtypes.i64, (count,)), ndarray) for _ in range(2))


@function("numpy.diag")
def diag(v: ArrayLike, k: int = 0) -> Tensor:
    return emit("diag" if rank_of(v) == 1 else "diagonal", v, offset=k)


@function("numpy.meshgrid")
def meshgrid(*xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    if sparse:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "sparse grids")
    rows = [emit("reshape", x, (-1,)) for x in xi]
    if any(dtype_of(row) is not dtype_of(rows[0]) for row in rows):
        grids = emit_all("meshgrid", *(cast(row, dtypes.f64) for row in rows), count=len(rows), indexing=indexing)
        return tuple(cast(grid, dtype_of(row)) for grid, row in zip(grids, rows, strict=True))
    return emit_all("meshgrid", *rows, count=len(rows), indexing=indexing)


@model("numpy.indices")
def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Tensor:
    if sparse:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "sparse grids")
    sizes = sizes_of(dimensions)
    return opaque("indices", [], Type(element_type(dtype), (len(sizes), *sizes)), ndarray)


@function("numpy.copy")
def copy(a: ArrayLike, order: str = "K", subok: bool = False) -> Tensor:
    return local(a, fresh=True)


@model("numpy.fromiter")
def fromiter(iter: Any, dtype: Any, count: int = -1) -> Tensor:
    return as_ndarray(ListValue(machine().items(iter)), element_type(dtype))


@model("numpy.fromfunction")
def fromfunction(function: Any, shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    sizes = sizes_of(shape)
    grids = [opaque("indices", [], Type(element_type(dtype), sizes), ndarray) for _ in sizes]
    return machine().call(function, *grids, **kwargs)


@model("numpy.hamming", "numpy.hanning", "numpy.blackman", "numpy.bartlett")
def window(M: Size) -> Tensor:
    return opaque("window", [], Type(dtypes.f64, (M,)), ndarray)


@model("numpy.kaiser")
def kaiser(M: Size, beta: Any) -> Tensor:
    return window(M)


@function("numpy.vander")
def vander(x: ArrayLike, N: Size | None = None, increasing: bool = False) -> Tensor:
    length = tensor_of(x).dim(0)
    return opaque("vander", [x], Type(dtype_of(x), (length, length if N is None else N)), ndarray)


class Joined(Object):
    """`np.r_` and `np.c_`: indexing that puts arrays together."""

    def __init__(self, columns: bool) -> None:
        self.cells["columns"] = columns

    def __getitem__(self, index: Any) -> Any:
        parts = [self._part(each) for each in (index if isinstance(index, tuple) else (index,))]
        if any(rank_of(part) is None for part in parts):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "arrays of unknown rank")
        if self.columns:
            parts = [emit("reshape", part, (-1, 1)) if (rank_of(part) or 0) < 2 else part for part in parts]
        else:
            parts = [emit("reshape", part, (1,)) if rank_of(part) == 0 else part for part in parts]
        found = np.result_type(*((dtype_of(part) or dtypes.f64).numpy for part in parts))
        return emit("concat", *(cast(part, dtypes.of(found)) for part in parts), axis=-1 if self.columns else 0)

    @staticmethod
    def _part(part: Any) -> Any:
        if isinstance(part, str):
            raise Misfit("directives of r_")
        if isinstance(part, slice):
            return _progression(part.start or 0, part.stop, 1 if part.step is None else part.step, None)
        return as_ndarray(part)


model("numpy.r_")(Joined(columns=False))
model("numpy.c_")(Joined(columns=True))


@model("numpy.ix_")
def ix_(*args: Any) -> Any:
    arrays = [as_ndarray(arg) for arg in args]
    count = len(arrays)
    shapes = [tuple(-1 if place == n else 1 for place in range(count)) for n in range(count)]
    return tuple(emit("reshape", array, shape) for array, shape in zip(arrays, shapes, strict=True))
