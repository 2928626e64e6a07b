"""Models that label each pixel."""

from __future__ import annotations

from typing import Any

from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.activations import ReLU
from mlvet.frontends.python.libraries.torch.nn.containers import Sequential
from mlvet.frontends.python.libraries.torch.nn.convolutions import Conv2d
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.libraries.torchvision.models.classifiers import Features
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.tensors import dims_of, dtype_of

NAMES = (
    "fcn_resnet50", "fcn_resnet101", "deeplabv3_resnet50", "deeplabv3_resnet101", "deeplabv3_mobilenet_v3_large",
    "lraspp_mobilenet_v3_large",
)  # fmt: skip


class Segmentation(Module):
    """A dictionary with scores of each class for each pixel."""

    __slots__ = ()

    def __init__(self, num_classes: Any = 21, aux_loss: bool = False) -> None:
        super().__init__()
        self.backbone = Features(2048, 8, 64)
        self.classifier = Sequential(Conv2d(2048, 256, 3, 1, 1), ReLU(), Conv2d(256, num_classes, 1))
        self.aux_classifier = (
            Sequential(Conv2d(1024, 256, 3, 1, 1), ReLU(), Conv2d(256, num_classes, 1)) if aux_loss else None
        )

    def forward(self, x: Any) -> Any:
        x = assumed(x, 4, "batch", "channels", "height", "width")
        batch, _, height, width = dims_of(x) or (1, 3, 1, 1)
        scores = machine().call(self.classifier, machine().call(self.backbone, x))
        classes = (dims_of(scores) or (1, 21))[1]
        names = ("out",) if self.aux_classifier is None else ("out", "aux")
        like = Type(dtype_of(x), (batch, classes, height, width))
        return DictValue({name: opaque("interpolate", [scores], like, Tensor) for name in names}, made_by="OrderedDict")


@model(*(f"torchvision.models.segmentation.{name}" for name in NAMES))
def segmentation(
    pretrained: Any = False, progress: Any = True, *, weights: Any = None, num_classes: Any = None,
    aux_loss: Any = None, weights_backbone: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    auxiliary = bool(aux_loss) or (aux_loss is None and (weights is not None or pretrained is True))
    return Segmentation(21 if num_classes is None else num_classes, auxiliary)
