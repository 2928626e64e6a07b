"""Attention: values averaged with weights that a softmax makes of the products of queries and keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim, floor_div
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Dims, Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import Jvp
from mlvet.ops.enclosures_attention import ATTENTION, FLEXIBLE, SCALED_DOT_PRODUCT
from mlvet.ops.op import pure
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers

attentive = partial(pure, family="attention", danger=(OVERFLOW,))


def weights_of(scores: NDArray[Any], bias: NDArray[Any]) -> NDArray[Any]:
    """The softmax of scores + bias along the last dim; a row whose bias forbids every key is zero."""
    with np.errstate(all="ignore"):
        logits = scores + bias
        top = np.max(logits, axis=-1, keepdims=True, initial=-np.inf)
        powers = np.exp(logits - np.where(np.isneginf(top), 0, top))
        total = np.sum(powers, axis=-1, keepdims=True)
        weights = powers / np.where(total == 0, 1, total)
        closed = np.all(np.isneginf(bias), axis=-1, keepdims=True)
        return np.where(closed, np.zeros((), weights.dtype), weights)


def mask_bias(mask: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """A mask as what is added to the scores: -inf where a boolean mask is false."""
    if mask.dtype != np.bool_:
        return mask.astype(dtype)
    return np.where(mask, np.zeros((), dtype), np.asarray(-np.inf, dtype))


def infer_scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    *,
    require: Require,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """[..., L, E] attends to [..., S, E] and averages [..., S, Ev], which yields [..., L, Ev]."""
    del scale
    dtype = require.same_dtype(query, key, value)
    named = ((query, "query"), (key, "key"), (value, "value"))
    ranks = [require.rank_at_least(tensor, 2, what) for tensor, what in named]
    if not all(ranks):
        return require.unknown_tensor(dtype)
    require.holds(not (is_causal and attn_mask is not None), "a mask and is_causal exclude each other")
    because = "queries and keys are multiplied along their last dim"
    require.equal(query.dims[-1], key.dims[-1], because=because)
    require.equal(key.dims[-2], value.dims[-2], because="there is one value per key", rule="dims-differ")
    batch = _attention_batch(query, key, value, enable_gqa, require)
    if attn_mask is not None and attn_mask.ranked:
        require.broadcast(attn_mask.dims, (*batch, query.dims[-2], key.dims[-2]))
    return Tensor(dtype, (*batch, query.dims[-2], value.dims[-1]))


def _attention_batch(query: Tensor, key: Tensor, value: Tensor, grouped: bool, require: Require) -> Dims:
    """The leading dims, where several heads of queries may share one of keys."""
    if not grouped or min(query.rank, key.rank, value.rank) < 3:
        return require.broadcast(query.dims[:-2], key.dims[:-2], value.dims[:-2])
    heads = require.equal(key.dims[-3], value.dims[-3], because="keys and values have the same heads")
    require.divisible(query.dims[-3], heads, because="each head of keys serves as many heads of queries")
    return (*require.broadcast(query.dims[:-3], key.dims[:-3], value.dims[:-3]), query.dims[-3])


def scaled_dot_product_attention_reference(
    query: NDArray[Any],
    key: NDArray[Any],
    value: NDArray[Any],
    attn_mask: NDArray[Any] | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> NDArray[Any]:
    q, k, v = wide(query), wide(key), wide(value)
    if enable_gqa and q.ndim > 2:
        k, v = (np.repeat(x, q.shape[-3] // x.shape[-3], axis=-3) for x in (k, v))
    bias = np.zeros((q.shape[-2], k.shape[-2]), q.dtype)
    if is_causal:
        bias = mask_bias(np.tri(q.shape[-2], k.shape[-2], dtype=np.bool_), q.dtype)
    if attn_mask is not None:
        bias = bias + mask_bias(attn_mask, q.dtype)
    factor = np.asarray(1 / np.sqrt(max(q.shape[-1], 1)) if scale is None else scale, q.dtype)
    with np.errstate(all="ignore"):
        weights = weights_of(np.matmul(q * factor, np.swapaxes(k, -1, -2)), bias)
        return narrow(np.matmul(weights, v), query)


def _sdpa_along(operands: Sequence[Any], directions: Sequence[Any], **attributes: Any) -> Any:
    """The softmax weights W change by W * (dS - sum(W * dS)) when the scores change by dS."""
    q, k, v, *rest = operands
    dq, dk, dv = (np.zeros_like(x) if d is None else d for x, d in zip((q, k, v), directions, strict=False))
    if attributes.get("enable_gqa") and q.ndim > 2:
        repeats = q.shape[-3] // k.shape[-3]
        k, v, dk, dv = (np.repeat(x, repeats, axis=-3) for x in (k, v, dk, dv))
    scale = attributes.get("scale")
    factor = 1 / np.sqrt(max(q.shape[-1], 1)) if scale is None else scale
    identity = np.eye(k.shape[-2], dtype=q.dtype)
    weights = scaled_dot_product_attention_reference(q, k, identity, *rest, **{**attributes, "enable_gqa": False})
    change = factor * (dq @ np.swapaxes(k, -1, -2) + q @ np.swapaxes(dk, -1, -2))
    if len(directions) > 3 and directions[3] is not None:
        change = change + directions[3]
    turned = weights * (change - np.sum(weights * change, axis=-1, keepdims=True))
    return turned @ v + weights @ dv


def _sample_sdpa(draw: Draw) -> Sample:
    batch, heads, length, keys, size, out = (draw.integer(1, 3) for _ in range(6))
    grouped = draw.choice([True, False])
    shared = draw.integer(1, 2) if grouped else 1
    q = draw.array((batch, heads * shared, length, size))
    k, v = draw.array((batch, heads, keys, size)), draw.array((batch, heads, keys, out))
    mode = draw.choice(["none", "causal", "mask", "bias"])
    attributes: dict[str, Any] = {"enable_gqa": grouped, "is_causal": mode == "causal"}
    mask = None
    if mode == "mask":
        mask = np.tri(length, keys, k=draw.integer(0, 2), dtype=np.bool_)
    elif mode == "bias":
        mask = draw.array((heads * shared, length, keys))
    if draw.choice([True, False]):
        attributes["scale"] = 0.5
    return Sample((q, k, v, mask), attributes)


scaled_dot_product_attention = attentive(
    "scaled_dot_product_attention",
    infer_scaled_dot_product_attention,
    scaled_dot_product_attention_reference,
    _sample_sdpa,
    numeric=SCALED_DOT_PRODUCT,
    derivative=Jvp(_sdpa_along),
)


def _heads(x: Tensor, heads: int | None, what: str, require: Require) -> tuple[Dim, Dim, Dim, Dim] | None:
    """Batch, heads, length and size per head of [B, H, L, D] or of [B, L, H*D]."""
    if x.rank == 4:
        batch, count, length, size = x.dims
        return batch, count, length, size
    if not require.holds(x.rank == 3, f"{what} must have 3 or 4 dims, but is {x}", rule="rank-differs"):
        return None
    if not require.holds(bool(heads), f"{what} of 3 dims needs the number of heads"):
        return None
    assert heads
    require.divisible(x.dims[2], heads, because=f"the features of {what} fall into {heads} heads")
    return x.dims[0], heads, x.dims[1], floor_div(x.dims[2], heads)


def infer_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    nonpad_kv_seqlen: Tensor | None = None,
    *,
    require: Require,
    q_num_heads: int | None = None,
    kv_num_heads: int | None = None,
    **_: Any,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The averaged values, the keys and values with the past before them, and the scores."""
    dtype = require.same_dtype(q, k, past_key)
    value_dtype = require.same_dtype(v, past_value)
    query = _heads(q, q_num_heads, "the query", require)
    key, value = _heads(k, kv_num_heads, "the key", require), _heads(v, kv_num_heads, "the value", require)
    if query is None or key is None or value is None:
        unknown = [
            require.unknown_tensor(kind, rank)
            for kind, rank in ((dtype, q.rank), (dtype, 4), (value_dtype, 4), (dtype, 4))
        ]
        return unknown[0], unknown[1], unknown[2], unknown[3]
    batch, heads, length, size = query
    for other in (key, value):
        batch = require.equal(batch, other[0], because="query, key and value have one batch", rule="dims-differ")
    require.equal(size, key[3], because="queries and keys have one size per head")
    shared = require.equal(key[1], value[1], because="keys and values have the same heads")
    require.divisible(heads, shared, because="each head of keys serves as many heads of queries")
    tokens = require.equal(key[2], value[2], because="there is one value per key", rule="dims-differ")
    total = tokens
    if past_key is not None and require.rank(past_key, 4, "past key"):
        total = past_key.dims[2] + tokens
        for found, wanted in zip((*past_key.dims[:2], past_key.dims[3]), (batch, shared, size), strict=True):
            require.equal(found, wanted, because="the past keys continue in the new ones", rule="dims-differ")
    elif past_key is not None:
        total = require.unknown()
    if attn_mask is not None and attn_mask.ranked and require.rank_at_least(attn_mask, 1, "mask"):
        require.at_least(
            total, attn_mask.dims[-1], because="the mask covers no more than the keys", rule="size-out-of-range"
        )
        require.broadcast(attn_mask.dims[:-1], (batch, heads, length))
    if nonpad_kv_seqlen is not None and require.rank(nonpad_kv_seqlen, 1, "the lengths"):
        require.equal(nonpad_kv_seqlen.dims[0], batch, because="there is one length per element of the batch")
    flat = (batch, length, heads * value[3])
    return (
        Tensor(dtype, flat if q.rank == 3 else (batch, heads, length, value[3])),
        Tensor(dtype, (batch, shared, total, size)),
        Tensor(value_dtype, (batch, shared, total, value[3])),
        Tensor(dtype, (batch, heads, length, total)),
    )


