"""Elements along axes combined to one, and running totals."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Expr, product, total
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.reductions import extreme_place, reduced
from mlvet.frontends.python.emission import demand, demand_equal, emit, opaque, value_of
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, axes_of, function, method, ndarray, one_axis
from mlvet.frontends.python.libraries.numpy.element_types import averaged_of, element_type, summed_of
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def _sizes(a: Any) -> tuple[Any, ...] | None:
    """The items of a list of sizes of which one is a symbol."""
    items = a.items if isinstance(a, ListValue) else a
    if isinstance(items, tuple) and items and all(isinstance(item, int | Expr) for item in items):
        return items if any(isinstance(item, Expr) for item in items) else None
    return None


def _scalar(size: Any) -> Any:
    value = value_of(size)
    assert value is not None
    return ndarray.of(value)


@function("numpy.sum", "numpy.nansum")
def sum_(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Tensor:
    if isinstance(a, DictValue):
        return a  # type: ignore[return-value]  # NumPy takes it for one element
    sizes = _sizes(a)
    if sizes is not None and axis in (None, 0):
        return _scalar(total(sizes))
    return _added("reduce_sum", as_ndarray(a), axis, dtype, keepdims)


@function("numpy.prod", "numpy.product", "numpy.nanprod")
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Tensor:
    sizes = _sizes(a)
    if sizes is not None and axis in (None, 0):
        return _scalar(product(sizes))
    return _added("reduce_prod", as_ndarray(a), axis, dtype, keepdims)


def _added(op: str, a: TensorValue, axis: Any, dtype: Any, keepdims: bool) -> Any:
    wanted: DType | None = element_type(dtype) or summed_of(dtype_of(a))
    return reduced(op, cast(a, wanted), axes_of(axis), keepdims)


method("sum")(sum_)
method("prod")(prod)


@method()
@function("numpy.mean", "numpy.nanmean")
def mean(
    a: ArrayLike, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Tensor:
    return reduced("reduce_mean", cast(a, element_type(dtype) or averaged_of(dtype_of(a))), axes_of(axis), keepdims)


@method()
@function("numpy.std", "numpy.nanstd")
def std(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: bool = False,
    **rest: Any,
) -> Tensor:
    return _spread("reduce_std", a, axis, dtype, ddof, keepdims)


@method()
@function("numpy.var", "numpy.nanvar")
def var(
    a: ArrayLike,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: bool = False,
    **rest: Any,
) -> Tensor:
    return _spread("reduce_variance", a, axis, dtype, ddof, keepdims)


def _spread(op: str, a: TensorValue, axis: Any, dtype: Any, ddof: Any, keepdims: bool) -> Any:
    correction = ddof if isinstance(ddof, int | float) else 0
    wide = cast(a, element_type(dtype) or averaged_of(dtype_of(a)))
    return reduced(op, wide, axes_of(axis), keepdims, correction=correction)


@function("numpy.max", "numpy.amax", "numpy.nanmax")
def max_(
    a: ArrayLike, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Tensor:
    return reduced("reduce_max", a, axes_of(axis), keepdims)


@function("numpy.min", "numpy.amin", "numpy.nanmin")
def min_(
    a: ArrayLike, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Tensor:
    return reduced("reduce_min", a, axes_of(axis), keepdims)


method("max")(max_)
method("min")(min_)


@function("numpy.all")
def all_(a: ArrayLike, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Tensor:
    return reduced("reduce_all", cast(a, dtypes.bool_), axes_of(axis), keepdims)


@function("numpy.any")
def any_(a: ArrayLike, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Tensor:
    return reduced("reduce_any", cast(a, dtypes.bool_), axes_of(axis), keepdims)


method("all")(all_)
method("any")(any_)


@method()
@function("numpy.argmax", "numpy.nanargmax")
def argmax(a: ArrayLike, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Tensor:
    return _place("arg_max", a, axis, keepdims)


@method()
@function("numpy.argmin", "numpy.nanargmin")
def argmin(a: ArrayLike, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Tensor:
    return _place("arg_min", a, axis, keepdims)


def _place(op: str, a: TensorValue, axis: Any, keepdims: bool) -> Any:
    return extreme_place(op, a, None if axis is None else one_axis(axis), keepdims)


@method()
@function("numpy.ptp")
def ptp(a: ArrayLike, axis: Any = None, out: Any = None, keepdims: bool = False) -> Tensor:
    high, low = (reduced(op, a, axes_of(axis), keepdims) for op in ("reduce_max", "reduce_min"))
    return emit("sub", high, low)


@function("numpy.count_nonzero")
def count_nonzero(a: ArrayLike, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    return reduced("count_nonzero", a, axes_of(axis), keepdims)


def left_by(a: TensorValue, axis: Any, keepdims: bool) -> Any:
    """The dims that a reduction leaves."""
    dims = dims_of(a)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    axes = axes_of(axis)
    for each in axes or ():
        demand(-len(dims) <= each < len(dims), f"axis {each} is out of range for {tensor_of(a)}", "axis-out-of-range")
    gone = range(len(dims)) if axes is None else [each % len(dims) for each in axes]
    return tuple(1 if n in gone else dim for n, dim in enumerate(dims) if keepdims or n not in gone)


@function("numpy.median", "numpy.nanmedian")
def median(
    a: ArrayLike, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: bool = False
) -> Tensor:
    return opaque("median", [a], Type(averaged_of(dtype_of(a)), left_by(a, axis, keepdims)), ndarray)


@function("numpy.percentile", "numpy.quantile", "numpy.nanpercentile", "numpy.nanquantile")
def percentile(
    a: ArrayLike, q: ArrayLike, axis: Any = None, out: Any = None, overwrite_input: bool = False,
    method: Any = "linear", keepdims: bool = False, **rest: Any,
) -> Tensor:  # fmt: skip
    asked = dims_of(q)
    if asked is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    return opaque("percentile", [a, q], Type(averaged_of(dtype_of(a)), (*asked, *left_by(a, axis, keepdims))), ndarray)


@function("numpy.average")
def average(
    a: ArrayLike, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    made: Any = mean(a, axis, None, None, keepdims)
    if weights is not None:
        whole, parts = dims_of(a), dims_of(as_ndarray(weights))
        if whole is not None and parts is not None and isinstance(axis, int) and len(parts) == 1 < len(whole):
            demand_equal(whole[axis], parts[0], "there is a weight for each element along the axis")
        made = opaque("average", [a, as_ndarray(weights)], tensor_of(made).without_value(), ndarray)
    return (made, made) if returned else made


@method()
@function("numpy.cumsum", "numpy.nancumsum")
def cumsum(a: ArrayLike, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
    return _running("cum_sum", a, axis, dtype)


@method()
@function("numpy.cumprod", "numpy.nancumprod")
def cumprod(a: ArrayLike, axis: Any = None, dtype: Any = None, out: Any = None) -> Tensor:
    return _running("cum_prod", a, axis, dtype)


def _running(op: str, a: TensorValue, axis: Any, dtype: Any) -> Any:
    wide = cast(a, element_type(dtype) or summed_of(dtype_of(a)))
    if axis is None:
        return emit(op, emit("reshape", wide, (-1,)), 0)
    return emit(op, wide, one_axis(axis))
