"""The error function, the gamma function and their kin."""

from __future__ import annotations

from math import erf as erf_of
from math import erfc as erfc_of
from math import exp, inf, isfinite, isinf, lgamma, log, nan, pi, sqrt, tan

import numpy as np

from mlvet.ops.danger import OVERFLOW, Near, Outside
from mlvet.ops.derivative import Partials
from mlvet.ops.numeric import POSITIVE, Monotone, Piecewise, Range
from mlvet.ops.pointwise import elements, pointwise
from mlvet.ops.samples import Tensors

UNIT = Range(-1, 1)
INNER = Range(-1, 1, open_low=True, open_high=True)
LEAST_GAMMA = 1.4616321449683622
"""Where the gamma function is least on the positive reals."""


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


def log_gamma(x: float) -> float:
    """log |gamma(x)|, infinite at the poles and beyond the floats."""
    if isinf(x):
        return inf
    if not isfinite(x):
        return nan
    try:
        return lgamma(x)
    except (ValueError, OverflowError):
        return inf


def digamma_of(x: float) -> float:
    """The derivative of log gamma: reflected for negative x, raised by the recurrence, then an asymptotic series."""
    if not isfinite(x):
        return inf if x > 0 else nan
    if x <= 0:
        return nan if x == int(x) else digamma_of(1 - x) - pi / tan(pi * x)
    raised = 0.0
    while x < 10:
        raised -= 1 / x
        x += 1
    s = 1 / (x * x)
    series = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132)))))
    return raised + log(x) - 0.5 / x - series


def trigamma_of(x: float) -> float:
    """The derivative of digamma for positive x."""
    raised = 0.0
    while x < 10:
        raised += 1 / (x * x)
        x += 1
    s = 1 / (x * x)
    return raised + 1 / x + s / 2 + s / x * (1 / 6 - s * (1 / 30 - s * (1 / 42 - s / 30)))


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
log_gamma_op = pointwise(
    "lgamma",
    elements(log_gamma),
    Piecewise((LEAST_GAMMA,), domain=POSITIVE),
    danger=[Near(0, rule="outside-domain", operand=0), OVERFLOW],
    derivative=Partials(lambda x: (elements(digamma_of)(x),)),
    samples=Tensors(low=0.2, high=20),
)
digamma = pointwise(
    "digamma",
    elements(digamma_of),
    Monotone(domain=POSITIVE),
    danger=[Near(0, rule="outside-domain", operand=0), OVERFLOW],
    derivative=Partials(lambda x: (elements(trigamma_of)(x),)),
    samples=Tensors(low=0.2, high=20),
)
