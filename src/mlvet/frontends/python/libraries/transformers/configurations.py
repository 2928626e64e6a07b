"""Configurations: the sizes of a model by the names that its family gives them."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

NAMES = (
    "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
    "max_position_embeddings", "type_vocab_size",
)  # fmt: skip
OTHER_NAMES = {
    "n_embd": "hidden_size", "d_model": "hidden_size", "dim": "hidden_size", "n_layer": "num_hidden_layers",
    "n_layers": "num_hidden_layers", "num_layers": "num_hidden_layers", "encoder_layers": "num_hidden_layers",
    "n_head": "num_attention_heads", "n_heads": "num_attention_heads", "num_heads": "num_attention_heads",
    "encoder_attention_heads": "num_attention_heads", "n_positions": "max_position_embeddings",
    "n_ctx": "max_position_embeddings", "d_ff": "intermediate_size", "hidden_dim": "intermediate_size",
    "encoder_ffn_dim": "intermediate_size", "ffn_dim": "intermediate_size",
}  # fmt: skip
"""Other names that families have for the usual attributes."""
FAMILIES: dict[str, tuple[int | None, ...]] = {
    "Bert": (30522, 768, 12, 12, 3072, 512, 2), "Roberta": (50265, 768, 12, 12, 3072, 512, 2),
    "DistilBert": (30522, 768, 6, 12, 3072, 512, None), "Albert": (30000, 4096, 12, 64, 16384, 512, 2),
    "Electra": (30522, 256, 12, 4, 1024, 512, 2), "DebertaV2": (128100, 1536, 24, 24, 6144, 512, 0),
    "XLMRoberta": (30522, 768, 12, 12, 3072, 512, 2), "MPNet": (30527, 768, 12, 12, 3072, 512, None),
    "XLNet": (32000, 1024, 24, 16, None, -1, None), "Longformer": (30522, 768, 12, 12, 3072, 512, 2),
    "GPT2": (50257, 768, 12, 12, None, 1024, None), "GPTNeo": (50257, 2048, 24, 16, None, 2048, None),
    "GPTNeoX": (50432, 6144, 44, 64, 24576, 2048, None), "GPTJ": (50400, 4096, 28, 16, None, 2048, None),
    "OPT": (50272, 768, 12, 12, 3072, 2048, None), "Llama": (32000, 4096, 32, 32, 11008, 2048, None),
    "Mistral": (32000, 4096, 32, 32, 14336, 131072, None), "Gemma": (256000, 3072, 28, 16, 24576, 8192, None),
    "Qwen2": (151936, 4096, 32, 32, 22016, 32768, None), "Phi": (51200, 2048, 24, 32, 8192, 2048, None),
    "Falcon": (65024, 4544, 32, 71, None, 2048, None), "Bloom": (250880, 64, 2, 8, None, None, None),
    "T5": (32128, 512, 6, 8, 2048, None, None), "MT5": (250112, 512, 8, 6, 1024, None, None),
    "Bart": (50265, 1024, 12, 16, 4096, 1024, None), "MBart": (50265, 1024, 12, 16, 4096, 1024, None),
    "Pegasus": (50265, 1024, 12, 16, 4096, 1024, None), "Marian": (58101, 1024, 12, 16, 4096, 1024, None),
    "ViT": (None, 768, 12, 12, 3072, None, None), "DeiT": (None, 768, 12, 12, 3072, None, None),
    "Beit": (8192, 768, 12, 12, 3072, None, None), "Wav2Vec2": (32, 768, 12, 12, 3072, None, None),
    "Whisper": (51865, 384, 4, 6, 1536, None, None), "CLIP": (None, None, None, None, None, None, None),
    "Swin": (None, 768, None, None, None, None, None), "Segformer": (None, None, None, None, None, None, None),
    "ConvNext": (None, None, None, None, None, None, None), "ResNet": (None, None, None, None, None, None, None),
}  # fmt: skip
"""The sizes in the order of NAMES that a configuration has unless it is told otherwise, None where it has none."""
CHECKPOINTS: dict[str, tuple[str, dict[str, int]]] = {
    "bert-base-uncased": ("Bert", {}), "bert-base-cased": ("Bert", {"vocab_size": 28996}),
    "bert-large-uncased": ("Bert", {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}),
    "bert-large-cased": (
        "Bert", {"vocab_size": 28996, "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16},
    ),
    "bert-base-multilingual-cased": ("Bert", {"vocab_size": 119547}),
    "bert-base-chinese": ("Bert", {"vocab_size": 21128}),
    "distilbert-base-uncased": ("DistilBert", {}), "distilbert-base-cased": ("DistilBert", {"vocab_size": 28996}),
    "roberta-base": ("Roberta", {"max_position_embeddings": 514, "type_vocab_size": 1}),
    "distilroberta-base": ("Roberta", {"num_hidden_layers": 6, "max_position_embeddings": 514, "type_vocab_size": 1}),
    "roberta-large": ("Roberta", {
        "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "max_position_embeddings": 514,
        "type_vocab_size": 1,
    }),
    "xlm-roberta-base": ("XLMRoberta", {"vocab_size": 250002, "max_position_embeddings": 514, "type_vocab_size": 1}),
    "albert-base-v2": ("Albert", {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072}),
    "gpt2": ("GPT2", {}), "distilgpt2": ("GPT2", {"num_hidden_layers": 6}),
    "gpt2-medium": ("GPT2", {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}),
    "gpt2-large": ("GPT2", {"hidden_size": 1280, "num_hidden_layers": 36, "num_attention_heads": 20}),
    "gpt2-xl": ("GPT2", {"hidden_size": 1600, "num_hidden_layers": 48, "num_attention_heads": 25}),
    "t5-small": ("T5", {}), "t5-base": ("T5", {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12}),
    "t5-large": ("T5", {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}),
    "bart-base": ("Bart", {"hidden_size": 768, "num_hidden_layers": 6, "num_attention_heads": 12}),
    "bart-large": ("Bart", {}), "deberta-v3-base": (
        "DebertaV2",
        {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072},
    ),
    "vit-base-patch16-224": ("ViT", {}), "vit-base-patch16-224-in21k": ("ViT", {}), "opt-125m": ("OPT", {}),
}  # fmt: skip
"""Published models: their family, and where they differ from its defaults."""
HINTS = (
    ("distilbert", "DistilBert"), ("distilroberta", "Roberta"), ("xlm-roberta", "XLMRoberta"), ("roberta", "Roberta"),
    ("deberta", "DebertaV2"), ("albert", "Albert"), ("electra", "Electra"), ("mpnet", "MPNet"), ("xlnet", "XLNet"),
    ("bert", "Bert"), ("gpt2", "GPT2"), ("gpt-neo", "GPTNeo"), ("gpt-j", "GPTJ"), ("opt-", "OPT"), ("llama", "Llama"),
    ("mistral", "Mistral"), ("gemma", "Gemma"), ("qwen", "Qwen2"), ("phi", "Phi"), ("bloom", "Bloom"), ("mt5", "MT5"),
    ("mbart", "MBart"), ("bart", "Bart"), ("pegasus", "Pegasus"), ("opus-mt", "Marian"), ("t5", "T5"), ("vit", "ViT"),
    ("wav2vec2", "Wav2Vec2"), ("whisper", "Whisper"), ("clip", "CLIP"), ("swin", "Swin"), ("segformer", "Segformer"),
)  # fmt: skip
SEQUENCE_TO_SEQUENCE = frozenset(("T5", "MT5", "Bart", "MBart", "Pegasus", "Marian", "Whisper"))


@model(
    "transformers.PretrainedConfig",
    "transformers.PreTrainedConfig",
    "transformers.configuration_utils.PretrainedConfig",
)
class PretrainedConfig(Object):
    """The settings of a model. Programs subclass it for models of their own."""

    __slots__ = ()
    family = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        own = dict(zip(NAMES, FAMILIES.get(self.family, ()), strict=False))
        for name, value in own.items():
            if value is not None:
                store(self.cells, name, value)
        store(self.cells, "is_encoder_decoder", self.family in SEQUENCE_TO_SEQUENCE)
        store(self.cells, "num_labels", 3 if self.family == "Bart" else 2)
        for name in ("output_hidden_states", "output_attentions"):
            store(self.cells, name, False)
        self._take(dict(zip(NAMES, args, strict=False)) | kwargs)

    def _take(self, settings: dict[str, Any]) -> None:
        for name, value in settings.items():
            store(self.cells, OTHER_NAMES.get(name, name) if self.family else name, value)
            if name in ("id2label", "label2id") and isinstance(value, DictValue) and value.rest is None:
                store(self.cells, "num_labels", len(value.cells))

    @property
    def use_return_dict(self) -> Any:
        return self.cells.get("return_dict", True)

    @property
    def id2label(self) -> Any:
        count = self.cells.get("num_labels")
        rest = Scalar(str, "label")
        return DictValue(dict.fromkeys(range(count), rest) if isinstance(count, int) else {}, rest=rest)

    @property
    def label2id(self) -> Any:
        return DictValue({}, rest=symbol("label"))

    def missing(self, name: str) -> Any:
        wanted = OTHER_NAMES.get(name)
        if wanted in self.cells:
            return self.cells[wanted]
        if name.endswith("_token_id"):
            return symbol(name)
        if name.endswith(("_prob", "_dropout", "_eps", "_range", "_pdrop", "_rate")) or name == "dropout":
            return Scalar(float, name)
        if name in ("hidden_act", "activation_function", "model_type", "name_or_path", "problem_type"):
            return Scalar(str, name)
        if name in NAMES or name in ("image_size", "patch_size", "num_channels", "head_dim", "num_key_value_heads"):
            made = symbol(machine().fresh(name))
            store(self.cells, name, made)
            return made
        raise Undecided(Unknown(Reason.EXTERNAL_DATA, f"config.{name}", name))

    def assigned(self, name: str, value: Any) -> None:
        if self.family and name in OTHER_NAMES:
            store(self.cells, OTHER_NAMES[name], value)

    def to_dict(self) -> Any:
        known = {name: value for name, value in self.cells.items() if not name.startswith("@")}
        return DictValue(known, rest=Unknown(Reason.EXTERNAL_DATA, "a setting"))

    def update(self, config_dict: Any) -> None:
        if isinstance(config_dict, DictValue):
            self._take({key: value for key, value in config_dict.cells.items() if isinstance(key, str)})

    def to_json_string(self, *args: Any, **kwargs: Any) -> Any:
        return Scalar(str, "config")

    def save_pretrained(self, *args: Any, **kwargs: Any) -> None:
        """Writes a file."""

    to_json_file = push_to_hub = save_pretrained

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *args: Any, **kwargs: Any) -> Any:
        return configured(cls, pretrained_model_name_or_path, kwargs)

    @classmethod
    def from_dict(cls, config_dict: Any, **kwargs: Any) -> Any:
        known = config_dict.cells if isinstance(config_dict, DictValue) else {}
        return machine().call(cls, **known, **kwargs)

    @classmethod
    def from_json_file(cls, json_file: Any) -> Any:
        return configured(cls, None, {})


CONFIGURATIONS: dict[str, type[PretrainedConfig]] = {"": PretrainedConfig}
for _family in FAMILIES:
    _made = type(f"{_family}Config", (PretrainedConfig,), {"__slots__": (), "__module__": __name__, "family": _family})
    CONFIGURATIONS[_family] = model(f"transformers.{_family}Config")(_made)


@model("transformers.AutoConfig")
class AutoConfig(Object):
    __slots__ = ()

    @staticmethod
    def from_pretrained(pretrained_model_name_or_path: Any, *args: Any, **kwargs: Any) -> Any:
        return configured(None, pretrained_model_name_or_path, kwargs)

    @staticmethod
    def for_model(model_type: Any, **kwargs: Any) -> Any:
        return CONFIGURATIONS[family_of(model_type)](**kwargs)

    @staticmethod
    def register(*args: Any, **kwargs: Any) -> None:
        """Tells of a family."""


def family_of(checkpoint: Any) -> str:
    """The family of a published model by its name; empty if that does not tell."""
    if not isinstance(checkpoint, str):
        return ""
    last = checkpoint.rstrip("/").rpartition("/")[2].lower()
    if last in CHECKPOINTS:
        return CHECKPOINTS[last][0]
    return next((family for hint, family in HINTS if hint in last), "")


def configured(kind: Any, checkpoint: Any, settings: dict[str, Any]) -> Any:
    """The configuration of a published model; its sizes are symbols unless it is well known."""
    if isinstance(kind, ClassValue):
        return machine().call(kind, **settings)
    last = checkpoint.rpartition("/")[2].lower() if isinstance(checkpoint, str) else ""
    if kind is None or not kind.family:
        kind = CONFIGURATIONS[family_of(checkpoint)]
    made = kind()
    if last in CHECKPOINTS:
        made._take(dict(CHECKPOINTS[last][1]))
    else:
        sizes = dict(zip(NAMES, FAMILIES.get(kind.family, ()), strict=False))
        for name in NAMES:
            if sizes.get(name) is not None or not kind.family:
                store(made.cells, name, _size(checkpoint, name))
    made._take({name: value for name, value in settings.items() if name not in _LOADING})
    return made


_LOADING = frozenset((
    "cache_dir", "revision", "use_auth_token", "token", "trust_remote_code", "force_download", "local_files_only",
    "torch_dtype", "dtype", "device_map", "from_tf", "from_pt", "config", "low_cpu_mem_usage", "quantization_config",
    "load_in_8bit", "load_in_4bit", "ignore_mismatched_sizes", "attn_implementation", "use_safetensors", "state_dict",
))  # fmt: skip


def _size(checkpoint: Any, name: str) -> Any:
    """One symbol for each size of a published model, however often it is loaded."""
    known = machine().memory.setdefault("sizes of published models", {})
    key = (checkpoint if isinstance(checkpoint, str) else id(checkpoint), name)
    if key not in known:
        known[key] = (symbol(machine().fresh(name)), checkpoint)
    return known[key][0]


def labels(config: Any) -> Any:
    """How many classes a configuration asks for."""
    found = config.cells.get("num_labels") if isinstance(config, Object) else None
    return symbol("num_labels") if found is None else found


def size(config: Any, name: str) -> Any:
    """A size of a configuration: a number or a symbol."""
    from mlvet.frontends.python.libraries.binding import as_size

    found = machine().attribute(config, name) if isinstance(config, Object) else symbol(machine().fresh(name))
    return as_size(found, name)
