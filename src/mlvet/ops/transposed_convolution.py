"""Transposed convolutions: every element of the input is spread over a window of the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim, ceil_div, floor_div, product
from mlvet.domains.tensors import Tensor
from mlvet.ops.convolution import CHANNELS, GROUPS, correlate, dilate, require_kernel_and_bias
from mlvet.ops.multilinear import sum_of_products
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers
from mlvet.ops.windows import Window, layout, pad, required_layout, windows


def infer_conv_transpose(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    require: Require,
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
    group: int = 1,
    auto_pad: str = "NOTSET",
    kernel_shape: Sequence[int] | None = None,
    data_format: str = "NC",
    kernel_format: str = "IO",
) -> Tensor:
    """stride*(in - 1) + output_padding + dilation*(k - 1) + 1 - pads, or in*stride for SAME, or `output_shape`."""
    dtype = require.same_dtype(x, w, b)
    where = required_layout(x, data_format, require)
    kernel = required_layout(w, kernel_format, require, "I", "O")
    if where is None or kernel is None or not require.rank(w, x.rank, "kernel"):
        return require.unknown_tensor(dtype, x.rank)
    batch, channels, space = where.dims(x)
    taken, per_group, sizes = kernel.dims(w)
    require.equal(channels, taken, because="the input has as many channels as the kernel takes", rule=CHANNELS)
    require.divisible(channels, group, because=f"the input channels fall into {group} groups", rule="not-divisible")
    out = per_group * group
    require_kernel_and_bias(kernel_shape, sizes, b, out, require)
    sliding = windows(sizes, require, strides=strides, pads=pads, dilations=dilations, auto_pad=auto_pad)
    extra = tuple(output_padding or (0,) * len(space))
    if sliding is None or len(extra) != len(space):
        return Tensor(dtype, where.place(batch, out, [require.unknown() for _ in space]))
    if output_shape:
        return Tensor(dtype, where.place(batch, out, tuple(output_shape)[-len(space) :]))
    lengths = [_length(window, length, more) for window, length, more in zip(sliding, space, extra, strict=True)]
    for length in lengths:
        require.at_least(length, 0, because="padding must leave something of the result", rule="size-out-of-range")
    return Tensor(dtype, where.place(batch, out, lengths))


def _length(window: Window, length: Dim, extra: int) -> Dim:
    if window.same:
        return length * window.stride
    return window.stride * (length - 1) + extra + window.extent - window.padding


def transposed_pads(window: Window, length: int, extra: int, target: int | None) -> tuple[int, int]:
    """What is cut off before and after the full result; a negative cut adds zeros."""
    if target is None and not window.same:
        return (window.before, window.after) if window.auto_pad == "NOTSET" else (0, 0)
    assert isinstance(window.extent, int)
    total = (
        window.stride * (length - 1) + extra + window.extent - (length * window.stride if target is None else target)
    )
    if total < 0:
        return 0, total
    less = total // 2
    return (less, total - less) if window.auto_pad == "SAME_UPPER" else (total - less, less)


def conv_transpose_reference(
    x: NDArray[Any],
    w: NDArray[Any],
    b: NDArray[Any] | None = None,
    *,
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
    group: int = 1,
    auto_pad: str = "NOTSET",
    data_format: str = "NC",
    kernel_format: str = "IO",
    **_: Any,
) -> NDArray[Any]:
    where, kernel = layout(data_format, x.ndim), layout(kernel_format, w.ndim, "I", "O")
    assert where is not None
    assert kernel is not None
    front, spread = where.to_front(wide(x)), kernel.to_front(wide(w))
    rank = x.ndim - 2
    sliding = windows(spread.shape[2:], Require(), strides=strides, pads=pads, dilations=dilations, auto_pad=auto_pad)
    assert sliding is not None
    extra = tuple(output_padding or (0,) * rank)
    targets: Sequence[int | None] = tuple(output_shape)[-rank:] if output_shape and rank else (None,) * rank
    cuts = [
        transposed_pads(window, length, more, target)
        for window, length, more, target in zip(sliding, front.shape[2:], extra, targets, strict=True)
    ]
    channels, per_group = spread.shape[0] // group, spread.shape[1]
    flipped = np.flip(spread, axis=tuple(range(2, 2 + rank)))
    grouped = flipped.reshape(group, channels, per_group, *flipped.shape[2:]).swapaxes(1, 2)
    swapped = grouped.reshape(group * per_group, channels, *flipped.shape[2:])
    reach = [int(window.extent) - 1 for window in sliding if isinstance(window.extent, int)]
    full = pad(
        dilate(front, [window.stride for window in sliding]),
        [(r, r + more) for r, more in zip(reach, extra, strict=True)],
        0,
    )
    with np.errstate(all="ignore"):
        result = correlate(full, swapped, group, dilations=dilations)
        result = pad(result, [(-before, -after) for before, after in cuts], 0)
        if b is not None:
            result = result + wide(b).reshape(-1, *(1,) * rank)
        return narrow(where.from_front(result), x)


def transposed_terms(_x: Tensor, w: Tensor, *_: Any, group: int = 1, kernel_format: str = "IO", **__: Any) -> Dim:
    """How many products one element of the result sums, at most."""
    kernel = layout(kernel_format, w.rank, "I", "O")
    if kernel is None:
        return product(w.dims)
    taken, _per_group, sizes = kernel.dims(w)
    return floor_div(taken, group) * product(sizes)


def _sample_conv_transpose(draw: Draw) -> Sample:
    rank = draw.integer(1, 2)
    sizes, lengths = ([draw.integer(1, 3) for _ in range(rank)] for _ in range(2))
    strides, dilations = (tuple(draw.integer(1, 2) for _ in range(rank)) for _ in range(2))
    group, per_group, out = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    options: dict[str, Any] = {"strides": strides, "dilations": dilations, "group": group}
    mode = draw.choice(["plain", "pads", "SAME_UPPER", "SAME_LOWER", "output_shape", "output_padding"])
    if mode == "pads":
        options["pads"] = tuple(min(1, size - 1) for size in (*sizes, *sizes)) if min(lengths) > 1 else (0,) * 2 * rank
    elif mode == "output_shape":
        options["output_shape"] = tuple(length * stride for length, stride in zip(lengths, strides, strict=True))
    elif mode == "output_padding":
        options["output_padding"] = tuple(draw.integer(0, stride - 1) for stride in strides)
    elif mode != "plain":
        options["auto_pad"] = mode
    channels = group * per_group
    x, w = (draw.integer(1, 2), channels, *lengths), (channels, out, *sizes)
    if draw.choice([True, False]):
        x, w = (x[0], *lengths, channels), (*sizes, out, channels)
        options |= {"data_format": "N" + "HW"[2 - rank :] + "C", "kernel_format": "HW"[2 - rank :] + "OI"}
    b = draw.choice([None, draw.array((group * out,))])
    return Sample((draw.array(x), draw.array(w), b), options)


conv_transpose = sum_of_products(
    "conv_transpose",
    infer_conv_transpose,
    conv_transpose_reference,
    _sample_conv_transpose,
    family="convolution",
    plus=2,
    terms=transposed_terms,
)


def infer_conv_transpose_to(
    x: Tensor,
    w: Tensor,
    output_shape: Tensor,
    *,
    require: Require,
    strides: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    auto_pad: str = "VALID",
    data_format: str = "NHWC",
    kernel_format: str = "HWOI",
) -> Tensor:
    """TensorFlow's form: the whole result shape is an operand, from which the padding and the groups follow."""
    target = require.ints(output_shape)
    if not (x.ranked and w.ranked) and target is not None:
        return Tensor(require.same_dtype(x, w), tuple(target))
    plain = infer_conv_transpose(
        x, w, require=require, strides=strides, dilations=dilations, auto_pad=auto_pad,
        data_format=data_format, kernel_format=kernel_format,
    )  # fmt: skip
    where, kernel = layout(data_format, x.rank), layout(kernel_format, w.rank, "I", "O")
    if where is None or kernel is None or target is None or w.rank != x.rank:
        return plain if where is None else Tensor(plain.dtype, where.place(*plain_dims(plain, where, require)))
    if not require.holds(len(target) == x.rank, f"the output shape has {len(target)} dims, not {x.rank}"):
        return plain
    sliding = windows(kernel.dims(w)[2], require, strides=strides, dilations=dilations, auto_pad=auto_pad)
    asked = Tensor(plain.dtype, tuple(target))
    batch, per_group, _ = where.dims(plain)
    require.equal(where.dims(asked)[0], batch, because="the batch of the output shape is given")
    channels = where.dims(asked)[1]
    because = "the output shape has as many channels as the kernel takes, or a multiple of them"
    require.divisible(channels, per_group, because=because, rule=CHANNELS)
    if isinstance(channels, int) and isinstance(per_group, int) and per_group and channels % per_group == 0:
        groups = channels // per_group
        require.divisible(where.dims(x)[1], groups, because=f"the channels fall into {groups} groups", rule=GROUPS)
    for window, length, out in zip(sliding or (), where.dims(x)[2], where.dims(asked)[2], strict=False):
        forward = ceil_div(out, window.stride) if window.same else floor_div(out - window.extent, window.stride) + 1
        because = f"a convolution of {out} must yield {length}"
        require.equal(forward, length, because=because, rule="dims-differ")
    return asked


