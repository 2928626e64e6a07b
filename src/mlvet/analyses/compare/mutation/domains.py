"""What else an entry of a layer's configuration could be: by its type, and by its name where the type is words.

Values that make no sense for a layer are sorted out when the layer is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

ACTIVATIONS = (
    "linear", "relu", "relu6", "leaky_relu", "elu", "selu", "softplus", "softsign", "silu", "gelu", "tanh", "sigmoid",
    "hard_sigmoid", "hard_silu", "exponential", "mish", "log_softmax", "softmax", "celu", "hard_tanh", "glu",
)  # fmt: skip
_WORDS = {
    "padding": ("valid", "same", "causal"),
    "data_format": ("channels_last", "channels_first"),
    "activation": ACTIVATIONS,
    "recurrent_activation": ("sigmoid", "hard_sigmoid", "tanh", "relu"),
    "interpolation": ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"),
    "merge_mode": ("concat", "sum", "mul", "ave"),
    "output_mode": ("int", "one_hot", "multi_hot", "count"),
}
_SMALL_SHARES = {"epsilon": (1e-7, 1e-5, 1e-3, 0.1)}
_FIXED = ("stateful", "seed", "build", "batch_size", "noise_shape", "max_value")
_LARGEST = 5


def alternatives(key: str, value: Any, default: Any = None) -> list[Any]:
    """Other values for an entry, itself not among them."""
    if key in _FIXED or (value is None and default is None and key not in _WORDS):
        return []
    if key in _WORDS and (value is None or isinstance(value, str)):
        return [each for each in _WORDS[key] if each != value]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [each for each in (*_axes(key), *range(1, _LARGEST + 1)) if each != value]
    if isinstance(value, float):
        shares = _SMALL_SHARES.get(key, (0.0, value / 10, value * 3, 0.5, 1.0))
        return [each for each in dict.fromkeys(shares) if each != value]
    if isinstance(value, list | tuple) and value and all(type(each) is int for each in value):
        return _lists(key, value)
    return []


def _axes(key: str) -> Sequence[int]:
    return (-1, -2) if "axis" in key else ()


def _lists(key: str, value: Sequence[int]) -> list[Any]:
    """The same number everywhere, or different ones: what is even in one dim is odd in the other."""
    if "axis" in key:
        return [[axis] for axis in (-1, -2, 1, 2) if [axis] != list(value)]
    size = len(value)
    alike = [[each] * size for each in range(1, _LARGEST + 1)]
    mixed = [[1 + (start + index) % 3 for index in range(size)] for start in range(3)] if size > 1 else []
    return [each for each in (*alike, *mixed) if each != list(value)]
