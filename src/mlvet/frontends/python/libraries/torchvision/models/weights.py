"""Names of trained weights, and models by name."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import Misfit
from mlvet.frontends.python.libraries.registry import MODELS, model
from mlvet.frontends.python.libraries.torchvision.transforms.composition import Transform
from mlvet.frontends.python.libraries.torchvision.transforms.functional import center_crop, normalize, resize, to_tensor
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Undecided

CLASSES = (
    "AlexNet", "VGG11", "VGG13", "VGG16", "VGG19", "VGG11_BN", "VGG13_BN", "VGG16_BN", "VGG19_BN", "ResNet18",
    "ResNet34", "ResNet50", "ResNet101", "ResNet152", "ResNeXt50_32X4D", "ResNeXt101_32X8D", "Wide_ResNet50_2",
    "Wide_ResNet101_2", "DenseNet121", "DenseNet161", "DenseNet169", "DenseNet201", "MobileNet_V2",
    "MobileNet_V3_Large", "MobileNet_V3_Small", "GoogLeNet", "Inception_V3", "SqueezeNet1_0", "SqueezeNet1_1",
    "EfficientNet_B0", "EfficientNet_B1", "EfficientNet_B2", "EfficientNet_B3", "EfficientNet_B4", "EfficientNet_B5",
    "EfficientNet_B6", "EfficientNet_B7", "EfficientNet_V2_S", "EfficientNet_V2_M", "EfficientNet_V2_L", "ViT_B_16",
    "ViT_B_32", "ViT_L_16", "ViT_L_32", "ViT_H_14", "Swin_T", "Swin_S", "Swin_B", "ConvNeXt_Tiny", "ConvNeXt_Small",
    "ConvNeXt_Base", "ConvNeXt_Large",
)  # fmt: skip
SEGMENTATION = ("FCN_ResNet50", "FCN_ResNet101", "DeepLabV3_ResNet50", "DeepLabV3_ResNet101",
    "LRASPP_MobileNet_V3_Large", "DeepLabV3_MobileNet_V3_Large")  # fmt: skip
DETECTION = ("FasterRCNN_ResNet50_FPN", "FasterRCNN_ResNet50_FPN_V2", "MaskRCNN_ResNet50_FPN", "RetinaNet_ResNet50_FPN")
VERSIONS = ("DEFAULT", "IMAGENET1K_V1", "IMAGENET1K_V2", "IMAGENET1K_FEATURES", "COCO_V1", "COCO_WITH_VOC_LABELS_V1",
    "IMAGENET1K_SWAG_E2E_V1", "IMAGENET1K_SWAG_LINEAR_V1")  # fmt: skip


class Preset(Transform):
    """The transforms that go with trained weights."""

    __slots__ = ()

    def transform(self, image: Any) -> Any:
        image = center_crop(resize(image, 256), 224)
        return normalize(to_tensor(image), (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


class Weights(Object):
    """One set of trained weights."""

    __slots__ = ()

    def transforms(self, *args: Any, **kwargs: Any) -> Any:
        return Preset()

    @property
    def meta(self) -> Any:
        return DictValue({"categories": ListValue(Scalar(str, "category") for _ in range(1000))})

    @property
    def url(self) -> Any:
        return Scalar(str, "url")

    def get_state_dict(self, *args: Any, **kwargs: Any) -> Any:
        raise Undecided(Reason.EXTERNAL_DATA, "trained weights")


def _family(name: str) -> type[Weights]:
    one = Weights()
    return type(f"{name}_Weights", (Weights,), {"__slots__": (), **dict.fromkeys(VERSIONS, one)})


for prefix, names in (("", CLASSES), ("segmentation.", SEGMENTATION), ("detection.", DETECTION)):
    for each in names:
        model(f"torchvision.models.{prefix}{each}_Weights")(_family(each))


@model("torchvision.models.get_model")
def get_model(name: str, **config: Any) -> Any:
    found = MODELS.get(f"torchvision.models.{name.lower()}")
    if found is None:
        raise Misfit(f"there is no model {name}")
    return machine().call(found, **config)


@model("torchvision.models.list_models")
def list_models(*args: Any, **kwargs: Any) -> Any:
    return sorted(
        name.rpartition(".")[2] for name in MODELS if name.startswith("torchvision.models.") and name.islower()
    )
