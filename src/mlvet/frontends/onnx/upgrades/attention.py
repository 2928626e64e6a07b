"""Attention whose scores and weights subgraphs of the file change."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.domains import dtypes
from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.tensors import DTYPES
from mlvet.frontends.onnx.upgrades.upgrade import ALWAYS, upgrade
from mlvet.ir.builder import Builder
from mlvet.ir.graph import CALL, Value


@upgrade("FlexAttention", since=ALWAYS, domain="ai.onnx.preview")
def _flex_attention(source: Source, builder: Builder) -> Source | Sequence[Value]:
    """With subgraphs: scores, `score_mod`, softmax, `prob_mod`, weighted sum; without, one operator."""
    if not source.regions:
        return source.as_op("FlexAttention")
    q, k, v = (source.operand(index) for index in range(3))
    if q is None or k is None or v is None or q.declared.dtype is None:
        return source.opaque(builder)
    default = dtypes.f64 if q.declared.dtype is dtypes.f64 else dtypes.f32
    precision = DTYPES.get(source.attributes.get("softmax_precision", 0), default)
    k, v = (_shared(source, builder, q, x) for x in (k, v))
    wide_q, wide_k, wide_v = (source.step(builder, "cast", x, to=precision) for x in (q, k, v))
    scores = source.step(builder, "matmul", wide_q, source.step(builder, "transpose", wide_k, perm=(0, 1, 3, 2)))
    scores = _scaled(source, builder, scores, q)
    weights = source.step(builder, "softmax", _modified(source, builder, "score_mod", scores), axis=-1)
    result = source.step(builder, "matmul", _modified(source, builder, "prob_mod", weights), wide_v)
    return source.results(builder, "cast_like", result, q)


def _shared(source: Source, builder: Builder, q: Value, x: Value) -> Value:
    """Keys or values repeated for the queries' heads that share them."""
    heads, held = (source.step(builder, "shape", value, start=1, end=2) for value in (q, x))
    return source.step(builder, "repeat_interleave", x, source.step(builder, "div", heads, held), axis=1)


def _scaled(source: Source, builder: Builder, scores: Value, q: Value) -> Value:
    if "scale" in source.attributes:
        scale = source.constant(builder, "scale", float(source.attributes["scale"]))
        return source.step(builder, "mul", scores, source.step(builder, "cast_like", scale, scores))
    size = source.step(builder, "cast_like", source.step(builder, "shape", q, start=3, end=4), scores)
    return source.step(builder, "div", scores, source.step(builder, "sqrt", size))


def _modified(source: Source, builder: Builder, name: str, x: Value) -> Value:
    if name not in source.regions:
        return x
    result = builder.value(f"{source.name}.{name}")
    label = f"{source.name}.{name}"
    source.add(builder, CALL, [x], [result], {"function": label}, name=label, regions=[source.regions[name]])
    return result
