"""Images made larger, smaller, padded, sampled and cut into patches, of torch.nn.functional."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlvet.domains.dims import Dim, Expr, equal, floor_div, modulo, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import constant, demand, opaque
from mlvet.frontends.python.libraries.binding import Number, Size, SizeOrSizes, Sizes, as_items, as_sizes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.axes import ranked_dims
from mlvet.frontends.python.libraries.torch.functional.convolutions import spread
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

MODES = {"nearest": None, "linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3, "area": None, "nearest-exact": None}


@model("torch.nn.functional.interpolate", "torch.nn.functional.upsample")
def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: Any = None,
    recompute_scale_factor: Any = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    known_space = MODES.get(mode)
    if rank_of(input) is None:
        input = assumed(input, (known_space or 2) + 2, "batch", "channels", "height", "width")
    dims = ranked_dims(input)
    space = len(dims) - 2
    demand(mode in MODES, f"{mode} is no mode of interpolation")
    demand(known_space in (None, space), f"{mode} interpolation does not take {len(dims)} dims", "rank-differs")
    demand((size is None) != (scale_factor is None), "interpolation needs either a size or a scale factor")
    demand(1 <= space <= 3, f"interpolation does not take {len(dims)} dims", "rank-differs")
    if not 1 <= space <= 3 or (size is None) == (scale_factor is None):
        raise Undecided(Reason.EXCEPTION, "interpolation")
    attributes = _attributes(mode, bool(align_corners), antialias)
    if size is not None:
        sizes = as_sizes(size) if isinstance(size, tuple | list | ListValue) else as_sizes((size,)) * space
        return made("resize", input, None, None, (*dims[:2], *spread(sizes, space, "sizes")), **attributes)
    factors = as_items(scale_factor) if isinstance(scale_factor, tuple | list | ListValue) else (scale_factor,) * space
    demand(len(factors) == space, f"interpolation of {space} dims gets {len(factors)} factors")
    if not all(isinstance(factor, int | float) for factor in factors):
        return _scaled_somehow(input, dims, factors)
    scales = np.asarray([1.0, 1.0, *map(float, factors)], np.float32)
    return made("resize", input, None, constant(scales, Tensor, "scales"), None, **attributes)


def _scaled_somehow(x: TensorValue, dims: tuple[Dim, ...], factors: Any) -> Tensor:
    sizes = [dim * factor if isinstance(factor, int | Expr) else symbol(machine().fresh("size"))
        for dim, factor in zip(dims[2:], factors, strict=False)]  # fmt: skip
    return opaque("interpolate", [x], Type(dtype_of(x), (*dims[:2], *sizes)), Tensor)


def _attributes(mode: str, corners: bool, antialias: bool) -> dict[str, Any]:
    if mode == "nearest":
        return {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    if mode in ("nearest-exact", "area"):
        return {"mode": "nearest", "nearest_mode": "round_prefer_ceil", "coordinate_transformation_mode": "half_pixel"}
    attributes: dict[str, Any] = {
        "mode": "cubic" if mode == "bicubic" else "linear",
        "coordinate_transformation_mode": "align_corners" if corners else "pytorch_half_pixel",
    }
    if mode == "bicubic":
        attributes["cubic_coeff_a"] = -0.5 if antialias else -0.75
    return attributes | ({"antialias": 1} if antialias else {})


@model("torch.nn.functional.upsample_nearest")
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    return interpolate(input, size, scale_factor, "nearest")


@model("torch.nn.functional.upsample_bilinear")
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    return interpolate(input, size, scale_factor, "bilinear", True)


PADDING = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@model("torch.nn.functional.pad", "torch._C._nn.pad")
def pad(input: Tensor, pad: Sizes, mode: str = "constant", value: Number | None = None) -> Tensor:
    """Pairs are listed from the last dim on; negative ones crop."""
    count = len(ranked_dims(input))
    demand(len(pad) % 2 == 0, "padding needs pairs of sizes")
    demand(len(pad) // 2 <= count, f"padding of {len(pad) // 2} dims for a tensor of {count} dims", "rank-differs")
    demand(mode in PADDING, f"{mode} is no mode of padding")
    if len(pad) % 2 or len(pad) // 2 > count or mode not in PADDING:
        raise Undecided(Reason.EXCEPTION, "padding")
    if mode != "constant":
        fits = len(pad) // 2 in (count - 1, count - 2) and 1 <= len(pad) // 2 <= 3
        demand(fits, f"padding by {mode} does not take {len(pad)} sizes for a tensor of {count} dims", "rank-differs")
    axes = tuple(range(count - len(pad) // 2, count))
    before, after = pad[0::2][::-1], pad[1::2][::-1]
    fill = None
    if mode == "constant":
        number = value if isinstance(value, bool | int | float) else 0
        fill = made("cast", number, to=dtype_of(input)) if dtype_of(input) is not None else number
    return made("pad", input, (*before, *after), fill, axes, mode=PADDING[mode])


@model("torch.nn.functional.grid_sample")
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: Any = None
) -> Tensor:
    ways = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}
    corners = int(align_corners is True)
    return made(
        "grid_sample", input, grid, mode=ways.get(mode, "linear"), padding_mode=padding_mode, align_corners=corners
    )


@model("torch.nn.functional.affine_grid", "torch.affine_grid_generator")
def affine_grid(theta: Tensor, size: Sizes, align_corners: Any = None) -> Tensor:
    return made("affine_grid", theta, size, align_corners=int(align_corners is True))


@model("torch.nn.functional.pixel_shuffle", "torch.pixel_shuffle")
def pixel_shuffle(input: Tensor, upscale_factor: Size) -> Tensor:
    dims = ranked_dims(input)
    demand(len(dims) >= 3, f"pixel_shuffle needs at least 3 dims, but gets {len(dims)}", "rank-differs")
    if len(dims) < 3:
        raise Undecided(Reason.EXCEPTION, "pixel_shuffle")
    if len(dims) == 4 and isinstance(upscale_factor, int):
        return made("depth_to_space", input, blocksize=upscale_factor, mode="CRD")
    block = upscale_factor * upscale_factor
    demand(equal(modulo(dims[-3], block), 0), f"{dims[-3]} channels are not divisible by {block}", "not-divisible")
    sizes = (floor_div(dims[-3], block), dims[-2] * upscale_factor, dims[-1] * upscale_factor)
    return opaque("pixel_shuffle", [input], Type(dtype_of(input), (*dims[:-3], *sizes)), Tensor)


@model("torch.nn.functional.pixel_unshuffle", "torch.pixel_unshuffle")
def pixel_unshuffle(input: Tensor, downscale_factor: Size) -> Tensor:
    dims = ranked_dims(input)
    demand(len(dims) >= 3, f"pixel_unshuffle needs at least 3 dims, but gets {len(dims)}", "rank-differs")
    if len(dims) < 3:
        raise Undecided(Reason.EXCEPTION, "pixel_unshuffle")
    factor = downscale_factor
    if len(dims) == 4 and isinstance(factor, int):
        return made("space_to_depth", input, blocksize=factor, mode="CRD")
    for size in dims[-2:]:
        demand(equal(modulo(size, factor), 0), f"{size} is not divisible by {factor}", "not-divisible")
    sizes = (dims[-3] * factor * factor, floor_div(dims[-2], factor), floor_div(dims[-1], factor))
    return opaque("pixel_unshuffle", [input], Type(dtype_of(input), (*dims[:-3], *sizes)), Tensor)


@model("torch.nn.functional.channel_shuffle", "torch.channel_shuffle", "torch.nn.functional.native_channel_shuffle")
def channel_shuffle(input: Tensor, groups: Size) -> Tensor:
    dims = ranked_dims(input)
    demand(len(dims) >= 3, f"channel_shuffle needs at least 3 dims, but gets {len(dims)}", "rank-differs")
    if len(dims) > 1:
        demand(equal(modulo(dims[1], groups), 0), f"{dims[1]} channels are not divisible by {groups}", "not-divisible")
    return opaque("channel_shuffle", [input], tensor_of(input).without_value(), Tensor)


@model("torch.nn.functional.unfold")
def unfold(
    input: Tensor,
    kernel_size: SizeOrSizes,
    dilation: SizeOrSizes = 1,
    padding: SizeOrSizes = 0,
    stride: SizeOrSizes = 1,
) -> Tensor:
    """Patches as columns."""
    dims = ranked_dims(input)
    demand(len(dims) in (3, 4), f"unfold needs a tensor of 3 or 4 dims, but gets {len(dims)}", "rank-differs")
    if len(dims) not in (3, 4):
        raise Undecided(Reason.EXCEPTION, "unfold")
    kernel, blocks = _blocks(dims[-2:], kernel_size, dilation, padding, stride)
    shape = (*dims[:-3], dims[-3] * kernel[0] * kernel[1], blocks[0] * blocks[1])
    return opaque("unfold", [input], Type(dtype_of(input), shape), Tensor)


def _blocks(space: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> tuple[Any, list[Dim]]:
    kernel, rate, around, step = (
        spread(each, 2, what)
        for each, what in (
            (kernel_size, "kernel sizes"),
            (dilation, "dilations"),
            (padding, "padding"),
            (stride, "strides"),
        )
    )
    blocks = [floor_div(space[n] + 2 * around[n] - rate[n] * (kernel[n] - 1) - 1, step[n]) + 1 for n in range(2)]
    for block in blocks:
        demand(not isinstance(block, int) or block > 0, "the patches are larger than the image", "size-out-of-range")
    return kernel, blocks


@model("torch.nn.functional.fold")
def fold(
    input: Tensor, output_size: SizeOrSizes, kernel_size: SizeOrSizes, dilation: SizeOrSizes = 1,
    padding: SizeOrSizes = 0, stride: SizeOrSizes = 1,
) -> Tensor:  # fmt: skip
    """Columns of patches added up to an image."""
    dims = ranked_dims(input)
    demand(len(dims) in (2, 3), f"fold needs a tensor of 2 or 3 dims, but gets {len(dims)}", "rank-differs")
    if len(dims) not in (2, 3):
        raise Undecided(Reason.EXCEPTION, "fold")
    space = spread(output_size, 2, "sizes")
    kernel, blocks = _blocks(space, kernel_size, dilation, padding, stride)
    area = kernel[0] * kernel[1]
    demand(equal(modulo(dims[-2], area), 0), f"{dims[-2]} rows are not divisible by patches of {area}", "not-divisible")
    demand(
        equal(dims[-1], blocks[0] * blocks[1]),
        f"{dims[-1]} columns are not {blocks[0] * blocks[1]} patches",
        "dims-differ",
    )
    shape = (*dims[:-2], floor_div(dims[-2], area), *space)
    return opaque("fold", [input], Type(dtype_of(input), shape), Tensor)
