"""Models that are loaded by address: what they yield follows from the address where that is well known."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.keras.layer import Layer
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.shapes import partial_sizes
from mlvet.frontends.python.libraries.tensorflow.tensor import convert, typed
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import FunctionValue, Object
from mlvet.frontends.python.values.tensors import dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

_WIDTHS = {
    "universal-sentence-encoder": 512, "nnlm-en-dim50": 50, "nnlm-en-dim128": 128, "gnews-swivel-20dim": 20,
    "mobilenet_v2_100": 1280, "mobilenet_v2_130_224/feature_vector": 1664, "inception_v3": 2048, "resnet_50": 2048,
    "resnet_v2_50": 2048, "efficientnet_b0": 1280, "efficientnet_v2_imagenet1k_b0": 1280, "efficientnet_b7": 2560,
    "bit/m-r50x1": 2048, "bit/s-r50x1": 2048, "bit/m-r101x1": 2048, "bit/m-r101x3": 6144,
}  # fmt: skip


def applied(handle: Any, inputs: Any, output_shape: Any) -> Any:
    """What a model yields on a batch."""
    text = handle if isinstance(handle, str) else ""
    if "yamnet" in text:
        frames = symbol(machine().fresh("frames"))
        return tuple(typed("yamnet", [], dtypes.f32, frames, width) for width in (521, 1024, 64))
    if "bert" in text:
        return Unknown(Reason.EXTERNAL_DATA, "a model that is loaded by its address")
    x = convert(inputs)
    dims = dims_of(x)
    batch: Dim = dims[0] if dims else symbol(machine().fresh("batch"))
    sizes = partial_sizes(output_shape)
    if sizes is not None:
        return typed("hub", [x], dtypes.f32, batch, *sizes)
    for name, width in _WIDTHS.items():
        if name in text and "classification" not in text:
            return typed("hub", [x], dtypes.f32, batch, width)
    if "feature_vector" in text or "classification" in text:
        what = "classes" if "classification" in text else "features"
        return typed("hub", [x], dtypes.f32, batch, symbol(machine().fresh(what)))
    raise Undecided(Reason.EXTERNAL_DATA, "a model that is loaded by its address")


@model("tensorflow_hub.KerasLayer")
class KerasLayer(Layer):
    def __init__(
        self, handle: Any, trainable: Any = False, arguments: Any = None, output_shape: Any = None, **rest: Any
    ) -> None:
        del arguments
        kept = {name: each for name, each in rest.items() if name in ("name", "dtype", "input_shape")}
        super().__init__(trainable=trainable, **kept)
        self.handle = handle
        self.result_shape = output_shape

    def call(self, inputs: Any, training: Any = None) -> Any:
        del training
        if isinstance(self.handle, FunctionValue | Object):
            return machine().call(self.handle, inputs)
        return applied(self.handle, inputs, self.result_shape)


@model("tensorflow_hub.resolve")
def resolve(handle: Any) -> Any:
    """The folder of a saved model."""
    del handle
    return Scalar(str, "path")


@model("tensorflow_hub.load", "tensorflow_hub.Module")
class Loaded(Object):
    """A saved model from an address."""

    def __init__(self, handle: Any, *rest: Any, **keywords: Any) -> None:
        del rest, keywords
        self.handle = handle

    def __call__(self, *inputs: Any, **keywords: Any) -> Any:
        del keywords
        if not inputs:
            raise Undecided(Reason.EXTERNAL_DATA, "a model that is loaded by its address")
        return applied(self.handle, inputs[0], None)
