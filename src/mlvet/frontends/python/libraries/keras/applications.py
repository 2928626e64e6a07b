"""keras.applications: models of images by their outer shapes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from mlvet.domains.dims import Dim, ceil_div, floor_div, symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Tensor, as_items, as_size
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.inputs import placeholder_of
from mlvet.frontends.python.libraries.keras.layer import Layer
from mlvet.frontends.python.libraries.keras.model import Model
from mlvet.frontends.python.libraries.keras.sealed import Sealed
from mlvet.frontends.python.libraries.keras.settings import floats, image_data_format
from mlvet.frontends.python.libraries.keras.tensor import array, floating, numpy_class
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Unknown


@dataclass(frozen=True, slots=True)
class Kind:
    """A family member: the size of its images, its channels, and how space shrinks.

    `way` is one letter per halving: `c` rounds up, `f` down, `v` is a window of 3 without padding, `-` a window of 3
    without a stride.
    """

    module: str
    size: int
    channels: int
    way: str = "ccccc"


FAMILIES = {
    "VGG16": Kind("vgg16", 224, 512, "fffff"), "VGG19": Kind("vgg19", 224, 512, "fffff"),
    "ResNet50": Kind("resnet", 224, 2048), "ResNet101": Kind("resnet", 224, 2048),
    "ResNet152": Kind("resnet", 224, 2048), "ResNet50V2": Kind("resnet_v2", 224, 2048),
    "ResNet101V2": Kind("resnet_v2", 224, 2048), "ResNet152V2": Kind("resnet_v2", 224, 2048),
    "InceptionV3": Kind("inception_v3", 299, 2048, "v-v-vvv"),
    "InceptionResNetV2": Kind("inception_resnet_v2", 299, 1536, "v-v-vvv"),
    "Xception": Kind("xception", 299, 2048, "v-cccc"), "MobileNet": Kind("mobilenet", 224, 1024, "cffff"),
    "MobileNetV2": Kind("mobilenet_v2", 224, 1280), "MobileNetV3Small": Kind("mobilenet_v3", 224, 576),
    "MobileNetV3Large": Kind("mobilenet_v3", 224, 960), "DenseNet121": Kind("densenet", 224, 1024, "ccfff"),
    "DenseNet169": Kind("densenet", 224, 1664, "ccfff"), "DenseNet201": Kind("densenet", 224, 1920, "ccfff"),
    "NASNetMobile": Kind("nasnet", 224, 1056, "vcccc"), "NASNetLarge": Kind("nasnet", 331, 4032, "vcccc"),
    "EfficientNetB0": Kind("efficientnet", 224, 1280), "EfficientNetB1": Kind("efficientnet", 240, 1280),
    "EfficientNetB2": Kind("efficientnet", 260, 1408), "EfficientNetB3": Kind("efficientnet", 300, 1536),
    "EfficientNetB4": Kind("efficientnet", 380, 1792), "EfficientNetB5": Kind("efficientnet", 456, 2048),
    "EfficientNetB6": Kind("efficientnet", 528, 2304), "EfficientNetB7": Kind("efficientnet", 600, 2560),
    "EfficientNetV2B0": Kind("efficientnet_v2", 224, 1280), "EfficientNetV2B1": Kind("efficientnet_v2", 240, 1280),
    "EfficientNetV2B2": Kind("efficientnet_v2", 260, 1408), "EfficientNetV2B3": Kind("efficientnet_v2", 300, 1536),
    "EfficientNetV2S": Kind("efficientnet_v2", 384, 1280), "EfficientNetV2M": Kind("efficientnet_v2", 480, 1280),
    "EfficientNetV2L": Kind("efficientnet_v2", 480, 1280), "ConvNeXtTiny": Kind("convnext", 224, 768, "fffff"),
    "ConvNeXtSmall": Kind("convnext", 224, 768, "fffff"), "ConvNeXtBase": Kind("convnext", 224, 1024, "fffff"),
    "ConvNeXtLarge": Kind("convnext", 224, 1536, "fffff"), "ConvNeXtXLarge": Kind("convnext", 224, 2048, "fffff"),
}  # fmt: skip


def shrunk(size: Dim, way: str) -> Dim:
    """What is left of one dim of space."""
    for step in way:
        match step:
            case "c":
                size = ceil_div(size, 2)
            case "f":
                size = floor_div(size, 2)
            case "v":
                size = floor_div(size - 3, 2) + 1
            case _:
                size = size - 2
    return size


def inner(family: str, layer: Any) -> tuple[str, int] | None:
    """How space has shrunk at a layer and its channels; None for layers whose names do not say."""
    if not isinstance(layer, str):
        return None
    if family in ("VGG16", "VGG19") and (found := _VGG.fullmatch(layer)):
        block = int(found[1])
        return "f" * (block - 1 if found[2] == "conv" else block), min(64 * 2 ** (block - 1), 512)
    if family in ("ResNet50", "ResNet101", "ResNet152"):
        if layer.startswith("conv1_"):
            return "c", 64
        if layer == "pool1_pool":
            return "cc", 64
        if found := _RESNET.fullmatch(layer):
            stage = int(found[1])
            return "c" * stage, 64 * 2 ** (stage - 2) * (1 if found[2] in ("1", "2") else 4)
    return _LAST.get((family, layer))


_VGG = re.compile(r"block([1-5])_(conv|pool)[1-4]?")
_RESNET = re.compile(r"conv([2-5])_block[0-9]+_([0-3]|out|add)(?:_conv|_bn|_relu)?")
_LAST = {("Xception", "block14_sepconv2_act"): ("v-cccc", 2048)}


class Feature(Sealed, Layer):
    """A layer within such a model; of most of them only the rank of the result is known."""

    def __init__(self, name: Any, given: Any, family: str = "") -> None:
        super().__init__(name=name if isinstance(name, str) else None)
        dims = dims_of(given) or (symbol("batch"),)
        known = inner(family, name)
        if known is not None and len(dims) == 4 and image_data_format() == "channels_last":
            sizes: tuple[Dim, ...] = (dims[0], *(shrunk(dim, known[0]) for dim in dims[1:3]), known[1])
        else:
            sizes = (dims[0], *(symbol(machine().fresh(word)) for word in ("height", "width", "channels")))
        store(self.cells, "@output", opaque("applications", [given], Known(dtype_of(given), sizes), type(given)))
        store(self.cells, "@input", given)
        self.built = True

    def call(self, inputs: Any) -> Any:
        return alike("applications", array(inputs))


class Application(Sealed, Model):
    """A model with weights of its own, whose layers within are not looked into."""

    def get_layer(self, name: Any = None, index: Any = None) -> Any:
        if index == 0:
            return Model.get_layer(self, None, 0)
        key = f"@feature {name if isinstance(name, str) else index}"
        if key not in self.cells:
            store(self.cells, key, Feature(name, held(self)["@inputs"], held(self).get("@family", "")))
        return self.cells[key]

    @property
    def layers(self) -> Any:
        if "@layer" not in self.cells:
            store(self.cells, "@layer", Feature(None, held(self)["@inputs"]))
            store(self.cells["@layer"].cells, "name", Scalar(str, "layer_name"))
        one = self.cells["@layer"]
        return ListValue(Repeated(one, symbol(machine().fresh("layers"))))


def _application(name: str, kind: Kind) -> None:
    def function(
        include_top: Any = True, weights: Any = "imagenet", input_tensor: Any = None, input_shape: Any = None,
        pooling: Any = None, classes: Any = 1000, classifier_activation: Any = "softmax", **kwargs: Any,
    ) -> Any:  # fmt: skip
        top = include_top is not False and include_top != 0
        given = input_tensor if isinstance(input_tensor, TensorValue) else _input(name, kind, input_shape, top, weights)
        made = Application(name=kwargs.get("name") or name.lower())
        store(made.cells, "@inputs", given)
        store(made.cells, "@family", name)
        store(made.cells, "@outputs", _output(name, kind, given, top, pooling, classes, kwargs.get("alpha", 1.0)))
        made.built = True
        return made

    function.__name__ = name
    extra = ("keras.applications.resnet50.ResNet50",) if name == "ResNet50" else ()
    inside = () if kind.module == "mobilenet_v3" else (f"keras.applications.{kind.module}.{name}",)
    model(f"keras.applications.{name}", *inside, *extra)(function)


def _input(name: str, kind: Kind, shape: Any, top: bool, weights: Any) -> Any:
    if isinstance(shape, Unknown):
        shape = (None, None, 3)
    if shape is None:
        shape = (kind.size, kind.size, 3) if top else (None, None, 3)
    items = as_items(shape)
    if len(items) == 3 and top and weights == "imagenet" and all(isinstance(each, int) for each in items):
        demand(
            tuple(items) == (kind.size, kind.size, 3),
            f"{name} with its top needs images of {kind.size} by {kind.size} by 3, but input_shape is {tuple(items)}",
            "dims-differ",
        )
    return placeholder_of(shape, None, None, floats(), f"{name.lower()}_input")


def _output(name: str, kind: Kind, given: Any, top: bool, pooling: Any, classes: Any, alpha: Any) -> Any:
    dims = dims_of(given) or tuple(symbol(machine().fresh(word)) for word in ("batch", "height", "width", "channels"))
    channels = kind.channels
    if name == "MobileNet" and isinstance(alpha, int | float):
        channels = int(channels * alpha)
    if name == "MobileNetV2" and isinstance(alpha, int | float) and alpha > 1:
        channels = int((channels * alpha + 4) // 8 * 8)
    if top:
        sizes: tuple[Dim, ...] = (dims[0], as_size(classes, "classes"))
    elif pooling in ("avg", "max"):
        sizes = (dims[0], channels)
    else:
        first = 2 if image_data_format() == "channels_first" else 1
        space = tuple(shrunk(dim, kind.way) for dim in dims[first : first + 2])
        sizes = (dims[0], channels, *space) if first == 2 else (dims[0], *space, channels)
    return opaque(f"applications.{name}", [given], Known(floats(), sizes), type(given))


for _name, _kind in FAMILIES.items():
    _application(_name, _kind)


def preprocess_input(x: Any, data_format: Any = None, mode: Any = "caffe") -> Tensor:
    plain = isinstance(x, TensorValue) and x.framework.value == "numpy"
    made = alike("applications.preprocess_input", floating(array(x)))
    return numpy_class().of(made.graph_value) if plain else made


def decode_predictions(preds: Any, top: Any = 5) -> Any:
    dims = dims_of(array(preds))
    one = (Scalar(str, "class_id"), Scalar(str, "class_name"), Scalar(float, "score"))
    found = ListValue([one] * top) if isinstance(top, int) else ListValue(Repeated(one, symbol(machine().fresh("top"))))
    return ListValue(Repeated(found, dims[0] if dims else symbol(machine().fresh("samples"))))


for _module in sorted({kind.module for kind in FAMILIES.values()} | {"resnet50", "imagenet_utils"}):
    model(f"keras.applications.{_module}.preprocess_input")(preprocess_input)
    model(f"keras.applications.{_module}.decode_predictions")(decode_predictions)
