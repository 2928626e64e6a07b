"""Embeddings, one-hot vectors and attention of torch.nn.functional."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import equal, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Number, Size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.axes import ranked_dims
from mlvet.frontends.python.libraries.torch.element_types import same_types
from mlvet.frontends.python.libraries.torch.functional.convolutions import linear
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made
from mlvet.frontends.python.values.tensors import dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("torch.nn.functional.embedding")
def embedding(
    input: Tensor, weight: Tensor, padding_idx: Any = None, max_norm: Any = None, norm_type: Number = 2.0,
    scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    known = dtype_of(input)
    demand(
        known in (None, dtypes.i64, dtypes.i32),
        f"an embedding is looked up by integers, not by {known}",
        "dtype-differs",
    )
    demand(rank_of(weight) in (None, 2), "the weight of an embedding needs 2 dims", "rank-differs")
    return made("embedding", weight, input, padding_idx=padding_idx if isinstance(padding_idx, int) else None)


@model("torch.embedding")
def torch_embedding(weight: Tensor, indices: Tensor, padding_idx: Any = None, *_: Any, **__: Any) -> Tensor:
    return embedding(indices, weight, padding_idx)


@model("torch.nn.functional.embedding_bag")
def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: Any = None, norm_type: Number = 2,
    scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
    per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: Any = None,
) -> Tensor:  # fmt: skip
    """One vector per bag: bags are rows, or begin at the offsets."""
    dims = ranked_dims(input)
    width = ranked_dims(weight)[1]
    demand(len(dims) in (1, 2), "embedding_bag needs indices of 1 or 2 dims", "rank-differs")
    demand(
        (len(dims) == 1) == (offsets is not None), "embedding_bag needs offsets for indices of 1 dim, and none for 2"
    )
    bags = dims[0] if offsets is None else ranked_dims(offsets)[0]
    count = bags - 1 if include_last_offset and offsets is not None else bags
    return opaque("embedding_bag", [input, weight], Type(dtype_of(weight), (count, width)), Tensor)


@model("torch.nn.functional.one_hot")
def one_hot(tensor: Tensor, num_classes: Size = -1) -> Tensor:
    demand(dtype_of(tensor) in (None, dtypes.i64), f"one_hot needs i64, but gets {dtype_of(tensor)}", "dtype-differs")
    if num_classes != -1:
        return made("one_hot", tensor, num_classes, (0, 1), axis=-1)
    dims = ranked_dims(tensor)
    return opaque("one_hot", [tensor], Type(dtypes.i64, (*dims, symbol(machine().fresh("classes")))), Tensor)


@model("torch.nn.functional.scaled_dot_product_attention")
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: Number = 0.0,
    is_causal: bool = False, scale: Number | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    same_types("scaled_dot_product_attention", query, key, value)
    mask = attn_mask
    if mask is not None:
        demand(not is_causal, "attention takes a mask or is causal, not both")
        if dtype_of(mask) is not dtypes.bool_:
            mask = cast(mask, dtype_of(query))
    figure = float(scale) if isinstance(scale, int | float) else None
    return made("scaled_dot_product_attention", query, key, value, mask, scale=figure, is_causal=is_causal,
        enable_gqa=enable_gqa)  # fmt: skip


@model("torch.nn.functional.multi_head_attention_forward")
def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: Size, num_heads: Size, in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: bool, dropout_p: Number,
    out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: bool = True,
    key_padding_mask: Tensor | None = None, need_weights: bool = True, attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: bool = True,
    is_causal: bool = False,
) -> Any:  # fmt: skip
    """Length, batch, features, or without batch; the weights are over the keys."""
    query, key, value = (assumed(x, 3, "length", "batch", "features") for x in (query, key, value))
    dims, places = ranked_dims(query), ranked_dims(key)
    demand(len(dims) in (2, 3), "attention needs queries of 2 or 3 dims", "rank-differs")
    if len(dims) not in (2, 3) or len(places) != len(dims):
        raise Undecided(Reason.EXCEPTION, "attention")
    width = embed_dim_to_check
    demand(equal(dims[-1], width), f"attention expects {width} features, but gets {dims[-1]}", "dims-differ")
    mixed = opaque("attention", [query, key, value], tensor_of(query).without_value(), Tensor)
    found = linear(mixed, out_proj_weight, out_proj_bias)
    if not need_weights:
        return found, None
    batch = dims[1:2] if len(dims) == 3 else ()
    heads = () if average_attn_weights else (num_heads,)
    shape = (*batch, *heads, dims[0], places[0])
    return found, opaque("attention weights", [query, key], Type(dtype_of(query), shape), Tensor)
