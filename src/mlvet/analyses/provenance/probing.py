"""Are the derivatives all there? The program is run with many inputs moved at once, and the change held against them.

A chain that breaks inside compiled code or text leaves no trace. But then an output moves more, or less, than its
derivatives say. Where differences over two steps and to both sides agree with each other the output is smooth, so what
the derivatives do not explain was lost; where they do not agree, a comparison may have turned, and nothing is said.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

NEAR, FAR = 2.0**-17, 2.0**-14
"""Steps in parts of an input's magnitude."""
NEAR_ENOUGH, CLOSE = 0.01, 1e-4
"""How far slopes may be apart: by one run, and by runs to both sides where a break is known."""
_APART = 5
"""So many times further off than the runs are apart must a slope be: at a kink it is as far off as they are."""
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Probe:
    """A direction in the space of inputs: the change of each for a step of 1, and what outputs should change by."""

    direction: dict[str, float] = field(default_factory=dict)
    slopes: dict[str, float] = field(default_factory=dict)

    def moved(self, step: float) -> dict[str, float]:
        return {name: change * step for name, change in self.direction.items()}


def explains(slope: float, before: float, after: float | None, step: float) -> bool:
    """Whether one run with the inputs moved shows what the slope says."""
    if after is None or not math.isfinite(after) or not math.isfinite(before):
        return True
    return _same(slope, (after - before) / step, _ROUNDING * abs(before) / step, NEAR_ENOUGH)


def explains_closely(slope: float, before: float, up: float | None, down: float | None, step: float) -> bool:
    """The same of runs to both sides, where nothing that is bent is in the way."""
    if up is None or down is None or not all(map(math.isfinite, (up, down, before))):
        return True
    return _same(slope, (up - down) / (2 * step), _ROUNDING * abs(before) / step, CLOSE)


def lost_slope(
    slope: float, before: float, runs: Sequence[tuple[float, float | None]], agree: float = NEAR_ENOUGH
) -> float | None:
    """The slope that all runs (step and value) show, if the one that is told is further off than they are apart."""
    seen = [(after - before) / step for step, after in runs if after is not None and math.isfinite(after)]
    if len(seen) < len(runs):
        return None
    middle = sum(seen) / len(seen)
    apart = max(abs(each - middle) for each in seen)
    least = _ROUNDING * abs(before) / min(abs(step) for step, _ in runs)
    return None if _same(slope, middle, max(least, _APART * apart), agree) else middle


def _same(one: float, other: float, least: float, agree: float) -> bool:
    return abs(one - other) <= max(agree * max(abs(one), abs(other)), least)
