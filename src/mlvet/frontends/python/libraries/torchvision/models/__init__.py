"""torchvision.models: networks with the layers that programs replace."""

from __future__ import annotations

from mlvet.frontends.python.libraries.registry import alias
from mlvet.frontends.python.libraries.torchvision.models import classifiers as classifiers
from mlvet.frontends.python.libraries.torchvision.models import detection as detection
from mlvet.frontends.python.libraries.torchvision.models import residual as residual
from mlvet.frontends.python.libraries.torchvision.models import segmentation as segmentation
from mlvet.frontends.python.libraries.torchvision.models import sequential as sequential
from mlvet.frontends.python.libraries.torchvision.models import weights as weights

for part in (
    "resnet", "vgg", "alexnet", "densenet", "mobilenet", "mobilenetv2", "mobilenetv3", "efficientnet", "inception",
    "googlenet", "squeezenet", "vision_transformer", "swin_transformer", "convnext", "regnet", "shufflenetv2",
    "mnasnet", "segmentation.deeplabv3", "segmentation.fcn", "detection.faster_rcnn", "detection.mask_rcnn",
    "maxvit",
):  # fmt: skip
    outer = part.rpartition(".")[0]
    alias(f"torchvision.models.{part}", f"torchvision.models.{outer}" if outer else "torchvision.models")
