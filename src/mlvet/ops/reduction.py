"""Elements along axes combined into one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from mlvet.domains import dims, dtypes
from mlvet.domains.dtypes import DType, bool_, i64
from mlvet.domains.tensors import Dims, Tensor, UnknownValue, Unranked
from mlvet.ops.danger import OVERFLOW, AllAt, Danger, Outside
from mlvet.ops.derivative import Derivative, Jvp, SameMap, Zero
from mlvet.ops.enclosures_counting import EXTREME_PLACES
from mlvet.ops.enclosures_normalising import VARIANCE
from mlvet.ops.index_map import Reduces
from mlvet.ops.numeric import POSITIVE, Composite, Numeric, Reduction
from mlvet.ops.op import Op, pure
from mlvet.ops.pointwise import Array, is_narrow
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Samples, integers

STEEP = AllAt(0, rule="infinite-gradient", gradient=True)


def reduced_shape(
    x: Tensor, axes: Tensor | None, *, require: Require, keepdims: bool = True, noop_with_empty_axes: bool = False
) -> Dims | Unranked:
    """The shape without the axes, or with 1 in their place; a single number stays one whatever the axes."""
    if x.shape == ():
        return ()
    known = [] if axes is None or axes.shape == (0,) else require.known_ints(axes)
    if known == [] and noop_with_empty_axes:
        return x.shape
    if known == [] and not keepdims:
        return ()
    if known is None:
        return _some_axes_gone(x, axes, require, keepdims)
    gone = {require.axis(axis, x.rank) for axis in known} if known else set(range(x.rank))
    if keepdims:
        return tuple(1 if axis in gone else dim for axis, dim in enumerate(x.dims))
    return tuple(dim for axis, dim in enumerate(x.dims) if axis not in gone)


def _some_axes_gone(x: Tensor, axes: Tensor | None, require: Require, keepdims: bool) -> Dims | Unranked:
    if keepdims:
        return tuple(1 if dim == 1 else require.unknown() for dim in x.dims)
    count = axes.size if axes is not None and axes.ranked else None
    rank = x.rank - count if isinstance(count, int) else None
    return require.unknown_tensor(None, rank if rank is not None and rank >= 0 else None).shape


def infer_reduction(
    x: Tensor,
    axes: Tensor | None = None,
    *,
    require: Require,
    keepdims: bool = True,
    noop_with_empty_axes: bool = False,
    correction: float = 0,
) -> Tensor:
    """The dtype stays; see `reduced_shape`."""
    shape = reduced_shape(x, axes, require=require, keepdims=keepdims, noop_with_empty_axes=noop_with_empty_axes)
    return Tensor(x.dtype, shape)


def _infer_as(dtype: DType) -> Callable[..., Tensor]:
    @wraps(infer_reduction)
    def infer(*operands: Any, **options: Any) -> Tensor:
        return infer_reduction(*operands, **options).with_dtype(dtype)

    return infer


def axes_of(x: Array, axes: Array | None, noop_with_empty_axes: bool = False) -> tuple[int, ...]:
    """The axes to reduce, counted from 0: all of them if none is given, unless that is to do nothing."""
    given = [] if axes is None else [int(axis) for axis in np.ravel(axes)]
    if not given:
        return () if noop_with_empty_axes else tuple(range(x.ndim))
    return tuple(axis % x.ndim for axis in given)


def over_axes(function: Callable[..., Any], dtype: Any = None) -> Callable[..., Array]:
    """A reference from `function(x, axis, keepdims)`: floats in at least f32, the result in the operand's dtype."""

    def run(x: Array, axes: Array | None = None, *, keepdims: bool = True, **options: Any) -> Array:
        where = axes_of(x, axes, bool(options.pop("noop_with_empty_axes", False)))
        wide = x.astype(np.float32) if is_narrow(x) else x
        with np.errstate(all="ignore"):
            return np.asarray(function(wide, where, bool(keepdims), **options)).astype(dtype or x.dtype)

    return run


