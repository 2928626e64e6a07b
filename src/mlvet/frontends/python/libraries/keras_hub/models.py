"""keras_hub.models: backbones, the tasks around them, and what turns texts into their arguments."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.model import Model
from mlvet.frontends.python.libraries.keras.sealed import Sealed, unknown_layers
from mlvet.frontends.python.libraries.keras.tensor import array
from mlvet.frontends.python.libraries.keras_hub.texts import FromPreset, Tokenizer, made_of, rows_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class Preprocessor(FromPreset):
    """What a model takes, where its structure is not followed."""

    def call(self, x: Any, y: Any = None, sample_weight: Any = None, sequence_length: Any = None) -> Any:
        raise Undecided(Reason.UNMODELLED_CALL, "a preprocessor of keras_hub")

    def generate_preprocess(self, x: Any, sequence_length: Any = None) -> Any:
        raise Undecided(Reason.UNMODELLED_CALL, "a preprocessor of keras_hub")

    @property
    def tokenizer(self) -> Any:
        given = held(self).get("tokenizer")
        return Tokenizer() if given is None else given


class TextPreprocessor(Preprocessor):
    """Text to the dictionary of arrays that a model takes."""

    names: ClassVar[dict[str, DType]] = {"token_ids": dtypes.i32, "padding_mask": dtypes.bool_}

    def arrays(self, x: Any, sequence_length: Any = None, setting: str = "sequence_length") -> DictValue:
        length = sequence_length if sequence_length is not None else held(self).get(setting)
        size = symbol(machine().fresh(setting)) if length is None else as_size(length, setting)
        if isinstance(x, tuple):
            x = x[0]
        dims = (*rows_of(x), size)
        return DictValue({name: made_of(name, dtype, dims) for name, dtype in self.names.items()})

    def call(self, x: Any, y: Any = None, sample_weight: Any = None, sequence_length: Any = None) -> Any:
        found = self.arrays(x, sequence_length)
        given = [each for each in (y, sample_weight) if each is not None]
        return (found, *given) if given else found


class CausalPreprocessor(TextPreprocessor):
    """Text to what a model takes, the tokens that come next, and which of them count."""

    def call(self, x: Any, y: Any = None, sample_weight: Any = None, sequence_length: Any = None) -> Any:
        found = self.arrays(x, sequence_length)
        dims = dims_of(found.cells["token_ids"]) or ()
        return found, made_of("labels", dtypes.i32, dims), made_of("sample_weight", dtypes.bool_, dims)

    def generate_preprocess(self, x: Any, sequence_length: Any = None) -> Any:
        return self.arrays(x, sequence_length)


class MaskingPreprocessor(TextPreprocessor):
    """Text to what a model takes with some tokens masked, the tokens that were there, and which of them count."""

    def call(self, x: Any, y: Any = None, sample_weight: Any = None, sequence_length: Any = None) -> Any:
        found = self.arrays(x, sequence_length)
        count = as_size(held(self).get("mask_selection_length", 96), "mask_selection_length")
        dims = (*(dims_of(found.cells["token_ids"]) or ())[:-1], count)
        found.cells["mask_positions"] = made_of("mask_positions", dtypes.i32, dims)
        return found, made_of("mask_ids", dtypes.i32, dims), made_of("mask_weights", dtypes.f32, dims)


class TranslationPreprocessor(TextPreprocessor):
    """Two texts to what a model takes, the tokens that come next, and which of them count."""

    def both(self, x: Any) -> DictValue:
        if not (isinstance(x, DictValue) and {"encoder_text", "decoder_text"} <= x.cells.keys()):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "texts that are read and written")
        found: dict[Any, Any] = {}
        for side in ("encoder", "decoder"):
            arrays = self.arrays(x.cells[f"{side}_text"], setting=f"{side}_sequence_length")
            found |= {f"{side}_{name}": cell for name, cell in arrays.cells.items()}
        return DictValue(found)

    def call(self, x: Any, y: Any = None, sample_weight: Any = None, sequence_length: Any = None) -> Any:
        found = self.both(x)
        dims = dims_of(found.cells["decoder_token_ids"]) or ()
        return found, made_of("labels", dtypes.i32, dims), made_of("sample_weight", dtypes.bool_, dims)


class HubModel(Sealed, Model):
    """A model with weights of its own."""

    first: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(name=kwargs.get("name"))
        for name, value in {**dict(zip(self.first, args, strict=False)), **kwargs}.items():
            if name not in ("name", "dtype"):
                store(self.cells, f"@{name}" if name in ("backbone", "preprocessor") else name, value)
        self.built = True

    @classmethod
    def from_preset(cls, preset: Any, **kwargs: Any) -> Any:
        return cls(**kwargs)

    @property
    def layers(self) -> Any:
        return unknown_layers()

    @property
    def backbone(self) -> Any:
        given = held(self).get("@backbone")
        return Backbone() if given is None else given

    @property
    def preprocessor(self) -> Any:
        return held(self).get("@preprocessor")

    def generate(self, inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
        rows = rows_of(inputs)
        return ListValue(Repeated(Scalar(str, "text"), rows[0])) if rows else Scalar(str, "text")

    def enable_lora(self, rank: Any) -> None:
        return None

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        raise Undecided(Reason.EXTERNAL_DATA, "a model of a preset")


def _tokens(inputs: Any, name: str = "token_ids") -> tuple[Any, tuple[Dim, ...]]:
    """The token ids of an argument, and their dims; several batches of texts are parts of the same ones."""
    found = inputs.cells.get(name) if isinstance(inputs, DictValue) else inputs
    parts = found.items if isinstance(found, ListValue) else found
    if isinstance(parts, tuple) and parts and all(isinstance(each, TensorValue) for each in parts):
        found = parts[0]
    if found is None or isinstance(found, Unknown):
        raise Undecided(Reason.EXTERNAL_DATA, "tokens")
    made = array(found)
    dims = dims_of(made)
    return made, dims if dims is not None else (symbol("batch"), symbol(machine().fresh("sequence_length")))


def _size(model: Any, name: str, what: str) -> Dim:
    """A size that a model was given, or a fresh one that it keeps from then on."""
    if name not in model.cells:
        store(model.cells, name, symbol(machine().fresh(what)))
    return as_size(held(model)[name], what)


def _features(made: Any, *dims: Dim) -> Any:
    return opaque("keras_hub", [made], Known(dtypes.f32, dims), type(made))


class Task(HubModel):
    """A model that was made for a task."""


class Classifier(Task):
    """A model from text to scores of classes."""

    first = ("backbone", "num_classes", "preprocessor")

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made, dims = _tokens(inputs)
        return _features(made, dims[0], _size(self, "num_classes", "classes"))


class ScoringTask(Task):
    """A model from text to scores of tokens: of each place, or of the places that are masked."""

    first = ("backbone", "preprocessor")
    scored = "token_ids"

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made, dims = _tokens(inputs, self.scored)
        return _features(made, *dims, _size(self.backbone, "vocabulary_size", "vocabulary"))


class LanguageModel(ScoringTask):
    """A model of the tokens that come next."""


class PicturedLanguageModel(LanguageModel):
    """The same for models of texts and images, which take their arguments in another order."""

    first = ("preprocessor", "backbone")


class MaskedLanguageModel(ScoringTask):
    """A model of the tokens that are masked."""

    scored = "mask_positions"


class Translator(ScoringTask):
    """A model of the tokens of another text."""

    scored = "decoder_token_ids"


class Backbone(HubModel):
    """A model from text to features, or from images to features."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made, dims = _tokens(inputs)
        return _features(made, *dims, _size(self, "hidden_dim", "hidden"))

    def token_embedding(self, inputs: Any) -> Any:
        made, dims = _tokens(inputs)
        return _features(made, *dims, _size(self, "hidden_dim", "hidden"))


