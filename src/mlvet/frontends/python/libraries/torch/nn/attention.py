"""Attention of several heads, as a layer."""

from __future__ import annotations

from math import sqrt
from typing import Any

from mlvet.domains import dims as sizes
from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, floor_div
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.arrays.shaping import reshape, split, squeezed, swapped, transpose, unsqueezed
from mlvet.frontends.python.emission import demand, demand_divisible, emit, opaque
from mlvet.frontends.python.libraries.binding import Number, Size, Tensor
from mlvet.frontends.python.libraries.limits import positive
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.expectations import expected
from mlvet.frontends.python.libraries.torch.nn.linear import Linear
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.parameter import ZEROS, parameter
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided
from mlvet.ir.graph import Initialiser

XAVIER = Initialiser("xavier_uniform")


@model("torch.nn.MultiheadAttention")
class MultiheadAttention(Module):
    __slots__ = ()

    def __init__(
        self, embed_dim: Size, num_heads: Size, dropout: Number = 0.0, bias: bool = True, add_bias_kv: bool = False,
        add_zero_attn: bool = False, kdim: Size | None = None, vdim: Size | None = None, batch_first: bool = False,
        device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        positive("embed_dim", embed_dim)
        positive("num_heads", num_heads)
        demand_divisible(embed_dim, num_heads, f"{embed_dim} features fall into {num_heads} heads")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self.head_dim = floor_div(embed_dim, num_heads) if num_heads != 0 else embed_dim
        name = "MultiheadAttention"
        if self.kdim == embed_dim and self.vdim == embed_dim:
            self.in_proj_weight: Any = parameter(f"{name}.in_proj_weight", (3 * embed_dim, embed_dim), dtype, XAVIER)
        else:
            self.in_proj_weight = None
            for key, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
                made = parameter(f"{name}.{key}_proj_weight", (embed_dim, width), dtype, XAVIER)
                setattr(self, f"{key}_proj_weight", made)
        self.in_proj_bias = parameter(f"{name}.in_proj_bias", (3 * embed_dim,), dtype, ZEROS) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias, device, dtype)
        self.add_zero_attn, self.add_bias_kv = add_zero_attn, add_bias_kv

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> Any:  # fmt: skip
        if self.add_zero_attn or self.add_bias_kv:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "attention with added keys")
        query, key, value = self._expected(query, key, value)
        rank = rank_of(query)
        demand(rank in (2, 3), f"attention takes 2 or 3 dims, but got {rank}", "rank-differs")
        demand(rank_of(key) == rank == rank_of(value), "query, key and value have as many dims", "rank-differs")
        single = rank == 2
        if single:
            query, key, value = (unsqueezed(each, (0,)) for each in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = unsqueezed(key_padding_mask, (0,))
        elif not self.batch_first:
            query, key, value = (transpose(each, (1, 0, 2)) for each in (query, key, value))
        result, weights = self._attend(query, key, value, key_padding_mask, attn_mask)
        if single:
            result, weights = squeezed(result, (0,)), squeezed(weights, (0,)) if average_attn_weights else weights
        elif not self.batch_first:
            result = transpose(result, (1, 0, 2))
        if not need_weights:
            return result, None
        if average_attn_weights:
            axis = 0 if single else 1
            return result, emit("reduce_mean", weights, (axis,), keepdims=0)
        return result, squeezed(weights, (0,)) if single else weights

    def _expected(self, query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
        """Of inputs of unknown rank it is taken for granted that they are of one batch."""
        place = 0 if self.batch_first else 1
        query = expected(query, *(("batch", "steps") if self.batch_first else ("steps", "batch")), self.embed_dim)
        dims = dims_of(query) or ()
        batch = dims[place] if len(dims) == 3 else "batch"
        key = expected(key, *((batch, "source") if self.batch_first else ("source", batch)), self.kdim)
        value = expected(value, *(dims_of(key) or ("source", batch, 1))[:-1], self.vdim)
        return query, key, value

    def _attend(self, query: Any, key: Any, value: Any, padding: Any, mask: Any) -> tuple[Any, Any]:
        """The result as [batch, length, features], and the weights as [batch, heads, length, source]."""
        dims = dims_of(query) or ()
        source = (dims_of(key) or ())[1]
        batch, length = dims[0], dims[1]
        _same((dims_of(value) or ())[1], source, "there is a value for each key")
        _same((dims_of(key) or ())[0], batch, "query and key are of one batch")
        q, k, v = (self._heads(each) for each in self._projected(query, key, value))
        if isinstance(self.head_dim, int) and self.head_dim > 0:
            q = emit("mul", q, emit("cast", 1 / sqrt(self.head_dim), to=dtype_of(q) or dtypes.f32, kind=type(q)))
        scores = emit("matmul", q, swapped(k, -2, -1))
        if mask is not None:
            scores = _masked(scores, self._mask(mask, batch, length, source))
        if padding is not None:
            rows = dims_of(assumed(padding, 2, "batch", "steps")) or ()
            fit = len(rows) == 2
            demand(fit, "the padding mask has a row of keys for each member of the batch", "rank-differs")
            if fit:
                _same(rows[0], batch, "the padding mask has a row for each member of the batch")
                _same(rows[1], source, "the padding mask has an element for each key")
                scores = _masked(scores, unsqueezed(padding, (1, 2)))
        weights = emit("softmax", scores, axis=-1)
        used = weights
        if isinstance(self.dropout, int | float) and self.dropout > 0 and self.training is not False:
            used = emit("dropout", weights, float(self.dropout), True)
        mixed = emit("matmul", used, v)
        if isinstance(self.head_dim, int):
            merged = reshape(transpose(mixed, (0, 2, 1, 3)), (batch, length, self.embed_dim))
        else:
            whole = Type(dtype_of(mixed), (batch, length, self.embed_dim))
            merged = opaque("MultiheadAttention", [mixed], whole, type(mixed))
        return machine().call(self.out_proj, merged), weights

    def _projected(self, query: Any, key: Any, value: Any) -> tuple[Any, ...]:
        wide = [self.embed_dim] * 3
        if self.in_proj_weight is not None:
            weights = split(self.in_proj_weight, wide, 0)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = split(self.in_proj_bias, wide, 0) if self.in_proj_bias is not None else (None,) * 3
        return tuple(
            emit("linear", x, weight, bias)
            for x, weight, bias in zip((query, key, value), weights, biases, strict=True)
        )

    def _heads(self, x: Any) -> Any:
        """[batch, length, features] as [batch, heads, length, features of a head]."""
        dims = dims_of(x) or ()
        if not isinstance(self.head_dim, int):
            parted = Type(dtype_of(x), (dims[0], self.num_heads, dims[1], self.head_dim))
            return opaque("MultiheadAttention", [x], parted, type(x))
        return transpose(reshape(x, (*dims[:2], self.num_heads, self.head_dim)), (0, 2, 1, 3))

    def _mask(self, mask: Any, batch: Dim, length: Dim, source: Dim) -> Any:
        mask = assumed(mask, 2, "length", "source")
        dims = dims_of(mask) or ()
        demand(len(dims) in (2, 3), f"the mask of attention has 2 or 3 dims, but got {len(dims)}", "rank-differs")
        _same(dims[-2], length, "the mask has a row for each query")
        _same(dims[-1], source, "the mask has a column for each key")
        if len(dims) == 3:
            _same(dims[0], batch * self.num_heads, "the mask has a plane for each head of the batch")
            return reshape(mask, (batch, self.num_heads, *dims[1:]))
        return mask


def _masked(scores: Any, mask: TensorValue) -> Any:
    """Scores that a mask of truth values removes, or to which a mask of floats is added."""
    known = dtype_of(scores) or dtypes.f32
    if dtype_of(mask) in (dtypes.bool_, dtypes.u8):
        flags = mask if dtype_of(mask) is dtypes.bool_ else emit("cast", mask, to=dtypes.bool_)
        return emit("where", flags, emit("cast", float("-inf"), to=known, kind=type(scores)), scores)
    return emit("add", scores, emit("cast", mask, to=known))


def _same(left: Dim, right: Dim, because: str) -> None:
    demand(sizes.equal(left, right), because, "dims-differ")
