"""keras_hub.layers: embeddings and blocks of transformers."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Size, Tensor, as_size
from mlvet.frontends.python.libraries.keras.activations import alike, applied
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer
from mlvet.frontends.python.libraries.keras.layers.attention import MultiHeadAttention, sequence
from mlvet.frontends.python.libraries.keras.layers.dense import Dense, ReversibleEmbedding
from mlvet.frontends.python.libraries.keras.layers.normalization import LayerNormalization, size_at
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.tensor import array, combined, floating
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of


@model("keras_hub.layers.TokenAndPositionEmbedding")
class TokenAndPositionEmbedding(Layer):
    def __init__(
        self, vocabulary_size: Size, sequence_length: Size, embedding_dim: Size, tie_weights: Any = True,
        embeddings_initializer: Any = "uniform", mask_zero: Any = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**{name: kwargs[name] for name in ("name", "dtype") if name in kwargs})
        self.token_embedding = ReversibleEmbedding(vocabulary_size, embedding_dim)
        self.position_embedding = PositionEmbedding(sequence_length)
        self.embedding_dim = embedding_dim
        self.built = True

    def call(self, inputs: ArrayLike, start_index: Any = 0) -> Tensor:
        tokens = held(self)["token_embedding"](inputs)
        return combined("add", tokens, held(self)["position_embedding"](tokens))


@model("keras_hub.layers.PositionEmbedding")
class PositionEmbedding(Layer):
    def __init__(self, sequence_length: Size, initializer: Any = "glorot_uniform", **kwargs: Any) -> None:
        super().__init__(**{name: kwargs[name] for name in ("name", "dtype") if name in kwargs})
        self.sequence_length = sequence_length

    def build(self, inputs_shape: Any) -> None:
        sizes = (held(self)["sequence_length"], size_at(inputs_shape, -1, "features"))
        self._weight("position_embeddings", sizes, "glorot_uniform")
        self.built = True

    def call(self, inputs: ArrayLike, start_index: Any = 0) -> Tensor:
        return alike("layers.PositionEmbedding", floating(inputs, self._compute))


@model("keras_hub.layers.SinePositionEncoding")
class SinePositionEncoding(Layer):
    def __init__(self, max_wavelength: Any = 10000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.built = True

    def call(self, inputs: ArrayLike, start_index: Any = 0) -> Tensor:
        return alike("layers.SinePositionEncoding", floating(inputs, self._compute))


@model("keras_hub.layers.RotaryEmbedding")
class RotaryEmbedding(SinePositionEncoding):
    def __init__(
        self,
        max_wavelength: Any = 10000,
        scaling_factor: Any = 1.0,
        sequence_axis: Any = 1,
        feature_axis: Any = -1,
        **kwargs: Any,
    ) -> None:
        super().__init__(max_wavelength, **kwargs)


class Block(Layer):
    """A part of a transformer: attention and a network of two layers, each with a sum around it."""

    def __init__(
        self, intermediate_dim: Size, num_heads: Size = 1, dropout: Any = 0, activation: Any = "relu",
        layer_norm_epsilon: Any = 1e-5, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**{name: kwargs[name] for name in ("name", "dtype") if name in kwargs})
        self.intermediate_dim = intermediate_dim
        self.num_heads = num_heads
        self.activation = activation

    def _begin(self, width: Dim, crossed: bool) -> None:
        heads = held(self)["num_heads"]
        size = width // heads
        self.attention = MultiHeadAttention(heads, size, name="self_attention")
        if crossed:
            self.cross_attention = MultiHeadAttention(heads, size, name="cross_attention")
        self.inner = Dense(held(self)["intermediate_dim"], name="feedforward_intermediate_dense")
        self.outer = Dense(width, name="feedforward_output_dense")
        self.norms = tuple(LayerNormalization(name=f"layer_norm_{place}") for place in range(3))

    def _fed(self, x: Any) -> Any:
        hidden = applied(held(self)["activation"], held(self)["inner"](x))
        return held(self)["norms"][2](combined("add", x, held(self)["outer"](hidden)))


@model("keras_hub.layers.TransformerEncoder")
class TransformerEncoder(Block):
    def build(self, inputs_shape: Any) -> None:
        self._begin(size_at(inputs_shape, -1, "features"), False)
        self.built = True

    def call(
        self, inputs: ArrayLike, padding_mask: Any = None, attention_mask: Any = None, training: Any = None
    ) -> Tensor:
        x = sequence(floating(inputs, self._compute), "steps")
        attended = combined("add", x, held(self)["attention"](x, x))
        return self._fed(held(self)["norms"][0](attended))


@model("keras_hub.layers.FNetEncoder")
class FNetEncoder(Block):
    def __init__(
        self,
        intermediate_dim: Size,
        dropout: Any = 0,
        activation: Any = "relu",
        layer_norm_epsilon: Any = 1e-5,
        **kwargs: Any,
    ) -> None:
        super().__init__(intermediate_dim, 1, dropout, activation, **kwargs)

    def build(self, inputs_shape: Any) -> None:
        self._begin(size_at(inputs_shape, -1, "features"), False)
        self.built = True

    def call(self, inputs: ArrayLike, training: Any = None) -> Tensor:
        x = sequence(floating(inputs, self._compute), "steps")
        mixed = combined("add", x, alike("layers.FNetEncoder", x))
        return self._fed(held(self)["norms"][0](mixed))


@model("keras_hub.layers.TransformerDecoder")
class TransformerDecoder(Block):
    def build(self, decoder_sequence_shape: Any, encoder_sequence_shape: Any = None) -> None:
        self._begin(size_at(decoder_sequence_shape, -1, "features"), True)
        self.built = True

    def call(
        self, decoder_sequence: Any, encoder_sequence: Any = None, decoder_padding_mask: Any = None,
        decoder_attention_mask: Any = None, encoder_padding_mask: Any = None, encoder_attention_mask: Any = None,
        self_attention_cache: Any = None, self_attention_cache_update_index: Any = None,
        cross_attention_cache: Any = None, cross_attention_cache_update_index: Any = None,
        use_causal_mask: Any = True, training: Any = None,
    ) -> Tensor:  # fmt: skip
        x = sequence(floating(array(decoder_sequence), self._compute), "steps")
        x = held(self)["norms"][0](combined("add", x, held(self)["attention"](x, x)))
        if encoder_sequence is not None:
            other = sequence(floating(array(encoder_sequence), self._compute), "steps")
            x = held(self)["norms"][1](combined("add", x, held(self)["cross_attention"](x, other)))
        return self._fed(x)


@model("keras_hub.layers.CachedMultiHeadAttention")
class CachedMultiHeadAttention(MultiHeadAttention):
    pass


@model("keras_hub.layers.StartEndPacker")
class StartEndPacker(Layer):
    """Sequences with tokens put before and after, all of one length."""

    def __init__(
        self, sequence_length: Size, start_value: Any = None, end_value: Any = None, pad_value: Any = None,
        return_padding_mask: Any = False, name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        self.sequence_length = sequence_length
        self.return_padding_mask = return_padding_mask
        self.built = True

    def call(
        self, inputs: ArrayLike, sequence_length: Any = None, add_start_value: Any = True, add_end_value: Any = True
    ) -> Any:
        x = array(inputs)
        length = held(self)["sequence_length"] if sequence_length is None else as_size(sequence_length)
        known = dtype_of(x)
        made = opaque("layers.StartEndPacker", [x], Known(known, (*ranked_dims(x)[:-1], length)), type(x))
        if held(self)["return_padding_mask"] is True:
            return made, opaque("layers.StartEndPacker", [x], Known(dtypes.bool_, dims_of(made) or ()), type(x))
        return made


@model("keras_hub.layers.MaskedLMHead")
class MaskedLMHead(Layer):
    def __init__(self, vocabulary_size: Any = None, token_embedding: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(name=kwargs.get("name"))
        self.vocabulary_size = vocabulary_size if vocabulary_size is not None else token_embedding.cells["input_dim"]
        self.built = True

    def call(self, inputs: ArrayLike, mask_positions: ArrayLike) -> Tensor:
        x, places = array(inputs), array(mask_positions)
        sizes = (*ranked_dims(places), as_size(held(self)["vocabulary_size"], "vocabulary"))
        return opaque("layers.MaskedLMHead", [x, places], Known(self._compute, sizes), type(x))
