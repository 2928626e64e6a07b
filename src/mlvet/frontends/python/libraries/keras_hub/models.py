"""keras_hub.models, tokenizers, samplers and metrics: typed objects with the shapes that their arguments decide."""

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
from mlvet.frontends.python.libraries.keras.model import Model
from mlvet.frontends.python.libraries.keras.sealed import Sealed, unknown_layers
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

    @classmethod
    def from_preset(cls, preset: Any, **kwargs: Any) -> Any:
        return cls(**kwargs)

    def adapt(self, *args: Any, **kwargs: Any) -> None:
        return None


def rows_of(text: Any) -> tuple[Dim, ...]:
    """The dims of a batch of texts."""
    if isinstance(text, TensorValue):
        dims = dims_of(text)
        if dims is None:
            raise Undecided(Reason.EXTERNAL_DATA, "texts of unknown rank")
        return dims[:-1] if len(dims) > 1 and dims[-1] == 1 else dims
    if isinstance(text, ListValue):
        items = text.items
        return (len(items),) if isinstance(items, tuple) else (items.length,)
    if isinstance(text, str | Scalar):
        return ()
    raise Undecided(text if isinstance(text, Unknown) else Reason.EXTERNAL_DATA, "texts")


def _made(name: str, dtype: DType, dims: tuple[Dim, ...]) -> Any:
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
        return _made("tokens", dtypes.i32, (*rows_of(inputs), size))

    def tokenize(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        return self.call(inputs)

    def detokenize(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        dims = dims_of(inputs) if isinstance(inputs, TensorValue) else None
        if dims is not None and len(dims) > 1:
            return _made("text", dtypes.text, dims[:-1])
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


@model("keras_hub.tokenizers.compute_word_piece_vocabulary", "keras_hub.tokenizers.compute_sentence_piece_proto")
def compute_word_piece_vocabulary(data: Any, vocabulary_size: Any, *args: Any, **kwargs: Any) -> Any:
    return ListValue(Repeated(Scalar(str, "token"), as_size(vocabulary_size, "vocabulary")))


class Preprocessor(FromPreset):
    """Text to the dictionary of arrays that a model takes."""

    def call(self, x: Any, y: Any = None, sample_weight: Any = None, sequence_length: Any = None) -> Any:
        length = sequence_length if sequence_length is not None else held(self).get("sequence_length")
        size = symbol(machine().fresh("sequence_length")) if length is None else as_size(length, "sequence_length")
        dims = (*rows_of(x), size)
        tokens = DictValue({
            "token_ids": _made("token_ids", dtypes.i32, dims),
            "padding_mask": _made("padding_mask", dtypes.bool_, dims),
            "segment_ids": _made("segment_ids", dtypes.i32, dims),
        })  # fmt: skip
        return tokens if y is None else (tokens, y)

    def generate_preprocess(self, x: Any, sequence_length: Any = None) -> Any:
        return self.call(x, sequence_length=sequence_length)

    @property
    def tokenizer(self) -> Any:
        return Tokenizer()


class LanguagePreprocessor(Preprocessor):
    """Text to what a model of language learns from: arrays, the tokens that are to come, and their weights."""

    def call(self, x: Any, y: Any = None, sample_weight: Any = None, sequence_length: Any = None) -> Any:
        tokens = Preprocessor.call(self, x, None, None, sequence_length)
        dims = dims_of(tokens.cells["token_ids"]) or ()
        return tokens, _made("labels", dtypes.i32, dims), _made("sample_weight", dtypes.bool_, dims)

    def generate_preprocess(self, x: Any, sequence_length: Any = None) -> Any:
        return Preprocessor.call(self, x, None, None, sequence_length)


class HubModel(Sealed, Model):
    """A model with weights of its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(name=kwargs.get("name"))
        for name, value in kwargs.items():
            if name not in ("name", "dtype"):
                store(self.cells, name, value)
        self.built = True

    @classmethod
    def from_preset(cls, preset: Any, **kwargs: Any) -> Any:
        return cls(**kwargs)

    @property
    def backbone(self) -> Any:
        return Backbone()

    @property
    def preprocessor(self) -> Any:
        return held(self).get("preprocessor")

    def generate(self, inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
        rows = rows_of(inputs)
        return ListValue(Repeated(Scalar(str, "text"), rows[0])) if rows else Scalar(str, "text")

    @property
    def layers(self) -> Any:
        return unknown_layers()

    def enable_lora(self, rank: Any) -> None:
        return None

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        raise Undecided(Reason.EXTERNAL_DATA, "a model of a preset")


def _tokens(inputs: Any) -> tuple[Any, tuple[Dim, ...]]:
    """The token ids of an argument, and their dims."""
    found = inputs.cells.get("token_ids") if isinstance(inputs, DictValue) else inputs
    if found is None or isinstance(found, Unknown):
        raise Undecided(Reason.EXTERNAL_DATA, "tokens")
    made = array(found)
    dims = dims_of(made)
    return made, dims if dims is not None else (symbol("batch"), symbol(machine().fresh("sequence_length")))


class Classifier(HubModel):
    """A model from text to scores of classes."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made, dims = _tokens(inputs)
        count = as_size(held(self).get("num_classes", 2), "classes")
        return opaque("models.Classifier", [made], Known(dtypes.f32, (dims[0], count)), type(made))


class LanguageModel(HubModel):
    """A model from text to scores of tokens."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made, dims = _tokens(inputs)
        return opaque(
            "models.CausalLM", [made], Known(dtypes.f32, (*dims, symbol(machine().fresh("vocabulary")))), type(made)
        )


class Backbone(HubModel):
    """A model from text to features, or from images to features."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made, dims = _tokens(inputs)
        features = (
            as_size(held(self)["hidden_dim"]) if "hidden_dim" in self.cells else symbol(machine().fresh("hidden"))
        )
        return opaque("models.Backbone", [made], Known(dtypes.f32, (*dims, features)), type(made))

    def token_embedding(self, inputs: Any) -> Any:
        return self.call(inputs)


_TEXT = (
    "Bert", "Roberta", "DistilBert", "DebertaV3", "GPT2", "Gemma", "Gemma3", "Bart", "T5", "Llama", "Llama3", "Mistral",
    "OPT", "Falcon", "Phi3", "XLMRoberta", "Albert", "FNet", "Electra", "PaliGemma", "Bloom",
)  # fmt: skip
for _name in _TEXT:
    for _suffix, _base in (
        ("Backbone", Backbone), ("Classifier", Classifier), ("TextClassifier", Classifier), ("CausalLM", LanguageModel),
        ("Seq2SeqLM", LanguageModel), ("MaskedLM", LanguageModel), ("Preprocessor", Preprocessor),
        ("CausalLMPreprocessor", LanguagePreprocessor), ("Seq2SeqLMPreprocessor", LanguagePreprocessor),
        ("TextClassifierPreprocessor", Preprocessor), ("MaskedLMPreprocessor", LanguagePreprocessor),
    ):  # fmt: skip
        _made_kind = type(f"{_name}{_suffix}", (_base,), {"__slots__": (), "__module__": __name__})
        model(f"keras_hub.models.{_name}{_suffix}")(_made_kind)
for _name, _above in (
    ("Backbone", Backbone), ("TextClassifier", Classifier), ("CausalLM", LanguageModel), ("Seq2SeqLM", LanguageModel),
    ("MaskedLM", LanguageModel), ("Preprocessor", Preprocessor), ("Task", HubModel), ("ImageClassifier", HubModel),
    ("ResNetBackbone", HubModel),
    ("StableDiffusion3TextToImagePreprocessor", Preprocessor), ("SAMImageSegmenter", HubModel),
    ("YOLOV8Backbone", HubModel), ("YOLOV8Detector", HubModel), ("RetinaNet", HubModel),
):  # fmt: skip
    _kind = type(_name, (_above,), {"__slots__": (), "__module__": __name__})
    model(f"keras_hub.models.{_name}")(_kind)


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


for _name in ("RougeN", "RougeL", "RougeBase", "Bleu"):
    model(f"keras_hub.metrics.{_name}")(type(_name, (Score,), {"__slots__": (), "__module__": __name__}))


@model("keras_hub.metrics.Perplexity", "keras_hub.metrics.EditDistance")
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
