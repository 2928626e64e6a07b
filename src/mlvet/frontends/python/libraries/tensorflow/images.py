"""tf.image: images of rank 3, or batches of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import ArrayLike, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import cast_to, dims_or_undecided, sizes_of
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, like, op_of, typed
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

_METHODS = {
    "BILINEAR": "bilinear", "NEAREST_NEIGHBOR": "nearest", "BICUBIC": "bicubic", "AREA": "area", "LANCZOS3": "lanczos3",
    "LANCZOS5": "lanczos5", "GAUSSIAN": "gaussian", "MITCHELLCUBIC": "mitchellcubic",
}  # fmt: skip
for _name, _method in _METHODS.items():
    model(f"tensorflow.image.ResizeMethod.{_name}")(_method)


def resized(images: Any, height: Dim, width: Dim, method: Any, *, half_pixel: bool = True) -> Tensor:
    """Images of another size: f32 unless elements are only repeated."""
    x = convert(images)
    rank = rank_of(x)
    demand(rank in (3, 4, None), f"images have 3 dims or 4, not {rank}", "rank-differs")
    dims = dims_or_undecided(x)
    where = (1, 2) if len(dims) == 4 else (0, 1)
    how = (
        {0: "bilinear", 1: "nearest", 2: "bicubic", 3: "area"}.get(method, method)
        if isinstance(method, int)
        else method
    )
    modes = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}
    if how != "nearest":
        x = cast_to(x, dtypes.f32)
    if how not in modes or len(dims) not in (3, 4):
        return typed("image.resize", [x], dtype_of(x), *dims[: where[0]], height, width, *dims[where[1] + 1 :])
    centres = "half_pixel" if half_pixel else "asymmetric"
    rest = {"nearest_mode": "round_prefer_ceil" if half_pixel else "floor"} if how == "nearest" else {}
    return op_of(
        "resize",
        x,
        None,
        None,
        (height, width),
        mode=modes[how],
        axes=where,
        coordinate_transformation_mode=centres,
        **rest,
    )


def _pair(size: Any) -> tuple[Dim, Dim]:
    sizes = sizes_of(size, "size")
    if len(sizes) != 2:
        demand(False, "the size is height and width", "illegal-argument")
        raise Undecided(Reason.EXCEPTION, "a size of no image")
    return sizes[0], sizes[1]


@model("tensorflow.image.resize", "tensorflow.compat.v1.image.resize_images")
def resize(
    images: ArrayLike,
    size: Any,
    method: Any = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: Any = None,
    align_corners: Any = False,
) -> Tensor:
    del antialias, name, align_corners
    height, width = _pair(size)
    if preserve_aspect_ratio:
        height, width = symbol(machine().fresh("height")), symbol(machine().fresh("width"))
    return resized(images, height, width, method)


def _resize_old(method: str) -> Callable[..., Any]:
    def function(
        images: ArrayLike, size: Any, align_corners: Any = False, name: Any = None, half_pixel_centers: Any = False
    ) -> Tensor:
        del align_corners, name, half_pixel_centers
        return resized(images, *_pair(size), method, half_pixel=False)

    return function


model("tensorflow.compat.v1.image.resize_bilinear")(_resize_old("bilinear"))
model("tensorflow.compat.v1.image.resize_nearest_neighbor")(_resize_old("nearest"))
model("tensorflow.compat.v1.image.resize_bicubic")(_resize_old("bicubic"))
model("tensorflow.compat.v1.image.resize_area")(_resize_old("area"))


@model("tensorflow.image.resize_with_pad")
def resize_with_pad(
    image: ArrayLike, target_height: Any, target_width: Any, method: Any = "bilinear", antialias: bool = False
) -> Tensor:
    del antialias
    return resized(image, as_size(target_height, "height"), as_size(target_width, "width"), method)


def framed(name: str, image: Any, height: Dim, width: Dim) -> Tensor:
    """An image of the same channels and another size."""
    x = convert(image)
    dims = dims_or_undecided(x)
    demand(len(dims) in (3, 4), f"images have 3 dims or 4, not {len(dims)}", "rank-differs")
    if len(dims) not in (3, 4):
        raise Undecided(Reason.EXCEPTION, "no image")
    return typed(name, [x], dtype_of(x), *dims[:-3], height, width, dims[-1])


@model("tensorflow.image.resize_with_crop_or_pad", "tensorflow.compat.v1.image.resize_image_with_crop_or_pad")
def resize_with_crop_or_pad(image: ArrayLike, target_height: Any, target_width: Any) -> Tensor:
    return framed("resize_with_crop_or_pad", image, as_size(target_height, "height"), as_size(target_width, "width"))


@model("tensorflow.image.crop_to_bounding_box", "tensorflow.image.pad_to_bounding_box")
def crop_to_bounding_box(
    image: ArrayLike, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    del offset_height, offset_width
    return framed("bounding_box", image, as_size(target_height, "height"), as_size(target_width, "width"))


@model("tensorflow.image.central_crop")
def central_crop(image: ArrayLike, central_fraction: Any) -> Tensor:
    x = convert(image)
    dims = dims_or_undecided(x)
    if central_fraction == 1.0 and isinstance(central_fraction, float):
        return x
    sizes = [
        _central(size, central_fraction, what) for size, what in zip(dims[-3:-1], ("height", "width"), strict=True)
    ]
    return framed("central_crop", x, sizes[0], sizes[1])


def _central(size: Dim, fraction: Any, name: str) -> Dim:
    if isinstance(size, int) and isinstance(fraction, float):
        return size - 2 * int((size - size * fraction) / 2)
    return symbol(machine().fresh(name))


@model("tensorflow.image.random_crop", "tensorflow.compat.v1.random_crop", "tensorflow.image.stateless_random_crop")
def random_crop(value: ArrayLike, size: Any, seed: Any = None, name: Any = None) -> Tensor:
    del seed, name
    x = convert(value)
    sizes, dims = sizes_of(size, "size"), dims_of(x)
    if dims is not None:
        demand(len(sizes) == len(dims), f"{len(sizes)} sizes for {len(dims)} dims", "rank-differs")
        for part, whole in zip(sizes, dims, strict=False):
            known = isinstance(part, int) and isinstance(whole, int)
            demand(not known or part <= whole, f"{part} of {whole} cannot be cropped", "size-out-of-range")  # type: ignore[operator]
        sizes = tuple(
            whole if isinstance(part, int) and part == -1 else part for part, whole in zip(sizes, dims, strict=False)
        )
    return typed("random_crop", [x], dtype_of(x), *sizes)


def _adjusted(name: str) -> Callable[..., Any]:
    """Functions that change colours or the order of pixels, not the shape."""

    def function(image: ArrayLike, *figures: Any, **keywords: Any) -> Tensor:
        del figures, keywords
        return like(f"image.{name}", convert(image))

    return function


for _name in (
    "adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation adjust_jpeg_quality random_brightness "
    "random_contrast random_hue random_saturation random_jpeg_quality stateless_random_brightness "
    "stateless_random_contrast stateless_random_hue stateless_random_saturation stateless_random_flip_left_right "
    "stateless_random_flip_up_down random_flip_left_right random_flip_up_down flip_left_right flip_up_down "
    "rgb_to_hsv hsv_to_rgb rgb_to_yuv yuv_to_rgb rgb_to_yiq yiq_to_rgb draw_bounding_boxes"
).split():
    model(f"tensorflow.image.{_name}")(_adjusted(_name))


@model("tensorflow.image.per_image_standardization")
def per_image_standardization(image: ArrayLike) -> Tensor:
    return like("per_image_standardization", cast_to(convert(image), dtypes.f32))


@model("tensorflow.image.rot90")
def rot90(image: ArrayLike, k: Any = 1, name: Any = None) -> Tensor:
    del name
    x = convert(image)
    dims = dims_or_undecided(x)
    turned = isinstance(k, int) and k % 2 == 1
    if not isinstance(k, int):
        same = dims[-3] == dims[-2]
        height, width = (
            (dims[-3], dims[-2]) if same else (symbol(machine().fresh("height")), symbol(machine().fresh("width")))
        )
    else:
        height, width = (dims[-2], dims[-3]) if turned else (dims[-3], dims[-2])
    return framed("rot90", x, height, width)


@model("tensorflow.image.transpose", "tensorflow.compat.v1.image.transpose_image")
def transpose(image: ArrayLike, name: Any = None) -> Tensor:
    del name
    dims = dims_or_undecided(convert(image))
    return framed("image.transpose", image, dims[-2], dims[-3])


@model("tensorflow.image.rgb_to_grayscale")
def rgb_to_grayscale(images: ArrayLike, name: Any = None) -> Tensor:
    del name
    x = convert(images)
    return typed("rgb_to_grayscale", [x], dtype_of(x), *dims_or_undecided(x)[:-1], 1)


@model("tensorflow.image.grayscale_to_rgb")
def grayscale_to_rgb(images: ArrayLike, name: Any = None) -> Tensor:
    del name
    x = convert(images)
    dims = dims_or_undecided(x)
    last = dims[-1]
    demand(not isinstance(last, int) or last == 1, f"a grey image has one channel, not {last}", "dims-differ")
    return typed("grayscale_to_rgb", [x], dtype_of(x), *dims[:-1], 3)


@model("tensorflow.image.convert_image_dtype")
def convert_image_dtype(image: ArrayLike, dtype: DType, saturate: bool = False, name: Any = None) -> Tensor:
    """Integers become fractions of their greatest value and the other way round."""
    del saturate, name
    x = convert(image)
    known = dtype_of(x)
    if known is dtype:
        return x
    if known is not None and known.is_integer and dtype.is_float:
        return op_of("mul", op_of("cast", x, to=dtype), op_of("cast", 1.0 / known.largest, to=dtype))
    return like("convert_image_dtype", x, x, dtype=dtype)


@model("tensorflow.image.psnr", "tensorflow.image.ssim", "tensorflow.image.ssim_multiscale")
def psnr(a: Any = None, b: Any = None, max_val: Any = None, *rest: Any, **keywords: Any) -> Tensor:
    """One number per image; images of whole numbers are scaled to floats first."""
    del max_val, rest
    given = (a if a is not None else keywords.get("img1"), b if b is not None else keywords.get("img2"))
    first, second = (cast_to(convert(each), dtypes.f32) for each in given)
    op_of("sub", first, second)
    return typed("image.similarity", [first, second], dtypes.f32, *dims_or_undecided(first)[:-3])


@model("tensorflow.image.total_variation")
def total_variation(images: ArrayLike, name: Any = None) -> Tensor:
    del name
    x = convert(images)
    return typed("total_variation", [x], dtype_of(x), *dims_or_undecided(x)[:-3])


@model("tensorflow.image.sobel_edges", "tensorflow.image.image_gradients")
def sobel_edges(image: ArrayLike) -> Tensor:
    x = convert(image)
    return typed("sobel_edges", [x], dtype_of(x), *dims_or_undecided(x), 2)


@model(
    "tensorflow.image.extract_patches",
    "tensorflow.compat.v1.image.extract_image_patches",
    "tensorflow.compat.v1.extract_image_patches",
)
def extract_patches(
    images: ArrayLike, sizes: Any = None, strides: Any = None, rates: Any = None, padding: Any = None, name: Any = None,
    ksizes: Any = None,
) -> Tensor:  # fmt: skip
    """The pixels of each window in one row."""
    from mlvet.frontends.python.libraries.tensorflow.convolution import images as batch_of
    from mlvet.frontends.python.libraries.tensorflow.convolution import pooled, spatial

    del name
    x = batch_of(images, 2, "NHWC")
    window = spatial(sizes if sizes is not None else ksizes, 2, "NHWC")
    spread = spatial(rates, 2, "NHWC")
    reach = tuple((size - 1) * rate + 1 for size, rate in zip(window, spread, strict=True))
    rows = dims_or_undecided(pooled("max_pool", x, reach, strides, padding, "NHWC", 2))
    depth = dims_or_undecided(x)[-1] * window[0] * window[1]
    return typed("extract_patches", [x], dtype_of(x), rows[0], rows[1], rows[2], depth)


@model("tensorflow.image.crop_and_resize")
def crop_and_resize(
    image: Any = None, boxes: Any = None, box_indices: Any = None, crop_size: Any = None, method: Any = "bilinear",
    extrapolation_value: Any = 0.0, name: Any = None, box_ind: Any = None,
) -> Tensor:  # fmt: skip
    del extrapolation_value, name
    which = convert(box_indices if box_indices is not None else box_ind)
    return op_of("crop_and_resize", convert(image), convert(boxes), which, convert(crop_size), method=method)


@model("tensorflow.image.non_max_suppression")
def non_max_suppression(boxes: Any, scores: Any, max_output_size: Any, *rest: Any, **keywords: Any) -> Tensor:
    del max_output_size, rest, keywords
    return typed("non_max_suppression", [convert(boxes), convert(scores)], dtypes.i32, symbol(machine().fresh("kept")))


@model("tensorflow.image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(boxes: Any, scores: Any, max_output_size: Any, *rest: Any, **keywords: Any) -> Any:
    chosen = non_max_suppression(boxes, scores, max_output_size, *rest, **keywords)
    return chosen, typed("non_max_suppression", [chosen], dtype_of(convert(scores)), *dims_or_undecided(chosen))


@model("tensorflow.image.non_max_suppression_padded")
def non_max_suppression_padded(boxes: Any, scores: Any, max_output_size: Any, *rest: Any, **keywords: Any) -> Any:
    del rest
    size = (
        as_size(max_output_size, "boxes")
        if keywords.get("pad_to_max_output_size") is True
        else symbol(machine().fresh("kept"))
    )
    given = [convert(boxes), convert(scores)]
    return typed("nms", given, dtypes.i32, *dims_or_undecided(given[1])[:-1], size), typed("nms", given, dtypes.i32)


@model("tensorflow.image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: Any, scores: Any, max_output_size_per_class: Any, max_total_size: Any, *rest: Any, **keywords: Any
) -> Any:
    from mlvet.frontends.python.libraries.tensorflow.records import Record

    del max_output_size_per_class, rest, keywords
    given = convert(boxes)
    batch, count = dims_or_undecided(given)[0], as_size(max_total_size, "boxes")
    operands = [given, convert(scores)]
    return Record(
        ("nmsed_boxes", typed("nms", operands, dtypes.f32, batch, count, 4)),
        ("nmsed_scores", typed("nms", operands, dtypes.f32, batch, count)),
        ("nmsed_classes", typed("nms", operands, dtypes.f32, batch, count)),
        ("valid_detections", typed("nms", operands, dtypes.i32, batch)),
    )


def decoded(name: str, contents: Any, channels: Any, dtype: DType = dtypes.u8, before: tuple[str, ...] = ()) -> Tensor:
    """An image from a file: of its own size, and of as many channels as are asked for."""
    sizes: list[Dim] = [symbol(machine().fresh(each)) for each in (*before, "height", "width")]
    known = isinstance(channels, int) and channels > 0
    sizes.append(channels if known else symbol(machine().fresh("channels")))
    return typed(name, [convert(contents)] if isinstance(contents, TensorValue) else [], dtype, *sizes)


def _decoder(name: str, before: tuple[str, ...] = ()) -> Callable[..., Any]:
    def function(
        contents: Any, channels: Any = 0, dtype: DType | None = dtypes.u8, name: Any = None, **options: Any
    ) -> Tensor:
        del name, options
        wanted = dtype if isinstance(dtype, DType) else dtypes.u8
        return decoded(title, contents, channels, wanted, before)

    title = name
    return function


for _name in ("decode_jpeg", "decode_png", "decode_bmp", "decode_image"):
    model(f"tensorflow.io.{_name}", f"tensorflow.image.{_name}")(_decoder(_name))


@model("tensorflow.io.decode_gif", "tensorflow.image.decode_gif")
def decode_gif(contents: Any, name: Any = None) -> Tensor:
    del name
    return decoded("decode_gif", contents, 3, dtypes.u8, ("frames",))


@model("tensorflow.io.decode_and_crop_jpeg", "tensorflow.image.decode_and_crop_jpeg")
def decode_and_crop_jpeg(contents: Any, crop_window: Any, channels: Any = 0, *rest: Any, **keywords: Any) -> Tensor:
    del crop_window, rest, keywords
    return decoded("decode_and_crop_jpeg", contents, channels)


@model(
    "tensorflow.io.encode_jpeg",
    "tensorflow.image.encode_jpeg",
    "tensorflow.io.encode_png",
    "tensorflow.image.encode_png",
)
def encode_jpeg(image: ArrayLike, *options: Any, **keywords: Any) -> Tensor:
    del options, keywords
    return typed("encode_image", [convert(image)], dtypes.text)


@model("tensorflow.io.extract_jpeg_shape", "tensorflow.image.extract_jpeg_shape")
def extract_jpeg_shape(contents: Any, output_type: DType | None = dtypes.i32, name: Any = None) -> Tensor:
    del contents, name
    return typed("extract_jpeg_shape", [], output_type or dtypes.i32, 3)


@model("tensorflow.io.is_jpeg", "tensorflow.image.is_jpeg")
def is_jpeg(contents: Any, name: Any = None) -> Tensor:
    del contents, name
    return typed("is_jpeg", [], dtypes.bool_)


@model("tensorflow.image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(image_size: Any, bounding_boxes: Any, *rest: Any, **keywords: Any) -> Any:
    del image_size, bounding_boxes, rest, keywords
    begin, size = (typed("sample_distorted_bounding_box", [], dtypes.i32, 3) for _ in range(2))
    return begin, size, typed("sample_distorted_bounding_box", [], dtypes.f32, 1, 1, 4)
