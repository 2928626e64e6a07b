"""How many terms a layer sums up for one result, as its configuration and its inputs tell.

Backends sum in different orders. Vectorised code keeps up to 64 partial sums side by side; code that adds one term
after the other is off further, by about the root of what is left of their number, and neither is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod, sqrt
from typing import Any

from mlvet.analyses.compare.subject import Layer

_PARTIAL_SUMS = 64
_BY_LAST_DIM = ("Dense", "EinsumDense", "MatMul", "Gemm", "LSTM", "GRU", "SimpleRNN", "MultiHeadAttention", "RNN")
_TRANSFORMS = ("DFT", "STFT")
"""By their definition these sum up all samples, where a fast transform halves them again and again."""
_OVER_PLACES = ("GlobalAveragePooling", "GlobalAveragePool", "ReduceMean", "ReduceSum", "Mean", "Sum")


def order_factor(layer: Layer, shapes: Sequence[tuple[int, ...]]) -> float:
    """By how much the order of summing may raise the rounding error of a layer."""
    if layer.kind in _TRANSFORMS:
        return sqrt(max((shape[1] for shape in shapes if len(shape) > 1), default=1))
    return max(1.0, sqrt(terms(layer, shapes) / _PARTIAL_SUMS))


def terms(layer: Layer, shapes: Sequence[tuple[int, ...]]) -> int:
    """The terms of one result; 1 where nothing is known."""
    shape = max(shapes, key=prod, default=())
    if len(shape) < 2:
        return 1
    kernel = _kernel(layer.config)
    if kernel:
        pools = "Pool" in layer.kind or "Depthwise" in layer.kind
        return prod(kernel) * (1 if pools else _channels(layer, shape))
    if layer.kind.startswith(_OVER_PLACES):
        return prod(shape[1:])
    return shape[-1] if layer.kind.startswith(_BY_LAST_DIM) else 1


def _kernel(config: Mapping[str, Any]) -> tuple[int, ...]:
    for key in ("kernel_size", "kernel_shape", "pool_size"):
        found = config.get(key)
        if isinstance(found, int):
            return (found,)
        if isinstance(found, list | tuple) and all(isinstance(each, int) for each in found):
            return tuple(found)
    return ()


def _channels(layer: Layer, shape: tuple[int, ...]) -> int:
    """Layers of Keras have channels last unless they say so, nodes of graphs have them first."""
    if "kernel_shape" in layer.config or layer.config.get("data_format") == "channels_first":
        return shape[1]
    return shape[-1]
