"""What it costs to sum many terms one after the other, in roundings of the result.

The reference sums in blocks; backends may keep one running sum. Of n terms whose running sums grow like a random walk
it is then off by sqrt(n / 2) roundings, each of a standard deviation of 1 / sqrt(3): 0.41 sqrt(n). Up to 64 terms, the
partial sums that vectorised code keeps side by side, orders hardly matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod, sqrt
from typing import Any

from mlvet.analyses.compare.subject import Layer

_PARTIAL_SUMS = 64
_BY_LAST_DIM = (
    "Dense", "EinsumDense", "MatMul", "Gemm", "LSTM", "GRU", "SimpleRNN", "MultiHeadAttention", "RNN",
    "linear", "matmul", "mm", "bmm", "addmm", "lstm", "gru", "FULLY_CONNECTED", "BATCH_MATMUL",
)  # fmt: skip
_TRANSFORMS = ("DFT", "STFT")
"""By their definition these sum up all samples, where a fast transform halves them again and again."""
_OVER_PLACES = (
    "GlobalAveragePooling", "GlobalAveragePool", "ReduceMean", "ReduceSum", "Mean", "Sum", "mean", "sum",
    "adaptive_avg_pool", "MEAN", "SUM",
)  # fmt: skip
_OF_TORCH = ("conv", "_convolution")


def summing(layer: Layer, shapes: Sequence[tuple[int, ...]]) -> float:
    """So many roundings of its result may a layer be off by the order in which it sums."""
    count = terms(layer, shapes)
    return sqrt(count / 6) if count > _PARTIAL_SUMS else 0.0


def terms(layer: Layer, shapes: Sequence[tuple[int, ...]]) -> int:
    """The terms of one result; 1 where nothing is known."""
    shape = max(shapes, key=prod, default=())
    if len(shape) < 2:
        return 1
    if layer.kind in _TRANSFORMS:
        return shape[1]
    kernel = _kernel(layer.config)
    if kernel:
        kind = layer.kind.lower()
        pools = "pool" in kind or "depthwise" in kind
        spread = prod(_sizes(layer.config, "strides")) if "transpose" in kind else 1
        return prod(kernel) * (1 if pools else _channels(layer, shape)) // spread
    if layer.kind.startswith(_OVER_PLACES):
        return prod(shape[1:])
    return shape[-1] if layer.kind.startswith(_BY_LAST_DIM) else 1


def _kernel(config: Mapping[str, Any]) -> tuple[int, ...]:
    return next((found for key in ("kernel_size", "kernel_shape", "pool_size") if (found := _sizes(config, key))), ())


def _sizes(config: Mapping[str, Any], key: str) -> tuple[int, ...]:
    found = config.get(key)
    if isinstance(found, int):
        return (found,)
    return tuple(found) if isinstance(found, list | tuple) and all(isinstance(each, int) for each in found) else ()


def _channels(layer: Layer, shape: tuple[int, ...]) -> int:
    """Layers of Keras have channels last unless they say so, nodes of ONNX and calls of torch have them first."""
    if "kernel_shape" in layer.config or layer.config.get("data_format") == "channels_first":
        return shape[1]
    if layer.kind.startswith(_OF_TORCH):
        return max(1, shape[1] // int(layer.config.get("groups", 1)))
    return shape[-1]
