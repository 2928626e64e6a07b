"""Enclosures of losses: of their elements first, then of what a reduction makes of them."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, isfinite, log, log1p
from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import ANY, Interval
from mlvet.domains.tensors import Tensor
from mlvet.ops.enclosures import (
    MOST,
    ONE,
    ZERO,
    Operands,
    Tensors,
    anything,
    bounded,
    count,
    dim_of,
    drift,
    elements_of,
    finite,
    growing,
    has_nan,
    internal,
    magnitude,
    many,
    minus,
    one,
    overflows,
    plus,
    products,
    real_of,
    settled,
    size_of,
    summed,
    symmetric,
    times,
    with_nan,
)
from mlvet.ops.enclosures_normalising import log_shares
from mlvet.ops.numeric import Enclosure

NONNEGATIVE = Interval(0.0, inf)


def negated(x: Interval) -> Interval:
    return Interval(-x.high, -x.low, x.nan)


def averaged(x: Interval, terms: tuple[float, float], dtype: DType) -> Interval:
    """The mean of so many elements; their sum may overflow though the mean does not."""
    lost = drift(dtype, terms[1] + 2) * size_of(x)
    image = NONNEGATIVE if x.low >= 0 else Interval(-inf, inf)
    found = settled(plus(x, symmetric(lost)), dtype, roundings=2, image=image)
    if overflows(terms[1] * size_of(x), internal(dtype)):
        low = -inf if x.low < 0 else 0.0
        found = Interval(low, inf if x.high > 0 else found.high, x.low < 0 < x.high)
    return with_nan(found, terms[0] < 1)


def reduced(x: Interval, tensor: Tensor | None, dtype: DType, reduction: str) -> Interval:
    """What a reduction makes of as many elements as a tensor has."""
    if not bounded(x):
        return anything(dtype) if x.low < 0 else Interval(0.0, inf, True)
    if reduction == "none":
        return settled(x, dtype, roundings=1, image=NONNEGATIVE if x.low >= 0 else Interval(-inf, inf))
    terms = elements_of(tensor)
    if reduction == "mean":
        return averaged(x, (max(terms[0], 1.0), terms[1]), dtype)
    found = summed(x, terms, dtype)
    if reduction == "batchmean" and bounded(found):
        each = count(*tensor.dims[1:]) if tensor is not None and tensor.ranked else (1.0, MOST)
        whole = averaged(summed(x, each, internal(dtype)), (1.0, terms[1]), dtype)
        return with_nan(whole, found.nan or whole.nan)
    return found


def _larger(tensors: Tensors) -> Tensor | None:
    """The tensor of the most elements, of which operands that broadcast have as many as their result."""
    known = [tensor for tensor in tensors if tensor is not None]
    if any(not tensor.ranked for tensor in known) or not known:
        return None
    dims: list[Any] = []
    for axis in range(1, max(tensor.rank for tensor in known) + 1):
        sizes = [tensor.dims[-axis] for tensor in known if tensor.rank >= axis and tensor.dims[-axis] != 1]
        dims.insert(0, sizes[0] if sizes else 1)
    return Tensor(known[0].dtype, tuple(dims))


def loss(elements: Callable[..., tuple[Interval, float]]) -> Enclosure:
    """From `elements(prediction, target, dtype, ...)`: the interval of one, and to what its roundings are relative."""

    def of(operands: Operands, tensors: Tensors, dtype: DType, reduction: str = "mean", **options: Any) -> Interval:
        a, b = operands[:2]
        assert a is not None
        assert b is not None
        found, scale = elements(a, b, internal(dtype), **options)
        if not isfinite(scale) or overflows(scale, internal(dtype)):
            return anything(dtype)
        image = NONNEGATIVE if found.low >= 0 else Interval(-inf, inf)
        rounded = settled(found, internal(dtype), roundings=16, scale=scale, image=image)
        weight = operands[2] if len(operands) > 2 else None
        if weight is not None:
            rounded = settled(times(rounded, weight), internal(dtype), image=image if weight.low >= 0 else ANY)
        return with_nan(reduced(rounded, _larger(tensors), dtype, reduction), found.nan)

    return one(of)


def _huber(a: Interval, b: Interval, dtype: DType, delta: float = 1.0) -> tuple[Interval, float]:
    far = magnitude(minus(a, b))
    slack = 4 * dtype.epsilon * (size_of(a) + size_of(b))

    def value(d: float) -> float:
        return 0.5 * d * d if d < delta else delta * (d - 0.5 * delta)

    found = Interval(value(max(far.low - slack, 0.0)), value(far.high + slack))
    both = abs(delta) * far.high + delta * delta
    return found, max(size_of(found), both)


def _smooth(a: Interval, b: Interval, dtype: DType, beta: float = 1.0) -> tuple[Interval, float]:
    if beta == 0:
        return magnitude(minus(a, b)), size_of(a) + size_of(b)
    found, scale = _huber(a, b, dtype, beta)
    return Interval(found.low / beta, found.high / beta), scale * max(1.0, 1 / abs(beta))


HUBER, SMOOTH = loss(_huber), loss(_smooth)


def _entropy(p: Interval, y: Interval, dtype: DType) -> tuple[Interval, float]:
    """-(y log p + (1 - y) log(1 - p)), with logarithms of at least -100."""
    nan = p.low < 0 or p.high > 1
    low, high = min(max(p.low, 0.0), 1.0), min(max(p.high, 0.0), 1.0)

    def log_of(v: float) -> float:
        return max(log(v), -100.0) if v > dtype.smallest else -100.0

    yes = Interval(log_of(low), log_of(high))
    no = Interval(log_of(1 - high), log_of(1 - low))
    found = negated(plus(times(y, yes), times(minus(ONE, y), no)))
    return with_nan(found, nan), 100 * (2 * size_of(y) + 1)


def _softplus(x: float) -> float:
    return max(x, 0.0) + log1p(exp(-abs(x)))


def _entropy_of_logits(x: Interval, y: Interval, dtype: DType) -> tuple[Interval, float]:
    """softplus(x) - x y: convex in x and linear in y, so greatest at a corner; not negative for y from 0 to 1."""
    corners = [_softplus(u) - u * v for u in (x.low, x.high) for v in (y.low, y.high)]
    low = min(corners) if y.low > 1 or y.high < 0 else min(0.0, *corners)
    scale = size_of(x) * (1 + size_of(y)) + 1
    return Interval(low, max(corners)), scale


BINARY, BINARY_OF_LOGITS = loss(_entropy), loss(_entropy_of_logits)


def _divergence(log_p: Interval, q: Interval, dtype: DType, log_target: bool = False) -> tuple[Interval, float]:
    if log_target:
        share, far = growing(exp, q), minus(q, log_p)
        if overflows(size_of(far), dtype) or not bounded(share):
            return ANY, inf
        return times(share, far), size_of(share) * (size_of(q) + size_of(log_p))
    ends = [v * log(v) if v > 0 else 0.0 for v in (q.low, q.high)]
    least = -exp(-1) if q.low < exp(-1) < q.high else min(ends)
    own, cross = Interval(least, max(*ends, least)), times(q, log_p)
    return minus(own, cross), size_of(own) + size_of(cross)


DIVERGENCE = loss(_divergence)


def _weighted(
    rows: Interval, operands: Operands, tensors: Tensors, dtype: DType, reduction: str, ignore_index: int | None
) -> Interval:
    """One number per label, weighted by its class; their sum, or their sum over that of the weights."""
    weights = operands[2] if len(operands) > 2 else None
    counts = ONE if weights is None else weights
    labels = operands[1] if len(operands) > 1 else None
    ignored = ignore_index is not None and (labels is None or ignore_index in labels)
    counts = counts.join(ZERO) if ignored else counts
    terms = elements_of(tensors[1]) if len(tensors) > 1 else (0.0, MOST)
    products_ = times(rows, counts)
    if not bounded(products_):
        return anything(dtype)
    if reduction == "none":
        return settled(products_, dtype)
    if reduction == "sum":
        return summed(products_, terms, dtype)
    if counts.low < 0 or (weights is None and ignore_index is None and terms[0] < 0):
        return anything(dtype)
    weighed = internal(dtype)
    error = 2 * drift(dtype, terms[1] + 4) * size_of(rows)
    found = settled(plus(rows, symmetric(error)), dtype, image=NONNEGATIVE if rows.low >= 0 else ANY)
    empty = counts.low <= weighed.smallest
    broken = overflows(terms[1] * max(size_of(products_), size_of(counts)), weighed)
    return Interval(-inf, inf, True) if broken else with_nan(found, empty)


def _likelihood(
    operands: Operands,
    tensors: Tensors,
    dtype: DType,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Interval:
    log_p = operands[0]
    assert log_p is not None
    return _weighted(negated(log_p), operands, tensors, dtype, reduction, ignore_index)


LIKELIHOOD = one(_likelihood)


def _cross_entropy(
    operands: Operands, tensors: Tensors, ignore_index: int | None = None, reduction: str = "mean"
) -> tuple[Interval, ...]:
    scores, tensor = operands[0], tensors[0]
    dtype = real_of(tensor)
    if scores is None or dtype is None or scores.empty or (len(operands) > 2 and not bounded(operands[2])):
        return anything(dtype), anything(dtype)
    rows, nan = log_shares(scores, tensor, dtype, 1), has_nan(operands)
    broad = log_shares(scores, tensor, internal(dtype), 1)
    if not bounded(rows):
        return anything(dtype), with_nan(rows, nan)
    found = _weighted(negated(broad), operands, tensors, dtype, reduction, ignore_index)
    return with_nan(found, nan or rows.nan), with_nan(rows, nan)


CROSS_ENTROPY = many(_cross_entropy)


def _dense(operands: Operands, tensors: Tensors, dtype: DType, axis: int = -1) -> Interval:
    scores, targets = operands
    assert scores is not None
    assert targets is not None
    wider = tensors[0] if dim_of(tensors[0], axis) not in (None, 1) else tensors[1]
    rows = log_shares(scores, wider, internal(dtype), axis)
    found = products([negated(rows), targets], count(dim_of(wider, axis)), dtype)
    return with_nan(found, rows.nan)


def _sparse(operands: Operands, tensors: Tensors, dtype: DType) -> Interval:
    scores = operands[0]
    assert scores is not None
    return negated(log_shares(scores, tensors[0], dtype, -1))


DENSE, SPARSE = one(_dense), one(_sparse, infinite=True)


def _alignment(
    operands: Operands, tensors: Tensors, dtype: DType, reduction: str = "mean", zero_infinity: bool = False, **_: Any
) -> Interval:
    """Minus the log of the probability of all alignments, which is 0 where the target does not fit the input."""
    log_probs = operands[0]
    assert log_probs is not None
    found = finite(dtype) if zero_infinity else Interval(float(dtype.least), inf)
    return Interval(0.0, found.high) if log_probs.high <= 0 else found


ALIGNMENT = one(_alignment)
