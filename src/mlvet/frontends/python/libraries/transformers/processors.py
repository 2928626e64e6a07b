"""Processors: pictures, sounds and texts as the tensors that a model takes."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import TENSORS
from mlvet.frontends.python.libraries.registry import load, model
from mlvet.frontends.python.libraries.transformers.records import kind_of, record
from mlvet.frontends.python.libraries.transformers.tokenizers import Tokenizer, rows_of
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Unknown


def _rows(value: Any) -> Dim:
    """How many there are; one that is no list is a batch of one."""
    if isinstance(value, TensorValue):
        return 1
    found = rows_of(value, False)
    return 1 if found is None else found


def _pixels(images: Any, return_tensors: Any) -> Any:
    dims = (3, symbol("height"), symbol("width"))
    kind = kind_of(return_tensors)
    if kind is not None:
        return source("pixel_values", Type(dtypes.f32, (_rows(images), *dims)), kind)
    load("numpy")
    return ListValue(Repeated(source("pixel_values", Type(dtypes.f32, dims), TENSORS["numpy"]), _rows(images)))


@model(
    "transformers.AutoImageProcessor", "transformers.ViTImageProcessor", "transformers.SegformerImageProcessor",
    "transformers.DetrImageProcessor", "transformers.CLIPImageProcessor", "transformers.ConvNextImageProcessor",
    "transformers.ViTFeatureExtractor", "transformers.SegformerFeatureExtractor", "transformers.DetrFeatureExtractor",
)  # fmt: skip
class ImageProcessor(Object):
    """Pictures resized and scaled."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it is told."""

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *args: Any, **kwargs: Any) -> Any:
        return cls()

    def __call__(self, images: Any = None, return_tensors: Any = None, *args: Any, **kwargs: Any) -> Any:
        return record({"pixel_values": _pixels(images, return_tensors)})

    preprocess = __call__

    @property
    def size(self) -> Any:
        return DictValue({name: symbol(name) for name in ("height", "width", "shortest_edge")})

    @property
    def image_mean(self) -> Any:
        return ListValue(Scalar(float, "mean") for _ in range(3))

    @property
    def image_std(self) -> Any:
        return ListValue(Scalar(float, "std") for _ in range(3))

    def save_pretrained(self, *args: Any, **kwargs: Any) -> None:
        """Writes files."""

    push_to_hub = save_pretrained

    def missing(self, name: str) -> Any:
        return Unknown(Reason.EXTERNAL_DATA, name, name)


@model(
    "transformers.AutoFeatureExtractor", "transformers.Wav2Vec2FeatureExtractor", "transformers.WhisperFeatureExtractor"
)
class FeatureExtractor(ImageProcessor):
    """Sounds, or pictures, as tensors."""

    __slots__ = ()

    def __call__(self, raw_speech: Any = None, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        tensors = kwargs.get("return_tensors", args[0] if args and isinstance(args[0], str) else None)
        given = kwargs.get("images", raw_speech)
        kind = kind_of(tensors)
        samples = symbol(machine().fresh("samples"))
        if kind is None:
            load("numpy")
            one = source("input_values", Type(dtypes.f32, (samples,)), TENSORS["numpy"])
            made: Any = ListValue(Repeated(one, _rows(given)))
        else:
            made = source("input_values", Type(dtypes.f32, (_rows(given), samples)), kind)
        return record({"input_values": made, "pixel_values": _pixels(given, tensors)})

    @property
    def sampling_rate(self) -> Any:
        return symbol("sampling_rate")


@model(
    "transformers.AutoProcessor", "transformers.CLIPProcessor", "transformers.Wav2Vec2Processor",
    "transformers.WhisperProcessor", "transformers.BlipProcessor", "transformers.TrOCRProcessor",
)  # fmt: skip
class Processor(Tokenizer):
    """A tokenizer and a processor of pictures or sounds in one."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        text = kwargs.get("text", next((each for each in args if _is_text(each)), None))
        images = kwargs.get("images", next((each for each in args if not _is_text(each)), None))
        tensors = kwargs.get("return_tensors")
        made: dict[str, Any] = {}
        if text is not None:
            wanted = ("padding", "truncation", "max_length", "return_tensors")
            made |= Tokenizer.__call__(self, text, **{k: kwargs[k] for k in wanted if k in kwargs}).cells["@data"].cells
        if images is not None:
            made["pixel_values"] = _pixels(images, tensors)
        return record(made)

    @property
    def tokenizer(self) -> Any:
        return Tokenizer()

    @property
    def image_processor(self) -> Any:
        return ImageProcessor()

    @property
    def feature_extractor(self) -> Any:
        return FeatureExtractor()


def _is_text(value: Any) -> bool:
    if isinstance(value, ListValue):
        items = value.items
        first = items.element if isinstance(items, Repeated) else items[0] if items else None
        return _is_text(first)
    return isinstance(value, str) or (isinstance(value, Scalar) and value.kind is str)
