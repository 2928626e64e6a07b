"""Pretrained models of PyTorch: a family and a head give the class."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries import torch as torch
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.embedding import Embedding
from mlvet.frontends.python.libraries.torch.nn.linear import Linear
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.libraries.transformers.configurations import (
    FAMILIES,
    SEQUENCE_TO_SEQUENCE,
    PretrainedConfig,
    configured,
    labels,
    size,
)
from mlvet.frontends.python.libraries.transformers.heads import CACHED, Run, generated, plain, positional, scored
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.placements import ANYWHERE
from mlvet.frontends.python.values.tensors import dtype_of
from mlvet.frontends.python.values.unknown import Reason, Unknown

WITHOUT_TOKENS = frozenset(
    ("ViT", "DeiT", "Beit", "Swin", "ConvNext", "ResNet", "Segformer", "Wav2Vec2", "Whisper", "CLIP")
)
PREFIXES = {
    "GPT2": "transformer", "GPTNeo": "transformer", "GPTJ": "transformer", "XLNet": "transformer",
    "Bloom": "transformer", "Falcon": "transformer", "DebertaV2": "deberta", "XLMRoberta": "roberta",
    "GPTNeoX": "gpt_neox",
}  # fmt: skip
"""Under which name a model with a head has the one without, where it is not that of the family."""


_OWN = ("Bert", "Roberta", "DistilBert", "Albert", "Electra", "DebertaV2", "XLNet", "GPT2", "T5", "Llama", "ViT")


@model(
    "transformers.PreTrainedModel",
    "transformers.modeling_utils.PreTrainedModel",
    *(f"transformers.{name}PreTrainedModel" for name in _OWN),
)
class PreTrainedModel(Module):
    """A model with a configuration. Programs subclass it for models of their own."""

    __slots__ = ()
    family: ClassVar[str] = ""

    def __init__(self, config: Any = None, *inputs: Any, **kwargs: Any) -> None:
        super().__init__()
        store(self.cells, "config", config)

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *model_args: Any, **kwargs: Any) -> Any:
        config = kwargs.pop("config", None)
        if not isinstance(config, Object):
            config = _configuration(cls, pretrained_model_name_or_path, kwargs)
        made = machine().call(cls, config, *model_args)
        dtype = kwargs.get("dtype", kwargs.get("torch_dtype"))
        if "device_map" in kwargs and isinstance(made, Module):
            made.handed_out()
        return machine().send(made, "to", dtype) if isinstance(dtype, DType) and isinstance(made, Object) else made

    @classmethod
    def from_config(cls, config: Any, **kwargs: Any) -> Any:
        return machine().call(cls, config)

    _from_config = from_config

    @property
    def device(self) -> Any:
        from mlvet.frontends.python.libraries.torch.devices import Device

        return Device.of(ANYWHERE)

    @property
    def dtype(self) -> Any:
        return weights_of(self)

    @property
    def base_model(self) -> Any:
        return self.cells.get("@base", self)

    def post_init(self) -> None:
        """Sets the first weights."""

    init_weights = gradient_checkpointing_enable = gradient_checkpointing_disable = post_init
    tie_weights = enable_input_require_grads = post_init

    def save_pretrained(self, *args: Any, **kwargs: Any) -> None:
        """Writes files."""

    push_to_hub = prune_heads = set_default_language = save_pretrained

    def get_memory_footprint(self, *args: Any, **kwargs: Any) -> Any:
        return symbol("bytes")

    def num_parameters(self, *args: Any, **kwargs: Any) -> Any:
        return symbol("parameters")

    def get_extended_attention_mask(self, attention_mask: Any, *args: Any, **kwargs: Any) -> Any:
        found = machine().send(attention_mask, "__getitem__", (slice(None), None, None, slice(None)))
        return machine().send(found, "float")

    def generate(self, inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
        return generated(_run(self, positional(("inputs",), (inputs,), kwargs)))

    def get_input_embeddings(self) -> Any:
        base = self.cells.get("@base", self)
        found = base.cells.get("embeddings")
        return Unknown(Reason.UNKNOWN_DISPATCH, "embeddings") if found is None else found

    def set_input_embeddings(self, value: Any) -> None:
        base = self.cells.get("@base", self)
        store(base.cells, "embeddings", value)

    def resize_token_embeddings(
        self, new_num_tokens: Size | None = None, pad_to_multiple_of: Any = None, mean_resizing: Any = True
    ) -> Any:
        if new_num_tokens is not None:
            config = self.cells.get("config")
            count = new_num_tokens if pad_to_multiple_of is None else symbol(machine().fresh("vocab_size"))
            if isinstance(config, Object):
                store(config.cells, "vocab_size", count)
                self.set_input_embeddings(Embedding(count, size(config, "hidden_size")))
        return self.get_input_embeddings()

    def get_encoder(self) -> Any:
        return Encoder(self.config)

    def get_output_embeddings(self) -> Any:
        return self.cells.get("lm_head")


class Base(PreTrainedModel):
    """A published model without a head."""

    __slots__ = ()
    lists_parts: ClassVar[bool] = False

    def __init__(self, config: Any = None, *inputs: Any, **kwargs: Any) -> None:
        super().__init__(config)
        if isinstance(config, Object) and self._family not in WITHOUT_TOKENS:
            self.embeddings = Embedding(size(config, "vocab_size"), size(config, "hidden_size"))

    @property
    def _family(self) -> str:
        config = self.cells.get("config")
        return self.family or (type(config).family if isinstance(config, PretrainedConfig) else "")

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return returned(self, plain(_run(self, _given(self, args, kwargs))), kwargs)

    def missing(self, name: str) -> Any:
        if name == "encoder":
            return Encoder(self.config) if self._family in SEQUENCE_TO_SEQUENCE else _inside(self, name)
        if name == "shared":
            return self.get_input_embeddings()
        return _inside(self, name)


class Encoder(Base):
    """The first half of a model that has two."""

    __slots__ = ()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return returned(self, plain(_run(self, _given(self, args, kwargs) | {"encoder_only": True})), kwargs)


class Headed(Base):
    """A published model with a head."""

    __slots__ = ()
    head: ClassVar[str] = ""
    base: ClassVar[type[Base]] = Base

    def __init__(self, config: Any = None, *inputs: Any, **kwargs: Any) -> None:
        PreTrainedModel.__init__(self, config)
        base = self.base(config)
        store(self.cells, PREFIXES.get(self._family, self._family.lower() or "model"), base)
        store(self.cells, "@base", base)
        if not isinstance(config, Object):
            return
        width = config.cells.get("hidden_size")
        if width is not None and self.head in _CLASSIFIERS:
            name = "score" if self._family in CACHED else "classifier"
            store(self.cells, name, Linear(width, labels(config)))
            store(self.cells, "@own", self.cells[name])
            store(self.cells, "num_labels", labels(config))
        elif width is not None and self.head in _WRITERS:
            store(self.cells, "lm_head", Linear(width, size(config, "vocab_size"), bias=False))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        given = _given(self, args, kwargs)
        made = scored(_run(self, given), self.head)
        other = self.cells.get("score", self.cells.get("classifier"))
        if self.head in _CLASSIFIERS and other is not self.cells.get("@own") and isinstance(other, Object):
            self._replace(made, other, given)
        return returned(self, made, kwargs)

    def _replace(self, made: Any, other: Any, given: dict[str, Any]) -> None:
        """The logits of a head that the program has put in."""
        states = plain(_run(self, given | {"labels": None}))
        whole = self.head == "TokenClassification" or self._family in ("Roberta", "XLMRoberta", "Electra")
        name = "pooler_output" if not whole and "pooler_output" in states.cells["@data"].cells else "last_hidden_state"
        features = states.cells["@data"].cells[name]
        if not whole and name == "last_hidden_state":
            features = machine().send(features, "__getitem__", (slice(None), 0))
        made.cells["@data"].put("logits", machine().call(other, features))


_CLASSIFIERS = frozenset(("SequenceClassification", "TokenClassification", "ImageClassification"))
_WRITERS = frozenset(("CausalLM", "LMHeadModel", "MaskedLM", "Seq2SeqLM", "ConditionalGeneration", "CTC"))


def _given(it: Base, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name; which come first depends on the family."""
    if it._family in ("ViT", "DeiT", "Beit", "Swin", "ConvNext", "ResNet", "Segformer"):
        return positional(("pixel_values",), args, kwargs)
    if it._family in ("Wav2Vec2", "Whisper"):
        return positional(
            ("input_values" if it._family == "Wav2Vec2" else "input_features", "attention_mask"), args, kwargs
        )
    if it._family in SEQUENCE_TO_SEQUENCE:
        return positional(("input_ids", "attention_mask", "decoder_input_ids", "decoder_attention_mask"), args, kwargs)
    second = ("past_key_values",) if it._family in ("GPT2", "GPTNeo", "GPTJ", "Bloom") else ("attention_mask",)
    return positional(("input_ids", *second, "token_type_ids", "position_ids"), args, kwargs)