def _split_heads(x: NDArray[Any], heads: int | None) -> NDArray[Any]:
    if x.ndim == 4:
        return x
    assert heads
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def _position_bias(
    shape: tuple[int, int], offset: NDArray[Any], causal: bool, left: int, right: int, dtype: Any
) -> NDArray[Any]:
    """What forbids keys by their distance from the query; `offset` counts the keys before the first query."""
    ahead = np.arange(shape[1]) - (np.arange(shape[0])[:, None] + offset.reshape(-1, 1, 1))
    allowed = np.ones_like(ahead, dtype=np.bool_)
    if causal:
        allowed &= ahead <= 0
    if left >= 0:
        allowed &= -ahead <= left
    if right >= 0:
        allowed &= ahead <= right
    return mask_bias(allowed[:, None], dtype)


def attention_reference(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    attn_mask: NDArray[Any] | None = None,
    past_key: NDArray[Any] | None = None,
    past_value: NDArray[Any] | None = None,
    nonpad_kv_seqlen: NDArray[Any] | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    q_num_heads: int | None = None,
    kv_num_heads: int | None = None,
    softcap: float = 0.0,
    softmax_precision: DType | None = None,
    qk_matmul_output_mode: int = 0,
    left_window_size: int = -1,
    right_window_size: int = -1,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    query, key, value = _split_heads(q, q_num_heads), _split_heads(k, kv_num_heads), _split_heads(v, kv_num_heads)
    offset = np.zeros(1, np.int64)
    if past_key is not None and past_value is not None:
        offset = np.full(1, past_key.shape[2])
        key, value = np.concatenate([past_key, key], axis=2), np.concatenate([past_value, value], axis=2)
    elif nonpad_kv_seqlen is not None:
        offset = nonpad_kv_seqlen.reshape(-1) - query.shape[2]
    length, total = query.shape[2], key.shape[2]
    broad = wide(query)
    window = (left_window_size, right_window_size)
    bias = _position_bias((length, total), offset, bool(is_causal), *window, broad.dtype)
    if attn_mask is not None:
        missing = [(0, 0)] * (attn_mask.ndim - 1) + [(0, max(total - attn_mask.shape[-1], 0))]
        bias = bias + np.pad(mask_bias(attn_mask, broad.dtype), missing, constant_values=-np.inf)
    if nonpad_kv_seqlen is not None:
        bias = bias + mask_bias(np.arange(total) < nonpad_kv_seqlen.reshape(-1, 1, 1, 1), broad.dtype)
    repeats = query.shape[1] // key.shape[1]
    keys, values = np.repeat(wide(key), repeats, axis=1), np.repeat(wide(value), repeats, axis=1)
    root = np.sqrt(1 / np.sqrt(max(query.shape[3], 1)) if scale is None else scale).astype(broad.dtype)
    with np.errstate(all="ignore"):
        scores = np.matmul(broad * root, np.swapaxes(keys, -1, -2) * root)
        raw = scores
        if softcap > 0:
            scores = np.asarray(softcap, scores.dtype) * np.tanh(scores / np.asarray(softcap, scores.dtype))
        biased = scores + bias
        precise = softmax_precision.numpy if softmax_precision else broad.dtype
        weights = weights_of(scores.astype(precise), bias.astype(precise)).astype(q.dtype)
        shown = (raw, scores, biased, weights)[qk_matmul_output_mode]
        result = narrow(np.matmul(wide(weights), values), q)
    if q.ndim == 3:
        result = result.transpose(0, 2, 1, 3).reshape(*q.shape[:2], -1)
    return result, key, value, narrow(np.broadcast_to(shown, (*query.shape[:3], total)), q)


def _sample_attention(draw: Draw) -> Sample:
    batch, shared, repeats, length, keys, size, out = (draw.integer(1, 3) for _ in range(7))
    heads = shared * repeats
    flat = draw.choice([True, False])
    attributes: dict[str, Any] = {"is_causal": draw.integer(0, 1), "softcap": draw.choice([0.0, 2.0])}
    attributes["qk_matmul_output_mode"] = draw.integer(0, 3)
    if draw.choice([True, False]):
        attributes |= {"left_window_size": draw.integer(0, 2), "right_window_size": draw.integer(-1, 2)}
    if flat:
        attributes |= {"q_num_heads": heads, "kv_num_heads": shared}
        q, k, v = (batch, length, heads * size), (batch, keys, shared * size), (batch, keys, shared * out)
    cache = draw.choice(["none", "past", "lengths"])
    past: tuple[Any, Any] = (None, None)
    total, lengths = keys, None
    if cache == "past":
        before = draw.integer(1, 3)
        past = draw.array((batch, shared, before, size)), draw.array((batch, shared, before, out))
        total += before
    elif cache == "lengths":
        lengths = integers([draw.integer(1, keys) for _ in range(batch)])
    mask = draw.choice([None, draw.array((length, total)), np.ones((batch, 1, length, total), np.bool_)])
    operands = (
        (q, k, v) if flat else ((batch, heads, length, size), (batch, shared, keys, size), (batch, shared, keys, out))
    )
    return Sample((*(draw.array(shape) for shape in operands), mask, *past, lengths), attributes)


attention = attentive("attention", infer_attention, attention_reference, _sample_attention, numeric=ATTENTION)


def infer_flex_attention(q: Tensor, k: Tensor, v: Tensor, *, require: Require, **_: Any) -> Tensor:
    """As attention on [B, H, L, D], without a cache; what modifies scores and weights is applied by the caller."""
    return infer_attention(q, k, v, require=require)[0]


def flex_attention_reference(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    *,
    scale: float | None = None,
    softmax_precision: DType | None = None,
) -> NDArray[Any]:
    return attention_reference(q, k, v, scale=scale, softmax_precision=softmax_precision)[0]


def _sample_flex(draw: Draw) -> Sample:
    batch, shared, repeats, length, keys, size = (draw.integer(1, 3) for _ in range(6))
    shapes = (batch, shared * repeats, length, size), (batch, shared, keys, size), (batch, shared, keys, size)
    return Sample(tuple(map(draw.array, shapes)), {"scale": draw.choice([0.5, 1.0])})


flex_attention = attentive(
    "flex_attention", infer_flex_attention, flex_attention_reference, _sample_flex, numeric=FLEXIBLE
)
