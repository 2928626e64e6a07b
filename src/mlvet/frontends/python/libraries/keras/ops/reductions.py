"""Elements along axes combined, counted, ordered or added up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, product
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.reductions import extreme_place, reduced
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_size
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.ops.axes import as_dtype, axes_of, axis_of, countable, ranked_dims, summable
from mlvet.frontends.python.libraries.keras.ops.pointwise import names
from mlvet.frontends.python.libraries.keras.tensor import array, combined, floating
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, rank_of, tensor_of


def _reduction(op: str, prepare: Callable[[Any], Any]) -> Callable[..., Any]:
    def function(x: ArrayLike, axis: Any = None, keepdims: bool = False) -> Tensor:
        return reduced(op, prepare(x), axes_of(axis), keepdims)

    return function


def _float(x: Any) -> Any:
    return floating(array(x))


def _truths(x: Any) -> Any:
    return cast(array(x), dtypes.bool_)


for _name, _op, _prepare in (
    ("sum", "reduce_sum", summable), ("nansum", "reduce_sum", summable), ("nanprod", "reduce_prod", summable),
    ("mean", "reduce_mean", _float), ("nanmean", "reduce_mean", _float), ("var", "reduce_variance", _float),
    ("nanvar", "reduce_variance", _float), ("std", "reduce_std", _float), ("nanstd", "reduce_std", _float),
    ("amax", "reduce_max", array), ("amin", "reduce_min", array), ("nanmax", "reduce_max", array),
    ("nanmin", "reduce_min", array), ("all", "reduce_all", _truths), ("any", "reduce_any", _truths),
):  # fmt: skip
    _made = _reduction(_op, _prepare)
    _made.__name__ = _name
    model(*names(_name))(_made)


@model(*names("max"))
def max_(x: ArrayLike, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Tensor:
    return reduced("reduce_max", array(x), axes_of(axis), keepdims)


@model(*names("min"))
def min_(x: ArrayLike, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Tensor:
    return reduced("reduce_min", array(x), axes_of(axis), keepdims)


@model(*names("prod"))
def prod(x: ArrayLike, axis: Any = None, keepdims: bool = False, dtype: DType | None = None) -> Tensor:
    made = summable(x)
    return reduced("reduce_prod", made if dtype is None else cast(made, dtype), axes_of(axis), keepdims)


@model("keras.ops.logsumexp")
def logsumexp(x: ArrayLike, axis: Any = None, keepdims: bool = False) -> Tensor:
    return reduced("reduce_log_sum_exp", _float(x), axes_of(axis), keepdims)


@model(*names("median"), *names("nanmedian"))
def median(x: ArrayLike, axis: Any = None, keepdims: bool = False) -> Tensor:
    return alike("ops.median", reduced("reduce_mean", _float(x), axes_of(axis), keepdims))


@model(*names("ptp"))
def ptp(x: ArrayLike, axis: Any = None, keepdims: bool = False) -> Tensor:
    return alike("ops.ptp", reduced("reduce_max", array(x), axes_of(axis), keepdims))


@model(*names("quantile"), *names("nanquantile"), *names("percentile"), *names("nanpercentile"))
def quantile(x: ArrayLike, q: Any, axis: Any = None, method: Any = "linear", keepdims: bool = False) -> Tensor:
    made = reduced("reduce_mean", _float(x), axes_of(axis), keepdims)
    points = ranked_dims(array(q))
    dims = dims_of(made)
    if not points or dims is None:
        return alike("ops.quantile", made)
    return opaque("ops.quantile", [made], Known(dtype_of(made), (*points, *dims)), type(made))


@model(*names("count_nonzero"))
def count_nonzero(x: ArrayLike, axis: Any = None) -> Tensor:
    return reduced("reduce_sum", cast(array(x) != 0, dtypes.i32), axes_of(axis))


@model(*names("average"))
def average(x: ArrayLike, axis: Any = None, weights: Any = None) -> Tensor:
    return reduced("reduce_mean", _float(x), axes_of(axis))


@model(*names("argmax"), *names("nanargmax"))
def argmax(x: ArrayLike, axis: Any = None, keepdims: bool = False) -> Tensor:
    return cast(extreme_place("arg_max", array(x), None if axis is None else axis_of(axis), keepdims), dtypes.i32)


@model(*names("argmin"), *names("nanargmin"))
def argmin(x: ArrayLike, axis: Any = None, keepdims: bool = False) -> Tensor:
    return cast(extreme_place("arg_min", array(x), None if axis is None else axis_of(axis), keepdims), dtypes.i32)


def _along(name: str, x: Any, axis: Any, dtype: DType | None = None) -> Any:
    """A result of the shape of the operand, or of all its elements in one row if no axis is named."""
    made = array(x)
    dims = ranked_dims(made)
    if axis is None:
        return opaque(name, [made], Known(dtype or dtype_of(made), (product(dims),)), type(made))
    place = axis_of(axis)
    demand(
        -len(dims) <= place < len(dims) or not dims,
        f"axis {place} is out of range for {tensor_of(made)}",
        "axis-out-of-range",
    )
    return opaque(name, [made], Known(dtype or dtype_of(made), dims), type(made))


@model(*names("sort"))
def sort(x: ArrayLike, axis: Any = -1) -> Tensor:
    return _along("ops.sort", x, axis)


@model(*names("argsort"))
def argsort(x: ArrayLike, axis: Any = -1) -> Tensor:
    return _along("ops.argsort", x, axis, dtypes.i32)


@model(*names("argpartition"))
def argpartition(x: ArrayLike, kth: Any, axis: Any = -1) -> Tensor:
    return _along("ops.argpartition", x, axis, dtypes.i32)


def _cumulative(op: str, x: Any, axis: Any, dtype: DType | None) -> Any:
    made = countable(as_dtype(x, dtype))
    if axis is None:
        return emit(op, emit("reshape", made, (-1,)), 0)
    return emit(op, made, axis_of(axis))


@model(*names("cumsum"), *names("nancumsum"))
def cumsum(x: ArrayLike, axis: Any = None, dtype: DType | None = None) -> Tensor:
    return _cumulative("cum_sum", x, axis, dtype)


@model(*names("cumprod"), *names("nancumprod"))
def cumprod(x: ArrayLike, axis: Any = None, dtype: DType | None = None) -> Tensor:
    return _cumulative("cum_prod", x, axis, dtype)


@model("keras.ops.top_k")
def top_k(x: ArrayLike, k: Any, sorted: bool = True) -> Any:
    made = array(x)
    dims = ranked_dims(made)
    count = as_size(k, "k")
    if dims and isinstance(dims[-1], int) and isinstance(count, int):
        demand(count <= dims[-1], f"top_k takes {count} of {dims[-1]}", "size-out-of-range")
    shape = (*dims[:-1], count)
    values = opaque("ops.top_k", [made], Known(dtype_of(made), shape), type(made))
    return values, opaque("ops.top_k", [made], Known(dtypes.i32, shape), type(made))


@model("keras.ops.in_top_k")
def in_top_k(targets: ArrayLike, predictions: ArrayLike, k: Any) -> Tensor:
    made = array(targets)
    return opaque(
        "ops.in_top_k", [made, array(predictions)], made.graph_value.declared.with_dtype(dtypes.bool_), type(made)
    )


@model("keras.ops.moments", "keras.ops.nn.moments")
def moments(x: ArrayLike, axes: Any, keepdims: bool = False, synchronized: Any = False) -> Any:
    made = _float(x)
    return reduced("reduce_mean", made, axes_of(axes), keepdims), reduced(
        "reduce_variance", made, axes_of(axes), keepdims
    )


def _segments(name: str) -> None:
    def function(data: ArrayLike, segment_ids: ArrayLike, num_segments: Any = None, sorted: Any = False) -> Tensor:
        from mlvet.domains.dims import symbol
        from mlvet.frontends.python.active import machine

        made, ids = array(data), array(segment_ids)
        dims = ranked_dims(made)
        count: Dim = symbol(machine().fresh("segments")) if num_segments is None else as_size(num_segments, "segments")
        return opaque(
            f"ops.{name}", [made, ids], Known(dtype_of(made), (count, *dims[rank_of(ids) or 1 :])), type(made)
        )

    function.__name__ = name
    model(f"keras.ops.{name}")(function)


for _name in ("segment_sum", "segment_max", "segment_min", "segment_prod"):
    _segments(_name)


@model("keras.ops.norm", "keras.ops.linalg.norm")
def norm(x: ArrayLike, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    return alike("ops.norm", reduced("reduce_l2", _float(x), axes_of(axis), keepdims))


@model("keras.ops.normalize", "keras.ops.nn.normalize")
def normalize(x: ArrayLike, axis: Any = -1, order: Any = 2, epsilon: Any = None) -> Tensor:
    made = _float(x)
    place = axis_of(axis) if axis is not None else None
    if place is not None and order in (1, 2):
        return emit("lp_normalization", made, axis=place, p=order)
    return alike("ops.normalize", made)


@model(*names("bincount"))
def bincount(x: ArrayLike, weights: Any = None, minlength: Any = 0, sparse: Any = False) -> Tensor:
    from mlvet.domains.dims import symbol
    from mlvet.frontends.python.active import machine

    made = array(x)
    dims = ranked_dims(made)
    dtype = dtypes.i32 if weights is None else dtype_of(array(weights))
    return opaque("ops.bincount", [made], Known(dtype, (*dims[:-1], symbol(machine().fresh("bins")))), type(made))


@model(*names("histogram"))
def histogram(x: ArrayLike, bins: Any = 10, range: Any = None) -> Any:
    made = array(x)
    count = as_size(bins, "bins")
    return (
        opaque("ops.histogram", [made], Known(dtype_of(made), (count,)), type(made)),
        opaque("ops.histogram", [made], Known(dtype_of(made), (count + 1,)), type(made)),
    )


@model(*names("trapezoid"))
def trapezoid(y: ArrayLike, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Tensor:
    return reduced("reduce_sum", _float(y), axes_of(axis))


@model("keras.ops.psnr", "keras.ops.nn.psnr")
def psnr(x1: ArrayLike, x2: ArrayLike, max_val: Any) -> Tensor:
    return reduced("reduce_mean", combined("sub", _float(x1), _float(x2)), None)


@model(*names("corrcoef"))
def corrcoef(x: ArrayLike) -> Tensor:
    made = _float(x)
    dims = ranked_dims(made)
    return opaque(
        "ops.corrcoef", [made], Known(dtype_of(made), (dims[0], dims[0]) if len(dims) == 2 else ()), type(made)
    )


@model(*names("diff"))
def diff(a: ArrayLike, n: Any = 1, axis: Any = -1) -> Tensor:
    made = array(a)
    dims = list(ranked_dims(made))
    dims[axis_of(axis)] = dims[axis_of(axis)] - as_size(n)
    return opaque("ops.diff", [made], Known(dtype_of(made), tuple(dims)), type(made))
