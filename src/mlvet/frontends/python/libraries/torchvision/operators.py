"""torchvision.utils, torchvision.io and torchvision.ops."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import Number, Size, SizeOrSizes, Tensor
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.torch.tensor import Tensor as TorchTensor
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of


@model("torchvision.utils.make_grid")
def make_grid(
    tensor: Any, nrow: Size = 8, padding: Size = 2, normalize: bool = False, value_range: Any = None,
    scale_each: bool = False, pad_value: Number = 0.0, **kwargs: Any,
) -> Tensor:  # fmt: skip
    """Images of a batch beside and below one another; one channel becomes three."""
    from mlvet.frontends.python.libraries.torch.data.datasets import element_of

    if isinstance(tensor, ListValue | tuple):
        items = machine().items(tensor)
        one = element_of(tensor)
        dims: tuple[Dim, ...] = (items.length if isinstance(items, Repeated) else len(items), *(dims_of(one) or ()))
        known = dtype_of(one)
    else:
        dims, known = dims_of(assumed(tensor, 4, "batch", "channels", "height", "width")) or (), dtype_of(tensor)
    dims = (1,) * (4 - len(dims)) + dims if len(dims) < 4 else dims
    count, channels, height, width = dims
    channels = 3 if channels == 1 else channels
    if not isinstance(count, int) or not isinstance(nrow, int):
        extents: tuple[Dim, Dim] = (symbol(machine().fresh("height")), symbol(machine().fresh("width")))
    elif count == 1:
        extents = height, width
    else:
        across = min(nrow, count)
        down = -(-count // across)
        extents = down * (height + padding) + padding, across * (width + padding) + padding
    return opaque("make_grid", [], Type(known, (channels, *extents)), TorchTensor)


@model(
    "torchvision.utils.save_image",
    "torchvision.io.write_jpeg",
    "torchvision.io.write_png",
    "torchvision.io.write_video",
)
def save_image(*args: Any, **kwargs: Any) -> None:
    pass


@model(
    "torchvision.utils.draw_bounding_boxes",
    "torchvision.utils.draw_segmentation_masks",
    "torchvision.utils.draw_keypoints",
)
def drawn(image: Any, *args: Any, **kwargs: Any) -> Any:
    return image


@model("torchvision.io.read_image", "torchvision.io.decode_image", "torchvision.io.decode_jpeg",
    "torchvision.io.decode_png", "torchvision.io.image.read_image")  # fmt: skip
def read_image(path: Any, mode: Any = None, *args: Any, **kwargs: Any) -> Tensor:
    channels: Dim = {"RGB": 3, "GRAY": 1, "RGB_ALPHA": 4}.get(mode, 0) if isinstance(mode, str) else 0
    if channels == 0:
        channels = symbol(machine().fresh("channels"), 1, 4)
    dims = (channels, symbol(machine().fresh("height")), symbol(machine().fresh("width")))
    return source("image", Type(dtypes.u8, dims), TorchTensor)


for name in ("UNCHANGED", "GRAY", "GRAY_ALPHA", "RGB", "RGB_ALPHA"):
    model(f"torchvision.io.ImageReadMode.{name}")(name)
alias("torchvision.io.image.ImageReadMode", "torchvision.io.ImageReadMode")


@model("torchvision.io.read_file")
def read_file(path: Any) -> Tensor:
    return source("file", Type(dtypes.u8, (symbol(machine().fresh("bytes")),)), TorchTensor)


@model("torchvision.ops.nms", "torchvision.ops.boxes.nms")
def nms(boxes: Tensor, scores: Tensor, iou_threshold: Number) -> Tensor:
    return _kept([boxes, scores])


@model("torchvision.ops.batched_nms", "torchvision.ops.boxes.batched_nms")
def batched_nms(boxes: Tensor, scores: Tensor, idxs: Tensor, iou_threshold: Number) -> Tensor:
    return _kept([boxes, scores, idxs])


@model("torchvision.ops.remove_small_boxes")
def remove_small_boxes(boxes: Tensor, min_size: Number) -> Tensor:
    return _kept([boxes])


def _kept(operands: list[TensorValue]) -> TensorValue:
    return opaque("nms", operands, Type(dtypes.i64, (symbol(machine().fresh("kept"), counted=True),)), TorchTensor)


@model("torchvision.ops.box_iou", "torchvision.ops.generalized_box_iou", "torchvision.ops.boxes.box_iou")
def box_iou(boxes1: Tensor, boxes2: Tensor, fmt: Any = "xyxy") -> Tensor:
    rows = [(dims_of(assumed(each, 2, "boxes", "corners")) or (1,))[0] for each in (boxes1, boxes2)]
    return opaque("box_iou", [boxes1, boxes2], Type(dtype_of(boxes1), tuple(rows)), TorchTensor)


@model("torchvision.ops.box_area")
def box_area(boxes: Tensor, fmt: Any = "xyxy") -> Tensor:
    dims = dims_of(assumed(boxes, 2, "boxes", "corners")) or (1,)
    return opaque("box_area", [boxes], Type(dtype_of(boxes), dims[:1]), TorchTensor)


@model("torchvision.ops.box_convert", "torchvision.ops.clip_boxes_to_image")
def box_convert(boxes: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    return boxes


@model("torchvision.ops.roi_align", "torchvision.ops.roi_pool")
def roi_align(
    input: Tensor, boxes: Any, output_size: SizeOrSizes, spatial_scale: Number = 1.0, *args: Any, **kwargs: Any
) -> Tensor:
    dims = dims_of(assumed(input, 4, "batch", "channels", "height", "width")) or (1, 1)
    height, width = output_size if isinstance(output_size, tuple) else (output_size, output_size)
    given = dims_of(boxes) if isinstance(boxes, TensorValue) else None
    rows: Dim = given[0] if given else symbol(machine().fresh("boxes"))
    return opaque("roi_align", [input], Type(dtype_of(input), (rows, dims[1], height, width)), TorchTensor)


@model("torchvision.ops.sigmoid_focal_loss")
def sigmoid_focal_loss(
    inputs: Tensor, targets: Tensor, alpha: Number = 0.25, gamma: Number = 2, reduction: str = "none"
) -> Tensor:
    dims = (dims_of(inputs) if reduction == "none" else ()) or ()
    return opaque("sigmoid_focal_loss", [inputs, targets], Type(dtype_of(inputs), dims), TorchTensor)


@model("torchvision.set_image_backend", "torchvision.disable_beta_transforms_warning")
def nothing(*args: Any, **kwargs: Any) -> None:
    pass
