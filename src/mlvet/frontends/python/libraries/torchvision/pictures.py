"""Images that are no tensors yet, and tensors that are images: their extent and channels."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.images.pictures import CHANNELS, Image, picture
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def sized(height: Dim, width: Dim, mode: str | None = "RGB") -> Any:
    """An image as PIL has it."""
    return picture(width, height, mode)


def somewhere(mode: str = "RGB") -> Any:
    """An image of unknown extent."""
    return picture(symbol(machine().fresh("width")), symbol(machine().fresh("height")), mode)


def channels_of(image: Image) -> Dim:
    mode = image.cells["@mode"]
    if not isinstance(mode, str):
        if "@channels" not in image.cells:
            image.cells["@channels"] = symbol(machine().fresh("channels"), 1, 4)
        found: Dim = image.cells["@channels"]
        return found
    return CHANNELS.get(mode, 1)


def extent(image: Any) -> tuple[Dim, Dim, Dim]:
    """Channels, height and width of an image or of a tensor whose last dims they are."""
    if isinstance(image, TensorValue):
        dims = dims_of(image)
        if dims is None or len(dims) < 2:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an image of unknown shape")
        return (dims[-3] if len(dims) > 2 else 1), dims[-2], dims[-1]
    if isinstance(image, Image):
        return channels_of(image), image.height, image.width
    if isinstance(image, Unknown):
        raise Undecided(image)
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"{type(image).__name__} is no image")


def reshaped(image: Any, channels: Dim, height: Dim, width: Dim, because: str) -> Any:
    """The image after a change of extent or channels; of a tensor the dims before them stay."""
    if isinstance(image, TensorValue):
        dims = dims_of(image) or ()
        last = (channels, height, width) if len(dims) > 2 else (height, width)
        return opaque(because, [image], Type(dtype_of(image), (*dims[: -len(last)], *last)), Tensor)
    mode = image.cells["@mode"]
    if channels != channels_of(image):
        mode = MODES.get(channels, "RGB") if isinstance(channels, int) else None
    return sized(height, width, mode)


def pixels(image: Any, name: str = "image") -> TensorValue:
    """The elements of an image as a tensor of bytes, channels first."""
    return source(name, Type(dtypes.u8, extent(image)), Tensor)
