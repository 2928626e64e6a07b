"""Attention layers, written out as products and a softmax."""

from __future__ import annotations

import math
from typing import Any

from mlvet.domains.dims import Dim, equal
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Size, as_items, as_size
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer, label
from mlvet.frontends.python.libraries.keras.tensor import array, combined, floating
from mlvet.frontends.python.libraries.limits import positive
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def lowered(scores: Any, mask: Any) -> Any:
    """Scores made very small where a mask is false."""
    dropped = combined("sub", 1.0, cast(mask, dtype_of(scores)))
    return combined("add", scores, dropped * -1e9)


def sequence(x: Any, name: str) -> Any:
    return assumed(array(x), 3, "batch", name, "features")


class Heads(Layer):
    """Queries, keys and values projected to several heads."""

    def _projected(self, name: str, x: Any, heads: Dim, size: Dim, bias: bool) -> Any:
        """One of the three for each head, its weights made on the first call."""
        width = (dims_of(x) or ())[-1]
        if f"{name}_kernel" not in self.cells:
            self._weight(f"{name}_kernel", (width, heads, size), "glorot_uniform")
            if bias:
                self._weight(f"{name}_bias", (heads, size), "zeros")
        letters = "abcdefg"[: (rank_of(x) or 3) - 1]
        made = emit("einsum", x, self._read(f"{name}_kernel"), equation=f"{letters}z,znh->{letters}nh")
        return emit("add", made, self._read(f"{name}_bias")) if bias else made

    def _returned(self, mixed: Any, heads: Dim, size: Dim, wanted: tuple[Dim, ...], bias: bool) -> Any:
        """The heads together again."""
        if "output_kernel" not in self.cells:
            self._weight("output_kernel", (heads, size, *wanted), "glorot_uniform")
            if bias:
                self._weight("output_bias", wanted, "zeros")
        letters = "abcdefg"[: (rank_of(mixed) or 4) - 2]
        out = "uvwxy"[: len(wanted)]
        made = emit("einsum", mixed, self._read("output_kernel"), equation=f"{letters}nh,nh{out}->{letters}{out}")
        return emit("add", made, self._read("output_bias")) if bias else made

    def _weighed(self, q: Any, k: Any, mask: Any, causal: Any, scale: float) -> Any:
        """The weights of attention, one row of keys for each query and head."""
        scores = emit("einsum", q, k, equation="btnh,bsnh->bnts") * scale
        if isinstance(mask, TensorValue):
            rank = rank_of(mask)
            if rank is not None and rank < 4:
                mask = emit("unsqueeze", mask, tuple(range(1, 5 - rank)) if rank > 1 else (1, 2))
            scores = lowered(scores, mask)
        if causal is True:
            dims = dims_of(scores) or ()
            ones = emit("constant_of_shape", tuple(dims[-2:]), value=1, dtype=dtype_of(scores), kind=type(scores))
            scores = lowered(scores, emit("trilu", ones, upper=0))
        return emit("softmax", scores, axis=-1)


@model("keras.layers.MultiHeadAttention")
class MultiHeadAttention(Heads):
    def __init__(
        self, num_heads: Size, key_dim: Size, value_dim: Any = None, dropout: Any = 0.0, use_bias: bool = True,
        output_shape: Any = None, attention_axes: Any = None, flash_attention: Any = None,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, use_gate: Any = False, seed: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        positive("num_heads", num_heads)
        positive("key_dim", key_dim)
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.value_dim = key_dim if value_dim is None else as_size(value_dim)
        self.dropout = dropout
        self.use_bias = use_bias
        self.attention_axes = attention_axes
        self.supports_masking = True
        store_shape = (
            () if output_shape is None else (output_shape,) if isinstance(output_shape, int) else as_items(output_shape)
        )
        self.wanted = tuple(as_size(each) for each in store_shape)

    def call(
        self, query: Any, value: Any, key: Any = None, query_mask: Any = None, value_mask: Any = None,
        key_mask: Any = None, attention_mask: Any = None, return_attention_scores: bool = False, training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        cells = held(self)
        query, value = (floating(array(each), self._compute) for each in (query, value))
        key = value if key is None else floating(array(key), self._compute)
        if rank_of(query) not in (None, 3) or cells["attention_axes"] is not None:
            return self._outside(query, bool(return_attention_scores))
        query, value, key = sequence(query, "queries"), sequence(value, "keys"), sequence(key, "keys")
        self._checked(query, value, key)
        heads, size, depth, bias = cells["num_heads"], cells["key_dim"], cells["value_dim"], cells["use_bias"]
        wanted = cells["wanted"] or ((dims_of(query) or ())[-1],)
        q = self._projected("query", query, heads, size, bias)
        k = self._projected("key", key, heads, size, bias)
        v = self._projected("value", value, heads, depth, bias)
        scale = 1 / math.sqrt(size) if isinstance(size, int) and size > 0 else 1.0
        weights = self._weighed(q, k, attention_mask, use_causal_mask, scale)
        mixed = emit("einsum", weights, v, equation="bnts,bsnh->btnh")
        result = self._returned(mixed, heads, depth, wanted, bias)
        return (result, weights) if return_attention_scores else result

    def _checked(self, query: Any, value: Any, key: Any) -> None:
        keys, values = dims_of(key) or (), dims_of(value) or ()
        if len(keys) == len(values) == 3:
            same = equal(keys[1], values[1]) is not False
            demand(
                same,
                f"`{label(self)}` needs as many keys as values, but gets {tensor_of(key)} and {tensor_of(value)}",
                "dims-differ",
            )

    def _outside(self, query: Any, scores: bool) -> Any:
        """Attention over several axes, of which the shape of the result is known."""
        dims = dims_of(query)
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "attention axes of a tensor of unknown rank")
        made = opaque(
            "layers.MultiHeadAttention",
            [query],
            Known(self._compute, (*dims[:-1], *(held(self)["wanted"] or dims[-1:]))),
            type(query),
        )
        if scores:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "attention scores over several axes")
        return made

    def build(self, *args: Any, **kwargs: Any) -> None:
        self.built = True

    def compute_mask(self, query: Any, previous_mask: Any = None) -> Any:
        return previous_mask


