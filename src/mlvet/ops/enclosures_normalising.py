"""Enclosures of what is divided by a norm, a deviation or a sum: normalisations, softmax, variance.

Elements divided by the root of the mean of n squares are at most sqrt(n), whatever the mean that was taken off.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, isfinite, log, log1p, sqrt
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import ANY, REALS, Interval
from mlvet.domains.tensors import Tensor
from mlvet.ops.enclosures import (
    MOST,
    ONE,
    SHARE,
    Operands,
    Tensors,
    anything,
    bounded,
    count,
    dim_of,
    drift,
    elements_from,
    elements_of,
    growing,
    has_nan,
    internal,
    magnitude,
    many,
    minus,
    one,
    over,
    overflows,
    plus,
    real_of,
    settled,
    size_of,
    squared,
    symmetric,
    times,
    with_nan,
)
from mlvet.ops.numeric import ByMode

NONNEGATIVE = Interval(0.0, inf)
STASHES: dict[int | DType, DType] = {1: dtypes.f32, 10: dtypes.f16, 11: dtypes.f64, 16: dtypes.bf16}
STASHES |= {each: each for each in (dtypes.f32, dtypes.f16, dtypes.f64, dtypes.bf16)}
LOST_SQUARE = 1.225
"""How far x / sqrt(x * x) can exceed 1 where the square is subnormal: the root of 1.5."""


def spread_of(x: Interval, terms: float, dtype: DType) -> float:
    """The greatest distance of an element from the mean as computed."""
    return x.width + 2 * drift(dtype, terms + 4) * size_of(x)


def breaks(x: Interval, terms: float, dtype: DType, centred: bool = True) -> bool:
    """Whether a mean, a distance from it or the sum of squares leaves the element type that it is computed in."""
    reach = spread_of(x, terms, dtype) if centred else size_of(x)
    return overflows(max(terms * size_of(x) if centred else 0.0, terms * reach * reach), dtype)


def variance_of(x: Interval, terms: tuple[float, float], dtype: DType) -> Interval:
    """The mean square distance from the mean: at most the square of half the width, and of the mean's own error."""
    error = drift(dtype, terms[1] + 4) * size_of(x)
    most = x.width / 2 * (x.width / 2) + error * error
    return Interval(0.0, most * (1 + drift(dtype, terms[1] + 8)))


def standard(x: Interval, terms: tuple[float, float], epsilon: float, dtype: DType, centred: bool = True) -> Interval:
    """Elements less their mean (if `centred`), divided by the root of their mean square plus epsilon."""
    most = terms[1]
    lost = epsilon < dtype.smallest
    flat = centred or 0 in x
    reach = spread_of(x, most, dtype) if centred else size_of(x)
    size = sqrt(max(most, 1.0)) * (1 + drift(dtype, most + 16))
    if not lost:
        size = min(size, reach / sqrt(epsilon) * (1 + 16 * dtype.epsilon))
    elif flat or (reach < sqrt(dtype.smallest) / dtype.epsilon):
        size *= LOST_SQUARE
    found = Interval(0.0 if not centred and x.low >= 0 else -size, 0.0 if not centred and x.high <= 0 else size)
    return with_nan(found, (lost and flat) or epsilon < 0 or breaks(x, most, dtype, centred))


def scaled(x: Interval, scale: Interval | None, shift: Interval | None, dtype: DType) -> Interval:
    """x * scale + shift."""
    product = x if scale is None else times(x, scale)
    found = product if shift is None else plus(product, shift)
    return settled(found, dtype, scale=size_of(product) + (0.0 if shift is None else size_of(shift)))


def stash(dtype: DType, stash_type: int = 1) -> DType:
    """The element type that statistics are computed in."""
    return dtypes.f64 if dtype is dtypes.f64 else STASHES.get(stash_type, dtypes.f32)


def _get(operands: Operands, index: int) -> Interval | None:
    return operands[index] if index < len(operands) else None


