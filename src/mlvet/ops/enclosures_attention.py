"""Enclosures of attention: means of values, and the scores that weigh them."""

from __future__ import annotations

from math import exp, inf, isfinite, log, sqrt
from typing import Any

from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ops.enclosures import (
    MOST,
    SHARE,
    ZERO,
    Operands,
    Tensors,
    anything,
    bounded,
    count,
    dim_of,
    drift,
    has_nan,
    internal,
    many,
    one,
    overflows,
    products,
    real_of,
    settled,
    size_of,
    symmetric,
    with_nan,
)

FOLLOWED = 4096
"""A state that grows at every step is followed for at most so many of them."""


def _scores(q: Interval, k: Interval, features: float, scale: float | None) -> float:
    """The greatest magnitude of a product of a query and a key."""
    factor = 1 / sqrt(max(features, 1.0)) if scale is None else abs(scale)
    return features * size_of(q) * size_of(k) * factor * (1 + 2.0**-10)


def _averages(v: Interval, keys: float, dtype: DType) -> Interval:
    """Weighted means of values and zero; each weight is off by roundings of its own, and its sum of exponentials."""
    hull = v.join(ZERO)
    off = 16 * dtype.epsilon + 4 * drift(dtype, keys) + min(keys, MOST) * dtype.smallest * dtype.epsilon
    return settled(hull, dtype, scale=size_of(hull), roundings=off / dtype.epsilon)


def _biased(mask: Interval | None, tensor: Tensor | None) -> tuple[float, bool]:
    """The greatest finite magnitude that a mask adds, and whether it adds infinity or NaN."""
    if mask is None or (tensor is not None and tensor.dtype is not None and tensor.dtype.kind is Kind.BOOL):
        return 0.0, False
    ends = [abs(end) for end in (mask.low, mask.high) if isfinite(end)]
    return max(ends, default=0.0), mask.high == inf or mask.nan


def _scaled_dot_product(
    operands: Operands, tensors: Tensors, dtype: DType, scale: float | None = None, **_: Any
) -> Interval:
    q, k, v = operands[:3]
    assert q is not None
    assert k is not None
    assert v is not None
    if not bounded(q, k, v) or not dtype.is_float:
        return anything(dtype)
    mask, tensor = (operands[3], tensors[3]) if len(operands) > 3 else (None, None)
    added, broken = _biased(mask, tensor)
    reach = _scores(q, k, count(dim_of(tensors[0], -1))[1], scale) + added
    nan = broken or overflows(2 * reach, internal(dtype))
    return with_nan(_averages(v, count(dim_of(tensors[1], -2))[1], dtype), nan)


SCALED_DOT_PRODUCT = one(_scaled_dot_product, infinite=True)


def _attention(
    operands: Operands,
    tensors: Tensors,
    scale: float | None = None,
    q_num_heads: int | None = None,
    softcap: float = 0.0,
    softmax_precision: DType | None = None,
    qk_matmul_output_mode: int = 0,
    **_: Any,
) -> tuple[Interval, ...]:
    q, k, v, mask, past_key, past_value = (*operands, None, None, None)[:6]
    dtype = real_of(tensors[0])
    if q is None or k is None or v is None or dtype is None or not bounded(q, k, v, past_key, past_value):
        return (anything(dtype),) * 4
    keys = k if past_key is None else k.join(past_key)
    values = v if past_value is None else v.join(past_value)
    features, query = count(dim_of(tensors[0], -1))[1], tensors[0]
    if query is not None and query.ranked and query.rank == 3 and q_num_heads:
        features = features / q_num_heads
    reach = _scores(q, keys, features, scale)
    added, broken = _biased(mask, tensors[3] if len(tensors) > 3 else None)
    kind = internal(dtype)
    precise = softmax_precision or kind
    nan = broken or has_nan(x for index, x in enumerate(operands) if index != 6) or (scale is not None and scale < 0)
    nan = nan or overflows(2 * (reach + added), kind) or overflows(2 * (min(reach, softcap or inf) + added), precise)
    count_ = count(dim_of(tensors[1], -2))[1] + count(dim_of(tensors[4] if len(tensors) > 4 else None, 2))[1]
    y = with_nan(_averages(values, min(count_, MOST), dtype), nan)
    capped = min(reach, softcap * (1 + 2.0**-10)) if softcap > 0 else reach
    shown = {0: symmetric(reach), 1: symmetric(capped), 2: Interval(-inf, capped + added), 3: SHARE}
    return y, keys, values, with_nan(settled(shown.get(qk_matmul_output_mode, SHARE), dtype), nan)


def _flexible(operands: Operands, tensors: Tensors, dtype: DType, **options: Any) -> Interval:
    return _attention(operands, tensors, **options)[0]


ATTENTION, FLEXIBLE = many(_attention), one(_flexible)


def _turned(operands: Operands, _: Tensors, dtype: DType, **__: Any) -> Interval:
    """cos * x - sin * y, or the element itself where it is not turned."""
    x, cos, sin = operands[:3]
    assert x is not None
    assert cos is not None
    assert sin is not None
    reach = products([symmetric(size_of(x)), symmetric(max(size_of(cos), size_of(sin)))], (2.0, 2.0), dtype)
    return reach.join(x)


ROTARY = one(_turned)


def _linear(
    operands: Operands,
    tensors: Tensors,
    q_num_heads: int = 1,
    kv_num_heads: int = 1,
    scale: float = 0.0,
    **_: Any,
) -> tuple[Interval, ...]:
    """The state S of each step is exp(decay) S + key * (value, or beta * (value - key S))."""
    q, k, v, past, decay, beta = (*operands, None, None, None)[:6]
    dtype = real_of(tensors[0])
    kept = tensors[3].dtype if len(tensors) > 3 and tensors[3] is not None else dtype
    unknown = anything(dtype), anything(kept)
    steps = count(dim_of(tensors[0], 1))[1]
    if q is None or k is None or v is None or dtype is None or not bounded(*operands) or steps > FOLLOWED:
        return unknown
    features = count(dim_of(tensors[1], 2))[1] / max(kv_num_heads, 1)
    if decay is not None and decay.high > log(float(internal(dtype).largest)) - 1:
        return unknown
    forget = 1.0 if decay is None else exp(decay.high) * (1 + 2.0**-10)
    state = 0.0 if past is None else size_of(past)
    most = state
    limit = float(internal(dtype).largest)
    for _step in range(int(steps)):
        taken = size_of(v)
        if beta is not None:
            taken = size_of(beta) * (taken + features * state * forget * size_of(k))
        state = (state * forget + size_of(k) * taken) * (1 + 2.0**-10)
        most = max(most, state)
        if not most < limit:
            return unknown
    factor = abs(scale) if scale else 1 / sqrt(max(features, 1.0))
    mixed = features * size_of(q) * most * max(factor, 0.0) * (1 + 2.0**-8)
    if overflows(mixed / factor if factor else mixed, internal(dtype)):
        return unknown
    nan = has_nan(operands)
    return with_nan(settled(symmetric(mixed), dtype), nan), with_nan(settled(symmetric(most), kept or dtype), nan)


LINEAR = many(_linear)
