"""Pooling and masks: functions of flax.linen."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import product
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.arrays.shaping import reshape, swapped
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.libraries.binding import Sizes
from mlvet.frontends.python.libraries.flax.linen.dense import SPACE, conv_pads, dims_or_refuse, promoted
from mlvet.frontends.python.libraries.jax.array import Array, ArrayLike, Tensor, as_jax, cast_to
from mlvet.frontends.python.libraries.limits import one_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, tensor_of


def _pooled(op: str, inputs: Any, window: Any, strides: Any, padding: Any, **attributes: Any) -> Any:
    """Channels are last; without a batch one of 1 is added meanwhile."""
    count = len(window)
    inputs = assumed(inputs, count + 2, "batch", *SPACE[-count:], "channels")
    dims = dims_or_refuse(inputs)
    front = dims[: -(count + 1)]
    folded = len(front) != 1
    x = reshape(inputs, (product(front), *dims[-(count + 1) :])) if folded else inputs
    pads = conv_pads(padding, count)
    if isinstance(pads, str):
        one_of("padding", pads, ("VALID", "SAME", "SAME_LOWER"))
        attributes["auto_pad"] = {"SAME": "SAME_UPPER"}.get(pads, pads)
    else:
        attributes["pads"] = (*(low for low, _ in pads), *(high for _, high in pads))
    steps = strides if strides is not None else (1,) * count
    layout = f"N{'DHW'[-count:]}C"
    made = emit(op, x, kernel_shape=window, strides=steps, data_format=layout, **attributes)
    return reshape(made, (*front, *dims_or_refuse(made)[1:])) if folded else made


@model("flax.linen.max_pool", "flax.linen.pooling.max_pool", "flax.nnx.max_pool")
def max_pool(inputs: ArrayLike, window_shape: Sizes, strides: Sizes | None = None, padding: Any = "VALID") -> Tensor:
    return _pooled("max_pool", inputs, window_shape, strides, padding)


@model("flax.linen.pooling.min_pool", "flax.nnx.min_pool")
def min_pool(inputs: ArrayLike, window_shape: Sizes, strides: Sizes | None = None, padding: Any = "VALID") -> Tensor:
    made = _pooled("max_pool", inputs, window_shape, strides, padding)
    return opaque("min_pool", [inputs], tensor_of(made).without_value(), Array)


@model("flax.linen.avg_pool", "flax.linen.pooling.avg_pool", "flax.nnx.avg_pool")
def avg_pool(
    inputs: ArrayLike, window_shape: Sizes, strides: Sizes | None = None, padding: Any = "VALID",
    count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    (x,) = promoted(None, inputs)
    return _pooled("average_pool", x, window_shape, strides, padding, count_include_pad=int(count_include_pad))


@model("flax.linen.make_attention_mask", "flax.nnx.make_attention_mask")
def make_attention_mask(
    query_input: ArrayLike, key_input: ArrayLike, pairwise_fn: Any = None, extra_batch_dims: int = 0,
    dtype: DType | None = dtypes.f32,
) -> Tensor:  # fmt: skip
    """[batch..., 1, queries, keys]."""
    left, right = emit("unsqueeze", query_input, (-1,)), emit("unsqueeze", key_input, (-2,))
    pairs = emit("mul", cast_to(left, dtypes.f32), cast_to(right, dtypes.f32))
    pairs = emit("unsqueeze", pairs, (-3,))
    for _ in range(extra_batch_dims):
        pairs = emit("unsqueeze", pairs, (0,))
    return opaque("attention_mask", [query_input], tensor_of(cast_to(pairs, dtype)).without_value(), Array)


@model("flax.linen.make_causal_mask", "flax.nnx.make_causal_mask")
def make_causal_mask(x: ArrayLike, extra_batch_dims: int = 0, dtype: DType | None = dtypes.f32) -> Tensor:
    return make_attention_mask(x, x, None, extra_batch_dims, dtype)


@model("flax.linen.combine_masks", "flax.nnx.combine_masks")
def combine_masks(*masks: Any, dtype: DType | None = dtypes.f32) -> Any:
    known = [cast_to(as_jax(mask), dtypes.bool_) for mask in masks if mask is not None]
    if not known:
        return None
    total = known[0]
    for mask in known[1:]:
        total = emit("and", total, mask)
    return cast_to(total, dtype)


@model("flax.linen.dot_product_attention_weights")
def dot_product_attention_weights(
    query: ArrayLike, key: ArrayLike, bias: Any = None, mask: Any = None, broadcast_dropout: bool = True,
    dropout_rng: Any = None, dropout_rate: Any = 0.0, deterministic: Any = False, dtype: DType | None = None, **_: Any,
) -> Tensor:  # fmt: skip
    """[..., queries, heads, size] with [..., keys, heads, size] yields [..., heads, queries, keys]."""
    q, k = promoted(dtype, query, key)
    scores = emit("matmul", swapped(q, -3, -2), swapped(swapped(k, -3, -2), -2, -1))
    for extra in (bias, mask):
        if extra is not None and dims_of(as_jax(extra)) is not None:
            scores = emit(
                "add",
                scores,
                opaque("mask", [as_jax(extra)], tensor_of(scores).with_shape(dims_of(as_jax(extra)) or ()), Array),
            )
    return emit("softmax", scores, axis=-1)


@model(
    "flax.linen.dot_product_attention", "flax.linen.attention.dot_product_attention", "flax.nnx.dot_product_attention"
)
def dot_product_attention(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, bias: Any = None, mask: Any = None,
    broadcast_dropout: bool = True, dropout_rng: Any = None, dropout_rate: Any = 0.0, deterministic: Any = False,
    dtype: DType | None = None, **_: Any,
) -> Tensor:  # fmt: skip
    weights = dot_product_attention_weights(query, key, bias, mask, dtype=dtype)
    left, right = promoted(dtype, weights, value)
    return swapped(emit("matmul", left, swapped(right, -3, -2)), -3, -2)
