"""Attention layers, written out as products and a softmax."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlvet.domains.dims import Dim
from mlvet.frontends.keras.application import Call, NotLowered
from mlvet.frontends.keras.config import LayerConfig
from mlvet.frontends.keras.layers.activations import masked
from mlvet.frontends.keras.layers.tables import layer
from mlvet.ir.graph import Value


def _three(call: Call) -> tuple[Value, Value, Value]:
    """Query, key and value from positional or keyword arguments; the key is the value where it is left out."""
    query = call.inputs[0] if call.inputs else call.kwargs.get("query")
    value = call.inputs[1] if len(call.inputs) > 1 else call.kwargs.get("value")
    key = call.inputs[2] if len(call.inputs) > 2 else call.kwargs.get("key")
    key = value if key is None else key
    if not (isinstance(query, Value) and isinstance(key, Value) and isinstance(value, Value)):
        raise NotLowered("not query and value")
    return call.floats(query), call.floats(key), call.floats(value)


def _projection(call: Call, name: str, x: Value, equation: str, kernel: Sequence[Dim], bias: Sequence[Dim]) -> Value:
    """A projection as its own layer within the attention layer."""
    attribute = "output_dense" if name == "attention_output" else f"{name}_dense"
    config = {key: value for key, value in call.config.items() if key not in ("name", "activation")}
    held = LayerConfig(name, "EinsumDense", config, "EinsumDense", True)
    inner = Call(call.lowering, call.within(attribute, held), [x], {})
    result = inner.emit("einsum", x, inner.weight("kernel", kernel, "glorot_uniform"), equation=equation)
    if call.flag("use_bias", True):
        result = inner.emit("add", result, inner.weight("bias", bias, "zeros"))
    return result


def _causal(call: Call, scores: Value) -> Value:
    """Scores of later keys than the query lowered."""
    shape = call.emit("shape", scores, part="scores_shape", start=-2)
    ones = call.emit("expand", call.constant("one", np.ones((1, 1), call.compute.numpy)), shape, part="ones")
    return masked(call, scores, call.emit("trilu", ones, part="causal", upper=0))


def _finished(call: Call, scores: Value, rank: int) -> Value:
    """The attention weights: masks applied, then a softmax over the keys."""
    mask = call.kwargs.get("attention_mask")
    if isinstance(mask, Value):
        missing = rank - call.rank(mask)
        if missing > 0:
            mask = call.emit("unsqueeze", mask, call.axes(*range(1, 1 + missing)), part="mask_dims")
        scores = masked(call, scores, mask)
    if any(isinstance(call.kwargs.get(key), Value) for key in ("query_mask", "value_mask", "key_mask")):
        raise NotLowered("mask")
    if call.kwargs.get("use_causal_mask"):
        scores = _causal(call, scores)
    return call.emit("softmax", scores, part="softmax", axis=-1)


@layer("MultiHeadAttention")
def _multi_head_attention(call: Call) -> Value | tuple[Value, ...]:
    query, key, value = _three(call)
    if call.rank(query) != 3 or call.rank(key) != 3 or call.rank(value) != 3 or call.flag("use_gate"):
        raise NotLowered("attention over several axes")
    heads, size = call.integer("num_heads"), call.integer("key_dim")
    depth = call.integer("value_dim", size)
    raw = call.option("output_shape")
    wanted = call.integers("output_shape", 1)[0] if raw is not None else call.dim(query, -1, "out")
    into = "btd,dnh->btnh"
    q = _projection(call, "query", query, into, (call.dim(query, -1, "query"), heads, size), (heads, size))
    k = _projection(call, "key", key, into, (call.dim(key, -1, "key"), heads, size), (heads, size))
    v = _projection(call, "value", value, into, (call.dim(value, -1, "value"), heads, depth), (heads, depth))
    q = call.emit("mul", q, call.scalar(1 / math.sqrt(max(size, 1)), q, "scale"), part="scale")
    scores = call.emit("einsum", q, k, part="scores", equation="btnh,bsnh->bnts")
    weights = _finished(call, scores, 4)
    mixed = call.emit("einsum", weights, v, equation="bnts,bsnh->btnh")
    result = _projection(call, "attention_output", mixed, "btnh,nhd->btd", (heads, depth, wanted), (wanted,))
    return (result, weights) if call.kwargs.get("return_attention_scores") else result


@layer("GroupQueryAttention", "GroupedQueryAttention")
def _grouped_query_attention(call: Call) -> Value | tuple[Value, ...]:
    query, key, value = _three(call)
    size, heads, held = call.integer("head_dim"), call.integer("num_query_heads"), call.integer("num_key_value_heads")
    if held < 1 or heads % held or call.flag("use_gate"):
        raise NotLowered("heads")
    width = call.dim(query, -1, "query")
    into = "btd,dnh->btnh"
    q = _projection(call, "query", query, into, (width, heads, size), (heads, size))
    k = _projection(call, "key", key, into, (call.dim(key, -1, "key"), held, size), (held, size))
    v = _projection(call, "value", value, into, (call.dim(value, -1, "value"), held, size), (held, size))
    k, v = (_repeated(call, each, heads // held, heads, size) for each in (k, v))
    q = call.emit("mul", q, call.scalar(1 / math.sqrt(max(size, 1)), q, "scale"), part="scale")
    scores = call.emit("einsum", q, k, part="scores", equation="btnh,bsnh->bnts")
    weights = _finished(call, scores, 4)
    mixed = call.emit("einsum", weights, v, equation="bnts,bsnh->btnh")
    result = _projection(call, "attention_output", mixed, "btnh,nhd->btd", (heads, size, width), (width,))
    return (result, weights) if call.kwargs.get("return_attention_scores") else result


def _repeated(call: Call, x: Value, times: int, heads: int, size: int) -> Value:
    """Each head several times, the copies side by side."""
    if times == 1:
        return x
    x = call.emit("unsqueeze", x, call.axes(3), part="unsqueeze")
    x = call.emit("tile", x, call.constant("repeats", np.asarray((1, 1, 1, times, 1), np.int64)), part="tile")
    return call.reshape(x, (0, 0, heads, size), part="heads")


@layer("Attention", "AdditiveAttention")
def _attention(call: Call) -> Value | tuple[Value, ...]:
    query, key, value = _three(call)
    additive = call.layer.kind == "AdditiveAttention"
    if additive or call.text("score_mode", "dot") == "concat":
        scores = _additive_scores(call, query, key, additive)
    else:
        scores = call.emit("einsum", query, key, part="scores", equation="btd,bsd->bts")
        if call.flag("use_scale"):
            scores = call.emit("mul", scores, call.weight("scale", (), "ones"), part="scale")
    if call.kwargs.get("mask") is not None or call.flag("causal"):
        raise NotLowered("mask")
    weights = _finished(call, scores, 3)
    result = call.emit("einsum", weights, value, equation="bts,bsd->btd")
    return (result, weights) if call.kwargs.get("return_attention_scores") else result


def _additive_scores(call: Call, query: Value, key: Value, additive: bool) -> Value:
    left = call.emit("unsqueeze", query, call.axes(2), part="query")
    right = call.emit("unsqueeze", key, call.axes(1), part="key")
    total = call.emit("add", left, right, part="sum")
    if additive:
        shape = (call.dim(query, -1, "features"),)
        scale = call.weight("scale", shape, "glorot_uniform") if call.flag("use_scale", True) else None
    else:
        scale = call.weight("scale", (), "ones") if call.flag("use_scale") else None
        if scale is not None:
            total, scale = call.emit("mul", total, scale, part="scale"), None
    shaped = call.emit("tanh", total, part="tanh")
    if scale is not None:
        shaped = call.emit("mul", shaped, scale, part="scale")
    scores = call.emit("reduce_sum", shaped, call.axes(-1), part="scores", keepdims=0)
    if additive:
        return scores
    weight = call.weight("concat_score_weight", (), "ones")
    return call.emit("mul", scores, weight, part="concat_score_weight")
