"""Derivatives of outputs to which the chain is lost, measured: the program is run with one input moved after the other.

Four runs each, by one and two steps to both sides: they tell what is bent from what has a kink or a jump there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mlvet.analyses.provenance.question import Question
from mlvet.core.explanation import Explanation, Influence

MOST = 256
"""Inputs up to which each is moved by itself."""
STEP = 2.0**-13
"""In parts of an input's magnitude."""
_AGREE = 0.01
_BENT = 1.5
_NOTHING, _DIFFERENT = 1e-2, 1e-4
_TIMES = (1.0, -1.0, 2.0, -2.0)
_ROUNDING = 1e-11

Values = Mapping[str, float] | None
Runs = Callable[[Question], Sequence[Values]]


@dataclass(frozen=True, slots=True)
class Ground:
    """All inputs of a run with few of them: value and scale of each, and every output's derivatives by them."""

    inputs: dict[str, tuple[float, float]] = field(default_factory=dict)
    derivatives: dict[str, dict[str, float]] = field(default_factory=dict)


def measured(ground: Ground, question: Question, values: Mapping[str, float], runs: Runs) -> Ground | None:
    """The same with derivatives that were measured, of those inputs by which that can be done; None if none can."""
    steps = {name: STEP * scale for name, (value, scale) in ground.inputs.items() if math.isfinite(value)}
    ends = _runs(steps, question, runs, values) if steps else None
    if ends is None:
        return None
    found = {
        output: _slopes(
            before,
            {name: [math.nan if each is None else each.get(output, math.nan) for each in ends[name]] for name in steps},
            steps,
        )
        for output, before in values.items()
    }
    return Ground(ground.inputs, {output: slopes for output, slopes in found.items() if slopes})


def _slopes(before: float, ends: Mapping[str, Sequence[float]], steps: Mapping[str, float]) -> dict[str, float]:
    """The slopes that can be told, and those that are next to nothing beside the greatest of them."""
    found: dict[str, float] = {}
    for name, step in steps.items():
        slope = measured_slope(before, ends[name], step)
        if slope is not None:
            found[name] = slope
    greatest = max((abs(slope) * steps[name] for name, slope in found.items()), default=0.0)
    for name, step in steps.items():
        if name not in found and all(abs(each - before) <= _NOTHING * greatest for each in ends[name]):
            found[name] = (ends[name][0] - ends[name][1]) / (2 * step)
    return found


def measured_slope(before: float, ends: Sequence[float], step: float) -> float | None:
    """The slope that an output shows at one and two steps up and down. None at a kink or a jump.

    Where it is smooth within two steps, what the third derivative adds is taken out.
    """
    up, down, far_up, far_down = ends
    near, far = (up - down) / (2 * step), (far_up - far_down) / (4 * step)
    bend, far_bend = up - 2 * before + down, far_up - 2 * before + far_down
    straight = max(_AGREE * abs(near * step), _ROUNDING * abs(before))
    level = max(abs(up - before), abs(down - before)) / step
    bent = abs(bend) > straight
    smooth = abs(far_bend) <= 8 * straight if not bent else 4 / _BENT <= far_bend / bend <= 4 * _BENT
    if smooth and abs(far - near) <= _AGREE * max(abs(near), level):
        return (4 * near - far) / 3
    return near if abs(bend) <= straight else None


def differs(ground: Ground, output: str, found: Mapping[str, float]) -> bool:
    """Whether measured derivatives are others than those by the chain rule."""
    told = ground.derivatives[output]
    weights = {name: abs(slope) * ground.inputs[name][1] for name, slope in {**told, **found}.items()}
    least = _DIFFERENT * max(weights.values(), default=0.0)
    return any(abs(slope - told[name]) * ground.inputs[name][1] > least for name, slope in found.items())


def _runs(
    steps: Mapping[str, float], question: Question, runs: Runs, values: Mapping[str, float]
) -> dict[str, Sequence[Values]] | None:
    """The outputs with each input moved; None where runs do not repeat what is known, or take too long."""
    moves = tuple({name: times * step} for name, step in steps.items() for times in _TIMES)
    first, *rest = runs(replace(question, delta=None, paths=False, moves=moves)) or (None,)
    if first is None or len(rest) < len(moves) or any(first.get(name) != value for name, value in values.items()):
        return None
    width = len(_TIMES)
    return {name: rest[width * at : width * (at + 1)] for at, name in enumerate(steps)}


def explained_anew(explanation: Explanation, ground: Ground, found: Mapping[str, float], top: int) -> Explanation:
    """The explanation with measured derivatives in the place of those by the chain rule, and shares by them."""
    derivatives = {**ground.derivatives[explanation.output], **found}
    weights = {name: abs(by) * ground.inputs[name][1] for name, by in derivatives.items()}
    weights = {name: weight if math.isfinite(weight) else 0.0 for name, weight in weights.items()}
    total = math.fsum(weights.values())
    order = sorted(derivatives, key=lambda name: (-weights[name], -abs(derivatives[name])))
    if top:
        order = [name for name in order[:top] if derivatives[name]]
    listed = tuple(
        Influence(
            name, ground.inputs[name][0], derivatives[name],
            derivatives[name] * ground.inputs[name][0] / explanation.value if explanation.value else math.nan,
            weights[name] / total if total else 0.0,
        )
        for name in order
    )  # fmt: skip
    rest = max(0.0, math.fsum(weights.values()) / total - math.fsum(each.share for each in listed)) if total else 0.0
    return replace(explanation, influences=listed, residual_share=rest)
