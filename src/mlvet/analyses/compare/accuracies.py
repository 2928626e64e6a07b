"""How exactly functions are computed in practice, where none is required to be exact.

The units of the last place are those that OpenCL allows for single precision, and sums of them for functions that are
made of others. An error of that size is told of nobody, so the noise is the part of it that the limit leaves.
"""

from __future__ import annotations

import re

from mlvet.analyses.compare.subject import Layer

_UNITS = {
    "exp": 3, "log": 3, "log2": 3, "log10": 3, "log1p": 2, "expm1": 3, "sin": 4, "cos": 4, "tan": 5, "sinh": 4,
    "cosh": 4, "tanh": 5, "asin": 4, "acos": 4, "atan": 5, "asinh": 4, "acosh": 4, "atanh": 5, "pow": 16, "erf": 16,
    "erfc": 16, "erfinv": 16, "sigmoid": 6, "logistic": 6, "softmax": 6, "logsoftmax": 6, "silu": 6, "swish": 6,
    "gelu": 16, "softplus": 6, "logsigmoid": 6, "mish": 12, "elu": 6, "selu": 6, "celu": 6, "tanhshrink": 5,
}  # fmt: skip
_THROUGH_ONE = frozenset(("elu", "selu", "celu", "softplus", "logsigmoid", "mish", "tanhshrink", "expm1"))
"""Functions of small numbers that most implementations compute by way of a number near 1."""
_PER_ROUNDING = 2
"""A unit of the last place is two roundings, of which the limit of 4 leaves a half for each unit."""


def accuracy(layer: Layer) -> tuple[float, float]:
    """The roundings that functions in a layer may cost as noise, and the magnitude of numbers on the way."""
    found = _functions(layer)
    roundings = max((_UNITS[name] / _PER_ROUNDING for name in found), default=0.0)
    return roundings, 1.0 if found & _THROUGH_ONE else 0.0


def _functions(layer: Layer) -> set[str]:
    """The functions that a layer is, or ends with."""
    activation = layer.config.get("activation")
    words = [layer.kind, activation if isinstance(activation, str) else ""]
    told = {re.sub(r"[^a-z0-9]", "", part) for word in words for part in (word.lower(), *word.lower().split("."))}
    return told & _UNITS.keys()
