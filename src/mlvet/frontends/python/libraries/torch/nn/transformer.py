"""Encoders and decoders of attention."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, equal
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Number, Size, Tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.attention import MultiheadAttention
from mlvet.frontends.python.libraries.torch.nn.containers import ModuleList
from mlvet.frontends.python.libraries.torch.nn.dropouts import Dropout
from mlvet.frontends.python.libraries.torch.nn.functions import F
from mlvet.frontends.python.libraries.torch.nn.linear import Linear
from mlvet.frontends.python.libraries.torch.nn.module import Module, copied
from mlvet.frontends.python.libraries.torch.nn.normalisation import LayerNorm
from mlvet.frontends.python.libraries.torch.tensor import Tensor as TorchTensor
from mlvet.frontends.python.values.containers import Repeated
from mlvet.frontends.python.values.tensors import dims_of


class Block(Module):
    """What encoder and decoder layers share: attention and a small network, each added to its input."""

    __slots__ = ()

    def _prepare(
        self,
        width: Dim,
        heads: Dim,
        inner: Dim,
        dropout: Any,
        activation: Any,
        batch_first: bool,
        norm_first: bool,
        bias: bool,
        dtype: DType | None,
    ) -> None:
        self.self_attn = MultiheadAttention(width, heads, dropout, bias, batch_first=batch_first, dtype=dtype)
        self.linear1, self.linear2 = Linear(width, inner, bias, None, dtype), Linear(inner, width, bias, None, dtype)
        self.dropout, self.norm_first, self.activation = Dropout(dropout), norm_first, activation

    def _attended(self, layer: Any, x: Any, memory: Any, mask: Any, padding: Any) -> Any:
        return machine().call(layer, x, memory, memory, attn_mask=mask, key_padding_mask=padding, need_weights=False)[0]

    def _fed(self, x: Any) -> Any:
        inner = self._activated(machine().call(self.linear1, x))
        return machine().call(self.linear2, machine().call(self.dropout, inner))

    def _activated(self, x: Any) -> Any:
        activation = self.activation
        if activation == "gelu":
            return F.gelu(x)
        return F.relu(x) if isinstance(activation, str) else machine().call(activation, x)


@model("torch.nn.TransformerEncoderLayer")
class TransformerEncoderLayer(Block):
    __slots__ = ()

    def __init__(
        self, d_model: Size, nhead: Size, dim_feedforward: Size = 2048, dropout: Number = 0.1, activation: Any = "relu",
        layer_norm_eps: Number = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True,
        device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._prepare(d_model, nhead, dim_feedforward, dropout, activation, batch_first, norm_first, bias, dtype)
        self.norm1, self.norm2 = (LayerNorm(d_model, layer_norm_eps, True, bias, None, dtype) for _ in range(2))
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)

    def forward(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        call = machine().call
        x: Any = src

        def attended(x: Any) -> Any:
            return call(self.dropout1, self._attended(self.self_attn, x, x, src_mask, src_key_padding_mask))

        def fed(x: Any) -> Any:
            return call(self.dropout2, self._fed(x))

        if self.norm_first:
            x = x + attended(call(self.norm1, x))
            x = x + fed(call(self.norm2, x))
        else:
            x = call(self.norm1, x + attended(x))
            x = call(self.norm2, x + fed(x))
        return x


@model("torch.nn.TransformerDecoderLayer")
class TransformerDecoderLayer(Block):
    __slots__ = ()

    def __init__(
        self, d_model: Size, nhead: Size, dim_feedforward: Size = 2048, dropout: Number = 0.1, activation: Any = "relu",
        layer_norm_eps: Number = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True,
        device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._prepare(d_model, nhead, dim_feedforward, dropout, activation, batch_first, norm_first, bias, dtype)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype)
        self.norm1, self.norm2, self.norm3 = (
            LayerNorm(d_model, layer_norm_eps, True, bias, None, dtype) for _ in range(3)
        )
        self.dropout1, self.dropout2, self.dropout3 = Dropout(dropout), Dropout(dropout), Dropout(dropout)

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        call = machine().call
        x: Any = tgt

        def attended(x: Any) -> Any:
            return call(self.dropout1, self._attended(self.self_attn, x, x, tgt_mask, tgt_key_padding_mask))

        def crossed(x: Any) -> Any:
            found = self._attended(self.multihead_attn, x, memory, memory_mask, memory_key_padding_mask)
            return call(self.dropout2, found)

        def fed(x: Any) -> Any:
            return call(self.dropout3, self._fed(x))

        if self.norm_first:
            x = x + attended(call(self.norm1, x))
            x = x + crossed(call(self.norm2, x))
            x = x + fed(call(self.norm3, x))
        else:
            x = call(self.norm1, x + attended(x))
            x = call(self.norm2, x + crossed(x))
            x = call(self.norm3, x + fed(x))
        return x


class Stack(Module):
    """Copies of one layer, one after the other, and perhaps a norm."""

    __slots__ = ()

    def _prepare(self, layer: Any, num_layers: Dim, norm: Any) -> None:
        self.num_layers, self.norm = num_layers, norm
        if isinstance(num_layers, int):
            self.layers = ModuleList(tuple(copied(layer, {}) for _ in range(num_layers)))
        else:
            self.layers = ModuleList(())
            self.layers._fill(Repeated(layer, num_layers))

    def _through(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        members = self.layers._members
        for layer in (members.element,) if isinstance(members, Repeated) else members:
            x = machine().call(layer, x, *args, **kwargs)
        return x if self.norm is None else machine().call(self.norm, x)


@model("torch.nn.TransformerEncoder")
class TransformerEncoder(Stack):
    __slots__ = ()

    def __init__(
        self, encoder_layer: Any, num_layers: Size, norm: Any = None, enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self._prepare(encoder_layer, num_layers, norm)

    def forward(
        self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:  # fmt: skip
        return self._through(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask)


@model("torch.nn.TransformerDecoder")
class TransformerDecoder(Stack):
    __slots__ = ()

    def __init__(self, decoder_layer: Any, num_layers: Size, norm: Any = None) -> None:
        super().__init__()
        self._prepare(decoder_layer, num_layers, norm)

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        return self._through(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
        )  # fmt: skip


@model("torch.nn.Transformer")
class Transformer(Module):
    __slots__ = ()

    def __init__(
        self, d_model: Size = 512, nhead: Size = 8, num_encoder_layers: Size = 6, num_decoder_layers: Size = 6,
        dim_feedforward: Size = 2048, dropout: Number = 0.1, activation: Any = "relu", custom_encoder: Any = None,
        custom_decoder: Any = None, layer_norm_eps: Number = 1e-5, batch_first: bool = False, norm_first: bool = False,
        bias: bool = True, device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        settings = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device,
            dtype,
        )  # fmt: skip

        def norm() -> Any:
            return LayerNorm(d_model, layer_norm_eps, True, bias, None, dtype)

        self.encoder = custom_encoder
        if custom_encoder is None:
            self.encoder = TransformerEncoder(TransformerEncoderLayer(*settings), num_encoder_layers, norm())
        self.decoder = custom_decoder
        if custom_decoder is None:
            self.decoder = TransformerDecoder(TransformerDecoderLayer(*settings), num_decoder_layers, norm())

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        _demand_width(src, self.d_model)
        _demand_width(tgt, self.d_model)
        memory = machine().call(self.encoder, src, mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return machine().call(
            self.decoder, tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: Size, device: Any = None, dtype: DType | None = None) -> Any:
        return opaque("generate_square_subsequent_mask", [], Type(dtype or dtypes.f32, (sz, sz)), TorchTensor)


def _demand_width(x: Any, width: Dim) -> None:
    dims = dims_of(x)
    if dims:
        demand(equal(dims[-1], width), "the features of a transformer's input are d_model", "dims-differ")
