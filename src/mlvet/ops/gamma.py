"""The logarithm of the gamma function and its derivative, both with a pole at 0 and at every negative integer."""

from __future__ import annotations

from math import ceil, floor, fsum, inf, isfinite, isinf, lgamma, log, nan, pi, sin, tan

from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import ANY, Interval
from mlvet.ops.danger import OVERFLOW, Near
from mlvet.ops.derivative import Partials
from mlvet.ops.enclosures import Operands, Tensors, one, settled, size_of
from mlvet.ops.pointwise import elements, pointwise
from mlvet.ops.samples import Tensors as Samples

LEAST_GAMMA = 1.4616321449683622
"""Where the gamma function is least on the positive reals."""
RAISED = 12
"""From here on the asymptotic series are exact in float64."""


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
        return nan if x == int(x) else digamma_of(1 - x) - pi / tan(pi * (x - round(x)))
    terms = []
    while x < RAISED:
        terms.append(-1 / x)
        x += 1
    s = 1 / x / x
    series = 691 / 32760 - s / 12
    for coefficient in (1 / 132, 1 / 240, 1 / 252, 1 / 120, 1 / 12):
        series = coefficient - s * series
    return fsum([*terms, log(x), -0.5 / x, -s * series])


def trigamma_of(x: float) -> float:
    """The derivative of digamma."""
    if not isfinite(x):
        return 0.0 if x > 0 else nan
    if x <= 0:
        return nan if x == int(x) else (pi / sin(pi * (x - round(x)))) ** 2 - trigamma_of(1 - x)
    raised = 0.0
    while x < RAISED:
        raised += 1 / (x * x)
        x += 1
    s = 1 / x / x
    return raised + 1 / x + s / 2 + s / x * (1 / 6 - s * (1 / 30 - s * (1 / 42 - s * (1 / 30 - s * (5 / 66)))))


def _has_pole(x: Interval) -> bool:
    return x.low <= 0 and (not isfinite(x.low) or ceil(x.low) <= min(x.high, 0.0))


def _turn(x: Interval) -> float:
    """Where log gamma turns between the two poles around an interval without one, or above 0."""
    if x.low > 0:
        return LEAST_GAMMA
    below, above = float(floor(x.low)), float(floor(x.low) + 1)
    for _ in range(64):
        middle = (below + above) / 2
        if middle in (below, above):
            break
        below, above = (middle, above) if digamma_of(middle) < 0 else (below, middle)
    return below


def _log_gamma(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    """Between poles least at its turn; across poles above what the reflection of the lowest operand says."""
    (x,) = operands
    assert x is not None
    reach = max(log_gamma(1 - x.low) if x.low < 0 else 0.0, 1.0)
    if _has_pole(x):
        least = min(log(pi) - reach, log_gamma(LEAST_GAMMA))
        return Interval(settled(Interval(least, least), dtype, scale=reach).low, inf)
    ends = [log_gamma(end) for end in (x.low, x.high)]
    turn = _turn(x)
    low = min(*ends, log_gamma(turn)) if x.low <= turn <= x.high else min(ends)
    found = Interval(low, max(ends))
    return settled(found, dtype, scale=max(reach, size_of(found)))


def _digamma(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    """Increasing from one pole to the next; beside a pole anything."""
    (x,) = operands
    assert x is not None
    if _has_pole(x):
        return ANY
    found = Interval(digamma_of(x.low), digamma_of(x.high))
    return settled(found, dtype, scale=max(size_of(found), abs(digamma_of(1 - x.low)) if x.low < 0 else 1.0, 1.0))


log_gamma_op = pointwise(
    "lgamma",
    elements(log_gamma),
    one(_log_gamma, keeps=True, infinite=True),
    danger=[Near(0, rule="outside-domain", operand=0), OVERFLOW],
    derivative=Partials(lambda x: (elements(digamma_of)(x),)),
    samples=Samples(low=-5.5, high=20),
)
digamma = pointwise(
    "digamma",
    elements(digamma_of),
    one(_digamma, keeps=True, infinite=True),
    danger=[Near(0, rule="outside-domain", operand=0), OVERFLOW],
    derivative=Partials(lambda x: (elements(trigamma_of)(x),)),
    samples=Samples(low=-5.5, high=20),
)
