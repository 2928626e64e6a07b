"""Attention: shapes of heads and caches, and the values of PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from shape_rules import inferred
from shape_rules import shaped as t

from mlvet.domains.dims import symbol
from mlvet.ops import REGISTRY

B, L, S, P = symbol("B"), symbol("L"), symbol("S"), symbol("P")


def test_heads_packed_into_features() -> None:
    heads = {"q_num_heads": 8, "kv_num_heads": 2}
    (y, key, value, scores), broken = inferred("attention", t(B, L, 512), t(B, S, 128), t(B, S, 64), **heads)
    assert broken == []
    assert (y, key, value) == (t(B, L, 256), t(B, 2, S, 64), t(B, 2, S, 32))
    assert scores == t(B, 8, L, S)


def test_the_past_comes_before_the_new_keys() -> None:
    cache = t(B, 4, P, 16)
    operands = (t(B, 4, L, 16), t(B, 4, L, 16), t(B, 4, L, 16), None, cache, cache)
    (y, key, _, scores), broken = inferred("attention", *operands)
    assert (y.dims, key.dims, scores.dims, broken) == ((B, 4, L, 16), (B, 4, L + P, 16), (B, 4, L, L + P), [])


@pytest.mark.parametrize(
    ("q", "k", "v", "rule"),
    [
        ((2, 8, 5, 64), (2, 8, 7, 32), (2, 8, 7, 64), "dims-differ"),
        ((2, 8, 5, 64), (2, 8, 7, 64), (2, 8, 6, 64), "dims-differ"),
        ((2, 8, 5, 64), (2, 3, 7, 64), (2, 3, 7, 64), "not-divisible"),
        ((2, 8, 5, 64), (3, 8, 7, 64), (3, 8, 7, 64), "dims-differ"),
        ((2, 8), (2, 8), (2, 8), "rank-differs"),
    ],
)
def test_attention_that_cannot_be(q: tuple[int, ...], k: tuple[int, ...], v: tuple[int, ...], rule: str) -> None:
    assert rule in inferred("attention", t(*q), t(*k), t(*v))[1]


def test_scaled_dot_product_attention_on_symbols() -> None:
    result, broken = inferred("scaled_dot_product_attention", t(B, 8, L, 64), t(B, 8, S, 64), t(B, 8, S, 32), t(L, S))
    assert (result, broken) == (t(B, 8, L, 32), [])
    _, broken = inferred("scaled_dot_product_attention", t(B, 8, L, 64), t(B, 8, S, 48), t(B, 8, S, 32))
    assert broken == ["dims-differ"]


@pytest.mark.parametrize("mode", ["plain", "causal", "mask", "bias", "grouped"])
def test_scaled_dot_product_attention_is_that_of_torch(mode: str) -> None:
    import torch

    rng = np.random.default_rng(3)
    heads = 4 if mode == "grouped" else 2
    q, k, v = (rng.standard_normal(s).astype(np.float32) for s in ((2, heads, 3, 4), (2, 2, 5, 4), (2, 2, 5, 6)))
    mask = {"mask": np.tri(3, 5, k=1, dtype=bool), "bias": rng.standard_normal((3, 5)).astype(np.float32)}.get(mode)
    options = {"is_causal": mode == "causal", "enable_gqa": mode == "grouped"}
    wanted = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.tensor, (q, k, v)), attn_mask=None if mask is None else torch.tensor(mask), **options
    )
    result = REGISTRY["scaled_dot_product_attention"].reference(q, k, v, mask, **options)
    np.testing.assert_allclose(result, wanted.numpy(), rtol=1e-4, atol=1e-5)


def test_a_query_that_may_see_no_key_yields_zeros() -> None:
    q = np.ones((1, 1, 2, 4), np.float32)
    mask = np.asarray([[False, False], [True, False]])
    result, *_ = REGISTRY["attention"].reference(q, q, q, mask)
    assert result[0, 0].tolist() == [[0.0] * 4, [1.0] * 4]


def test_rotary_caches_have_a_column_per_pair() -> None:
    cache = t(B, L, 32)
    assert inferred("rotary_embedding", t(B, 8, L, 64), cache, cache) == (t(B, 8, L, 64), [])
    assert inferred("rotary_embedding", t(B, 8, L, 48), cache, cache)[1] == ["dims-differ"] * 2