def along_axes(function: Callable[..., Any]) -> Jvp:
    """A directional derivative from `function(x, direction, axis, keepdims)`."""

    def of(operands: Sequence[Any], directions: Sequence[Any], keepdims: bool = True, **options: Any) -> Any:
        x, axes = operands[0], operands[1] if len(operands) > 1 else None
        where = axes_of(x, axes, bool(options.pop("noop_with_empty_axes", False)))
        return function(x, directions[0], where, bool(keepdims), **options)

    return Jvp(of)


def reductions(
    low: float = -4.0, high: float = 4.0, dtype: DType = dtypes.f32, noop: bool = True, **extra: Any
) -> Samples:
    """Samples of a reduction: all axes, some, or none, counted from either end."""

    def samples(draw: Draw) -> Sample:
        x = draw.array(draw.shape(), low=low, high=high, dtype=dtype, distinct=dtype.is_float)
        chosen = [axis - x.ndim * draw.integer(0, 1) for axis in range(x.ndim) if draw.integer(0, 1)]
        attributes: dict[str, Any] = {"keepdims": bool(draw.integer(0, 1)), **extra}
        if noop and draw.integer(0, 3) == 0:
            attributes["noop_with_empty_axes"] = True
        return Sample((x, integers(chosen) if draw.integer(0, 3) else None), attributes)

    return samples


ORDINARY = reductions()


def reduction(
    name: str,
    function: Callable[..., Any],
    numeric: Numeric,
    *,
    danger: Sequence[Danger] = (),
    derivative: Derivative | None = None,
    samples: Samples = ORDINARY,
    dtype: DType | None = None,
    folds: bool = False,
) -> Op:
    """An operator that reduces the axes in operand 1, or all; `dtype` is the result's if not the operand's."""
    return pure(
        name,
        infer_reduction if dtype is None else _infer_as(dtype),
        over_axes(function, dtype.numpy if dtype else None),
        samples,
        family="reduction",
        numeric=numeric,
        index_map=Reduces(),
        danger=danger,
        derivative=derivative,
        folds=folds,
    )


