"""torchvision.transforms.functional: each change of an image as a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.shaping import transpose, unsqueezed
from mlvet.frontends.python.emission import constant, demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Number, Size, Tensor, as_items, as_size, as_sizes
from mlvet.frontends.python.libraries.images.pictures import Image
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.placement import on_cpu, placed
from mlvet.frontends.python.libraries.torch.tensor import Tensor as TorchTensor
from mlvet.frontends.python.libraries.torchvision.pictures import MODES, extent, pixels, reshaped, sized, somewhere
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.placements import placement_of
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

PREFIX = "torchvision.transforms.functional"

for name in ("NEAREST", "NEAREST_EXACT", "BILINEAR", "BICUBIC", "BOX", "HAMMING", "LANCZOS"):
    model(f"{PREFIX}.InterpolationMode.{name}")(name.lower())


@model(f"{PREFIX}.to_tensor")
def to_tensor(pic: Any) -> Tensor:
    """Bytes become floats from 0 to 1, channels come first."""
    if isinstance(pic, TensorValue):
        rank = rank_of(pic)
        x: Any = _host(pic)
        x = transpose(x, (2, 0, 1)) if rank == 3 else unsqueezed(x, (0,)) if rank == 2 else x
        made: Tensor = _unit(x) if dtype_of(x) is dtypes.u8 else x
        return made
    if isinstance(pic, Unknown):
        dims = tuple(symbol(machine().fresh(name)) for name in ("channels", "height", "width"))
        found: Tensor = on_cpu(opaque("to_tensor", [], Type(dtypes.f32, dims), TorchTensor))
        return found
    return _unit(on_cpu(pixels(pic)))


def _host(pic: TensorValue) -> Any:
    """An array as a tensor on the CPU; a tensor stays where it is."""
    x = TorchTensor.of(pic.graph_value)
    return placed(x, placement_of(pic)) if isinstance(pic, TorchTensor) else on_cpu(x)


def _unit(x: TensorValue) -> TensorValue:
    return emit("div", cast(x, dtypes.f32), 255.0, kind=TorchTensor)


@model(f"{PREFIX}.pil_to_tensor", f"{PREFIX}.to_image", f"{PREFIX}.to_image_tensor")
def pil_to_tensor(pic: Any) -> Tensor:
    if isinstance(pic, TensorValue):
        x: Any = _host(pic)
        made: Tensor = transpose(x, (2, 0, 1)) if rank_of(pic) == 3 and type(pic) is not TorchTensor else x
        return made
    found: Tensor = on_cpu(pixels(pic))
    return found


@model(f"{PREFIX}.to_pil_image")
def to_pil_image(pic: Any, mode: Any = None) -> Any:
    if isinstance(pic, TensorValue):
        dims = dims_of(pic)
        if dims is None or len(dims) not in (2, 3):
            return somewhere("RGB")
        rows = (1, *dims) if len(dims) == 2 else dims if isinstance(pic, TorchTensor) else (dims[2], *dims[:2])
        known = MODES.get(rows[0], "RGB") if isinstance(rows[0], int) else "RGB"
        return sized(rows[1], rows[2], mode if isinstance(mode, str) else known)
    return somewhere("RGB")


@model(f"{PREFIX}.convert_image_dtype", f"{PREFIX}.to_dtype", f"{PREFIX}.to_dtype_image")
def convert_image_dtype(image: Any, dtype: DType | None = dtypes.f32, scale: bool = True) -> Any:
    if not isinstance(image, TensorValue) or dtype is None:
        return image
    known = dtype_of(image)
    if known is dtypes.u8 and dtype.is_float and scale:
        return emit("div", cast(image, dtype), emit("cast", 255.0, to=dtype, kind=TorchTensor))
    return cast(image, dtype)


@model(f"{PREFIX}.normalize")
def normalize(tensor: Any, mean: Any, std: Any, inplace: bool = False) -> Any:
    """Of each channel its mean subtracted, then divided by its deviation; the channels stay as many as they are."""
    found = broadcast_normalize(tensor, mean, std)
    before, after = dims_of(tensor), dims_of(found)
    if before is not None and after is not None and len(before) == len(after) >= 3:
        demand(before[-3] != 1 or after[-3] == 1, "one channel cannot become several in place", "dims-differ")
    return found


@model("torchvision.transforms.v2.functional.normalize")
def broadcast_normalize(tensor: Any, mean: Any, std: Any, inplace: bool = False) -> Any:
    """The same where a single channel becomes as many as there are means."""
    if not isinstance(tensor, TensorValue):
        if isinstance(tensor, Image):
            demand(False, "only tensors can be normalised, not images")
        return tensor
    dims = dims_of(tensor)
    figures = [as_items(each) if isinstance(each, tuple | list | ListValue) else (each,) for each in (mean, std)]
    numbers = [*figures[0], *figures[1]]
    if dims is not None:
        demand(len(dims) >= 3, "a tensor that is normalised has channels, height and width", "rank-differs")
    if dims is None or len(dims) < 3 or not all(isinstance(each, int | float) for each in numbers):
        return tensor
    known = dtype_of(tensor) or dtypes.f32
    demand(known.is_float, "only floats can be normalised")
    rows = [constant(np.asarray(each, known.numpy).reshape(-1, 1, 1), TorchTensor) for each in figures]
    return emit("div", emit("sub", tensor, rows[0]), rows[1])


@model(f"{PREFIX}.resize")
def resize(img: Any, size: Any, interpolation: Any = None, max_size: Size | None = None, antialias: Any = True) -> Any:
    channels, height, width = extent(img)
    wanted = sides(size)
    if len(wanted) == 2:
        return reshaped(img, channels, wanted[0], wanted[1], "resize")
    return reshaped(img, channels, *_shorter(height, width, wanted[0], max_size), "resize")


def _shorter(height: Dim, width: Dim, size: Dim, max_size: Dim | None) -> tuple[Dim, Dim]:
    """The shorter side becomes the size, the other one keeps the aspect."""
    if height == width and max_size is None:
        return size, size
    if (
        isinstance(height, int)
        and isinstance(width, int)
        and isinstance(size, int)
        and min(height, width) > 0
        and max_size is None
    ):
        return (int(size * height / width), size) if width <= height else (size, int(size * width / height))
    low = 1 if max_size is not None or not isinstance(size, int) else size
    return symbol(machine().fresh("height"), low), symbol(machine().fresh("width"), low)


def sides(size: Any) -> tuple[Dim, ...]:
    """One or two sizes."""
    if isinstance(size, tuple | list | ListValue):
        return as_sizes(size, "size")
    return (as_size(size, "size"),)


def both(size: Any) -> tuple[Dim, Dim]:
    """A height and a width, given as one number or two."""
    found = sides(size)
    return (found[0], found[0]) if len(found) == 1 else (found[0], found[1])


@model(f"{PREFIX}.center_crop")
def center_crop(img: Any, output_size: Any) -> Any:
    return reshaped(img, extent(img)[0], *both(output_size), "center_crop")


@model(f"{PREFIX}.crop")
def crop(img: Any, top: Any, left: Any, height: Size, width: Size) -> Any:
    return reshaped(img, extent(img)[0], height, width, "crop")


@model(f"{PREFIX}.resized_crop")
def resized_crop(
    img: Any, top: Any, left: Any, height: Any, width: Any, size: Any, interpolation: Any = None, antialias: Any = True
) -> Any:
    return resize(
        reshaped(img, extent(img)[0], symbol(machine().fresh("height")), symbol(machine().fresh("width")), "crop"), size
    )


@model(f"{PREFIX}.five_crop")
def five_crop(img: Any, size: Any) -> Any:
    return tuple(center_crop(img, size) for _ in range(5))


@model(f"{PREFIX}.ten_crop")
def ten_crop(img: Any, size: Any, vertical_flip: bool = False) -> Any:
    return tuple(center_crop(img, size) for _ in range(10))


@model(f"{PREFIX}.pad")
def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: Any = "constant") -> Any:
    """Borders left, top, right and bottom, given as one, two or four numbers."""
    given = sides(padding)
    if len(given) not in (1, 2, 4):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "borders of an image are 1, 2 or 4 numbers")
    left, top, right, bottom = given * 4 if len(given) == 1 else given * 2 if len(given) == 2 else given
    channels, height, width = extent(img)
    return reshaped(img, channels, height + top + bottom, width + left + right, "pad")


@model(f"{PREFIX}.hflip", f"{PREFIX}.vflip", f"{PREFIX}.horizontal_flip", f"{PREFIX}.vertical_flip")
def flip(img: Any) -> Any:
    return img


@model(f"{PREFIX}.rotate")
def rotate(
    img: Any, angle: Number, interpolation: Any = None, expand: bool = False, center: Any = None, fill: Any = None
) -> Any:
    if not expand:
        return img
    channels = extent(img)[0]
    return reshaped(img, channels, symbol(machine().fresh("height")), symbol(machine().fresh("width")), "rotate")


@model(f"{PREFIX}.to_grayscale", f"{PREFIX}.rgb_to_grayscale")
def to_grayscale(img: Any, num_output_channels: Size = 1) -> Any:
    _, height, width = extent(img)
    return reshaped(img, num_output_channels, height, width, "to_grayscale")


SAME = (
    "adjust_brightness", "adjust_contrast", "adjust_saturation", "adjust_hue", "adjust_gamma", "adjust_sharpness",
    "affine", "perspective", "gaussian_blur", "invert", "posterize", "solarize", "autocontrast", "equalize", "erase",
    "elastic_transform",
)  # fmt: skip


@model(*(f"{PREFIX}.{name}" for name in SAME))
def of_the_same_extent(img: Any, *args: Any, **kwargs: Any) -> Any:
    return img


@model(f"{PREFIX}.get_dimensions")
def get_dimensions(img: Any) -> Any:
    return list(extent(img))


@model(f"{PREFIX}.get_image_size", f"{PREFIX}._get_image_size")
def get_image_size(img: Any) -> Any:
    return [extent(img)[2], extent(img)[1]]


@model(f"{PREFIX}.get_size")
def get_size(img: Any) -> Any:
    return list(extent(img)[1:])


@model(f"{PREFIX}.get_image_num_channels", f"{PREFIX}.get_num_channels")
def get_num_channels(img: Any) -> Any:
    return extent(img)[0]
