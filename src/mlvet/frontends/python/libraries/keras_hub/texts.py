"""Tokenizers, samplers and metrics of keras_hub: typed objects with the shapes that their arguments decide."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_size
from mlvet.frontends.python.libraries.keras.directories import tensor_class
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer
from mlvet.frontends.python.libraries.keras.metrics import Metric, number
from mlvet.frontends.python.libraries.keras.tensor import array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class FromPreset(Layer):
    """Something that is made by the name of a preset."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(name=kwargs.get("name"))
        for name, value in kwargs.items():
            if name not in ("name", "dtype"):
                store(self.cells, name, value)
        self.built = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What is given keeps its element type, unlike that of other layers."""
        return machine().send(self, "call", *args, **kwargs)

    @classmethod
    def from_preset(cls, preset: Any, **kwargs: Any) -> Any:
        return cls(**kwargs)

    def adapt(self, *args: Any, **kwargs: Any) -> None:
        return None


def rows_of(text: Any) -> tuple[Dim, ...]:
    """The dims of a batch of texts; of several batches that are parts of the same texts, those of the first."""
    if isinstance(text, TensorValue):
        dims = dims_of(text)
        if dims is None:
            raise Undecided(Reason.EXTERNAL_DATA, "texts of unknown rank")
        return dims[:-1] if len(dims) > 1 and dims[-1] == 1 else dims
    parts = text.items if isinstance(text, ListValue) else text
    if isinstance(parts, tuple) and parts and all(isinstance(each, TensorValue) and dims_of(each) for each in parts):
        return rows_of(parts[0])
    if isinstance(text, ListValue):
        items = text.items
        return (len(items),) if isinstance(items, tuple) else (items.length,)
    if isinstance(text, str | Scalar):
        return ()
    raise Undecided(text if isinstance(text, Unknown) else Reason.EXTERNAL_DATA, "texts")


def made_of(name: str, dtype: DType, dims: tuple[Dim, ...]) -> Any:
    return source(name, Known(dtype, dims), tensor_class())


@model(
    "keras_hub.tokenizers.WordPieceTokenizer", "keras_hub.tokenizers.BytePairTokenizer",
    "keras_hub.tokenizers.SentencePieceTokenizer", "keras_hub.tokenizers.UnicodeCodepointTokenizer",
    "keras_hub.tokenizers.ByteTokenizer", "keras_hub.tokenizers.Tokenizer", "keras_hub.models.BertTokenizer",
    "keras_hub.models.GPT2Tokenizer", "keras_hub.models.RobertaTokenizer", "keras_hub.models.GemmaTokenizer",
    "keras_hub.models.BartTokenizer", "keras_hub.models.T5Tokenizer", "keras_hub.models.DebertaV3Tokenizer",
    "keras_hub.models.DistilBertTokenizer", "keras_hub.models.LlamaTokenizer", "keras_hub.models.MistralTokenizer",
)  # fmt: skip
class Tokenizer(FromPreset):
    """Text to numbers of tokens and back."""

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        length = held(self).get("sequence_length")
        size = symbol(machine().fresh("tokens")) if length is None else as_size(length, "sequence_length")
        return made_of("tokens", dtypes.i32, (*rows_of(inputs), size))

    def tokenize(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        return self.call(inputs)

    def detokenize(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        dims = dims_of(inputs) if isinstance(inputs, TensorValue) else None
        if dims is not None and len(dims) > 1:
            return made_of("text", dtypes.text, dims[:-1])
        return Scalar(str, "text")

    def vocabulary_size(self) -> Any:
        known = held(self).get("vocabulary")
        items = known.items if isinstance(known, ListValue) else known
        if isinstance(items, tuple):
            return len(items)
        if "@size" not in self.cells:
            store(self.cells, "@size", symbol(machine().fresh("vocabulary")))
        return held(self)["@size"]

    def get_vocabulary(self) -> Any:
        return ListValue(Repeated(Scalar(str, "token"), self.vocabulary_size()))

    def id_to_token(self, id: Any) -> Any:
        return Scalar(str, "token")

    def token_to_id(self, token: Any) -> Any:
        return symbol(machine().fresh("token_id"))


@model("keras_hub.tokenizers.compute_sentence_piece_proto")
def compute_sentence_piece_proto(data: Any, vocabulary_size: Any, *args: Any, **kwargs: Any) -> Any:
    return Scalar(bytes)


@model("keras_hub.tokenizers.compute_word_piece_vocabulary")
def compute_word_piece_vocabulary(data: Any, vocabulary_size: Any, *args: Any, **kwargs: Any) -> Any:
    return ListValue(Repeated(Scalar(str, "token"), as_size(vocabulary_size, "vocabulary")))


class Sampler(Object):
    """A way to choose the next token."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            store(self.cells, name, value)

    def __call__(self, next: Any, prompt: ArrayLike, *args: Any, **kwargs: Any) -> Tensor:
        made = array(prompt)
        return opaque("samplers.Sampler", [made], made.graph_value.declared.without_value(), type(made))


for _name in (
    "GreedySampler",
    "TopKSampler",
    "TopPSampler",
    "RandomSampler",
    "BeamSampler",
    "ContrastiveSampler",
    "Sampler",
):
    model(f"keras_hub.samplers.{_name}")(type(_name, (Sampler,), {"__slots__": (), "__module__": __name__}))


class Score(Metric):
    """A metric of text."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(None, kwargs.get("name"))

    def result(self) -> Any:
        return DictValue(
            {name: number("metrics.Score") for name in ("precision", "recall", "f1_score")},
            rest=number("metrics.Score"),
        )


for _name in ("RougeN", "RougeL"):
    model(f"keras_hub.metrics.{_name}")(type(_name, (Score,), {"__slots__": (), "__module__": __name__}))


@model("keras_hub.metrics.Perplexity", "keras_hub.metrics.EditDistance", "keras_hub.metrics.Bleu")
class Perplexity(Metric):
    def __init__(
        self,
        from_logits: Any = False,
        mask_token_id: Any = None,
        dtype: Any = None,
        name: Any = "perplexity",
        **kwargs: Any,
    ) -> None:
        super().__init__(dtype, name)
