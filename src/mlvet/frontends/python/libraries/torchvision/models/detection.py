"""Models that find objects: dictionaries of losses in training, of boxes otherwise."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.linear import Linear
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated

NAMES = (
    "fasterrcnn_resnet50_fpn", "fasterrcnn_resnet50_fpn_v2", "fasterrcnn_mobilenet_v3_large_fpn",
    "fasterrcnn_mobilenet_v3_large_320_fpn", "maskrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn_v2",
    "keypointrcnn_resnet50_fpn", "retinanet_resnet50_fpn", "retinanet_resnet50_fpn_v2", "ssd300_vgg16",
    "ssdlite320_mobilenet_v3_large", "fcos_resnet50_fpn",
)  # fmt: skip
TWO_STAGES = ("loss_classifier", "loss_box_reg", "loss_objectness", "loss_rpn_box_reg")
ONE_STAGE = ("bbox_regression", "classification")
LOSSES = {
    "fasterrcnn": TWO_STAGES, "maskrcnn": (*TWO_STAGES, "loss_mask"), "keypointrcnn": (*TWO_STAGES, "loss_keypoint"),
    "fcos": (*ONE_STAGE, "bbox_ctrness"),
}  # fmt: skip
"""What training minimises, by the family of the detector; those that are not here have one stage."""
KEYPOINTS = 17


class Heads(Module):
    """What boxes are classified by; programs replace its predictors."""

    __slots__ = ()


@model("torchvision.models.detection.faster_rcnn.FastRCNNPredictor")
class FastRCNNPredictor(Module):
    __slots__ = ()

    def __init__(self, in_channels: Size, num_classes: Size) -> None:
        super().__init__()
        self.cls_score, self.bbox_pred = Linear(in_channels, num_classes), Linear(in_channels, num_classes * 4)


@model("torchvision.models.detection.mask_rcnn.MaskRCNNPredictor")
class MaskRCNNPredictor(Module):
    __slots__ = ()

    def __init__(self, in_channels: Size, dim_reduced: Size, num_classes: Size) -> None:
        super().__init__()
        from mlvet.frontends.python.libraries.torch.nn.convolutions import Conv2d, ConvTranspose2d

        self.conv5_mask = ConvTranspose2d(in_channels, dim_reduced, 2, 2)
        self.mask_fcn_logits = Conv2d(dim_reduced, num_classes, 1)


class Detector(Module):
    __slots__ = ()

    def __init__(self, family: str, num_classes: Any, num_keypoints: Any = KEYPOINTS) -> None:
        super().__init__()
        self.family, self.keypoints = family, num_keypoints
        if family.endswith("rcnn"):
            self.roi_heads = Heads()
            self.roi_heads.box_predictor = FastRCNNPredictor(1024, num_classes)
        if family == "maskrcnn":
            self.roi_heads.mask_predictor = MaskRCNNPredictor(256, 256, num_classes)

    def forward(self, images: Any, targets: Any = None) -> Any:
        if self.training is not False and targets is not None:
            losses = LOSSES.get(self.family, ONE_STAGE)
            return DictValue({name: opaque(name, [], Type(dtypes.f32, ()), Tensor) for name in losses})
        boxes = symbol(machine().fresh("boxes"))
        kinds: dict[str, Any] = {
            "boxes": (dtypes.f32, (boxes, 4)),
            "labels": (dtypes.i64, (boxes,)),
            "scores": (dtypes.f32, (boxes,)),
        }
        if self.family == "maskrcnn":
            sides = symbol(machine().fresh("height")), symbol(machine().fresh("width"))
            kinds["masks"] = (dtypes.f32, (boxes, 1, *sides))
        if self.family == "keypointrcnn":
            kinds["keypoints"] = (dtypes.f32, (boxes, self.keypoints, 3))
            kinds["keypoints_scores"] = (dtypes.f32, (boxes, self.keypoints))
        element = DictValue(
            {name: opaque(name, [], Type(dtype, dims), Tensor) for name, (dtype, dims) in kinds.items()}
        )
        return ListValue(Repeated(element, symbol(machine().fresh("images"))))


def _maker(name: str) -> Any:
    family = name.partition("_")[0]

    def make(
        pretrained: Any = False, progress: Any = True, *, weights: Any = None, num_classes: Any = None, **kwargs: Any
    ) -> Any:
        usual = 2 if family == "keypointrcnn" else 91
        keypoints = kwargs.get("num_keypoints")
        return Detector(family, usual if num_classes is None else num_classes, keypoints or KEYPOINTS)

    return make


for each in NAMES:
    model(f"torchvision.models.detection.{each}")(_maker(each))
