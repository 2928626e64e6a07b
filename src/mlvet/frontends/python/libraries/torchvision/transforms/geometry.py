"""Transforms that change the extent of an image."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import at_least, symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torchvision.pictures import extent, reshaped
from mlvet.frontends.python.libraries.torchvision.transforms import functional
from mlvet.frontends.python.libraries.torchvision.transforms.composition import Transform


@model("torchvision.transforms.Resize", "torchvision.transforms.Scale")
class Resize(Transform):
    __slots__ = ()

    def __init__(
        self, size: Any, interpolation: Any = None, max_size: Size | None = None, antialias: Any = True
    ) -> None:
        super().__init__()
        self.size, self.max_size = size, max_size

    def transform(self, image: Any) -> Any:
        return functional.resize(image, self.size, max_size=self.max_size)


@model("torchvision.transforms.CenterCrop")
class CenterCrop(Transform):
    __slots__ = ()

    def __init__(self, size: Any) -> None:
        super().__init__()
        self.size = size

    def transform(self, image: Any) -> Any:
        return functional.center_crop(image, self.size)


@model("torchvision.transforms.RandomCrop")
class RandomCrop(Transform):
    __slots__ = ()

    def __init__(
        self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill: Any = 0, padding_mode: Any = "constant"
    ) -> None:
        super().__init__()
        self.size, self.padding, self.pad_if_needed = size, padding, pad_if_needed

    def transform(self, image: Any) -> Any:
        if self.padding is not None:
            image = functional.pad(image, self.padding)
        channels, *given = extent(image)
        wanted = functional.both(self.size)
        if not self.pad_if_needed:
            for have, want in zip(given, wanted, strict=True):
                demand(at_least(have, want), "a crop is no larger than the image", "kernel-larger-than-input")
        return reshaped(image, channels, *wanted, "crop")


@model("torchvision.transforms.RandomResizedCrop", "torchvision.transforms.RandomSizedCrop")
class RandomResizedCrop(Transform):
    __slots__ = ()

    def __init__(
        self, size: Any, scale: Any = (0.08, 1.0), ratio: Any = (0.75, 4 / 3), interpolation: Any = None,
        antialias: Any = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = size

    def transform(self, image: Any) -> Any:
        return reshaped(image, extent(image)[0], *functional.both(self.size), "crop")


@model("torchvision.transforms.FiveCrop")
class FiveCrop(Transform):
    __slots__ = ()

    def __init__(self, size: Any) -> None:
        super().__init__()
        self.size = size

    def transform(self, image: Any) -> Any:
        return functional.five_crop(image, self.size)


@model("torchvision.transforms.TenCrop")
class TenCrop(FiveCrop):
    __slots__ = ()

    def __init__(self, size: Any, vertical_flip: bool = False) -> None:
        super().__init__(size)

    def transform(self, image: Any) -> Any:
        return functional.ten_crop(image, self.size)


@model("torchvision.transforms.Pad")
class Pad(Transform):
    __slots__ = ()

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: Any = "constant") -> None:
        super().__init__()
        self.padding = padding

    def transform(self, image: Any) -> Any:
        return functional.pad(image, self.padding)


@model("torchvision.transforms.RandomRotation")
class RandomRotation(Transform):
    __slots__ = ()

    def __init__(
        self, degrees: Any, interpolation: Any = None, expand: bool = False, center: Any = None, fill: Any = 0
    ) -> None:
        super().__init__()
        self.expand = expand

    def transform(self, image: Any) -> Any:
        return functional.rotate(image, 0, expand=self.expand)


@model("torchvision.transforms.Grayscale")
class Grayscale(Transform):
    __slots__ = ()

    def __init__(self, num_output_channels: Size = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def transform(self, image: Any) -> Any:
        return functional.to_grayscale(image, self.num_output_channels)


@model("torchvision.transforms.RandomZoomOut", "torchvision.transforms.RandomIoUCrop",
    "torchvision.transforms.ScaleJitter", "torchvision.transforms.RandomShortestSize",
    "torchvision.transforms.RandomResize")  # fmt: skip
class AnyExtent(Transform):
    """The image in an extent drawn at random."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def transform(self, image: Any) -> Any:
        height, width = (symbol(machine().fresh(name)) for name in ("height", "width"))
        return reshaped(image, extent(image)[0], height, width, "resize")