def _extreme(numbers: Any, sizes: Callable[..., Any], greatest: bool) -> Callable[..., Any]:
    def run(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
        if x.dtype == object:
            return _extreme_size(x, axis, keepdims, sizes)
        dtype = dtypes.of(x.dtype)
        start: float = (
            (-np.inf if greatest else np.inf) if dtype.is_float else dtype.least if greatest else dtype.largest
        )
        return numbers(x, axis=axis, keepdims=keepdims, initial=start)

    return run


def _extreme_size(x: Array, axis: tuple[int, ...], keepdims: bool, sizes: Callable[..., Any]) -> Any:
    if not x.size:
        raise UnknownValue("an extreme of nothing")
    combine = np.frompyfunc(sizes, 2, 1)
    for each in sorted(axis, reverse=True):
        x = np.asarray(combine.reduce(x, axis=each), dtype=object)
    return np.expand_dims(x, axis) if keepdims else x


def _extreme_jvp(extreme: Callable[..., Any]) -> Jvp:
    def of(x: Array, along: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
        best = x == extreme(x, axis=axis, keepdims=True)
        return np.sum(best * along, axis=axis, keepdims=keepdims) / np.sum(best, axis=axis, keepdims=keepdims)

    return along_axes(of)


def _product_jvp(x: Array, along: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The sum over elements of the direction times the product of all other elements."""
    kept = [each for each in range(x.ndim) if each not in axis]
    shape = [x.shape[each] for each in kept]
    rows, steps = (np.transpose(a, [*kept, *axis]).reshape(*shape, -1) for a in (x, along))
    total = sum(
        (steps[..., i] * np.prod(np.delete(rows, i, axis=-1), axis=-1) for i in range(rows.shape[-1])),
        start=np.zeros(shape),
    )
    return np.expand_dims(total, tuple(sorted(axis))) if keepdims else total


def log_sum_exp(x: Array, axis: Any, keepdims: bool) -> Any:
    """log of the sum of exp, with the greatest element taken out first."""
    greatest = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(greatest), greatest, 0)
    total = np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True)) + shift
    return total if keepdims else np.squeeze(total, axis)


def _softmax_jvp(x: Array, along: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    weights = np.exp(x - log_sum_exp(x, axis, True))
    return np.sum(weights * along, axis=axis, keepdims=keepdims)


def _count(x: Array, axis: tuple[int, ...]) -> int:
    return int(np.prod([x.shape[each] for each in axis], dtype=int))


def _variance(x: Array, axis: tuple[int, ...], keepdims: bool, correction: float = 0.0) -> Any:
    spread = x - np.mean(x, axis=axis, keepdims=True)
    return np.sum(spread * spread, axis=axis, keepdims=keepdims) / max(_count(x, axis) - correction, 0)


def _variance_jvp(x: Array, along: Array, axis: tuple[int, ...], keepdims: bool, correction: float = 0.0) -> Any:
    spread = x - np.mean(x, axis=axis, keepdims=True)
    return 2 * np.sum(spread * along, axis=axis, keepdims=keepdims) / (_count(x, axis) - correction)


def _deviation_jvp(x: Array, along: Array, axis: tuple[int, ...], keepdims: bool, correction: float = 0.0) -> Any:
    slope = _variance_jvp(x, along, axis, keepdims, correction)
    deviation = np.sqrt(_variance(x, axis, keepdims, correction))
    return np.where(deviation > 0, slope / (2 * np.where(deviation > 0, deviation, 1)), 0)


def _after(first: str, then: str) -> Composite:
    """A reduction of another operator's result."""

    def decompose(build: Any, x: Any, axes: Any = None, **options: Any) -> Any:
        return build.add(then, build.add(first, x), axes, **options)

    return Composite(decompose)


def _before(first: str, then: str) -> Composite:
    """An operator on a reduction's result."""

    def decompose(build: Any, x: Any, axes: Any = None, **options: Any) -> Any:
        return build.add(then, build.add(first, x, axes, **options))

    return Composite(decompose)


def _decompose_count(build: Any, x: Any, axes: Any = None, **options: Any) -> Any:
    zero = build.add("cast_like", build.constant("zero", 0.0), x)
    return build.add("reduce_sum", build.add("cast", build.add("not_equal", x, zero), to=i64), axes, **options)


reduce_sum = reduction(
    "reduce_sum",
    lambda x, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims),
    Reduction("sum"),
    danger=[OVERFLOW],
    derivative=SameMap(),
    folds=True,
)
reduce_mean = reduction(
    "reduce_mean",
    lambda x, axis, keepdims: np.mean(x, axis=axis, keepdims=keepdims),
    Reduction("mean"),
    danger=[OVERFLOW],
    derivative=SameMap(),
)
reduce_max = reduction(
    "reduce_max",
    _extreme(np.max, dims.maximum, greatest=True),
    Reduction("max"),
    derivative=_extreme_jvp(np.max),
    folds=True,
)
reduce_min = reduction(
    "reduce_min",
    _extreme(np.min, dims.minimum, greatest=False),
    Reduction("min"),
    derivative=_extreme_jvp(np.min),
    folds=True,
)
reduce_prod = reduction(
    "reduce_prod",
    lambda x, axis, keepdims: np.prod(x, axis=axis, keepdims=keepdims),
    Reduction("product"),
    danger=[OVERFLOW],
    derivative=along_axes(_product_jvp),
    samples=reductions(-2, 2),
    folds=True,
)
reduce_l1 = reduction(
    "reduce_l1",
    lambda x, axis, keepdims: np.sum(np.abs(x), axis=axis, keepdims=keepdims),
    _after("abs", "reduce_sum"),
    danger=[OVERFLOW],
    derivative=along_axes(lambda x, d, axis, keepdims: np.sum(np.sign(x) * d, axis=axis, keepdims=keepdims)),
)
reduce_sum_square = reduction(
    "reduce_sum_square",
    lambda x, axis, keepdims: np.sum(x * x, axis=axis, keepdims=keepdims),
    _after("square", "reduce_sum"),
    danger=[OVERFLOW],
    derivative=along_axes(lambda x, d, axis, keepdims: 2 * np.sum(x * d, axis=axis, keepdims=keepdims)),
)
reduce_l2 = reduction(
    "reduce_l2",
    lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)),
    _before("reduce_sum_square", "sqrt"),
    danger=[OVERFLOW, STEEP],
    derivative=along_axes(
        lambda x, d, axis, keepdims: (
            np.sum(x * d, axis=axis, keepdims=keepdims) / np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
        )
    ),
)
reduce_log_sum = reduction(
    "reduce_log_sum",
    lambda x, axis, keepdims: np.log(np.sum(x, axis=axis, keepdims=keepdims)),
    _before("reduce_sum", "log"),
    danger=[Outside(POSITIVE, rule="log-of-nonpositive"), OVERFLOW],
    derivative=along_axes(
        lambda x, d, axis, keepdims: np.sum(d, axis=axis, keepdims=keepdims) / np.sum(x, axis=axis, keepdims=keepdims)
    ),
    samples=reductions(0.1, 4),
)
reduce_log_sum_exp = reduction(
    "reduce_log_sum_exp", log_sum_exp, Reduction("log_sum_exp"), danger=[OVERFLOW], derivative=along_axes(_softmax_jvp)
)
reduce_all = reduction(
    "reduce_all",
    lambda x, axis, keepdims: np.all(x, axis=axis, keepdims=keepdims),
    Reduction("all"),
    derivative=Zero(),
    samples=reductions(dtype=bool_),
    dtype=bool_,
)
reduce_any = reduction(
    "reduce_any",
    lambda x, axis, keepdims: np.any(x, axis=axis, keepdims=keepdims),
    Reduction("any"),
    derivative=Zero(),
    samples=reductions(dtype=bool_),
    dtype=bool_,
)
count_nonzero = reduction(
    "count_nonzero",
    lambda x, axis, keepdims: np.sum(x != 0, axis=axis, keepdims=keepdims),
    Composite(_decompose_count),
    derivative=Zero(),
    dtype=i64,
)
reduce_variance = reduction(
    "reduce_variance",
    _variance,
    VARIANCE,
    danger=[OVERFLOW],
    derivative=along_axes(_variance_jvp),
    samples=reductions(noop=False, correction=0.0),
)
reduce_std = reduction(
    "reduce_std",
    lambda x, axis, keepdims, correction=0.0: np.sqrt(_variance(x, axis, keepdims, correction)),
    _before("reduce_variance", "sqrt"),
    danger=[OVERFLOW],
    derivative=along_axes(_deviation_jvp),
    samples=reductions(noop=False, correction=0.0),
)


