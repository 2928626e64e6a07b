"""Transforms that change what an image is made of, not its extent."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torchvision.transforms import functional
from mlvet.frontends.python.libraries.torchvision.transforms.composition import Transform
from mlvet.frontends.python.values.containers import DictValue

SAME = (
    "RandomHorizontalFlip", "RandomVerticalFlip", "ColorJitter", "RandomGrayscale", "GaussianBlur", "RandomAffine",
    "RandomPerspective", "RandomErasing", "RandomInvert", "RandomPosterize", "RandomSolarize", "RandomAdjustSharpness",
    "RandomAutocontrast", "RandomEqualize", "ElasticTransform", "AutoAugment", "RandAugment", "TrivialAugmentWide",
    "AugMix", "RandomPhotometricDistort", "RandomChannelPermutation", "Identity", "GaussianNoise", "RGB",
    "ToPureTensor", "SanitizeBoundingBoxes", "ClampBoundingBoxes", "LinearTransformation", "UniformTemporalSubsample",
)  # fmt: skip
for name in ("IMAGENET", "CIFAR10", "SVHN"):
    model(f"torchvision.transforms.AutoAugmentPolicy.{name}")(name.lower())


@model(*(f"torchvision.transforms.{name}" for name in SAME))
class SameExtent(Transform):
    """The image with other elements."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()


@model("torchvision.transforms.ToTensor")
class ToTensor(Transform):
    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()

    def transform(self, image: Any) -> Any:
        return functional.to_tensor(image)


@model("torchvision.transforms.PILToTensor", "torchvision.transforms.ToImage", "torchvision.transforms.ToImageTensor")
class PILToTensor(Transform):
    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()

    def transform(self, image: Any) -> Any:
        return functional.pil_to_tensor(image)


@model("torchvision.transforms.ToPILImage")
class ToPILImage(Transform):
    __slots__ = ()

    def __init__(self, mode: Any = None) -> None:
        super().__init__()
        self.mode = mode

    def transform(self, image: Any) -> Any:
        return functional.to_pil_image(image, self.mode)


@model("torchvision.transforms.Normalize")
class Normalize(Transform):
    __slots__ = ()

    def __init__(self, mean: Any, std: Any, inplace: bool = False) -> None:
        super().__init__()
        self.mean, self.std = mean, std

    def transform(self, image: Any) -> Any:
        return functional.normalize(image, self.mean, self.std)


@model("torchvision.transforms.v2.Normalize")
class BroadcastNormalize(Normalize):
    __slots__ = ()

    def transform(self, image: Any) -> Any:
        return functional.broadcast_normalize(image, self.mean, self.std)


@model("torchvision.transforms.ConvertImageDtype", "torchvision.transforms.ConvertDtype")
class ConvertImageDtype(Transform):
    __slots__ = ()

    def __init__(self, dtype: DType | None = dtypes.f32) -> None:
        super().__init__()
        self.dtype = dtype

    def transform(self, image: Any) -> Any:
        return functional.convert_image_dtype(image, self.dtype)


@model("torchvision.transforms.ToDtype")
class ToDtype(Transform):
    __slots__ = ()

    def __init__(self, dtype: Any, scale: bool = False) -> None:
        super().__init__()
        found = next(iter(dtype.cells.values()), None) if isinstance(dtype, DictValue) else dtype
        self.dtype, self.scale = found if isinstance(found, DType) else None, scale

    def transform(self, image: Any) -> Any:
        return functional.convert_image_dtype(image, self.dtype, self.scale)


@model("torchvision.transforms.CutMix", "torchvision.transforms.MixUp")
class Mixed(Transform):
    """Images of a batch mixed with one another, and their labels as shares of the classes."""

    __slots__ = ()

    def __init__(self, *, alpha: Any = 1.0, num_classes: Any = None, labels_getter: Any = "default") -> None:
        super().__init__()
        self.num_classes = num_classes

    def forward(self, *inputs: Any) -> Any:
        from mlvet.domains.tensors import Tensor as Type
        from mlvet.frontends.python.emission import opaque
        from mlvet.frontends.python.libraries.binding import as_size
        from mlvet.frontends.python.libraries.torch.tensor import Tensor
        from mlvet.frontends.python.values.tensors import TensorValue, dims_of

        images, labels = inputs if len(inputs) == 2 else inputs[0]
        dims = dims_of(labels) if isinstance(labels, TensorValue) else None
        if dims is not None and self.num_classes is not None:
            labels = opaque("mixed", [labels], Type(dtypes.f32, (*dims, as_size(self.num_classes))), Tensor)
        return images, labels
