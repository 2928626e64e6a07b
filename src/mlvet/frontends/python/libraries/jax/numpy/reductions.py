"""Elements along axes combined to one, and running along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.dtypes import DType as ElementType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.reductions import extreme_place, reduced
from mlvet.frontends.python.arrays.shaping import reshape
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.jax.array import (
    Array,
    ArrayLike,
    Tensor,
    as_jax,
    axes_named,
    canonical,
    cast_to,
    inexact,
    together,
)
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

SUMS = {"sum": "reduce_sum", "prod": "reduce_prod", "nansum": "reduce_sum", "nanprod": "reduce_prod"}
EXTREMES = {"max": "reduce_max", "min": "reduce_min", "amax": "reduce_max", "amin": "reduce_min",
    "nanmax": "reduce_max", "nanmin": "reduce_min"}  # fmt: skip
TRUTHS = {"all": "reduce_all", "any": "reduce_any"}
PLACES = {"argmax": "arg_max", "argmin": "arg_min", "nanargmax": "arg_max", "nanargmin": "arg_min"}
RUNNING = {"cumsum": "cum_sum", "cumprod": "cum_prod", "nancumsum": "cum_sum", "nancumprod": "cum_prod"}
SPREADS = {"var": "reduce_variance", "std": "reduce_std", "nanvar": "reduce_variance", "nanstd": "reduce_std"}


def _summed(x: Any, dtype: ElementType | None) -> Any:
    """Sums of truths and narrow integers are of 32 bits."""
    known = dtype_of(x)
    if dtype is not None:
        return cast_to(x, dtype)
    if known is not None and (known is dtypes.bool_ or known in (dtypes.i8, dtypes.i16)):
        return cast_to(x, dtypes.i32)
    return cast_to(x, dtypes.u32) if known in (dtypes.u8, dtypes.u16) else x


def _masked(x: Any, where: Any, made: Any, axis: Any) -> Any:
    """With a mask the shape is that of the array and the mask together."""
    if where is None:
        return x
    del made, axis
    mask = as_jax(where)
    return emit("where", mask, x, emit("zeros_like", x), kind=Array)


def _sum(op: str) -> Callable[..., Any]:
    def function(
        a: ArrayLike, axis: Any = None, dtype: DType | None = None, out: Any = None, keepdims: bool = False,
        initial: Any = None, where: Any = None, promote_integers: bool = True,
    ) -> Tensor:  # fmt: skip
        del out, initial, promote_integers
        return reduced(op, _summed(_masked(a, where, op, axis), dtype), axes_named(axis), keepdims)

    return function


def _extreme(op: str) -> Callable[..., Any]:
    def function(
        a: ArrayLike, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None
    ) -> Tensor:
        del out, initial
        a = _masked(a, where, op, axis)
        if dtype_of(a) is dtypes.bool_:
            return reduced("reduce_any" if op == "reduce_max" else "reduce_all", a, axes_named(axis), keepdims)
        return reduced(op, a, axes_named(axis), keepdims)

    return function


def _truth(op: str) -> Callable[..., Any]:
    def function(
        a: ArrayLike, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = None
    ) -> Tensor:
        return reduced(op, cast_to(_masked(a, where, op, axis), dtypes.bool_), axes_named(axis), keepdims)

    return function


def _place(op: str) -> Callable[..., Any]:
    def function(a: ArrayLike, axis: Any = None, out: Any = None, keepdims: bool = False) -> Tensor:
        del out
        named = axes_named(axis)
        found = extreme_place(op, _whole(a), None if named is None else named[0], keepdims)
        if named is None and keepdims and dims_of(a) is not None:
            found = reshape(found, (1,) * len(dims_of(a) or ()))
        return cast_to(found, dtypes.i32)

    return function


def _whole(x: Any) -> Any:
    return cast_to(x, dtypes.i32) if dtype_of(x) is dtypes.bool_ else x


def _running(op: str) -> Callable[..., Any]:
    def function(a: ArrayLike, axis: Any = None, dtype: DType | None = None, out: Any = None) -> Tensor:
        del out
        known = dtype_of(a)
        x = cast_to(a, dtype or (dtypes.i32 if known is dtypes.bool_ else None))
        if axis is None:
            return emit(op, reshape(x, (-1,)), 0)
        named = axes_named(axis)
        assert named is not None
        return emit(op, x, named[0])

    return function


def _spread(op: str) -> Callable[..., Any]:
    def function(
        a: ArrayLike, axis: Any = None, dtype: DType | None = None, out: Any = None, ddof: Any = 0,
        keepdims: bool = False, *, where: Any = None, correction: Any = None,
    ) -> Tensor:  # fmt: skip
        del out
        x = cast_to(inexact(_masked(a, where, op, axis)), dtype)
        less = ddof if correction is None else correction
        known = less if isinstance(less, int | float) else 0
        return reduced(op, x, axes_named(axis), keepdims, correction=float(known))

    return function


for _name, _op in SUMS.items():
    model(f"jax.numpy.{_name}")(_sum(_op))
for _name, _op in EXTREMES.items():
    model(f"jax.numpy.{_name}")(_extreme(_op))
for _name, _op in TRUTHS.items():
    model(f"jax.numpy.{_name}")(_truth(_op))
for _name, _op in PLACES.items():
    model(f"jax.numpy.{_name}")(_place(_op))
for _name, _op in RUNNING.items():
    model(f"jax.numpy.{_name}")(_running(_op))
for _name, _op in SPREADS.items():
    model(f"jax.numpy.{_name}")(_spread(_op))


@model("jax.numpy.mean", "jax.numpy.nanmean")
def mean(
    a: ArrayLike, axis: Any = None, dtype: DType | None = None, out: Any = None, keepdims: bool = False, *,
    where: Any = None,
) -> Tensor:  # fmt: skip
    del out
    x = cast_to(inexact(_masked(a, where, "mean", axis)), dtype)
    return reduced("reduce_mean", x, axes_named(axis), keepdims)


@model("jax.numpy.average")
def average(a: ArrayLike, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False) -> Any:
    if weights is None:
        made = mean(a, axis, keepdims=keepdims)
        return (made, emit("ones_like", made)) if returned else made
    x, share = together(inexact(a), inexact(as_jax(weights)))
    named = axes_named(axis)
    rank, own = dims_of(x), dims_of(share)
    if named is not None and rank is not None and own is not None and len(own) == 1 and len(rank) > 1:
        share = reshape(share, tuple(own[0] if n == named[0] % len(rank) else 1 for n in range(len(rank))))
    total = reduced("reduce_sum", emit("mul", x, share), named, keepdims)
    made = emit("div", total, reduced("reduce_sum", share, None, False))
    return (made, emit("ones_like", made)) if returned else made


@model("jax.numpy.ptp")
def ptp(a: ArrayLike, axis: Any = None, out: Any = None, keepdims: bool = False) -> Tensor:
    named = axes_named(axis)
    high, low = (reduced(op, a, named, keepdims) for op in ("reduce_max", "reduce_min"))
    return emit("sub", high, low)


@model("jax.numpy.count_nonzero")
def count_nonzero(a: ArrayLike, axis: Any = None, keepdims: bool = False) -> Tensor:
    held = cast_to(cast_to(a, dtypes.bool_), dtypes.i32)
    return reduced("reduce_sum", held, axes_named(axis), keepdims)


@model("jax.numpy.median", "jax.numpy.nanmedian")
def median(
    a: ArrayLike, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Tensor:
    middle = reduced("reduce_mean", inexact(a), axes_named(axis), keepdims)
    return opaque("median", [a], tensor_of(middle).without_value(), Array)


@model("jax.numpy.quantile", "jax.numpy.percentile", "jax.numpy.nanquantile", "jax.numpy.nanpercentile")
def quantile(
    a: ArrayLike, q: ArrayLike, axis: Any = None, out: Any = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False, *, interpolation: Any = None,
) -> Tensor:  # fmt: skip
    del out, overwrite_input, method, interpolation
    middle = reduced("reduce_mean", inexact(a), axes_named(axis), keepdims)
    dims, more = dims_of(middle), dims_of(q)
    if dims is None or more is None:
        return emit("add", middle, reduced("reduce_sum", inexact(q)))
    return opaque("quantile", [a, q], Known(dtype_of(middle), (*more, *dims)), Array)


@model("jax.nn.logsumexp", "jax.scipy.special.logsumexp")
def logsumexp(
    a: ArrayLike, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False, where: Any = None
) -> Any:
    x = inexact(a)
    if b is not None:
        x = emit("mul", *together(x, inexact(as_jax(b))))
    made = reduced("reduce_log_sum_exp", x, axes_named(axis), keepdims)
    return (made, emit("ones_like", made)) if return_sign else made


@model("jax.numpy.cov", "jax.numpy.corrcoef")
def cov(m: ArrayLike, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, **_: Any) -> Tensor:
    x = inexact(m)
    dims = dims_of(x)
    if dims is None or y is not None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "cov of two arrays or of an unknown rank")
    if len(dims) < 2:
        return opaque("cov", [x], Known(dtype_of(x), ()), Array)
    demand(len(dims) == 2, "m has more than 2 dims", "rank-differs")
    side = dims[0] if rowvar else dims[1]
    return opaque("cov", [x], Known(dtype_of(x), (side, side)), Array)


@model("jax.lax.cummax", "jax.lax.cummin")
def cummax(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Tensor:
    return opaque("cummax", [operand], tensor_of(operand).without_value(), Array)


@model("jax.lax.cumsum", "jax.lax.cumprod", "jax.lax.cumlogsumexp")
def lax_cumsum(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Tensor:
    return opaque("cumsum", [operand], tensor_of(operand).without_value(), Array)


@model("jax.numpy.trace")
def trace(
    a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DType | None = None, out: Any = None
) -> Tensor:
    line = emit("diagonal", a, offset=offset, axis1=axis1, axis2=axis2)
    return reduced("reduce_sum", _summed(line, canonical(dtype)), (-1,))
