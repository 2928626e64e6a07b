"""Largest, smallest, sorted: results come with their places."""

from __future__ import annotations

from typing import Any, NamedTuple

from mlvet.domains import dtypes
from mlvet.domains.dims import at_least, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, emit_all, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Size
from mlvet.frontends.python.libraries.torch.arithmetic import combined
from mlvet.frontends.python.libraries.torch.axes import axis_of, is_scalar, placed, rank, ranked_dims
from mlvet.frontends.python.libraries.torch.element_types import as_float, wants_floats
from mlvet.frontends.python.libraries.torch.reductions import reduce, whole
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made, method
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of


class Found(NamedTuple):
    """Elements and where they lie."""

    values: Any
    indices: Any


def _along(x: TensorValue, dim: Any) -> int:
    axis = axis_of(dim)
    count = rank_of(x)
    return axis if count is None else placed(axis, count)


def _extreme(name: str) -> Any:
    def function(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None, out: Any = None) -> Any:
        second = dim if isinstance(dim, TensorValue) else other
        if second is not None:
            return combined(name, input, second)
        if dim is None:
            return reduce(f"reduce_{name}", input)
        if is_scalar(input):
            return Found(made("identity", input), made("zeros_like", input, dtype=dtypes.i64))
        axis = _along(input, dim)
        found = reduce(f"reduce_{name}", input, axis, keepdim)
        return Found(found, made(f"arg_{name}", input, axis=axis, keepdims=int(keepdim)))

    return function


max = method("torch.max")(_extreme("max"))
min = method("torch.min")(_extreme("min"))


def _extreme_place(op: str) -> Any:
    def function(input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None, out: Any = None) -> Tensor:
        dim = dim if axis is None else axis
        if dim is None:
            found = made(op, made("reshape", input, (-1,)), axis=0, keepdims=0)
            return made("reshape", found, (1,) * rank(input)) if keepdim else found
        if is_scalar(input):
            return made("zeros_like", input, dtype=dtypes.i64)
        return made(op, input, axis=_along(input, dim), keepdims=int(keepdim))

    return function


argmax = method("torch.argmax")(_extreme_place("arg_max"))
argmin = method("torch.argmin")(_extreme_place("arg_min"))


@method("torch.msort")
def msort(input: Tensor, *, out: Any = None) -> Tensor:
    found: Tensor = sort(input, 0).values
    return found


@method("torch.sort")
def sort(input: Tensor, dim: Any = -1, descending: bool = False, stable: bool = False, *, out: Any = None) -> Any:
    if is_scalar(input):
        return Found(made("identity", input), made("zeros_like", input, dtype=dtypes.i64))
    axis = _along(input, dim)
    return Found(made("sort", input, axis=axis, descending=descending),
        made("argsort", input, axis=axis, descending=descending))  # fmt: skip