def _run(it: Any, given: dict[str, Any]) -> Run:
    family = it._family if isinstance(it, Base) else ""
    name = it.kind.name if it.kind is not None else type(it).__name__
    return Run(name, family, it.cells.get("config"), given, Tensor, weights_of(it))


def weights_of(it: Module) -> DType:
    """The element type of a model's weights."""
    found = it.cells.get("@base", it).cells.get("embeddings")
    weight = found.cells.get("weight") if isinstance(found, Module) else None
    return (dtype_of(weight) if weight is not None else None) or dtypes.f32


def returned(it: Any, made: Any, kwargs: dict[str, Any]) -> Any:
    """A model's output, as a tuple if the program asks for one."""
    wanted = kwargs.get("return_dict")
    config = it.cells.get("config")
    if wanted is None and isinstance(config, Object):
        wanted = config.cells.get("return_dict")
    return made.to_tuple() if wanted is False else made


def _inside(it: Any, name: str) -> Unknown:
    return Unknown(Reason.UNKNOWN_DISPATCH, f"{type(it).__name__}.{name}", name)


def _configuration(cls: Any, checkpoint: Any, settings: dict[str, Any]) -> Any:
    if isinstance(cls, ClassValue):
        kind = cls.cells.get("config_class")
        if isinstance(kind, ClassValue):
            return machine().call(kind)
        family = getattr(cls.native, "family", "")
        kind = kind if isinstance(kind, type) else None
    else:
        family, kind = cls.family, None
    if kind is None and family:
        from mlvet.frontends.python.libraries.transformers.configurations import CONFIGURATIONS

        kind = CONFIGURATIONS[family]
    return configured(kind, checkpoint, dict(settings))


