"""Ranges of parameters from the distributions that their first elements are drawn from."""

from __future__ import annotations

from math import inf, isfinite, prod, sqrt

from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ir.graph import Initialiser, Parameter

NORMAL = 6.0
"""How many standard deviations from the mean an element of a normal distribution is taken to be at most."""
TRUNCATED = 2.0
_TRUNCATED_SHARE = 0.87962566103423978  # the standard deviation of a standard normal cut at 2
_SCALINGS = {
    "glorot": (1.0, "fan_avg"),
    "xavier": (1.0, "fan_avg"),
    "he": (2.0, "fan_in"),
    "kaiming": (2.0, "fan_in"),
    "lecun": (1.0, "fan_in"),
}


def of(parameter: Parameter, tensor: Tensor, *, learned: bool) -> Assumed | None:
    """The range of a parameter in use, from the range of its first elements.

    Training moves an element by as much as the first elements are large, and by at least 1; so do updates of floats
    that are not trained. Integers stay.
    """
    initialiser = parameter.initialiser
    first = None if initialiser is None else first_elements(initialiser, tensor)
    if initialiser is None or first is None:
        return None
    if tensor.dtype is not None and not tensor.dtype.is_float:
        return Assumed(first, Origin.INITIALISER, f"starts as {initialiser.name} in {first}")
    margin = max(1.0, abs(first.low), abs(first.high))
    moves = "training moves" if learned else "updates move"
    why = f"starts as {initialiser.name} in {first}, and {moves} it by at most {margin:g}"
    return Assumed(Interval(first.low - margin, first.high + margin), Origin.INITIALISER, why)


def first_elements(initialiser: Initialiser, tensor: Tensor) -> Interval | None:
    """The finite range that an initialiser draws from, None if it is not known."""
    found = _drawn(initialiser, tensor)
    return found if found is not None and isfinite(found.low) and isfinite(found.high) else None


def _drawn(initialiser: Initialiser, tensor: Tensor) -> Interval | None:
    figures = dict(initialiser.figures)
    name = initialiser.name.removesuffix("_initializer").removesuffix("_v2")
    match name:
        case "zeros" | "zero":
            return Interval(0, 0)
        case "ones" | "one":
            return Interval(1, 1)
        case "constant":
            return _ordered(figures.get("value", 0.0), figures.get("value", 0.0))
        case "elements":
            return _ordered(figures.get("low", -inf), figures.get("high", inf))
        case "uniform" | "random_uniform":
            low = figures.get("low", figures.get("minval", -0.05))
            return _ordered(low, figures.get("high", figures.get("maxval", 0.05)))
        case "normal" | "random_normal":
            return _around(figures.get("mean", 0.0), NORMAL * figures.get("stddev", 0.05))
        case "truncated_normal":
            return _around(figures.get("mean", 0.0), TRUNCATED * figures.get("stddev", 0.05))
        case "orthogonal" | "orthogonal_initializer" | "identity":
            return _around(0.0, figures.get("gain", 1.0))
    return _scaled(name, figures, tensor)


def _scaled(name: str, figures: dict[str, float], tensor: Tensor) -> Interval | None:
    """Distributions whose variance is a scale divided by the number of inputs or outputs of a unit."""
    family, _, rest = name.partition("_")
    if family in _SCALINGS:
        scale, mode = _SCALINGS[family]
        distribution = rest
    elif name.startswith("variance_scaling"):
        scale = figures.get("scale", 1.0)
        mode = next((mode for mode in ("fan_in", "fan_out", "fan_avg") if mode in name), "fan_in")
        distribution = name.removeprefix("variance_scaling").strip("_").removeprefix(mode).strip("_")
    else:
        return None
    inputs, outputs = fans(tensor)
    units = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[mode]
    variance = scale / max(units, 1.0)
    if not isfinite(variance) or variance < 0:
        return None
    if distribution == "uniform":
        return _around(0.0, sqrt(3 * variance))
    if distribution == "untruncated_normal":
        return _around(0.0, NORMAL * sqrt(variance))
    return _around(0.0, TRUNCATED * sqrt(variance) / _TRUNCATED_SHARE)


def fans(tensor: Tensor) -> tuple[float, float]:
    """How many inputs and outputs a unit has, the channels being the last two dims; an unknown size counts as 1."""
    if isinstance(tensor.shape, Unranked):
        return 1.0, 1.0
    sizes = [dim if isinstance(dim, int) else 1 for dim in tensor.shape]
    if len(sizes) < 2:
        return (float(prod(sizes)),) * 2
    field = prod(sizes[:-2])
    return float(field * sizes[-2]), float(field * sizes[-1])


def _around(middle: float, distance: float) -> Interval:
    return _ordered(middle - distance, middle + distance)


def _ordered(low: float, high: float) -> Interval:
    return Interval(min(low, high), max(low, high))