def infer_arg_extreme(
    x: Tensor, *, require: Require, axis: int = 0, keepdims: bool = True, select_last_index: bool = False
) -> Tensor:
    """One index per element that remains."""
    del select_last_index
    at = require.axis(axis, x.rank)
    kept = list(x.dims)
    kept[at : at + 1] = [1] if keepdims else []
    return Tensor(i64, tuple(kept))


def _arg_extreme(name: str, function: Callable[..., Any]) -> Op:
    def run(x: Array, axis: int = 0, keepdims: bool = True, select_last_index: bool = False) -> Array:
        if select_last_index:
            found = x.shape[axis] - 1 - function(np.flip(x, axis), axis=axis, keepdims=bool(keepdims))
        else:
            found = function(x, axis=axis, keepdims=bool(keepdims))
        return np.asarray(found, dtype=np.int64)

    def samples(draw: Draw) -> Sample:
        x = np.round(draw.array(draw.shape(1)))
        attributes = {"keepdims": draw.integer(0, 1), "select_last_index": draw.integer(0, 1)}
        return Sample((x,), {"axis": draw.integer(-x.ndim, x.ndim - 1), **attributes})

    return pure(
        name,
        infer_arg_extreme,
        run,
        samples,
        family="reduction",
        numeric=EXTREME_PLACES,
        index_map=Reduces(),
        derivative=Zero(),
    )


arg_max = _arg_extreme("arg_max", np.argmax)
arg_min = _arg_extreme("arg_min", np.argmin)
