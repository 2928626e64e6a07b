"""The gradients of products, convolutions and pools by their operands, which probing would be too slow for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.ops import REGISTRY
from mlvet.ops.convolution import front_kernel
from mlvet.ops.pooling import average_pool_reference, max_pool_reference, pooled_windows
from mlvet.ops.require import Require
from mlvet.ops.windows import layout, pad, view, windows

Array: TypeAlias = NDArray[Any]
Shares: TypeAlias = Iterator[tuple[int, Array]]


def _summed_to(x: Array, shape: tuple[int, ...]) -> Array:
    extra = x.ndim - len(shape)
    x = x.sum(axis=tuple(range(extra))) if extra else x
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1 and x.shape[axis] != 1)
    return np.asarray(x.sum(axis=axes, keepdims=True) if axes else x)


def _product(a: Array, b: Array, gradient: Array) -> tuple[Array, Array]:
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    if b.ndim == 1:
        gradient = gradient[..., None]
    if a.ndim == 1:
        gradient = gradient[..., None, :]
    by_left = gradient @ np.swapaxes(right, -1, -2)
    by_right = np.swapaxes(left, -1, -2) @ gradient
    return _summed_to(by_left, left.shape).reshape(a.shape), _summed_to(by_right, right.shape).reshape(b.shape)


def matmul(operands: Sequence[Any], gradient: Array, **_: Any) -> Shares:
    yield from enumerate(_product(operands[0], operands[1], gradient))


def batch_matmul(
    operands: Sequence[Any], gradient: Array, adj_x: bool = False, adj_y: bool = False, **_: Any
) -> Shares:
    turned = [np.swapaxes(x, -1, -2) if adjoint else x for x, adjoint in zip(operands, (adj_x, adj_y), strict=False)]
    by = _product(turned[0], turned[1], gradient)
    for index, adjoint in enumerate((adj_x, adj_y)):
        yield index, np.swapaxes(by[index], -1, -2) if adjoint else by[index]


def gemm(
    operands: Sequence[Any],
    gradient: Array,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: bool = False,  # noqa: N803
    transB: bool = False,  # noqa: N803
) -> Shares:
    a, b = operands[0].T if transA else operands[0], operands[1].T if transB else operands[1]
    by_a, by_b = _product(a, b, alpha * gradient)
    yield 0, by_a.T if transA else by_a
    yield 1, by_b.T if transB else by_b
    if len(operands) > 2 and operands[2] is not None:
        yield 2, _summed_to(beta * gradient, operands[2].shape)


def linear(operands: Sequence[Any], gradient: Array, **_: Any) -> Shares:
    by_x, by_weight = _product(operands[0], operands[1].T, gradient)
    yield 0, by_x
    yield 1, by_weight.T
    if len(operands) > 2 and operands[2] is not None:
        yield 2, _summed_to(gradient, operands[2].shape)


def conv(
    operands: Sequence[Any],
    gradient: Array,
    *,
    data_format: str = "NC",
    kernel_format: str = "OI",
    group: int = 1,
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    auto_pad: str = "NOTSET",
    input_dilation: Sequence[int] | None = None,
    batch_group_count: int = 1,
    **_: Any,
) -> Shares:
    """By the input the transposed convolution without pads, cut to the input; by the kernel what its windows saw."""
    x, w = operands[0], operands[1]
    where = layout(data_format, x.ndim)
    spread = REGISTRY["conv_transpose"].reference
    if where is None or input_dilation or batch_group_count != 1 or spread is None:
        return
    front, above = where.to_front(x), where.to_front(gradient)
    kernel, group = front_kernel(w, kernel_format, group)
    group = group or front.shape[1] // max(kernel.shape[1], 1)
    sliding = windows(kernel.shape[2:], Require(), strides=strides, pads=pads, dilations=dilations, auto_pad=auto_pad)
    if sliding is None:
        return
    whole = spread(above, kernel, strides=strides, dilations=dilations, group=group)
    result = np.zeros(front.shape)
    source: list[slice] = [slice(None), slice(None)]
    target: list[slice] = [slice(None), slice(None)]
    for window, length, reach in zip(sliding, front.shape[2:], whole.shape[2:], strict=True):
        before = int(window.pads(length)[0])
        first, skipped = max(before, 0), max(-before, 0)
        count = max(min(length - skipped, reach - first), 0)
        source.append(slice(first, first + count))
        target.append(slice(skipped, skipped + count))
    result[tuple(target)] = whole[tuple(source)]
    yield 0, where.from_front(result)
    padded = pad(front, [window.pads(length) for window, length in zip(sliding, front.shape[2:], strict=True)], 0)
    taken = view(padded, sliding, above.shape[2:])
    rank, out, per_group = len(sliding), kernel.shape[0] // group, kernel.shape[1]
    axes = [0, *range(2, 2 + rank)]
    parts = [
        np.tensordot(
            above[:, index * out : (index + 1) * out],
            taken[:, index * per_group : (index + 1) * per_group],
            (axes, axes),
        )
        for index in range(group)
    ]
    places = front_kernel(np.arange(w.size).reshape(w.shape), kernel_format, group)[0]
    by_kernel = np.zeros(w.size)
    by_kernel[places.reshape(-1)] = np.concatenate(parts).reshape(-1)
    yield 1, by_kernel.reshape(w.shape)
    if len(operands) > 2 and operands[2] is not None:
        yield 2, above.sum(axis=(0, *range(2, above.ndim)))


def max_pool(operands: Sequence[Any], gradient: Array, **attributes: Any) -> Shares:
    """To the element that each window chose."""
    x = operands[0]
    _, indices = max_pool_reference(x, **{**attributes, "storage_order": 0})
    result = np.zeros(x.size)
    np.add.at(result, np.reshape(indices, -1), np.reshape(gradient, -1))
    yield 0, result.reshape(x.shape)


def average_pool(operands: Sequence[Any], gradient: Array, data_format: str = "NC", **options: Any) -> Shares:
    """To all elements of each window alike."""
    x = operands[0]
    where = layout(data_format, x.ndim)
    if where is None:
        return
    counts = where.to_front(average_pool_reference(np.ones_like(x), data_format=data_format, **options))
    options.pop("count_include_pad", None)
    front = where.to_front(x)
    numbers = pooled_windows(np.arange(front.size).reshape(front.shape), -1, **options)
    inside = numbers >= 0
    each = where.to_front(gradient) * counts / np.maximum(inside.sum(axis=-1), 1)
    result = np.zeros(front.size)
    np.add.at(result, numbers[inside], np.broadcast_to(each[..., None], numbers.shape)[inside])
    yield 0, where.from_front(result.reshape(front.shape))


def global_average_pool(operands: Sequence[Any], gradient: Array, **_: Any) -> Shares:
    x = operands[0]
    yield 0, np.broadcast_to(gradient * (gradient.size / max(x.size, 1)), x.shape)


ADJOINTS: dict[str, Callable[..., Shares]] = {
    "matmul": matmul,
    "batch_matmul": batch_matmul,
    "gemm": gemm,
    "linear": linear,
    "conv": conv,
    "max_pool": max_pool,
    "average_pool": average_pool,
    "global_average_pool": global_average_pool,
}