ENCODERS = (
    "Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering",
    "ForMultipleChoice",
)  # fmt: skip
DECODERS = ("Model", "ForCausalLM", "ForSequenceClassification")
CLASSES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("Roberta", "DistilBert", "Albert", "Electra", "DebertaV2", "XLMRoberta", "MPNet"), ENCODERS),
    "Longformer": ENCODERS[:4],
    "Bert": (*ENCODERS, "LMHeadModel", "ForNextSentencePrediction", "ForPreTraining"),
    "XLNet": ("Model", "LMHeadModel", "ForSequenceClassification", "ForTokenClassification"),
    "GPT2": ("Model", "LMHeadModel", "ForSequenceClassification", "ForTokenClassification"),
    **dict.fromkeys(
        ("GPTNeo", "GPTNeoX", "GPTJ", "OPT", "Llama", "Mistral", "Gemma", "Qwen2", "Phi", "Falcon", "Bloom"), DECODERS
    ),
    **dict.fromkeys(("T5", "MT5", "Bart", "MBart", "Pegasus", "Whisper"), ("Model", "ForConditionalGeneration")),
    "Marian": ("Model", "MTModel"),
    **dict.fromkeys(("ViT", "DeiT", "Beit", "Swin", "ConvNext", "ResNet"), ("Model", "ForImageClassification")),
    "Segformer": ("Model", "ForImageClassification", "ForSemanticSegmentation"),
    "Wav2Vec2": ("Model", "ForCTC", "ForSequenceClassification"),
}
for _family, _suffixes in CLASSES.items():
    assert _family in FAMILIES
    _base: Any = type(f"{_family}Model", (Base,), {"__slots__": (), "__module__": __name__, "family": _family})
    model(f"transformers.{_family}Model")(_base)
    for _suffix in _suffixes[1:]:
        _head = "Seq2SeqLM" if _suffix == "MTModel" else _suffix.removeprefix("For")
        _cells = {"__slots__": (), "__module__": __name__, "family": _family, "head": _head, "base": _base}
        model(f"transformers.{_family}{_suffix}")(type(f"{_family}{_suffix}", (Headed,), _cells))
model("transformers.T5EncoderModel")(
    type("T5EncoderModel", (Encoder,), {"__slots__": (), "__module__": __name__, "family": "T5"})
)
model("transformers.AutoModel")(Base)
AUTOMATIC = (
    "CausalLM", "MaskedLM", "Seq2SeqLM", "SequenceClassification", "TokenClassification", "QuestionAnswering",
    "MultipleChoice", "NextSentencePrediction", "ImageClassification", "SemanticSegmentation", "CTC", "SpeechSeq2Seq",
    "AudioClassification", "PreTraining",
)  # fmt: skip
for _head in AUTOMATIC:
    _cells = {"__slots__": (), "__module__": __name__, "head": _head}
    model(f"transformers.AutoModelFor{_head}")(type(f"AutoModelFor{_head}", (Headed,), _cells))