def plain_dims(plain: Tensor, where: Any, require: Require) -> tuple[Dim, Dim, list[Dim]]:
    """The batch as inferred; channels and the sizes of space hang on an operand that is not known."""
    batch, _, space = where.dims(plain)
    return batch, require.unknown(), [require.unknown() for _ in space]


def conv_transpose_to_reference(
    x: NDArray[Any], w: NDArray[Any], output_shape: NDArray[Any], *, auto_pad: str = "VALID", data_format: str = "NHWC",
    kernel_format: str = "HWOI", **options: Any,
) -> NDArray[Any]:  # fmt: skip
    where = layout(data_format, x.ndim)
    assert where is not None
    space = tuple(int(output_shape[axis]) for axis in where.space)
    per_group = w.shape[kernel_format.index("O")] if len(kernel_format) == w.ndim else w.shape[-2]
    group = int(output_shape[where.second]) // max(per_group, 1)
    upper = "SAME_UPPER" if auto_pad.startswith("SAME") else "NOTSET"
    return conv_transpose_reference(
        x, w, output_shape=space, auto_pad=upper, data_format=data_format, kernel_format=kernel_format, group=group,
        **options,
    )  # fmt: skip


def _sample_conv_transpose_to(draw: Draw) -> Sample:
    size, stride, length = draw.integer(1, 3), draw.integer(1, 3), draw.integer(1, 3)
    mode = draw.choice(["SAME_UPPER", "VALID"])
    low = (length - 1) * stride + (1 if mode == "SAME_UPPER" else size)
    asked = draw.integer(low, low + stride - 1)
    channels, out, group = (draw.integer(1, 2) for _ in range(3))
    x, w = draw.array((1, length, length, channels * group)), draw.array((size, size, out, channels * group))
    shape = integers([1, asked, asked, out * group])
    return Sample((x, w, shape), {"strides": (stride, stride), "auto_pad": mode})


conv_transpose_to = sum_of_products(
    "conv_transpose_to",
    infer_conv_transpose_to,
    conv_transpose_to_reference,
    _sample_conv_transpose_to,
    family="convolution",
    terms=lambda x, w, *_, kernel_format="HWOI", **__: transposed_terms(x, w, kernel_format=kernel_format),
)