@model("keras.layers.GroupQueryAttention")
class GroupedQueryAttention(Heads):
    def __init__(
        self, head_dim: Size, num_query_heads: Size, num_key_value_heads: Size, dropout: Any = 0.0,
        use_bias: bool = True, flash_attention: Any = None, kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", **kwargs: Any,
    ) -> None:  # fmt: skip
        for part in ("kernel", "bias", "activity"):
            kwargs.pop(f"{part}_regularizer", None)
            kwargs.pop(f"{part}_constraint", None)
        kwargs.pop("seed", None)
        super().__init__(**kwargs)
        self.head_dim = head_dim
        self.num_query_heads = num_query_heads
        self.num_key_value_heads = num_key_value_heads
        self.use_bias = use_bias
        if isinstance(num_query_heads, int) and isinstance(num_key_value_heads, int) and num_key_value_heads:
            demand(
                num_query_heads % num_key_value_heads == 0,
                f"{num_query_heads} query heads are no multiple of {num_key_value_heads} key heads", "not-divisible",
            )  # fmt: skip

    def build(self, *args: Any, **kwargs: Any) -> None:
        self.built = True

    def call(
        self, query: Any, value: Any, key: Any = None, query_mask: Any = None, value_mask: Any = None,
        key_mask: Any = None, attention_mask: Any = None, return_attention_scores: bool = False, training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        cells = held(self)
        key = value if key is None else key
        query, value, key = (floating(sequence(each, "keys"), self._compute) for each in (query, value, key))
        heads, shared = cells["num_query_heads"], cells["num_key_value_heads"]
        size, bias = cells["head_dim"], cells["use_bias"]
        q = self._projected("query", query, heads, size, bias)
        k = self._projected("key", key, shared, size, bias)
        v = self._projected("value", value, shared, size, bias)
        if not isinstance(heads, int) or not isinstance(shared, int):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "heads that are not known")
        k, v = (emit("repeat_interleave", each, heads // shared, axis=2) for each in (k, v))
        scale = 1 / math.sqrt(size) if isinstance(size, int) and size > 0 else 1.0
        weights = self._weighed(q, k, attention_mask, use_causal_mask, scale)
        mixed = emit("einsum", weights, v, equation="bnts,bsnh->btnh")
        result = self._returned(mixed, heads, size, ((dims_of(query) or ())[-1],), bias)
        return (result, weights) if return_attention_scores else result


@model("keras.layers.Attention")
class Attention(Layer):
    """Attention by dot products."""

    def __init__(
        self, use_scale: bool = False, score_mode: Any = "dot", dropout: Any = 0.0, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale
        self.score_mode = score_mode
        self.supports_masking = True

    def build(self, input_shape: Any = None) -> None:
        if held(self)["use_scale"]:
            self._weight("scale", (), "ones")
        self.built = True

    def call(
        self, inputs: Any, mask: Any = None, training: Any = False, return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:  # fmt: skip
        parts = [floating(sequence(each, "steps"), self._compute) for each in as_items(inputs)]
        demand(
            len(parts) in (2, 3), f"`{label(self)}` takes query, value and perhaps key, but gets {len(parts)} tensors"
        )
        query, value = parts[0], parts[1]
        key = parts[2] if len(parts) > 2 else value
        scores = self._scores(query, key)
        if use_causal_mask:
            dims = dims_of(scores) or ()
            ones = emit("constant_of_shape", tuple(dims[-2:]), value=1, dtype=dtype_of(scores), kind=type(scores))
            scores = lowered(scores, emit("trilu", ones, upper=0))
        weights = emit("softmax", scores, axis=-1)
        result = emit("matmul", weights, value)
        return (result, weights) if return_attention_scores else result

    def _scores(self, query: Any, key: Any) -> Any:
        made = emit("matmul", query, emit("transpose", key, perm=(0, 2, 1)))
        return combined("mul", made, self._read("scale")) if "scale" in self.cells else made

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        return None


@model("keras.layers.AdditiveAttention")
class AdditiveAttention(Attention):
    """Attention by a sum, a tangent and a weighted sum of it."""

    def __init__(self, use_scale: bool = True, dropout: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(use_scale, "dot", dropout, **kwargs)

    def build(self, input_shape: Any = None) -> None:
        shapes = as_items(input_shape)
        last = as_items(shapes[0])[-1] if shapes and not isinstance(shapes[0], TensorValue) else 1
        if held(self)["use_scale"]:
            self._weight("scale", (last,), "glorot_uniform")
        self.built = True

    def _scores(self, query: Any, key: Any) -> Any:
        mixed = emit("tanh", combined("add", emit("unsqueeze", query, (2,)), emit("unsqueeze", key, (1,))))
        weighed = combined("mul", mixed, self._read("scale")) if "scale" in self.cells else mixed
        return reduced("reduce_sum", weighed, (-1,))