class PooledBackbone(Backbone):
    """Features of each token, and of all together."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made, dims = _tokens(inputs)
        width = _size(self, "hidden_dim", "hidden")
        outputs = {"sequence_output": _features(made, *dims, width)}
        return DictValue({**outputs, "pooled_output": _features(made, dims[0], width)})


class PicturedBackbone(Backbone):
    """Features of the patches of an image, and of each token after them."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made, dims = _tokens(inputs)
        given = held(self)
        side, patch = given.get("image_size"), given.get("vit_patch_size", 14)
        whole = isinstance(side, int) and isinstance(patch, int)
        patches = (side // patch) ** 2 if whole else symbol(machine().fresh("patches"))
        return _features(made, dims[0], dims[1] + patches, _size(self, "hidden_dim", "hidden"))


class TranslatingBackbone(Backbone):
    """Features of the tokens that are read, and of those that are written."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        width = _size(self, "hidden_dim", "hidden")
        found = {side: _tokens(inputs, f"{side}_token_ids") for side in ("encoder", "decoder")}
        return DictValue({
            f"{side}_sequence_output": _features(made, *dims, width) for side, (made, dims) in found.items()
        })  # fmt: skip


class PictureClassifier(Task):
    """A model from images to scores of classes."""

    first = ("backbone", "num_classes", "preprocessor")

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made = array(inputs)
        dims = dims_of(made)
        return _features(made, dims[0] if dims else symbol("batch"), _size(self, "num_classes", "classes"))


class ResidualBackbone(Backbone):
    """A model from images to features of their parts, as many as the last stack of blocks has."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made = array(inputs)
        dims = dims_of(made)
        filters = held(self).get("stackwise_num_filters")
        if dims is None or not isinstance(filters, ListValue | tuple):
            raise Undecided(Reason.EXTERNAL_DATA, "a model of a preset")
        wider = 4 if str(held(self).get("block_type")).startswith("bottleneck") else 1
        sides = (symbol(machine().fresh("height")), symbol(machine().fresh("width")))
        return _features(made, dims[0], *sides, as_items(filters)[-1] * wider)


def _register(name: str, base: type, library: str = "keras_hub", **more: Any) -> None:
    model(f"{library}.models.{name}")(type(name, (base,), {"__slots__": (), "__module__": __name__, **more}))


_above: type
_BOTH = TextPreprocessor.names
_SEGMENTS = {**_BOTH, "segment_ids": dtypes.i32}
_NAMES = {"Bert": _SEGMENTS, "Albert": _SEGMENTS, "FNet": {"token_ids": dtypes.i32, "segment_ids": dtypes.i32}}
_POOLED = ("Bert", "Albert", "FNet", "Electra")
for _name in ("Bert", "Roberta", "DistilBert", "DebertaV3", "XLMRoberta", "Albert", "FNet", "Electra"):
    _register(f"{_name}Backbone", PooledBackbone if _name in _POOLED else Backbone)
    if _name != "Electra":
        for _suffix in ("Classifier", "TextClassifier"):
            _register(f"{_name}{_suffix}", Classifier)
        _register(f"{_name}MaskedLM", MaskedLanguageModel)
        for _suffix in ("Preprocessor", "TextClassifierPreprocessor"):
            _register(f"{_name}{_suffix}", TextPreprocessor, names=_NAMES.get(_name, _BOTH))
        _register(f"{_name}MaskedLMPreprocessor", MaskingPreprocessor, names=_NAMES.get(_name, _BOTH))
for _name in ("GPT2", "Gemma", "Llama", "Llama3", "Mistral", "OPT", "Falcon", "Phi3", "Bloom"):
    _register(f"{_name}Backbone", Backbone)
    _register(f"{_name}CausalLM", LanguageModel)
    _register(f"{_name}CausalLMPreprocessor", CausalPreprocessor)
for _name, _above in (("Gemma3", Backbone), ("PaliGemma", PicturedBackbone)):
    _register(f"{_name}Backbone", _above)
    _register(f"{_name}CausalLM", PicturedLanguageModel)
    _register(f"{_name}CausalLMPreprocessor", Preprocessor)
for _name in ("Bart", "T5"):
    _register(f"{_name}Backbone", TranslatingBackbone)
    _register(f"{_name}Seq2SeqLM", Translator)
    _register(f"{_name}Seq2SeqLMPreprocessor", TranslationPreprocessor)
for _name, _above in (
    ("Backbone", Backbone), ("Task", Task), ("TextClassifier", Classifier), ("CausalLM", LanguageModel),
    ("Seq2SeqLM", Translator), ("MaskedLM", MaskedLanguageModel), ("Preprocessor", Preprocessor),
):  # fmt: skip
    model(f"keras_hub.models.{_name}")(_above)
for _name, _above in (
    ("GPT2Preprocessor", TextPreprocessor), ("T5Preprocessor", TextPreprocessor),
    ("ImageClassifier", PictureClassifier),
    ("ResNetBackbone", ResidualBackbone), ("StableDiffusion3TextToImagePreprocessor", Preprocessor),
    ("SAMImageSegmenter", Task),
):  # fmt: skip
    _register(_name, _above)
for _name in ("YOLOV8Backbone", "YOLOV8Detector", "RetinaNet"):
    _register(_name, HubModel, "keras_cv")
