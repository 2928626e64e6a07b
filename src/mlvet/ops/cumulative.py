"""Elements combined with all before them along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlvet.domains.dtypes import i64
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW, Danger, Overflow
from mlvet.ops.derivative import Derivative, Jvp, SameMap
from mlvet.ops.enclosures_sums import RUNNING_LOG, RUNNING_PRODUCT, RUNNING_SUM
from mlvet.ops.index_map import AlongAxis
from mlvet.ops.numeric import Numeric, Selection
from mlvet.ops.op import Op, pure
from mlvet.ops.pointwise import Array, is_narrow
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Samples


def infer_cumulative(x: Tensor, axis: Tensor, *, require: Require, **_: Any) -> Tensor:
    """The result is like x; the axis must be one of its axes."""
    known = require.known_ints(axis)
    if known and x.ranked:
        require.axis(known[0], x.rank)
    return x.without_value()


def _running(accumulate: Callable[..., Any], first: Any) -> Callable[..., Array]:
    def run(x: Array, axis: Array, exclusive: bool = False, reverse: bool = False) -> Array:
        at = int(np.ravel(axis)[0])
        wide = x.astype(np.float32) if is_narrow(x) else x
        line = np.moveaxis(np.flip(wide, at) if reverse else wide, at, 0)
        if exclusive and line.shape[0]:
            line = np.concatenate([np.full_like(line[:1], first), line[:-1]])
        with np.errstate(all="ignore"):
            found = np.moveaxis(accumulate(line), 0, at)
        return np.asarray(np.flip(found, at) if reverse else found).astype(x.dtype)

    return run


def _samples(low: float = -4.0, high: float = 4.0, options: bool = True) -> Samples:
    def samples(draw: Draw) -> Sample:
        x = draw.array(draw.shape(1), low=low, high=high, distinct=True)
        axis = np.asarray(draw.integer(-x.ndim, x.ndim - 1), dtype=np.int64)
        flags = {"exclusive": bool(draw.integer(0, 1)), "reverse": bool(draw.integer(0, 1))}
        return Sample((x, axis), flags if options else {})

    return samples


def cumulative(
    name: str,
    reference: Callable[..., Any],
    numeric: Numeric,
    *,
    danger: Sequence[Danger] = (),
    derivative: Derivative | None = None,
    samples: Samples | None = None,
    infer: Callable[..., Any] = infer_cumulative,
    folds: bool = False,
) -> Op:
    """An operator that runs along the axis in operand 1."""
    return pure(
        name,
        infer,
        reference,
        samples or _samples(),
        family="reduction",
        numeric=numeric,
        index_map=AlongAxis(),
        danger=danger,
        derivative=derivative,
        folds=folds,
    )


_sum = _running(lambda x: np.cumsum(x, axis=0), 0)
_product = _running(lambda x: np.cumprod(x, axis=0), 1)
_log_sum = _running(lambda x: np.logaddexp.accumulate(x, axis=0), -np.inf)


def _product_jvp(operands: Sequence[Any], directions: Sequence[Any], **options: Any) -> Array:
    x, axis = operands
    return np.asarray(_product(x, axis, **options) * _sum(directions[0] / x, axis, **options))


def _log_sum_jvp(operands: Sequence[Any], directions: Sequence[Any], **options: Any) -> Array:
    x, axis = operands
    total = _sum(np.exp(x), axis, **options)
    weighted = _sum(np.exp(x) * directions[0], axis, **options)
    return np.divide(weighted, total, out=np.zeros_like(weighted), where=total > 0)


cum_sum = cumulative("cum_sum", _sum, RUNNING_SUM, danger=[OVERFLOW], derivative=SameMap(), folds=True)
cum_prod = cumulative(
    "cum_prod",
    _product,
    RUNNING_PRODUCT,
    danger=[OVERFLOW],
    derivative=Jvp(_product_jvp),
    samples=_samples(0.3, 2),
    folds=True,
)
log_cum_sum_exp = cumulative(
    "log_cum_sum_exp",
    _log_sum,
    RUNNING_LOG,
    danger=[OVERFLOW, Overflow("log-of-nonpositive")],
    derivative=Jvp(_log_sum_jvp),
    samples=_samples(options=False),
)


def infer_running_extreme(x: Tensor, axis: Tensor, *, require: Require) -> tuple[Tensor, Tensor]:
    """The running extreme, and where along the axis it lies."""
    values = infer_cumulative(x, axis, require=require)
    return values, values.with_dtype(i64)


def _running_extreme(better: Any) -> Callable[..., tuple[Array, Array]]:
    """Values and indices; of equals the latest, as torch has it."""

    def run(x: Array, axis: Array) -> tuple[Array, Array]:
        at = int(np.ravel(axis)[0])
        line = np.moveaxis(x, at, 0)
        where = np.zeros(line.shape, dtype=np.int64)
        best = line.copy()
        for index in range(1, line.shape[0]):
            new = better(line[index], best[index - 1])
            best[index] = np.where(new, line[index], best[index - 1])
            where[index] = np.where(new, index, where[index - 1])
        return np.moveaxis(best, 0, at), np.moveaxis(where, 0, at)

    return run


def _running_jvp(better: Any) -> Jvp:
    def of(operands: Sequence[Any], directions: Sequence[Any]) -> Array:
        x, axis = operands
        where = _running_extreme(better)(x, axis)[1]
        return np.take_along_axis(directions[0], where, int(np.ravel(axis)[0]))

    return Jvp(of)


cum_max = cumulative(
    "cum_max",
    _running_extreme(np.greater_equal),
    Selection((0,)),
    derivative=_running_jvp(np.greater_equal),
    samples=_samples(options=False),
    infer=infer_running_extreme,
)
cum_min = cumulative(
    "cum_min",
    _running_extreme(np.less_equal),
    Selection((0,)),
    derivative=_running_jvp(np.less_equal),
    samples=_samples(options=False),
    infer=infer_running_extreme,
)
