"""Moves from good points towards a hazard: along signs of gradients, between points on either side, and at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.hazard import Hazard
from mlvet.analyses.numerics.witness.goals import Goal, Sense
from mlvet.analyses.numerics.witness.points import random_points
from mlvet.analyses.numerics.witness.space import Free, Point
from mlvet.analyses.numerics.witness.trial import Outlook, Trial

Array: TypeAlias = NDArray[Any]
Done: TypeAlias = Callable[[Point, Outlook], bool]
"""Whether a point shows the hazard, so that the search can end."""

MOST_TURNS = 60
STALE_TURNS = 4
"""Turns without progress after which a search gives up."""
PROGRESS = 0.01
"""How far a goal must come nearer to count as progress, as a part of the least distance so far."""
STRIDES = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6)


@dataclass(slots=True)
class Guide:
    """A search for one hazard; `done` is asked at each point, and `found` says that it said yes."""

    trial: Trial
    hazard: Hazard
    done: Done
    rng: np.random.Generator
    found: bool = False
    random: Any = field(init=False)
    goals: list[Goal] = field(init=False)
    nearest: dict[Goal, float] = field(default_factory=dict)
    progress: bool = False

    def __post_init__(self) -> None:
        self.random = random_points(self.trial.space, self.rng)
        self.goals = list(self.trial.ways[self.hazard])

    @property
    def over(self) -> bool:
        return self.found or self.trial.out_of_time

    def search(self) -> bool:
        """Try every goal from several starts until the hazard happens, time is up or nothing comes nearer any more."""
        turn = stale = 0
        while not self.over and turn < MOST_TURNS and stale < STALE_TURNS:
            self.progress = False
            for goal in self.goals:
                start = self._start(goal, turn)
                if start is None or self.over:
                    return self.found
                nearest = self._crossed(goal, start) if goal.sense is Sense.AT else self._descended(goal, start)
                self._jittered(goal, nearest)
            turn += 1
            stale = 0 if self.progress else stale + 1
        return self.found

    def look(self, point: Point, *, keep: bool = False) -> Outlook:
        """Execute at a point."""
        outlook = self.trial.run(point, keep=keep).get(self.hazard, Outlook())
        if (outlook.failure is not None or outlook.flushed) and self.done(point, outlook):
            self.found = True
        for goal in self.goals:
            distance, least = outlook.scores.get(goal, inf), self.nearest.get(goal)
            if distance < inf and (least is None or distance < least - PROGRESS * abs(least)):
                self.nearest[goal], self.progress = distance, True
        return outlook

    def _start(self, goal: Goal, turn: int) -> Point | None:
        """A point that was near to the goal, or after those a random one."""
        best = self.trial.elite.get((self.hazard, goal), [])
        return best[turn][1] if turn < min(len(best), 2) else next(self.random, None)

    def _descended(self, goal: Goal, start: Point, element: int | None = None, rounds: int = 12) -> Point:
        """Projected steps along the sign of the gradient, from the whole width of the ranges to ever shorter ones."""
        point, score, stride = start, inf, 0
        for _ in range(rounds):
            outlook = self.look(point, keep=True)
            step = outlook.steps.get(goal)
            if self.over or step is None:
                return point
            score = _distance(goal, outlook, element)
            slopes = self.trial.gradient(goal, step, element)
            slopes = {value: slope for value, slope in slopes.items() if np.any(slope)}
            better = None
            for length in range(stride, len(STRIDES)):
                stride = length
                moved = self._moved(point, slopes, STRIDES[length])
                reached = self.look(moved)
                if self.over:
                    return moved
                if _distance(goal, reached, element) < score:
                    better = moved
                    break
            if better is None:
                return point
            point = better
        return point

    def _moved(self, point: Point, slopes: Mapping[Any, Array], stride: float) -> Point:
        """Against the gradient where there is one, anywhere where there is none."""
        moved = dict(point)
        for free in self.trial.space.moving:
            now = _elements(free, point)
            slope = slopes.get(free.value)
            if slope is not None and free.smooth:
                moved[free.value] = _clipped(free, now - stride * (free.high - free.low) * np.sign(slope))
            elif not slopes:
                wild = self.rng.standard_normal(free.shape) * (self.rng.random(free.shape) < self.rng.random())
                moved[free.value] = _clipped(free, now + stride * (free.high - free.low) * wild)
        return moved

    def _crossed(self, goal: Goal, start: Point) -> Point:
        """Towards a point from its two sides, then by halving between them; or as near as it gets from one side."""
        outlook = self.look(start, keep=True)
        step = outlook.steps.get(goal)
        target = goal.target(step) if step is not None else None
        if self.over or target is None:
            return start
        element = goal.nearest(np.asarray(target))
        self._follow(goal)
        sides = {}
        for sense, sign in ((Sense.LOW, -1.0), (Sense.HIGH, 1.0)):
            if sign * (_signed(goal, outlook, element) or 0.0) > 0:
                sides[sense] = start
                continue
            end = self._descended(Goal(goal.operand, sense), start, element, rounds=4)
            if self.over:
                return end
            if sign * (_signed(goal, self.look(end), element) or 0.0) > 0:
                sides[sense] = end
        if len(sides) < 2:
            return self._descended(goal, start)
        return self._halved(goal, element, sides[Sense.LOW], sides[Sense.HIGH])

    def _follow(self, goal: Goal) -> None:
        """Lets runs keep the steps nearest to both ends of the target as well."""
        ways = self.trial.ways[self.hazard]
        for sense in (Sense.LOW, Sense.HIGH):
            if Goal(goal.operand, sense) not in ways:
                self.trial.ways[self.hazard] = ways = [*ways, Goal(goal.operand, sense)]

    def _halved(self, goal: Goal, element: int, low: Point, high: Point) -> Point:
        for _ in range(70):
            middle = {
                free.value: 0.5 * _elements(free, low) + 0.5 * _elements(free, high) for free in self.trial.space.moving
            }
            side = _signed(goal, self.look(middle), element)
            if self.over or side is None or side == 0:
                return middle
            low, high = (middle, high) if side < 0 else (low, middle)
        return low

    def _jittered(self, goal: Goal, start: Point) -> None:
        """Random moves of all scales around a point: everything, one tensor, some elements; keeps what is nearer."""
        point, score = start, _distance(goal, self.look(start), None)
        for turn in range(60):
            if self.over:
                return
            scale = 10.0 ** -self.rng.uniform(0, 8)
            moved = dict(point)
            chosen = self.rng.integers(len(self.trial.space.moving))
            for place, free in enumerate(self.trial.space.moving):
                if turn % 2 and place != chosen:
                    continue
                now = _elements(free, point)
                size = np.maximum(np.abs(now), 1e-3) if turn % 4 < 3 else (free.high - free.low)
                part = self.rng.random(free.shape) < (1.0 if turn % 3 else 2.0 / max(now.size, 2))
                moved[free.value] = _clipped(free, now + part * scale * size * self.rng.standard_normal(free.shape))
                if not free.smooth:
                    moved[free.value] = np.where(
                        part, self.rng.integers(int(free.low), int(free.high) + 1, size=free.shape), now
                    )
            reached = _distance(goal, self.look(moved), None)
            if reached <= score:
                point, score = moved, reached


def _elements(free: Free, point: Mapping[Any, Array]) -> Array:
    held = point.get(free.value, np.asarray(0.5 * free.low + 0.5 * free.high))
    return np.clip(np.broadcast_to(held, free.shape).astype(np.float64), free.low, free.high)


def _clipped(free: Free, elements: Array) -> Array:
    return np.clip(elements, free.low, free.high)


def _distance(goal: Goal, outlook: Outlook, element: int | None) -> float:
    """How far an execution stayed from a goal, or one element of its target."""
    if element is None:
        return outlook.scores.get(goal, inf)
    step = outlook.steps.get(goal)
    target = goal.target(step) if step is not None else None
    if target is None or element >= np.size(target):
        return inf
    distance = float(goal.distance(np.asarray(target)).reshape(-1)[element])
    return distance if np.isfinite(distance) else inf


def _signed(goal: Goal, outlook: Outlook, element: int) -> float | None:
    """How far an element lies above the goal's point."""
    step = outlook.steps.get(goal)
    target = goal.target(step) if step is not None else None
    if target is None or element >= np.size(target):
        return None
    signed = float(np.asarray(target).reshape(-1)[element].astype(np.float64)) - goal.point
    return signed if np.isfinite(signed) else None
