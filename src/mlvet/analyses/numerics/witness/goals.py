"""What brings a hazard nearer: the element that must move, and whereto."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.witness.execution import Step
from mlvet.analyses.numerics.witness.failure import danger_of
from mlvet.ops import REGISTRY
from mlvet.ops.danger import AllAt, Danger, GradientAt, Near, Outside, Overflow


class Sense(Enum):
    """Some element as low as possible, as high as possible, at a point, or all elements at a point."""

    LOW = "low"
    HIGH = "high"
    AT = "at"
    ALL_AT = "all at"


@dataclass(frozen=True, slots=True)
class Goal:
    """Where operand `operand` of the hazard's node, or its result if None, must get."""

    operand: int | None
    sense: Sense
    point: float = 0.0

    def target(self, step: Step) -> Any:
        """The array that must get there."""
        held = step.results[0] if self.operand is None else step.operands[self.operand]
        number = isinstance(held, np.ndarray | np.generic) and held.dtype.kind not in "OUScmM"
        return held if number else None

    def distance(self, x: NDArray[Any]) -> NDArray[Any]:
        """What to make small, element by element."""
        wide = np.asarray(x).astype(np.float64)
        match self.sense:
            case Sense.LOW:
                return wide
            case Sense.HIGH:
                return -wide
            case _:
                return np.abs(wide - self.point)

    def score(self, step: Step) -> float:
        """How far a step is from the goal; smaller is nearer."""
        x = self.target(step)
        if x is None or not np.size(x):
            return inf
        if self.sense in (Sense.LOW, Sense.HIGH):
            end = float(np.min(x)) if self.sense is Sense.LOW else -float(np.max(x))
            if isfinite(end):
                return end
        distance = self.distance(x)
        usable = distance[np.isfinite(distance)]
        if not usable.size:
            return inf
        return float(usable.max() if self.sense is Sense.ALL_AT else usable.min())

    def seed(self, x: NDArray[Any], element: int | None = None) -> NDArray[Any]:
        """The derivative of the score by the elements of the target, or of the distance of one element."""
        distance = self.distance(x)
        signs = {Sense.LOW: np.ones(distance.shape), Sense.HIGH: -np.ones(distance.shape)}.get(self.sense)
        if signs is None:
            signs = np.sign(np.asarray(x).astype(np.float64) - self.point)
            signs = np.where(signs == 0, 1.0, signs)
        if self.sense is Sense.ALL_AT:
            return signs
        chosen = self.nearest(x) if element is None else element
        only = np.zeros(distance.size)
        only[chosen] = signs.reshape(-1)[chosen]
        return only.reshape(distance.shape)

    def nearest(self, x: NDArray[Any]) -> int:
        """The element nearest to the goal, counted in the flat array."""
        distance = self.distance(x).reshape(-1)
        return int(np.argmin(np.where(np.isfinite(distance), distance, inf)))


def goals(hazard: Hazard) -> list[Goal]:
    """The ways to a hazard, the likeliest first."""
    danger = danger_of(hazard)
    if danger is not None:
        return list(dict.fromkeys(_ways(danger, hazard)))
    if hazard.outcome is Outcome.WRAPPED:
        place = hazard.operand or 0
        return [Goal(place, Sense.HIGH), Goal(place, Sense.LOW)]
    op = REGISTRY.get(hazard.node.op)
    named = [way for each in (op.danger or () if op is not None else ()) for way in _ways(each, hazard)]
    if hazard.backward:
        return list(dict.fromkeys([*named, Goal(hazard.operand or 0, Sense.AT)]))
    return list(dict.fromkeys([*named, *_EXTREMES]))


_EXTREMES = (Goal(None, Sense.HIGH), Goal(None, Sense.LOW))


def _ways(danger: Danger, hazard: Hazard) -> list[Goal]:
    place = danger.operand
    if place >= len(hazard.node.inputs):
        return list(_EXTREMES)
    match danger:
        case Outside(safe):
            low = [Goal(place, Sense.LOW)] if isfinite(safe.low) or safe.open_low else []
            return low + ([Goal(place, Sense.HIGH)] if isfinite(safe.high) or safe.open_high else [])
        case Near(point) | GradientAt(point):
            return [Goal(place, Sense.AT, point)]
        case AllAt(point):
            return [Goal(place, Sense.ALL_AT, point) if isfinite(point) else Goal(place, Sense.LOW)]
        case Overflow(beyond_log_max=True):
            return [Goal(place, Sense.HIGH)]
        case Overflow():
            return list(_EXTREMES)
