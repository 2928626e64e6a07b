"""Images that are no tensors yet: their extent and channels, as data sets and PIL have them."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import TENSORS, Sizes
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

MODES = {
    "L": 1, "1": 1, "P": 1, "I": 1, "F": 1, "LA": 2, "RGB": 3, "YCbCr": 3, "HSV": 3, "LAB": 3, "RGBA": 4, "CMYK": 4,
}  # fmt: skip


class Picture(Object):
    """An image as PIL has it."""

    __slots__ = ()

    def __init__(self, height: Dim, width: Dim, mode: str = "RGB") -> None:
        self.height, self.width, self.mode = height, width, mode

    @property
    def size(self) -> Any:
        return (self.width, self.height)

    @property
    def channels(self) -> Dim:
        return channels_of(self.mode)

    def getbands(self) -> Any:
        return tuple(self.mode) if self.mode in ("L", "RGB", "RGBA", "CMYK", "HSV", "LAB", "LA") else (self.mode,)

    def convert(self, mode: str = "RGB", *args: Any, **kwargs: Any) -> Any:
        return Picture(self.height, self.width, mode)

    def resize(self, size: Sizes, *args: Any, **kwargs: Any) -> Any:
        return Picture(size[1], size[0], self.mode)

    def crop(self, box: Any = None) -> Any:
        if isinstance(box, tuple) and len(box) == 4:
            left, upper, right, lower = (each if isinstance(each, int) else None for each in box)
            if left is not None and upper is not None and right is not None and lower is not None:
                return Picture(lower - upper, right - left, self.mode)
        return somewhere(self.mode)

    def rotate(self, angle: Any, *args: Any, expand: bool = False, **kwargs: Any) -> Any:
        return somewhere(self.mode) if expand else self

    def transpose(self, method: Any) -> Any:
        return self if self.height == self.width else somewhere(self.mode)

    def copy(self) -> Any:
        return self

    def filter(self, filter: Any) -> Any:
        return self

    def save(self, *args: Any, **kwargs: Any) -> None:
        pass

    show = save
    load = save
    close = save

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def as_tensor(self) -> TensorValue:
        """The elements as an array: rows, columns, and channels if there are several."""
        dims = (self.height, self.width) if self.channels == 1 else (self.height, self.width, self.channels)
        return source("image", Type(dtypes.u8, dims), TENSORS.get("numpy", Tensor))


def channels_of(mode: Any) -> Dim:
    return MODES.get(mode, 3) if isinstance(mode, str) else symbol(machine().fresh("channels"))


def somewhere(mode: str = "RGB") -> Picture:
    """An image of unknown extent."""
    return Picture(symbol(machine().fresh("height")), symbol(machine().fresh("width")), mode)


def is_picture(value: Any) -> bool:
    return isinstance(value, Picture) or (
        isinstance(value, Object)
        and not isinstance(value, TensorValue)
        and "height" in value.cells
        and "width" in value.cells
    )


def extent(image: Any) -> tuple[Dim, Dim, Dim]:
    """Channels, height and width of an image or of a tensor whose last dims they are."""
    if isinstance(image, TensorValue):
        dims = dims_of(image)
        if dims is None or len(dims) < 2:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an image of unknown shape")
        return (dims[-3] if len(dims) > 2 else 1), dims[-2], dims[-1]
    if is_picture(image):
        return channels_of(image.cells.get("mode")), image.cells["height"], image.cells["width"]
    if isinstance(image, Unknown):
        raise Undecided(image)
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"{type(image).__name__} is no image")


def reshaped(image: Any, channels: Dim, height: Dim, width: Dim, because: str) -> Any:
    """The image after a change of extent or channels; of a tensor the dims before them stay."""
    if isinstance(image, TensorValue):
        from mlvet.frontends.python.emission import opaque
        from mlvet.frontends.python.values.tensors import dtype_of

        dims = dims_of(image) or ()
        last = (channels, height, width) if len(dims) > 2 else (height, width)
        return opaque(because, [image], Type(dtype_of(image), (*dims[: -len(last)], *last)), Tensor)
    mode = image.cells.get("mode", "RGB")
    if channels != channels_of(mode):
        mode = {1: "L", 3: "RGB", 4: "RGBA"}.get(channels, "RGB") if isinstance(channels, int) else "RGB"
    return Picture(height, width, mode)


def pixels(image: Any, name: str = "image") -> TensorValue:
    """The elements of an image as a tensor of bytes, channels first."""
    return source(name, Type(dtypes.u8, extent(image)), Tensor)
