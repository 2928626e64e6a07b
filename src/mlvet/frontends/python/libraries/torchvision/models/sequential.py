"""AlexNet and VGG: convolutions in a row, then linear layers."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import Number, Size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.activations import ReLU
from mlvet.frontends.python.libraries.torch.nn.containers import Sequential
from mlvet.frontends.python.libraries.torch.nn.convolutions import Conv2d
from mlvet.frontends.python.libraries.torch.nn.dropouts import Dropout
from mlvet.frontends.python.libraries.torch.nn.functions import torch
from mlvet.frontends.python.libraries.torch.nn.linear import Linear
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.normalisation import BatchNorm2d
from mlvet.frontends.python.libraries.torch.nn.pooling import AdaptiveAvgPool2d, MaxPool2d

WIDTHS: dict[str, tuple[int, ...]] = {
    "vgg11": (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0),
    "vgg13": (64, 64, 0, 128, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0),
    "vgg16": (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0),
    "vgg19": (64, 64, 0, 128, 128, 0, 256, 256, 256, 256, 0, 512, 512, 512, 512, 0, 512, 512, 512, 512, 0),
}
"""Channels of each convolution; 0 stands for a pool."""


class Rowed(Module):
    """Features, a pool to a fixed extent, and a classifier."""

    __slots__ = ()

    def forward(self, x: Any) -> Any:
        call = machine().call
        x = call(self.avgpool, call(self.features, x))
        return call(self.classifier, torch.flatten(x, 1))


@model("torchvision.models.VGG")
class VGG(Rowed):
    __slots__ = ()

    def __init__(
        self, features: Any, num_classes: Size = 1000, init_weights: bool = True, dropout: Number = 0.5
    ) -> None:
        super().__init__()
        self.features, self.avgpool = features, AdaptiveAvgPool2d((7, 7))
        self.classifier = Sequential(
            Linear(512 * 7 * 7, 4096), ReLU(True), Dropout(dropout), Linear(4096, 4096), ReLU(True), Dropout(dropout),
            Linear(4096, num_classes),
        )  # fmt: skip


@model("torchvision.models.AlexNet")
class AlexNet(Rowed):
    __slots__ = ()

    def __init__(self, num_classes: Size = 1000, dropout: Number = 0.5) -> None:
        super().__init__()
        self.features = Sequential(
            Conv2d(3, 64, 11, 4, 2), ReLU(True), MaxPool2d(3, 2), Conv2d(64, 192, 5, 1, 2), ReLU(True), MaxPool2d(3, 2),
            Conv2d(192, 384, 3, 1, 1), ReLU(True), Conv2d(384, 256, 3, 1, 1), ReLU(True), Conv2d(256, 256, 3, 1, 1),
            ReLU(True), MaxPool2d(3, 2),
        )  # fmt: skip
        self.avgpool = AdaptiveAvgPool2d((6, 6))
        self.classifier = Sequential(
            Dropout(dropout), Linear(256 * 6 * 6, 4096), ReLU(True), Dropout(dropout), Linear(4096, 4096), ReLU(True),
            Linear(4096, num_classes),
        )  # fmt: skip


@model("torchvision.models.alexnet")
def alexnet(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
    return AlexNet(**kwargs)


def _features(widths: tuple[int, ...], normalised: bool) -> Sequential:
    row: list[Any] = []
    channels = 3
    for width in widths:
        if width == 0:
            row.append(MaxPool2d(2, 2))
            continue
        row.append(Conv2d(channels, width, 3, 1, 1))
        row += [BatchNorm2d(width), ReLU(True)] if normalised else [ReLU(True)]
        channels = width
    return Sequential(*row)


def _maker(kind: str, normalised: bool) -> Any:
    def make(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
        return VGG(_features(WIDTHS[kind], normalised), **kwargs)

    return make


for kind in WIDTHS:
    model(f"torchvision.models.{kind}")(_maker(kind, False))
    model(f"torchvision.models.{kind}_bn")(_maker(kind, True))
