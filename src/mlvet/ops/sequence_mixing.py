"""What transformers use around and instead of attention: rotary positions, and attention that is linear in time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim, floor_div
from mlvet.domains.tensors import Tensor
from mlvet.ops.attention import attentive
from mlvet.ops.derivative import SameMap
from mlvet.ops.enclosures_attention import LINEAR, ROTARY
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample


def infer_rotary_embedding(
    x: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    position_ids: Tensor | None = None,
    *,
    require: Require,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
    interleaved: bool = False,
) -> Tensor:
    """The shape of x. The caches hold half as many columns as features are turned."""
    del interleaved
    dtype = require.same_dtype(x, cos_cache, sin_cache)
    features: Dim = require.unknown()
    if x.rank == 4:
        features = x.dims[3]
    elif x.rank == 3 and require.holds(num_heads > 0, "an input of 3 dims needs the number of heads"):
        require.divisible(x.dims[2], num_heads, because=f"the features fall into {num_heads} heads")
        features = floor_div(x.dims[2], num_heads)
    else:
        require.holds(x.rank in (3, 4), f"the input must have 3 or 4 dims, but is {x}", rule="rank-differs")
    turned = rotary_embedding_dim or features
    for cache, what in ((cos_cache, "cosine cache"), (sin_cache, "sine cache")):
        if cache.ranked and require.rank(cache, 3 if position_ids is None else 2, what):
            wanted = floor_div(turned, 2)
            require.equal(cache.dims[-1], wanted, because=f"the {what} has a column per turned pair")
    return Tensor(dtype, x.dims)


def rotary_embedding_reference(
    x: NDArray[Any],
    cos_cache: NDArray[Any],
    sin_cache: NDArray[Any],
    position_ids: NDArray[Any] | None = None,
    *,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
    interleaved: bool = False,
) -> NDArray[Any]:
    broad = wide(x)
    rows = broad.transpose(0, 2, 1, 3) if x.ndim == 4 else broad.reshape(*x.shape[:2], num_heads, -1)
    turned = rotary_embedding_dim or rows.shape[-1]
    cos, sin = (wide(c if position_ids is None else c[position_ids])[:, :, None] for c in (cos_cache, sin_cache))
    result = rows.copy()
    first, second = (
        (slice(0, turned, 2), slice(1, turned, 2))
        if interleaved
        else (slice(0, turned // 2), slice(turned // 2, turned))
    )
    result[..., first] = cos * rows[..., first] - sin * rows[..., second]
    result[..., second] = sin * rows[..., first] + cos * rows[..., second]
    return narrow(result.transpose(0, 2, 1, 3) if x.ndim == 4 else result.reshape(x.shape), x)


def _sample_rotary(draw: Draw) -> Sample:
    batch, heads, length = (draw.integer(1, 3) for _ in range(3))
    half, rest = draw.integer(1, 2), draw.choice([0, 2])
    attributes: dict[str, Any] = {"interleaved": draw.integer(0, 1), "rotary_embedding_dim": 2 * half if rest else 0}
    size = 2 * half + rest
    flat = draw.choice([True, False])
    if flat:
        attributes["num_heads"] = heads
    x = draw.array((batch, length, heads * size) if flat else (batch, heads, length, size))
    if draw.choice([True, False]):
        return Sample((x, draw.array((batch, length, half)), draw.array((batch, length, half)), None), attributes)
    positions = np.asarray([[draw.integer(0, 4) for _ in range(length)] for _ in range(batch)], np.int64)
    return Sample((x, draw.array((5, half)), draw.array((5, half)), positions), attributes)


rotary_embedding = attentive(
    "rotary_embedding",
    infer_rotary_embedding,
    rotary_embedding_reference,
    _sample_rotary,
    numeric=ROTARY,
    derivative=SameMap((0,)),
)


def infer_linear_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    past_state: Tensor | None = None,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    *,
    require: Require,
    q_num_heads: int,
    kv_num_heads: int,
    update_rule: str = "gated_delta",
    **_: Any,
) -> tuple[Tensor, Tensor]:
    """The mixed values [B, T, Hq*dv] and the state [B, Hkv, dk, dv] after the last step."""
    dtype = require.same_dtype(query, key, value, decay, beta)
    state_dtype = dtype if past_state is None else past_state.dtype
    three = [require.rank(x, 3, what) for x, what in ((query, "query"), (key, "key"), (value, "value"))]
    positive = q_num_heads > 0 and kv_num_heads > 0
    whole = require.holds(
        positive and q_num_heads % kv_num_heads == 0,
        f"{q_num_heads} heads do not share {kv_num_heads}",
        rule="dims-differ",
    )
    if not all(three) or not whole:
        return require.unknown_tensor(dtype, 3), require.unknown_tensor(state_dtype, 4)
    gates = update_rule in ("gated", "gated_delta")
    deltas = update_rule in ("delta", "gated_delta")
    require.holds((decay is not None) == gates, f"the rule {update_rule} {'needs' if gates else 'takes no'} decay")
    require.holds((beta is not None) == deltas, f"the rule {update_rule} {'needs' if deltas else 'takes no'} beta")
    batch, length = query.dims[:2]
    for other in (key, value):
        batch = require.equal(batch, other.dims[0], because="query, key and value have one batch")
        length = require.equal(length, other.dims[1], because="query, key and value have one length")
    for x, heads in ((query, q_num_heads), (key, kv_num_heads), (value, kv_num_heads)):
        require.divisible(x.dims[2], heads, because=f"the features fall into {heads} heads")
    size, out = floor_div(query.dims[2], q_num_heads), floor_div(value.dims[2], kv_num_heads)
    require.equal(size, floor_div(key.dims[2], kv_num_heads), because="queries and keys have one size")
    state: tuple[Dim, ...] = (batch, kv_num_heads, size, out)
    if past_state is not None and require.rank(past_state, 4, "state"):
        for found, wanted in zip(past_state.dims, state, strict=True):
            require.equal(found, wanted, because="the state is [batch, heads, key size, value size]")
    return Tensor(dtype, (batch, length, out * q_num_heads)), Tensor(state_dtype, state)


def linear_attention_reference(
    query: NDArray[Any],
    key: NDArray[Any],
    value: NDArray[Any],
    past_state: NDArray[Any] | None = None,
    decay: NDArray[Any] | None = None,
    beta: NDArray[Any] | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    scale: float = 0.0,
    update_rule: str = "gated_delta",
    chunk_size: int = 64,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """One step per token: the state decays, takes in key times value (or what the key does not yet recall), is read."""
    del chunk_size, update_rule
    batch, length, _ = query.shape
    q, k, v = (
        wide(x).reshape(batch, length, heads, -1)
        for x, heads in ((query, q_num_heads), (key, kv_num_heads), (value, kv_num_heads))
    )
    state = np.zeros((batch, kv_num_heads, k.shape[-1], v.shape[-1]), q.dtype)
    if past_state is not None:
        state = wide(past_state)
    factor = np.asarray(scale or 1 / np.sqrt(k.shape[-1]), q.dtype)
    forget = None if decay is None else np.exp(wide(decay)).reshape(batch, length, kv_num_heads, -1)
    rate = None if beta is None else wide(beta)[..., None]
    steps = []
    with np.errstate(all="ignore"):
        for t in range(length):
            taken = v[:, t]
            if forget is not None:
                state = state * forget[:, t, :, :, None]
            if rate is not None:
                taken = rate[:, t] * (taken - np.einsum("bhdm,bhd->bhm", state, k[:, t]))
            state = state + k[:, t, :, :, None] * taken[:, :, None, :]
            read = np.repeat(state, q_num_heads // kv_num_heads, axis=1)
            steps.append(factor * np.einsum("bhd,bhdm->bhm", q[:, t], read))
        mixed = np.stack(steps, axis=1) if steps else np.zeros((batch, 0, q_num_heads, v.shape[-1]), q.dtype)
        return narrow(mixed.reshape(batch, length, -1), query), narrow(
            state, query if past_state is None else past_state
        )


def _sample_linear_attention(draw: Draw) -> Sample:
    batch, length, shared, repeats, size, out = (draw.integer(1, 3) for _ in range(6))
    rule = draw.choice(["linear", "gated", "delta", "gated_delta"])
    q = draw.array((batch, length, shared * repeats * size), low=-1, high=1)
    k = draw.array((batch, length, shared * size), low=-1, high=1)
    v = draw.array((batch, length, shared * out), low=-1, high=1)
    past = draw.choice([None, draw.array((batch, shared, size, out))])
    columns = draw.choice([shared, shared * size])
    decay = draw.array((batch, length, columns), low=-2, high=0) if "gated" in rule else None
    beta = draw.array((batch, length, draw.choice([1, shared])), low=0, high=1) if "delta" in rule else None
    heads = {"q_num_heads": shared * repeats, "kv_num_heads": shared}
    return Sample((q, k, v, past, decay, beta), {"update_rule": rule, **heads})


linear_attention = attentive(
    "linear_attention", infer_linear_attention, linear_attention_reference, _sample_linear_attention, numeric=LINEAR
)
