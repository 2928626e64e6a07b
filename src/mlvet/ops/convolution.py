"""Convolutions in every layout, forward, and with the state that streaming models carry."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim, floor_div, maximum, product
from mlvet.domains.tensors import Dims, Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.enclosures_sums import CAUSAL
from mlvet.ops.multilinear import sum_of_products
from mlvet.ops.op import pure
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample
from mlvet.ops.windows import layout, pad, required_layout, view, windows

CHANNELS = "conv-channels"
GROUPS = "not-divisible"

convolution = partial(pure, family="convolution", danger=(OVERFLOW,))


def kernel_letters(kernel_format: str) -> tuple[str, str]:
    """The letters of the two channel dims of a kernel: output and input, or channel and multiplier if depthwise."""
    return ("C", "M") if "M" in kernel_format else ("O", "I")


def kernel_dims(w: Tensor, kernel_format: str, group: int, require: Require) -> tuple[Dim, Dim, Dims, Dim] | None:
    """Output channels, input channels per group, the sizes of the kernel in space, and the number of groups."""
    first, second = kernel_letters(kernel_format)
    found = required_layout(w, kernel_format, require, first, second)
    if found is None:
        return None
    out, per_group, sizes = found.dims(w)
    if first == "C":
        return out * per_group, 1, sizes, out
    return out, per_group, sizes, group


def demand_groups(channels: Dim, per_group: Dim, out: Dim, groups: Dim, require: Require) -> None:
    """The channels of input and output fall into the groups; 0 means as many as the input makes of the kernel."""
    if groups != 0:
        because = "the input has as many channels as the kernel takes" + (
            f", times {groups} groups" if groups != 1 else ""
        )
        taken = per_group if groups == 1 else per_group * groups
        require.equal(channels, taken, because=because, rule=CHANNELS)
        require.divisible(out, groups, because=f"the output channels fall into {groups} groups", rule=GROUPS)
        return
    because = "the input has as many channels as the kernel takes, or a multiple of them"
    require.divisible(channels, per_group, because=because, rule=CHANNELS)
    if isinstance(channels, int) and isinstance(per_group, int) and per_group and channels % per_group == 0:
        groups = channels // per_group
        require.divisible(out, groups, because=f"the output channels fall into {groups} groups", rule=GROUPS)


def dilated(length: Dim, factor: int) -> Dim:
    """The length of an input with `factor - 1` zeros put between its elements."""
    return length if factor == 1 else maximum((length - 1) * factor + 1, 0)


def require_kernel_and_bias(
    kernel_shape: Sequence[int] | None, sizes: Sequence[Dim], bias: Tensor | None, out: Dim, require: Require
) -> None:
    """The shape told of the kernel must be its own, and the bias must have one element per output channel."""
    for told, size in zip(kernel_shape or (), sizes, strict=False):
        require.equal(size, told, because="kernel_shape must be the shape of the kernel")
    if bias is not None and require.rank(bias, 1, "bias"):
        require.equal(bias.dims[0], out, because="the bias has one element per output channel")


def infer_conv(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    require: Require,
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    group: int = 1,
    auto_pad: str = "NOTSET",
    kernel_shape: Sequence[int] | None = None,
    data_format: str = "NC",
    kernel_format: str = "OI",
    input_dilation: Sequence[int] | None = None,
    batch_group_count: int = 1,
) -> Tensor:
    """floor((in + pads - dilation*(k - 1) - 1) / stride) + 1 along each spatial dim, ceil(in / stride) for SAME."""
    dtype = require.same_dtype(x, w, b)
    if x.ranked != w.ranked:
        rank = w.rank if w.ranked else x.rank
        require.rank(x if w.ranked else w, rank, "input" if w.ranked else "kernel")
        return require.unknown_tensor(dtype, rank)
    where = required_layout(x, data_format, require)
    kernel = kernel_dims(w, kernel_format, group, require)
    if where is None or kernel is None:
        return require.unknown_tensor(dtype, x.rank)
    batch, channels, space = where.dims(x)
    out, per_group, sizes, groups = kernel
    if not require.rank(x, w.rank, "the input of such a kernel"):
        return require.unknown_tensor(dtype, w.rank)
    demand_groups(channels, per_group, out, groups, require)
    require_kernel_and_bias(kernel_shape, sizes, b, out, require)
    if batch_group_count > 1:
        require.divisible(batch, batch_group_count, because="the batch falls into groups", rule=GROUPS)
        require.divisible(out, batch_group_count, because="the output channels fall into groups", rule=GROUPS)
        batch = floor_div(batch, batch_group_count)
    sliding = windows(sizes, require, strides=strides, pads=pads, dilations=dilations, auto_pad=auto_pad)
    if sliding is None or (input_dilation and len(input_dilation) != len(space)):
        return Tensor(dtype, where.place(batch, out, [require.unknown() for _ in space]))
    lengths = [
        dilated(length, factor) for length, factor in zip(space, input_dilation or (1,) * len(space), strict=True)
    ]
    steps = [window.steps(length, require) for window, length in zip(sliding, lengths, strict=True)]
    return Tensor(dtype, where.place(batch, out, steps))


def front_kernel(w: NDArray[Any], kernel_format: str, group: int) -> tuple[NDArray[Any], int]:
    """The kernel as [out, in per group, *space] and the number of groups."""
    first, second = kernel_letters(kernel_format)
    found = layout(kernel_format, w.ndim, first, second)
    assert found is not None
    w = found.to_front(w)
    if first == "C":
        return w.reshape(w.shape[0] * w.shape[1], 1, *w.shape[2:]), w.shape[0]
    return w, group


def dilate(x: NDArray[Any], factors: Sequence[int]) -> NDArray[Any]:
    """The array with `factor - 1` zeros between the elements of its last dims."""
    lead = x.ndim - len(factors)
    lengths = [max((length - 1) * factor + 1, 0) for length, factor in zip(x.shape[lead:], factors, strict=True)]
    result = np.zeros((*x.shape[:lead], *lengths), dtype=x.dtype)
    spaced: Any = (..., *(slice(None, None, factor) for factor in factors))
    result[spaced] = x
    return result


def correlate(x: NDArray[Any], w: NDArray[Any], group: int, **options: Any) -> NDArray[Any]:
    """The convolution of [N, C, *space] with [O, I, *space], in the dtype of the arrays.

    Sums of single precision are rounded once, at the end, so that they are the same on every processor.
    """
    if x.dtype == np.float32:
        return correlate(x.astype(np.float64), w.astype(np.float64), group, **options).astype(np.float32)
    sliding = windows(w.shape[2:], Require(), **options)
    assert sliding is not None
    space = x.shape[2:]
    steps = [window.steps(length, Require()) for window, length in zip(sliding, space, strict=True)]
    counts = [step for step in steps if isinstance(step, int)]
    padded = pad(x, [window.pads(length) for window, length in zip(sliding, space, strict=True)], 0)
    taken = view(padded, sliding, counts)
    rank, per_group, out = len(space), w.shape[1], w.shape[0] // max(group, 1)
    axes = [1, *range(2 + rank, 2 + 2 * rank)]
    parts = [
        np.tensordot(
            taken[:, index * per_group : (index + 1) * per_group],
            w[index * out : (index + 1) * out],
            (axes, list(range(1, 2 + rank))),
        )
        for index in range(group)
    ]
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, 1)


def conv_reference(
    x: NDArray[Any],
    w: NDArray[Any],
    b: NDArray[Any] | None = None,
    *,
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    group: int = 1,
    auto_pad: str = "NOTSET",
    data_format: str = "NC",
    kernel_format: str = "OI",
    input_dilation: Sequence[int] | None = None,
    batch_group_count: int = 1,
    **_: Any,
) -> NDArray[Any]:
    where = layout(data_format, x.ndim)
    assert where is not None
    front = where.to_front(wide(x))
    kernel, group = front_kernel(wide(w), kernel_format, group)
    group = group or front.shape[1] // max(kernel.shape[1], 1)
    if input_dilation:
        front = dilate(front, input_dilation)
    options: dict[str, Any] = {"strides": strides, "pads": pads, "dilations": dilations, "auto_pad": auto_pad}
    batches = np.split(front, batch_group_count)
    kernels = np.split(kernel, batch_group_count)
    with np.errstate(all="ignore"):
        parts = [correlate(part, k, group, **options) for part, k in zip(batches, kernels, strict=True)]
        result = np.concatenate(parts, axis=1)
        if b is not None:
            result = result + wide(b).reshape(-1, *(1,) * (x.ndim - 2))
        return narrow(where.from_front(result), x)


def conv_terms(_x: Tensor, w: Tensor, *_: Any, kernel_format: str = "OI", **__: Any) -> Dim:
    """How many products one element of the result sums."""
    found = layout(kernel_format, w.rank, *kernel_letters(kernel_format))
    if found is None:
        return product(w.dims)
    _first, second, space = found.dims(w)
    return product(space) * (1 if "M" in kernel_format else second)


def sample_window(draw: Draw, rank: int, *, dilate: bool = True) -> tuple[list[int], list[int], dict[str, Any]]:
    """Lengths of space, kernel sizes, and attributes that fit them."""
    sizes = [draw.integer(1, 3) for _ in range(rank)]
    dilations = [draw.integer(1, 2) if dilate else 1 for _ in range(rank)]
    lengths = [(size - 1) * dilation + draw.integer(1, 4) for size, dilation in zip(sizes, dilations, strict=True)]
    options: dict[str, Any] = {"strides": tuple(draw.integer(1, 3) for _ in range(rank)), "dilations": tuple(dilations)}
    auto_pad = draw.choice(["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"])
    if auto_pad != "NOTSET":
        options["auto_pad"] = auto_pad
    elif draw.choice([True, False]):
        options["pads"] = tuple(draw.integer(0, size // 2) for size in (*sizes, *sizes))
    return lengths, sizes, options


def sample_conv(draw: Draw) -> Sample:
    rank = draw.integer(1, 2)
    lengths, sizes, options = sample_window(draw, rank)
    group, per_group, out = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    batch, channels = draw.integer(1, 2), group * per_group
    x, w = (batch, channels, *lengths), (group * out, per_group, *sizes)
    options["group"] = draw.choice([group, group, 0])
    style = draw.choice(["first", "last", "depthwise"])
    if style != "first":
        x = (batch, *lengths, channels)
        options["data_format"] = {1: "NWC", 2: "NHWC"}[rank]
        w = (*sizes, per_group, group * out)
        options["kernel_format"] = {1: "WIO", 2: "HWIO"}[rank]
    if style == "depthwise":
        w = (*sizes, channels, out)
        options["kernel_format"] = {1: "WCM", 2: "HWCM"}[rank]
    if draw.choice([True, False, False]):
        options["input_dilation"] = (2,) * rank
    outs = channels * out if style == "depthwise" else group * out
    b = draw.choice([None, draw.array((outs,))])
    return Sample((draw.array(x), draw.array(w), b), options)


conv = sum_of_products("conv", infer_conv, conv_reference, sample_conv, family="convolution", plus=2, terms=conv_terms)


def infer_causal_conv_with_state(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    past_state: Tensor | None = None,
    *,
    require: Require,
    **_attributes: Any,
) -> tuple[Tensor, Tensor]:
    """A depthwise convolution that looks back only; the second result is what the next call must look back on."""
    dtype = require.same_dtype(x, weight, bias, past_state)
    if not (require.rank(x, 3, "input") and require.rank(weight, 3, "kernel")):
        return require.unknown_tensor(dtype, 3), require.unknown_tensor(dtype, 3)
    batch, channels, _ = x.dims
    channels = require.equal(channels, weight.dims[0], because="one kernel per channel", rule=CHANNELS)
    require.equal(weight.dims[1], 1, because="the kernel is depthwise", rule=CHANNELS)
    state = (batch, channels, weight.dims[2] - 1)
    if bias is not None and require.rank(bias, 1, "bias"):
        require.equal(bias.dims[0], channels, because="one bias per channel", rule="dims-differ")
    if past_state is not None and require.rank(past_state, 3, "state"):
        for found, wanted in zip(past_state.dims, state, strict=True):
            require.equal(found, wanted, because="the state holds the elements that the kernel looks back on")
    return x.without_value(), Tensor(dtype, state)


def causal_conv_with_state_reference(
    x: NDArray[Any],
    weight: NDArray[Any],
    bias: NDArray[Any] | None = None,
    past_state: NDArray[Any] | None = None,
    *,
    activation: str = "none",
) -> tuple[NDArray[Any], NDArray[Any]]:
    back = weight.shape[2] - 1
    past = np.zeros((*x.shape[:2], back), x.dtype) if past_state is None else past_state
    joined = np.concatenate([past, x], axis=2)
    state = joined[:, :, joined.shape[2] - back :]
    with np.errstate(all="ignore"):
        result = correlate(wide(joined), wide(weight), x.shape[1])
        if bias is not None:
            result = result + wide(bias)[:, None]
        if activation in ("silu", "swish"):
            result = result * (0.5 * (np.tanh(0.5 * result) + 1))
        return narrow(result, x), state.copy()


def _sample_causal(draw: Draw) -> Sample:
    batch, channels, length, size = (draw.integer(1, 3) for _ in range(4))
    bias = draw.choice([None, draw.array((channels,))])
    past = draw.choice([None, draw.array((batch, channels, size - 1))])
    activation = draw.choice(["none", "silu", "swish"])
    x, w = draw.array((batch, channels, length)), draw.array((channels, 1, size))
    return Sample((x, w, bias, past), {"activation": activation})


causal_conv_with_state = convolution(
    "causal_conv_with_state",
    infer_causal_conv_with_state,
    causal_conv_with_state_reference,
    _sample_causal,
    numeric=CAUSAL,
)
