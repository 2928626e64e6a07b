"""Classifiers whose inner layers are left closed: features of known channels and extent, and the layers after them."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains.dims import Dim, ceil_div, equal
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.activations import ReLU
from mlvet.frontends.python.libraries.torch.nn.containers import Sequential
from mlvet.frontends.python.libraries.torch.nn.convolutions import Conv2d
from mlvet.frontends.python.libraries.torch.nn.dropouts import Dropout
from mlvet.frontends.python.libraries.torch.nn.functions import torch
from mlvet.frontends.python.libraries.torch.nn.linear import Flatten, Linear
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.normalisation import LayerNorm
from mlvet.frontends.python.libraries.torch.nn.pooling import AdaptiveAvgPool2d
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.values.tensors import dims_of, dtype_of


class Features(Sequential):
    """Convolutions from an image to channels of a smaller extent."""

    __slots__ = ()
    is_container: ClassVar[bool] = False

    def __init__(self, channels: Dim, stride: int, first: int = 32) -> None:
        super().__init__(Sequential(Conv2d(3, first, 3, 2, 1, 1, 1, False)))
        store(self.cells, "@made", (channels, stride))

    def forward(self, input: Any) -> Any:
        channels, stride = self.cells["@made"]
        input = assumed(input, 4, "batch", "channels", "height", "width")
        dims = dims_of(input) or ()
        demand(len(dims) == 4, f"an image model takes 4 dims, but got {len(dims)}", "rank-differs")
        first = next((each for each in _convolutions(self)), None)
        if first is not None and len(dims) == 4:
            demand(
                equal(dims[1], first.in_channels),
                f"the first convolution takes {first.in_channels} channels",
                "conv-channels",
            )
        height, width = (ceil_div(dim, stride) for dim in dims[-2:])
        batch = dims[0] if dims else 1
        return opaque("features", [input], Type(dtype_of(input), (batch, channels, height, width)), Tensor)


def _convolutions(module: Module) -> Any:
    from mlvet.frontends.python.libraries.torch.nn.module import walk

    return (each for _, each in walk(module) if isinstance(each, Conv2d))


class Classifier(Module):
    """Features, their mean over the extent, and a classifier."""

    __slots__ = ()

    def forward(self, x: Any) -> Any:
        call = machine().call
        x = call(self.features, x)
        pool = self.cells.get("avgpool")
        x = call(pool, x) if pool is not None else emit("reduce_mean", x, (2, 3), keepdims=1)
        return call(self.classifier, torch.flatten(x, 1))


class Named(Classifier):
    """The classifier is one linear layer, under the name `last`."""

    __slots__ = ()
    last: ClassVar[str] = "fc"

    def __init__(self, channels: Dim, stride: int, num_classes: Size = 1000) -> None:
        super().__init__()
        self.conv1, self.avgpool = Features(channels, stride), AdaptiveAvgPool2d(1)
        setattr(self, type(self).last, Linear(channels, num_classes))

    def forward(self, x: Any) -> Any:
        call = machine().call
        x = call(self.avgpool, call(self.conv1, x))
        return call(self.cells[type(self).last], torch.flatten(x, 1))


class Transforming(Named):
    """A vision transformer: its classifier is in `heads`, or is `head`."""

    __slots__ = ()
    last: ClassVar[str] = "heads"


class Headed(Named):
    __slots__ = ()
    last: ClassVar[str] = "head"


def _with_classifier(channels: int, stride: int, *before: Any) -> Any:
    """A classifier of a dropout and a linear layer, after some others."""

    def make(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
        made = Classifier()
        made.features, made.avgpool = Features(channels, stride), AdaptiveAvgPool2d(1)
        classes = kwargs.get("num_classes", 1000)
        rows = [layer() for layer in before]
        width: Dim = channels
        for row in rows:
            width = row.out_features if isinstance(row, Linear) else width
        made.classifier = Sequential(*rows, Linear(width, classes))
        return made

    return make


def _with_last(kind: type[Named], channels: int, stride: int) -> Any:
    def make(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
        return kind(channels, stride, kwargs.get("num_classes", 1000))

    return make


def _densenet(channels: int) -> Any:
    def make(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
        made = Classifier()
        made.features = Features(channels, 32, 64)
        made.classifier = Linear(channels, kwargs.get("num_classes", 1000))
        return made

    return make


def _transformer(width: int) -> Any:
    def make(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
        made = Transforming(width, 16)
        made.hidden_dim = width
        made.heads = Sequential()
        made.heads.add_module("head", Linear(width, kwargs.get("num_classes", 1000)))
        return made

    return make


def _convnext(channels: int) -> Any:
    def make(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
        made = Classifier()
        made.features, made.avgpool = Features(channels, 32), AdaptiveAvgPool2d(1)
        made.classifier = Sequential(LayerNorm(channels), Flatten(1), Linear(channels, kwargs.get("num_classes", 1000)))
        return made

    return make


class SqueezeNet(Module):
    __slots__ = ()

    def __init__(self, num_classes: Size = 1000) -> None:
        super().__init__()
        self.num_classes, self.features = num_classes, Features(512, 16, 64)
        self.classifier = Sequential(Dropout(0.5), Conv2d(512, num_classes, 1), ReLU(True), AdaptiveAvgPool2d((1, 1)))

    def forward(self, x: Any) -> Any:
        call = machine().call
        return torch.flatten(call(self.classifier, call(self.features, x)), 1)


@model("torchvision.models.squeezenet1_0", "torchvision.models.squeezenet1_1")
def squeezenet(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
    return SqueezeNet(kwargs.get("num_classes", 1000))


_dropped = (lambda: Dropout(0.2),)
_EFFICIENT = {"b0": 1280, "b1": 1280, "b2": 1408, "b3": 1536, "b4": 1792, "b5": 2048, "b6": 2304, "b7": 2560}
for name, channels in _EFFICIENT.items():
    model(f"torchvision.models.efficientnet_{name}")(_with_classifier(channels, 32, *_dropped))
for name in ("s", "m", "l"):
    model(f"torchvision.models.efficientnet_v2_{name}")(_with_classifier(1280, 32, *_dropped))
model("torchvision.models.mobilenet_v2")(_with_classifier(1280, 32, *_dropped))
model("torchvision.models.mobilenet_v3_large")(
    _with_classifier(960, 32, lambda: Linear(960, 1280), ReLU, lambda: Dropout(0.2))
)
model("torchvision.models.mobilenet_v3_small")(
    _with_classifier(576, 32, lambda: Linear(576, 1024), ReLU, lambda: Dropout(0.2))
)
for name, channels in {"0_5": 1280, "0_75": 1280, "1_0": 1280, "1_3": 1280}.items():
    model(f"torchvision.models.mnasnet{name}")(_with_classifier(channels, 32, *_dropped))
for name, channels in {"121": 1024, "161": 2208, "169": 1664, "201": 1920}.items():
    model(f"torchvision.models.densenet{name}")(_densenet(channels))
for name, channels in {"tiny": 768, "small": 768, "base": 1024, "large": 1536}.items():
    model(f"torchvision.models.convnext_{name}")(_convnext(channels))
for name, channels in {"b_16": 768, "b_32": 768, "l_16": 1024, "l_32": 1024, "h_14": 1280}.items():
    model(f"torchvision.models.vit_{name}")(_transformer(channels))
for name, channels in {"t": 768, "s": 768, "b": 1024, "v2_t": 768, "v2_s": 768, "v2_b": 1024}.items():
    model(f"torchvision.models.swin_{name}")(_with_last(Headed, channels, 32))
for name, channels in {"x0_5": 1024, "x1_0": 1024, "x1_5": 1024, "x2_0": 2048}.items():
    model(f"torchvision.models.shufflenet_v2_{name}")(_with_last(Named, channels, 32))
_REGNET = {
    "y_400mf": 440, "y_800mf": 784, "y_1_6gf": 888, "y_3_2gf": 1512, "y_8gf": 2016, "y_16gf": 3024, "y_32gf": 3712,
    "x_400mf": 400, "x_800mf": 672, "x_1_6gf": 912, "x_3_2gf": 1008, "x_8gf": 1920, "x_16gf": 2048, "x_32gf": 2520,
}  # fmt: skip
for name, channels in _REGNET.items():
    model(f"torchvision.models.regnet_{name}")(_with_last(Named, channels, 32))


class Auxiliary(Named):
    """GoogLeNet and Inception: in training, they yield results of inner layers too."""

    __slots__ = ()

    def __init__(self, channels: int, stride: int, num_classes: Size, names: tuple[str, ...], auxiliary: bool) -> None:
        super().__init__(channels, stride, num_classes)
        self.aux_logits = auxiliary
        store(self.cells, "@names", names)
        for name in names if auxiliary else ():
            inner = Module()
            inner.fc = Linear(768, num_classes)
            setattr(self, name, inner)

    def forward(self, x: Any) -> Any:
        result = super().forward(x)
        if self.training is False or not self.aux_logits:
            return result
        rows = [result]
        for name in self.cells["@names"]:
            dims = dims_of(result) or ()
            width = self.cells[name].fc.out_features
            rows.append(opaque(name, [result], Type(dtype_of(result), (*dims[:-1], width)), Tensor))
        return tuple(rows)


@model("torchvision.models.inception_v3")
def inception_v3(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
    auxiliary = kwargs.get("aux_logits", True) is not False
    return Auxiliary(2048, 32, kwargs.get("num_classes", 1000), ("AuxLogits",), auxiliary)


@model("torchvision.models.googlenet")
def googlenet(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
    given = pretrained not in (False, None) or weights is not None
    auxiliary = kwargs.get("aux_logits", not given) is not False
    return Auxiliary(1024, 32, kwargs.get("num_classes", 1000), ("aux2", "aux1"), auxiliary)
