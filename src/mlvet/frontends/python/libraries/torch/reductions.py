"""Elements along dims combined to one."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.torch.arithmetic import combined
from mlvet.frontends.python.libraries.torch.axes import axes_of, axis_of, is_scalar, placed
from mlvet.frontends.python.libraries.torch.element_types import as_float, is_integral, wants_floats
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made, method
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, rank_of, tensor_of


def reduce(op: str, x: TensorValue, dim: Any = None, keepdim: bool = False, **rest: Any) -> Tensor:
    """A reduction along dims, along all of them if none is named. A scalar stays as it is."""
    axes = axes_of(dim)
    count = rank_of(x)
    if axes is not None and count is not None:
        axes = tuple(placed(axis, count) for axis in axes)
        demand(len(set(axes)) == len(axes), "a dim is named twice")
    if axes == () or count == 0:
        axes = None
    return made(op, x, axes, keepdims=int(keepdim), **rest)


def whole(x: TensorValue, dtype: DType | None) -> Any:
    """Sums of integers and truth values are of i64."""
    return cast(x, dtype or (dtypes.i64 if is_integral(x) else None))


@method("torch.sum")
def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None, axis: Any = None,
    out: Any = None) -> Tensor:  # fmt: skip
    return reduce("reduce_sum", whole(input, dtype), dim if axis is None else axis, keepdim)


@method("torch.nansum")
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    x = whole(input, dtype)
    numbers = x if is_integral(x) else made("where", made("is_nan", x), made("zeros_like", x), x)
    return reduce("reduce_sum", numbers, dim, keepdim)


@method("torch.mean")
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None, axis: Any = None,
    out: Any = None) -> Tensor:  # fmt: skip
    x = cast(input, dtype)
    wants_floats(x, "mean")
    return reduce("reduce_mean", x, dim if axis is None else axis, keepdim)


@method("torch.nanmean")
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    like = mean(input, dim, keepdim, dtype=dtype)
    return opaque("nanmean", [input], tensor_of(like).without_value(), Tensor)


@method("torch.prod")
def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    return reduce("reduce_prod", whole(input, dtype), None if dim is None else axis_of(dim), keepdim)


@method("torch.all")
def all(input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Any = None) -> Tensor:
    return _of_bytes(input, reduce("reduce_all", cast(input, dtypes.bool_), dim, keepdim))


@method("torch.any")
def any(input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Any = None) -> Tensor:
    return _of_bytes(input, reduce("reduce_any", cast(input, dtypes.bool_), dim, keepdim))


def _of_bytes(x: TensorValue, found: Tensor) -> Tensor:
    """Truths of bytes are bytes."""
    return made("cast", found, to=dtypes.u8) if dtype_of(x) is dtypes.u8 else found


@method("torch.count_nonzero")
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    return reduce("count_nonzero", input, dim)


def _spread(op: str) -> Any:
    def function(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = 1,
        axis: Any = None, out: Any = None) -> Tensor:  # fmt: skip
        return spread(op, input, dim if axis is None else axis, unbiased, keepdim, correction)

    return function


def spread(op: str, x: TensorValue, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Tensor:
    """Variance or deviation; a truth value in the place of the dims says whether it is unbiased."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    wants_floats(x, op)
    taken = 0 if unbiased is False else correction if isinstance(correction, int | float) else 1
    return reduce(op, x, dim, keepdim, correction=float(taken))


var = method("torch.var")(_spread("reduce_variance"))
std = method("torch.std")(_spread("reduce_std"))


def _spread_and_mean(op: str) -> Any:
    def function(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = 1,
        out: Any = None) -> Any:  # fmt: skip
        axes = None if isinstance(dim, bool) else dim
        return spread(op, input, dim, unbiased, keepdim, correction), mean(input, axes, keepdim)

    return function


method("torch.var_mean")(_spread_and_mean("reduce_variance"))
method("torch.std_mean")(_spread_and_mean("reduce_std"))


@method("torch.amax")
def amax(input: Tensor, dim: Any = (), keepdim: bool = False, *, out: Any = None) -> Tensor:
    return reduce("reduce_max", input, dim, keepdim)


@method("torch.amin")
def amin(input: Tensor, dim: Any = (), keepdim: bool = False, *, out: Any = None) -> Tensor:
    return reduce("reduce_min", input, dim, keepdim)


@method("torch.aminmax")
def aminmax(input: Tensor, *, dim: Any = None, keepdim: bool = False) -> Any:
    return reduce("reduce_min", input, dim, keepdim), reduce("reduce_max", input, dim, keepdim)


@method("torch.logsumexp", "torch.special.logsumexp")
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False, *, out: Any = None) -> Tensor:
    return reduce("reduce_log_sum_exp", as_float(input), dim, keepdim)


@method("torch.norm", "torch.functional.norm")
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None,
    dtype: DType | None = None) -> Tensor:  # fmt: skip
    return length(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype)


def length(x: TensorValue, order: Any, dim: Any, keepdim: bool, dtype: DType | None = None) -> Tensor:
    """The norm of the vectors along dims."""
    x = cast(x, dtype)
    wants_floats(x, "a norm")
    known = dtype_of(x)
    if known is not None and known.kind is Kind.COMPLEX:
        x = made("complex_abs", x)
    figure = float(order) if isinstance(order, int | float) else 2.0
    return made("abs", x) if is_scalar(x) else reduce("vector_norm", x, dim, keepdim, order=figure)


@method("torch.dist")
def dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor:
    return length(combined("sub", input, other), p, None, False)


@method("torch.renorm")
def renorm(input: Tensor, p: Any, dim: Any, maxnorm: Any) -> Tensor:
    return opaque("renorm", [input], tensor_of(input).without_value(), Tensor)
