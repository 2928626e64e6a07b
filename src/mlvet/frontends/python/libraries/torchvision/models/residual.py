"""ResNet and its kin, layer by layer."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import Items, Size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.activations import ReLU
from mlvet.frontends.python.libraries.torch.nn.containers import Sequential
from mlvet.frontends.python.libraries.torch.nn.convolutions import Conv2d
from mlvet.frontends.python.libraries.torch.nn.functions import torch
from mlvet.frontends.python.libraries.torch.nn.linear import Linear
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.normalisation import BatchNorm2d
from mlvet.frontends.python.libraries.torch.nn.pooling import AdaptiveAvgPool2d, MaxPool2d


@model("torchvision.models.resnet.conv3x3")
def conv3x3(in_planes: Size, out_planes: Size, stride: Size = 1, groups: Size = 1, dilation: Size = 1) -> Any:
    return Conv2d(in_planes, out_planes, 3, stride, dilation, dilation, groups, False)


@model("torchvision.models.resnet.conv1x1")
def conv1x1(in_planes: Size, out_planes: Size, stride: Size = 1) -> Any:
    return Conv2d(in_planes, out_planes, 1, stride, 0, 1, 1, False)


class Residual(Module):
    """A block whose result is added to its input."""

    __slots__ = ()
    expansion: ClassVar[int] = 1

    def _added(self, x: Any, out: Any) -> Any:
        call = machine().call
        short = x if self.downsample is None else call(self.downsample, x)
        return call(self.relu, out + short)


@model("torchvision.models.resnet.BasicBlock")
class BasicBlock(Residual):
    __slots__ = ()

    def __init__(
        self, inplanes: Size, planes: Size, stride: Size = 1, downsample: Any = None, groups: Size = 1,
        base_width: Size = 64, dilation: Size = 1, norm_layer: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        norm = _norm(norm_layer)
        self.conv1, self.bn1 = conv3x3(inplanes, planes, stride), norm(planes)
        self.relu = ReLU(True)
        self.conv2, self.bn2 = conv3x3(planes, planes), norm(planes)
        self.downsample, self.stride = downsample, stride

    def forward(self, x: Any) -> Any:
        call = machine().call
        out = call(self.relu, call(self.bn1, call(self.conv1, x)))
        return self._added(x, call(self.bn2, call(self.conv2, out)))


@model("torchvision.models.resnet.Bottleneck")
class Bottleneck(Residual):
    __slots__ = ()
    expansion: ClassVar[int] = 4

    def __init__(
        self, inplanes: Size, planes: Size, stride: Size = 1, downsample: Any = None, groups: Size = 1,
        base_width: Size = 64, dilation: Size = 1, norm_layer: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        norm = _norm(norm_layer)
        width = planes * base_width // 64 * groups
        self.conv1, self.bn1 = conv1x1(inplanes, width), norm(width)
        self.conv2, self.bn2 = conv3x3(width, width, stride, groups, dilation), norm(width)
        self.conv3, self.bn3 = conv1x1(width, planes * self.expansion), norm(planes * self.expansion)
        self.relu = ReLU(True)
        self.downsample, self.stride = downsample, stride

    def forward(self, x: Any) -> Any:
        call = machine().call
        out = call(self.relu, call(self.bn1, call(self.conv1, x)))
        out = call(self.relu, call(self.bn2, call(self.conv2, out)))
        return self._added(x, call(self.bn3, call(self.conv3, out)))


@model("torchvision.models.ResNet", "torchvision.models.resnet.ResNet")
class ResNet(Module):
    __slots__ = ()

    def __init__(
        self, block: Any, layers: Items, num_classes: Size = 1000, zero_init_residual: bool = False, groups: Size = 1,
        width_per_group: Size = 64, replace_stride_with_dilation: Any = None, norm_layer: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.inplanes: Any = 64
        self.groups, self.base_width = groups, width_per_group
        norm = _norm(norm_layer)
        self.conv1, self.bn1 = Conv2d(3, 64, 7, 2, 3, 1, 1, False), norm(64)
        self.relu, self.maxpool = ReLU(True), MaxPool2d(3, 2, 1)
        for place, planes in enumerate((64, 128, 256, 512)):
            made = self._make_layer(block, planes, layers[place], 1 if place == 0 else 2, norm_layer)
            setattr(self, f"layer{place + 1}", made)
        self.avgpool = AdaptiveAvgPool2d((1, 1))
        self.fc = Linear(512 * machine().attribute(block, "expansion"), num_classes)

    def _make_layer(self, block: Any, planes: int, blocks: int, stride: int = 1, norm_layer: Any = None) -> Any:
        call = machine().call
        wide: Any = planes * machine().attribute(block, "expansion")
        downsample = None
        if stride != 1 or self.inplanes != wide:
            downsample = Sequential(conv1x1(self.inplanes, wide, stride), _norm(norm_layer)(wide))
        row = [call(block, self.inplanes, planes, stride, downsample, self.groups, self.base_width, 1, norm_layer)]
        self.inplanes = wide
        for _ in range(1, blocks):
            row.append(call(block, wide, planes, groups=self.groups, base_width=self.base_width, norm_layer=norm_layer))
        return Sequential(*row)

    def forward(self, x: Any) -> Any:
        call = machine().call
        for layer in (
            self.conv1,
            self.bn1,
            self.relu,
            self.maxpool,
            self.layer1,
            self.layer2,
            self.layer3,
            self.layer4,
        ):
            x = call(layer, x)
        return call(self.fc, torch.flatten(call(self.avgpool, x), 1))


def _norm(norm_layer: Any) -> Any:
    return BatchNorm2d if norm_layer is None else lambda channels: machine().call(norm_layer, channels)


KINDS: dict[str, tuple[Any, tuple[int, ...], dict[str, int]]] = {
    "resnet18": (BasicBlock, (2, 2, 2, 2), {}),
    "resnet34": (BasicBlock, (3, 4, 6, 3), {}),
    "resnet50": (Bottleneck, (3, 4, 6, 3), {}),
    "resnet101": (Bottleneck, (3, 4, 23, 3), {}),
    "resnet152": (Bottleneck, (3, 8, 36, 3), {}),
    "resnext50_32x4d": (Bottleneck, (3, 4, 6, 3), {"groups": 32, "width_per_group": 4}),
    "resnext101_32x8d": (Bottleneck, (3, 4, 23, 3), {"groups": 32, "width_per_group": 8}),
    "resnext101_64x4d": (Bottleneck, (3, 4, 23, 3), {"groups": 64, "width_per_group": 4}),
    "wide_resnet50_2": (Bottleneck, (3, 4, 6, 3), {"width_per_group": 128}),
    "wide_resnet101_2": (Bottleneck, (3, 4, 23, 3), {"width_per_group": 128}),
}


def _maker(kind: str) -> Any:
    block, layers, settings = KINDS[kind]

    def make(pretrained: Any = False, progress: Any = True, *, weights: Any = None, **kwargs: Any) -> Any:
        return ResNet(block, layers, **{**settings, **kwargs})

    return make


for kind in KINDS:
    model(f"torchvision.models.{kind}")(_maker(kind))