@method("torch.argsort")
def argsort(input: Tensor, dim: Any = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    if is_scalar(input):
        return made("zeros_like", input, dtype=dtypes.i64)
    return made("argsort", input, axis=_along(input, dim), descending=descending)


@method("torch.topk")
def topk(input: Tensor, k: Size, dim: Any = -1, largest: bool = True, sorted: bool = True, *, out: Any = None) -> Any:
    axis = _along(input, dim)
    dims = dims_of(input)
    if dims:
        demand(at_least(dims[axis], k), f"topk takes {k} of {dims[axis]}", "size-out-of-range")
    return Found(
        *emit_all("top_k", input, (k,), count=2, axis=axis, largest=int(largest), sorted=int(sorted), kind=Tensor)
    )


def _picked(name: str, x: TensorValue, dim: Any, keepdim: bool) -> Found:
    """One element along a dim and its place, by a rule that has no operator here."""
    like = max(x, dim, keepdim)
    return Found(*(opaque(name, [x], tensor_of(each).without_value(), Tensor) for each in like))


@method("torch.kthvalue")
def kthvalue(input: Tensor, k: Size, dim: Any = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    dims = dims_of(input)
    if dims:
        size = dims[_along(input, dim)]
        demand(at_least(size, k), f"kthvalue takes number {k} of {size}", "size-out-of-range")
    return _picked("kthvalue", input, dim, keepdim)


@method("torch.mode")
def mode(input: Tensor, dim: Any = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    return _picked("mode", input, dim, keepdim)


@method("torch.median", "torch.nanmedian")
def median(input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """The lower of the two middle elements."""
    if dim is None:
        return opaque("median", [input], tensor_of(reduce("reduce_max", input)).without_value(), Tensor)
    return _picked("median", input, dim, keepdim)


@method("torch.quantile", "torch.nanquantile")
def quantile(input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: Any = "linear",
    out: Any = None) -> Tensor:  # fmt: skip
    wants_floats(input, "quantile")
    like = tensor_of(reduce("reduce_max", input, None if dim is None else axis_of(dim), keepdim))
    front = ranked_dims(q) if isinstance(q, TensorValue) else ()
    shape = (*front, *like.dims) if like.ranked else like.shape
    return opaque("quantile", [input], Type(like.dtype, shape), Tensor)


def _cumulative(op: str) -> Any:
    def function(input: Tensor, dim: Any, *, dtype: DType | None = None, out: Any = None) -> Tensor:
        x = whole(input, dtype)
        return x if is_scalar(x) else made(op, x, _along(x, dim))

    return function


cumsum = method("torch.cumsum", in_place=True)(_cumulative("cum_sum"))
cumprod = method("torch.cumprod", in_place=True)(_cumulative("cum_prod"))


@method("torch.logcumsumexp")
def logcumsumexp(input: Tensor, dim: Any, *, out: Any = None) -> Tensor:
    return made("log_cum_sum_exp", as_float(input), _along(input, dim))


def _running_extreme(op: str) -> Any:
    def function(input: Tensor, dim: Any, *, out: Any = None) -> Any:
        found = made(op, input, _along(input, dim))
        return Found(found, opaque(op, [input], tensor_of(found).with_dtype(dtypes.i64), Tensor))

    return function


method("torch.cummax")(_running_extreme("cum_max"))
method("torch.cummin")(_running_extreme("cum_min"))


@method("torch.diff")
def diff(input: Tensor, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Each element minus the one before it."""
    x = input
    axis = _along(input, dim)
    parts = [part for part in (prepend, x, append) if part is not None]
    if len(parts) > 1:
        x = made("concat", *parts, axis=axis)
    for _ in range(n if isinstance(n, int) else 1):
        later = made("slice", x, (1,), (2**63 - 1,), (axis,))
        earlier = made("slice", x, (0,), (-1,), (axis,))
        x = made("xor" if dtype_of(x) is dtypes.bool_ else "sub", later, earlier)
    return x


@method("torch.unique")
def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: Any = None) -> Any:  # fmt: skip
    count = symbol(machine().fresh("unique"), counted=True)
    known = tensor_of(input)
    axis = None if dim is None else _along(input, dim)
    shape = (
        (count,) if axis is None else tuple(count if n == axis else size for n, size in enumerate(ranked_dims(input)))
    )
    found = opaque("unique", [input], Type(known.dtype, shape), Tensor)
    places = known.shape if axis is None else (ranked_dims(input)[axis],)
    inverse = opaque("unique", [input], Type(dtypes.i64, places), Tensor)
    counts = opaque("unique", [input], Type(dtypes.i64, (count,)), Tensor)
    results = (found, *((inverse,) if return_inverse else ()), *((counts,) if return_counts else ()))
    return results if len(results) > 1 else found


@method("torch.unique_consecutive")
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    return unique(input, True, return_inverse, return_counts, dim)


@method("torch.searchsorted")
def searchsorted(sorted_sequence: Tensor, input: ArrayLike, *, out_int32: bool = False, right: bool = False,
    side: Any = None, out: Any = None, sorter: Any = None) -> Tensor:  # fmt: skip
    to = dtypes.i32 if out_int32 else dtypes.i64
    return opaque("searchsorted", [sorted_sequence, input], Type(to, tensor_of(input).shape), Tensor)


@method("torch.bucketize")
def bucketize(
    input: ArrayLike, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Any = None
) -> Tensor:
    found = made("bucketize", input, boundaries, right=right)
    return made("cast", found, to=dtypes.i32) if out_int32 else found


@method("torch.bincount")
def bincount(input: Tensor, weights: Any = None, minlength: Size = 0) -> Tensor:
    if isinstance(minlength, int):
        return made("bincount", input, weights, minlength=minlength)
    return opaque("bincount", [input], Type(dtypes.i64, (symbol(machine().fresh("bins")),)), Tensor)


@method("torch.histc")
def histc(input: Tensor, bins: Size = 100, min: Any = 0, max: Any = 0, *, out: Any = None) -> Tensor:
    wants_floats(input, "histc")
    return opaque("histc", [input], Type(dtype_of(input), (bins,)), Tensor)


@method("torch.isin")
def isin(elements: ArrayLike, test_elements: ArrayLike, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    return opaque("isin", [elements], tensor_of(elements).with_dtype(dtypes.bool_), Tensor)


@method("torch.trapezoid", "torch.trapz")
def trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Tensor:
    both = combined("mul", y, x) if isinstance(x, TensorValue) else y
    like = reduce("reduce_sum", as_float(both), dim)
    return opaque("trapezoid", [y], tensor_of(like).without_value(), Tensor)
