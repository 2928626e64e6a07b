"""The error function and its kin."""

from __future__ import annotations

from math import erf as erf_of
from math import erfc as erfc_of
from math import exp, inf, log, nan, pi, sqrt

import numpy as np

from mlvet.ops.danger import Outside
from mlvet.ops.derivative import Partials
from mlvet.ops.numeric import Monotone, Range
from mlvet.ops.pointwise import elements, pointwise
from mlvet.ops.samples import Tensors

UNIT = Range(-1, 1)
INNER = Range(-1, 1, open_low=True, open_high=True)


def erf_inverse(y: float) -> float:
    """x with erf(x) = y: a rational start, then three steps of Newton."""
    if not -1 < y < 1:
        return inf if y == 1 else -inf if y == -1 else nan
    if y == 0:
        return 0.0
    spread = log((1 - y) * (1 + y))
    half = 2 / (pi * 0.147) + spread / 2
    x = (1 if y > 0 else -1) * sqrt(sqrt(half * half - spread / 0.147) - half)
    for _ in range(3):
        slope = 2 / sqrt(pi) * exp(-x * x)
        error = erf_of(x) - y if abs(y) < 0.9 else (1 - abs(y)) - erfc_of(abs(x))
        step = (error if abs(y) < 0.9 or y > 0 else -error) / slope if slope else 0.0
        x -= step
    return x


erf_array, erfc_array = elements(erf_of), elements(erfc_of)

erf = pointwise(
    "erf",
    erf_array,
    Monotone(image=UNIT),
    derivative=Partials(lambda x: (2 / np.sqrt(np.pi) * np.exp(-x * x),)),
)
erfc = pointwise(
    "erfc",
    erfc_array,
    Monotone(increasing=False, image=Range(0, 2)),
    derivative=Partials(lambda x: (-2 / np.sqrt(np.pi) * np.exp(-x * x),)),
)
erfinv = pointwise(
    "erfinv",
    elements(erf_inverse),
    Monotone(domain=INNER),
    danger=[Outside(INNER, rule="outside-domain")],
    derivative=Partials(lambda x: (np.sqrt(np.pi) / 2 * np.exp(elements(erf_inverse)(x) ** 2),)),
    samples=Tensors(low=-0.95, high=0.95),
)
