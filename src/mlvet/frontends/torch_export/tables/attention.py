"""Scaled dot-product attention; with dropout spelled out as scores, mask, softmax, weighted sum."""

from __future__ import annotations

from math import sqrt
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.ir.graph import Value

FUSED = ("_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_attention_math",
    "_scaled_dot_product_cudnn_attention", "_scaled_dot_product_fused_attention_overrideable")  # fmt: skip


@lowers("scaled_dot_product_attention", *FUSED)
def attention(context: Context) -> Value | list[Value | None]:
    query, key, value = (context.value(name) for name in ("query", "key", "value"))
    dtype = context.dtype(query)
    if context.key == "scaled_dot_product_attention" and not context.raw("dropout_p", default=0.0):
        return _whole(context, query, key, value)
    if context.raw("enable_gqa", default=False):
        key, value = _repeated(context, query, key), _repeated(context, query, value)
    scores = context.add("matmul", _scaled(context, query, dtype), _swapped(context, key))
    scores = _masked(context, scores, query, key, dtype)
    weights = context.add("softmax", scores, axis=-1)
    ratio = context.raw("dropout_p", default=0.0)
    if ratio:
        weights = context.add("dropout", weights, context.number(float(ratio)), context.number(True))
    made = context.result("matmul", weights, value)
    if len(context.call.outputs) < 2:
        return made
    if any(name in context.used for name in context.call.outputs[1:]):
        raise Unlowered("what a backward pass saves")
    return [made, *[None] * (len(context.call.outputs) - 1)]


def _whole(context: Context, query: Value, key: Value, value: Value) -> Value:
    """Without dropout it is an operator of its own."""
    scale, mask = context.raw("scale"), context.optional("attn_mask")
    if isinstance(scale, Value):
        raise Unlowered("a computed scale")
    if mask is not None and mask.declared.dtype is not dtypes.bool_:
        mask = context.cast(mask, context.dtype(query))
    return context.result(
        "scaled_dot_product_attention", query, key, value, mask, scale=scale,
        is_causal=bool(context.raw("is_causal", default=False)),
        enable_gqa=bool(context.raw("enable_gqa", default=False)),
    )  # fmt: skip


def _scaled(context: Context, query: Value, dtype: DType) -> Value:
    """The query times the scale, 1 / sqrt(features) by default."""
    scale: Any = context.raw("scale")
    if scale is None:
        features = context.dims(query)[-1]
        if not isinstance(features, int):
            raise Unlowered("features of unknown size")
        scale = 1 / sqrt(features) if features else 1.0
    factor = context.cast(scale, dtype) if isinstance(scale, Value) else context.number(float(scale), dtype)
    return context.add("mul", query, factor, like=query.declared.without_value())


def _swapped(context: Context, key: Value) -> Value:
    rank = context.rank(key)
    return context.transposed(key, [*range(rank - 2), rank - 1, rank - 2])


def _masked(context: Context, scores: Value, query: Value, key: Value, dtype: DType) -> Value:
    mask = context.optional("attn_mask", "attn_bias")
    if context.raw("is_causal", default=False):
        sizes = [context.size(query, -2), context.size(key, -2)]
        ones = context.add("expand", context.number(True), context.sizes(sizes))
        mask = context.add("trilu", ones, context.number(0), upper=0, like=Tensor(dtypes.bool_, ()))
    if mask is None:
        return scores
    if mask.declared.dtype is dtypes.bool_:
        return context.add("where", mask, scores, context.number(float("-inf"), dtype))
    return context.add("add", scores, context.cast(mask, dtype))


def _repeated(context: Context, query: Value, key: Value) -> Value:
    """Keys of fewer heads, each repeated for the heads of the query that share it."""
    heads, groups = context.dims(query)[-3], context.dims(key)[-3]
    if not isinstance(heads, int) or not isinstance(groups, int) or not groups or heads % groups:
        raise Unlowered("heads of unknown number")
    if heads == groups:
        return key
    dims = context.dims(key)
    like = Tensor(context.dtype(key), (*dims[:-3], heads, *dims[-2:]))
    counts = context.vector([heads // groups])
    return context.add("repeat_interleave", key, counts, axis=context.rank(key) - 3, like=like)
