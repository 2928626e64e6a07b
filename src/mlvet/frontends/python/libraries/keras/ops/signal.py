"""Fourier transforms and images of `keras.ops`."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, ceil_div, floor_div
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_items, as_size
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.layers.convolution import several
from mlvet.frontends.python.libraries.keras.layers.reshaping import resized
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.ops.shaping import sizes
from mlvet.frontends.python.libraries.keras.settings import image_data_format
from mlvet.frontends.python.libraries.keras.tensor import array, floating
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("keras.ops.fft", "keras.ops.fft2", "keras.ops.ifft2")
def fft(x: Any) -> Any:
    real, imaginary = (floating(array(each)) for each in as_items(x))
    return alike("ops.fft", real), alike("ops.fft", imaginary)


def _pair(name: str, operand: Any, dims: tuple[Dim, ...]) -> Any:
    like = Known(dtype_of(operand), dims)
    return opaque(name, [operand], like, type(operand)), opaque(name, [operand], like, type(operand))


@model("keras.ops.rfft")
def rfft(x: ArrayLike, fft_length: Any = None) -> Any:
    made = floating(array(x))
    dims = ranked_dims(made)
    length = dims[-1] if fft_length is None else as_size(fft_length)
    return _pair("ops.rfft", made, (*dims[:-1], floor_div(length, 2) + 1))


@model("keras.ops.irfft")
def irfft(x: Any, fft_length: Any = None) -> Tensor:
    made = floating(array(as_items(x)[0]))
    dims = ranked_dims(made)
    length = (dims[-1] - 1) * 2 if fft_length is None else as_size(fft_length)
    return opaque("ops.irfft", [made], Known(dtype_of(made), (*dims[:-1], length)), type(made))


@model("keras.ops.stft")
def stft(
    x: ArrayLike, sequence_length: Any, sequence_stride: Any, fft_length: Any, window: Any = "hann", center: bool = True
) -> Any:
    made = floating(array(x))
    dims = ranked_dims(made)
    stride, fft_size = as_size(sequence_stride), as_size(fft_length)
    samples = dims[-1] + 2 * floor_div(fft_size, 2) if center else dims[-1]
    frames = floor_div(samples - fft_size, stride) + 1
    return _pair("ops.stft", made, (*dims[:-1], frames, floor_div(fft_size, 2) + 1))


@model("keras.ops.istft")
def istft(
    x: Any, sequence_length: Any, sequence_stride: Any, fft_length: Any, length: Any = None, window: Any = "hann",
    center: bool = True,
) -> Tensor:  # fmt: skip
    made = floating(array(as_items(x)[0]))
    dims = ranked_dims(made)
    stride, fft_size = as_size(sequence_stride), as_size(fft_length)
    total = (dims[-2] - 1) * stride + fft_size
    if center:
        total = total - 2 * floor_div(fft_size, 2)
    return opaque(
        "ops.istft",
        [made],
        Known(dtype_of(made), (*dims[:-2], total if length is None else as_size(length))),
        type(made),
    )


def _first(dims: tuple[Dim, ...], data_format: Any) -> int:
    """The axis of the height of one image or of a batch."""
    form = data_format if isinstance(data_format, str) else image_data_format()
    return len(dims) - (2 if form == "channels_first" else 3)


def _images(x: Any) -> tuple[Any, tuple[Dim, ...]]:
    made = array(x)
    dims = ranked_dims(made)
    if len(dims) not in (3, 4):
        demand(False, f"an image or a batch of images is wanted, but it is {tensor_of(made)}", "rank-differs")
        raise Undecided(Reason.EXCEPTION, "a tensor of the wrong rank")
    return made, dims


@model("keras.ops.image.resize")
def resize(
    images: ArrayLike, size: Any, interpolation: Any = "bilinear", antialias: Any = False,
    crop_to_aspect_ratio: Any = False, pad_to_aspect_ratio: Any = False, fill_mode: Any = "constant",
    fill_value: Any = 0.0, data_format: Any = None,
) -> Tensor:  # fmt: skip
    made, dims = _images(images)
    wanted = sizes(size)
    first = _first(dims, data_format)
    known = dtype_of(made)
    if known is not None and known.is_float and interpolation in ("nearest", "bilinear", "bicubic"):
        return resized(made, list(wanted), (first, first + 1), interpolation)
    return _placed("ops.image.resize", made, dims, first, wanted[0], wanted[1])


def _placed(name: str, made: Any, dims: tuple[Dim, ...], first: int, height: Dim, width: Dim, dtype: Any = None) -> Any:
    result = (*dims[:first], height, width, *dims[first + 2 :])
    return opaque(name, [made], Known(dtype or dtype_of(made), result), type(made))


@model("keras.ops.image.pad_images")
def pad_images(
    images: ArrayLike, top_padding: Any = None, left_padding: Any = None, bottom_padding: Any = None,
    right_padding: Any = None, target_height: Any = None, target_width: Any = None, data_format: Any = None,
) -> Tensor:  # fmt: skip
    made, dims = _images(images)
    first = _first(dims, data_format)
    height = (
        as_size(target_height)
        if target_height is not None
        else dims[first] + as_size(top_padding) + as_size(bottom_padding)
    )
    width = (
        as_size(target_width)
        if target_width is not None
        else dims[first + 1] + as_size(left_padding) + as_size(right_padding)
    )
    return _placed("ops.image.pad_images", made, dims, first, height, width)


@model("keras.ops.image.crop_images")
def crop_images(
    images: ArrayLike, top_cropping: Any = None, left_cropping: Any = None, bottom_cropping: Any = None,
    right_cropping: Any = None, target_height: Any = None, target_width: Any = None, data_format: Any = None,
) -> Tensor:  # fmt: skip
    made, dims = _images(images)
    first = _first(dims, data_format)
    height = (
        as_size(target_height)
        if target_height is not None
        else dims[first] - as_size(top_cropping) - as_size(bottom_cropping)
    )
    width = (
        as_size(target_width)
        if target_width is not None
        else dims[first + 1] - as_size(left_cropping) - as_size(right_cropping)
    )
    return _placed("ops.image.crop_images", made, dims, first, height, width)


@model("keras.ops.image.extract_patches")
def extract_patches(
    images: ArrayLike, size: Any, strides: Any = None, dilation_rate: Any = 1, padding: Any = "valid",
    data_format: Any = None,
) -> Tensor:  # fmt: skip
    made, dims = _images(images)
    kernel = several(size, 2, "size")
    steps = kernel if strides is None else several(strides, 2, "strides")
    spans = [
        dilation * (k - 1) + 1 for k, dilation in zip(kernel, several(dilation_rate, 2, "dilation_rate"), strict=True)
    ]
    first = _first(dims, data_format)
    channels_last = first == len(dims) - 3
    places = [
        ceil_div(dims[first + axis], steps[axis])
        if padding == "same"
        else floor_div(dims[first + axis] - spans[axis], steps[axis]) + 1
        for axis in (0, 1)
    ]
    channels = dims[-1] if channels_last else dims[first - 1]
    deep = channels * kernel[0] * kernel[1]
    result = (*dims[:first], *places, deep) if channels_last else (*dims[: first - 1], deep, *places)
    return opaque("ops.image.extract_patches", [made], Known(dtype_of(made), result), type(made))


@model("keras.ops.image.rgb_to_grayscale")
def rgb_to_grayscale(images: ArrayLike, data_format: Any = None) -> Tensor:
    made, dims = _images(images)
    first = _first(dims, data_format)
    result = (*dims[:-1], 1) if first == len(dims) - 3 else (*dims[: first - 1], 1, *dims[first:])
    return opaque("ops.image.rgb_to_grayscale", [made], Known(dtype_of(made), result), type(made))


@model("keras.ops.image.rgb_to_hsv", "keras.ops.image.hsv_to_rgb")
def other_colours(images: ArrayLike, data_format: Any = None) -> Tensor:
    made, _ = _images(images)
    return alike("ops.image.rgb_to_hsv", made)


@model(
    "keras.ops.image.affine_transform", "keras.ops.image.perspective_transform", "keras.ops.image.gaussian_blur",
    "keras.ops.image.elastic_transform",
)  # fmt: skip
def transformed(images: ArrayLike, *args: Any, **kwargs: Any) -> Tensor:
    made, _ = _images(images)
    return alike("ops.image.transform", made)


@model("keras.ops.image.map_coordinates")
def map_coordinates(
    inputs: ArrayLike, coordinates: ArrayLike, order: Any, fill_mode: Any = "constant", fill_value: Any = 0
) -> Tensor:
    made, at = array(inputs), array(coordinates)
    return opaque("ops.image.map_coordinates", [made, at], Known(dtype_of(made), ranked_dims(at)[1:]), type(made))


@model("keras.ops.image.scale_and_translate")
def scale_and_translate(images: ArrayLike, output_shape: Any, *args: Any, **kwargs: Any) -> Tensor:
    made = array(images)
    return opaque("ops.image.scale_and_translate", [made], Known(dtype_of(made), sizes(output_shape)), type(made))