def _layer(
    operands: Operands, tensors: Tensors, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> tuple[Interval, ...]:
    x, tensor = operands[0], tensors[0]
    if x is None or tensor is None or tensor.dtype is None or not bounded(*operands):
        return ANY, ANY, ANY
    kind, terms = stash(tensor.dtype, stash_type), elements_from(tensor, axis)
    normal, nan = standard(x, terms, epsilon, kind), has_nan(operands)
    y = scaled(normal, _get(operands, 1), _get(operands, 2), tensor.dtype)
    held = STASHES.get(stash_type, dtypes.f32)
    mean = settled(x, held, scale=size_of(x), roundings=8 + drift(kind, terms[1]) / kind.epsilon)
    inverse = _inverse_root(plus(variance_of(x, terms, kind), Interval(epsilon, epsilon)), kind)
    failed = nan or normal.nan
    return with_nan(y, failed), with_nan(mean, failed), with_nan(settled(inverse, held, image=NONNEGATIVE), failed)


def _inverse_root(x: Interval, dtype: DType) -> Interval:
    """1 / sqrt(x); what is below the smallest normal number may be taken for zero."""
    high = inf if x.low < dtype.smallest else 1 / sqrt(x.low)
    low = 0.0 if not isfinite(x.high) else inf if x.high <= 0 else 1 / sqrt(x.high)
    if overflows(x.high, dtype):
        low = 0.0
    return Interval(min(low, high) * (1 - 1e-12), high * (1 + 1e-12), x.nan or x.low < 0)


LAYER = many(_layer)


def _rms(
    operands: Operands, tensors: Tensors, dtype: DType, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Interval:
    x, tensor = operands[0], tensors[0]
    assert x is not None
    assert tensor is not None
    normal = standard(x, elements_from(tensor, axis), epsilon, stash(dtype, stash_type), centred=False)
    return with_nan(scaled(normal, _get(operands, 1), None, dtype), normal.nan)


RMS = one(_rms)


def channel(data_format: str, rank: int) -> int:
    """Where the channels are."""
    return rank - 1 if len(data_format) > 2 and data_format.endswith("C") else max(data_format.find("C"), 0)


def _per_channel(x: Tensor | None, data_format: str, batch: bool, groups: int = 0) -> tuple[float, float]:
    """How many elements share a channel, or a group of channels, over space and perhaps the batch."""
    if x is None or not x.ranked or x.rank < 2:
        return 1.0, MOST
    at = channel(data_format, x.rank)
    fewest, most = count(*(dim for axis, dim in enumerate(x.dims) if axis != at and (batch or axis)))
    if groups:
        low, high = count(x.dims[at])
        return fewest * low / groups, min(most * high / groups, MOST)
    return fewest, most


def _instance(
    operands: Operands, tensors: Tensors, dtype: DType, epsilon: float = 1e-5, data_format: str = "NC"
) -> Interval:
    x = operands[0]
    assert x is not None
    normal = standard(x, _per_channel(tensors[0], data_format, False), epsilon, internal(dtype))
    return with_nan(scaled(normal, operands[1], operands[2], dtype), normal.nan)


def _group(
    operands: Operands,
    tensors: Tensors,
    dtype: DType,
    num_groups: int = 1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    data_format: str = "NC",
) -> Interval:
    x = operands[0]
    assert x is not None
    terms = _per_channel(tensors[0], data_format, False, max(num_groups, 1))
    normal = standard(x, terms, epsilon, stash(dtype, stash_type))
    return with_nan(scaled(normal, operands[1], operands[2], dtype), normal.nan)


INSTANCE, GROUP = one(_instance), one(_group)


def _batch(
    operands: Operands,
    tensors: Tensors,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: bool = False,
    data_format: str = "NC",
    **_: Any,
) -> tuple[Interval, ...]:
    x, scale, shift, mean, variance = operands[:5]
    dtype = real_of(tensors[0])
    results = 3 if training_mode else 1
    if dtype is None or not bounded(*operands):
        return (anything(dtype),) * results
    assert x is not None
    assert mean is not None
    assert variance is not None
    kind, nan = internal(dtype), has_nan(operands)
    if not training_mode:
        moved = plus(variance, Interval(epsilon, epsilon))
        moved = Interval(moved.low - 2 * kind.epsilon * size_of(moved), moved.high * (1 + 2 * kind.epsilon), moved.nan)
        inverse = _inverse_root(moved, kind)
        centred = minus(x, mean)
        normal = times(centred, inverse) if isfinite(inverse.high) else Interval(-inf, inf, True)
        if overflows(size_of(centred), kind):
            return (anything(dtype),)
        broad = plus(normal, symmetric(8 * kind.epsilon * size_of(normal))) if bounded(normal) else normal
        found = scaled(broad, scale, shift, dtype) if bounded(broad) else anything(dtype)
        between = size_of(centred) * (1.0 if scale is None else size_of(scale))
        return (with_nan(found, nan or normal.nan or inverse.nan or overflows(between, kind)),)
    terms = _per_channel(tensors[0], data_format, True)
    normal = standard(x, terms, epsilon, kind)
    between = spread_of(x, terms[1], kind) * (1.0 if scale is None else size_of(scale))
    y = scaled(normal, scale, shift, dtype)
    present = settled(x, kind, scale=size_of(x), roundings=8 + drift(kind, terms[1]) / kind.epsilon)
    old, new = Interval(momentum, momentum), Interval(1 - momentum, 1 - momentum)
    running = [
        plus(times(before, old), times(now, new))
        for before, now in ((mean, present), (variance, variance_of(x, terms, kind)))
    ]
    kinds = [tensor.dtype if tensor is not None and tensor.dtype is not None else dtype for tensor in tensors[3:5]]
    sizes = [size_of(mean) + size_of(present), size_of(variance) + variance_of(x, terms, kind).high]
    kept = NONNEGATIVE if variance.low >= 0 and 0 <= momentum <= 1 else REALS
    rest = [
        settled(each, k, scale=s * (abs(momentum) + 1), image=image)
        for each, k, s, image in zip(running, kinds, sizes, (REALS, kept), strict=True)
    ]
    failed = nan or normal.nan or overflows(between, kind)
    return (with_nan(y, failed), *(with_nan(each, failed) for each in rest))


TRAINED_BATCH = many(_batch)
BATCH = ByMode(lambda training_mode=False, **_: TRAINED_BATCH if training_mode else many(_batch, keeps=True))


def _mean_variance(operands: Operands, tensors: Tensors, dtype: DType, axes: Sequence[int] = (0, 2, 3)) -> Interval:
    x, tensor = operands[0], tensors[0]
    assert x is not None
    terms = count(*(dim_of(tensor, axis) for axis in axes)) if tensor is not None and tensor.ranked else (1.0, MOST)
    if tensor is not None and tensor.ranked and any(dim_of(tensor, axis) is None for axis in axes):
        terms = elements_of(tensor)
    normal = standard(x, terms, 1e-18, internal(dtype))
    return with_nan(settled(normal, dtype), normal.nan)


def _lp(operands: Operands, tensors: Tensors, dtype: DType, axis: int = -1, p: int = 2) -> Interval:
    x = operands[0]
    assert x is not None
    terms, kind = count(dim_of(tensors[0], axis)), internal(dtype)
    size, faint = size_of(x), magnitude(x).low < sqrt(kind.smallest) / kind.epsilon
    most = LOST_SQUARE if p == 2 and faint else 1 + drift(kind, terms[1] + 8)
    nan = overflows(terms[1] * (size * size if p == 2 else size), kind)
    found = Interval(0.0 if x.low >= 0 else -most, 0.0 if x.high <= 0 else most)
    return with_nan(settled(found, dtype), nan)


def _local(
    operands: Operands,
    _: Tensors,
    dtype: DType,
    size: int = 1,
    alpha: float = 1e-4,
    beta: float = 0.75,
    bias: float = 1.0,
) -> Interval:
    x = operands[0]
    assert x is not None
    kind = internal(dtype)
    squares = squared(x)
    base = plus(Interval(bias, bias), times(Interval(alpha, alpha), Interval(0.0, squares.high)))
    slack = symmetric((size + 8) * kind.epsilon * size_of(base))
    base = plus(base, slack)
    if base.low <= kind.smallest or overflows(size * squares.high, kind) or not bounded(base):
        return anything(dtype)
    power = growing(lambda v: exp(beta * log(v)), base) if beta >= 0 else None
    if power is None:
        power = over(ONE, growing(lambda v: exp(-beta * log(v)), base))
    if not bounded(power) or power.low <= 0 or overflows(power.high, kind):
        return anything(dtype)
    return settled(over(x, power), dtype, roundings=16 + 8 * abs(beta) * (1 + abs(log(size_of(base)))))


MEAN_VARIANCE, LP, LOCAL = one(_mean_variance), one(_lp), one(_local)


def _shares(operands: Operands, tensors: Tensors, dtype: DType, axis: int = -1) -> Interval:
    """exp(x) over the sum of all exp(x) along the axis."""
    x = operands[0]
    assert x is not None
    nan = not isfinite(x.low) or not isfinite(x.high)
    if not isfinite(x.low) or x.high == inf:
        return with_nan(SHARE, nan)
    fewest, most = count(dim_of(tensors[0], axis))
    kind = internal(dtype)
    far = x.low - x.high
    least = 1.0 if most <= 1 else exp(far) / (most - 1 + exp(far))
    greatest = 1 / (1 + max(fewest - 1, 0.0) * exp(far))
    roundings = 16 + 2 * abs(far) + drift(kind, most) / kind.epsilon
    if roundings * kind.epsilon >= 1:
        return SHARE
    broad = settled(Interval(least, greatest), kind, roundings=roundings, image=SHARE)
    return settled(broad, dtype, roundings=1, image=SHARE)


def log_shares(x: Interval, tensor: Tensor | None, dtype: DType, axis: int) -> Interval:
    """x less the log of the sum of all exp(x) along the axis."""
    if x.high == inf or x.empty:
        return with_nan(Interval(-inf, 0.0), True)
    if x.low == -inf:
        return Interval(-inf, 0.0, True)
    fewest, most = count(dim_of(tensor, axis))
    far = x.low - x.high
    kind = internal(dtype)
    error = 2 * drift(kind, most) + 8 * kind.epsilon * (1 + 2 * abs(far) + log(max(most, 1.0)))
    low = far - log(max(most, 1.0)) - error
    high = error - log1p(max(fewest - 1, 0.0) * exp(far))
    found = settled(Interval(low, max(high, low)), dtype, roundings=4, image=Interval(-inf, 0.0))
    return with_nan(found, overflows(abs(far), kind))


def _log_shares(operands: Operands, tensors: Tensors, dtype: DType, axis: int = -1) -> Interval:
    x = operands[0]
    assert x is not None
    return log_shares(x, tensors[0], dtype, axis)


SOFTMAX, LOG_SOFTMAX = one(_shares, infinite=True), one(_log_shares, infinite=True)


def reduced_terms(x: Tensor, axes: Tensor | None, noop_with_empty_axes: bool = False) -> tuple[float, float]:
    """How many elements a reduction combines, as far as the axes are known."""
    if not x.ranked:
        return 1.0, MOST
    if axes is None or axes.shape == (0,):
        return (1.0, 1.0) if noop_with_empty_axes else elements_of(x)
    if axes.value is None or axes.value.dtype == object:
        sizes = [count(dim) for dim in x.dims]
        least = 1.0
        for low, _ in sizes:
            least *= min(low, 1.0)
        return least, max(elements_of(x)[1], 1.0)
    chosen = {int(axis) % max(x.rank, 1) for axis in axes.value.ravel().tolist()}
    return count(*(x.dims[axis] for axis in chosen if axis < x.rank))


def _variance(
    operands: Operands,
    tensors: Tensors,
    dtype: DType,
    noop_with_empty_axes: bool = False,
    correction: float = 0,
    **_: Any,
) -> Interval:
    x, tensor = operands[0], tensors[0]
    assert x is not None
    assert tensor is not None
    terms = reduced_terms(tensor, tensors[1] if len(tensors) > 1 else None, noop_with_empty_axes)
    kind, nan = internal(dtype), terms[0] <= max(correction, 0)
    if not kind.is_float:
        return anything(dtype)
    spread = variance_of(x, terms, kind)
    factor = 1.0 if correction <= 0 else max(terms[0], 1.0) / max(terms[0] - correction, 0.5 if nan else 1e-9)
    if nan or breaks(x, terms[1], kind):
        return Interval(0.0, inf, True)
    return settled(Interval(0.0, spread.high * factor), dtype, image=NONNEGATIVE)


VARIANCE = one(_variance)


def _lp_pool(operands: Operands, terms: float, dtype: DType, p: int) -> Interval:
    x = operands[0]
    assert x is not None
    kind, far = internal(dtype), magnitude(x)
    try:
        most = terms * far.high ** float(p)
        size = far.high * terms ** (1 / p)
    except (OverflowError, ZeroDivisionError):
        return Interval(0.0, inf, p == 0)
    if overflows(most, kind) or p < 1:
        return Interval(0.0, inf, p < 1)
    return settled(Interval(0.0, size), dtype, roundings=16 + drift(kind, terms) / kind.epsilon, image=NONNEGATIVE)


def _windows_lp(
    operands: Operands, _: Tensors, dtype: DType, kernel_shape: Sequence[int] = (), p: int = 2, **__: Any
) -> Interval:
    return _lp_pool(operands, count(*kernel_shape)[1], dtype, p)


def _whole_lp(operands: Operands, tensors: Tensors, dtype: DType, p: int = 2, data_format: str = "NC") -> Interval:
    return _lp_pool(operands, _per_channel(tensors[0], data_format, False)[1], dtype, p)


WINDOW_NORM, WHOLE_NORM = one(_windows_lp), one(_whole_lp)
