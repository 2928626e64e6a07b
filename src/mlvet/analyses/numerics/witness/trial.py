"""One part of a graph that is run again and again, and what the runs showed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.hazard import Hazard
from mlvet.analyses.numerics.witness.execution import (
    REFUSALS,
    OutOfTime,
    Step,
    Watch,
    execute,
)
from mlvet.analyses.numerics.witness.failure import Failure, failure, flushed
from mlvet.analyses.numerics.witness.goals import Goal, goals
from mlvet.analyses.numerics.witness.gradient import sweep
from mlvet.analyses.numerics.witness.space import Point, Space
from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.domains import dtypes
from mlvet.ir.graph import Graph, Node, Value

ERRORS = (*REFUSALS, UnsupportedInput, UsageError, RuntimeError, NotImplementedError, MemoryError)
"""What references raise on operands that do not fit; an execution that ends so shows nothing further."""
ELITE = 4


@dataclass(slots=True)
class Outlook:
    """What one execution showed of one hazard: whether it happened, and the step that came nearest to each goal.

    `flushed` says that it would happen where subnormal operands of the node are taken for zero.
    """

    failure: Failure | None = None
    flushed: bool = False
    scores: dict[Goal, float] = field(default_factory=dict)
    steps: dict[Goal, Step] = field(default_factory=dict)


@dataclass(slots=True)
class Trial:
    """A part of a graph with a space of inputs. `tries` counts executions, `elite` keeps points near to goals."""

    part: Graph
    space: Space
    hazards: list[Hazard]
    deadline: float
    stored: dict[Value, Any]
    tries: int = 0
    slowest: float = 0.0
    finished: bool = False
    elite: dict[tuple[Hazard, Goal], list[tuple[float, Point]]] = field(default_factory=dict)
    ways: dict[Hazard, list[Goal]] = field(init=False)
    tape: list[Step] = field(default_factory=list)
    arrays: dict[Value, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ways = {hazard: goals(hazard) for hazard in self.hazards}

    @property
    def out_of_time(self) -> bool:
        return monotonic() > self.deadline

    def run(self, point: Point, *, keep: bool = False) -> dict[Hazard, Outlook]:
        """Execute at a point and look at every hazard. With `keep` the steps stay for `gradient`."""
        seen = {hazard: Outlook() for hazard in self.hazards}
        at: dict[Node, list[Hazard]] = {}
        for hazard in self.hazards:
            at.setdefault(hazard.node, []).append(hazard)
        watched = {node: self._watch(hazards, seen) for node, hazards in at.items()}
        self.arrays = self.space.arrays(point)
        self.tries += 1
        begin = monotonic()
        self.tape = []
        self.finished = False
        try:
            self.tape = execute(self.part, self.arrays, self.stored, watched, self.deadline, keep=keep)
            self.finished = True
        except (OutOfTime, *ERRORS):
            pass
        self.slowest = max(self.slowest, monotonic() - begin)
        for hazard, outlook in seen.items():
            for goal, score in outlook.scores.items():
                self._remember(hazard, goal, score, point)
        return seen

    def gradient(self, goal: Goal, step: Step, element: int | None = None) -> dict[Value, NDArray[Any]]:
        """The derivatives by the free values of what a goal wants small, at the last point that was run with `keep`."""
        target = goal.target(step)
        if target is None or not self.tape:
            return {}
        place = next((i for i, taken in enumerate(self.tape) if taken.results[0] is step.results[0]), None)
        if place is None:
            return {}
        seed = goal.seed(np.asarray(target), element)
        steps = self.tape[: place + (goal.operand is None)]
        found = sweep(steps, {id(target): seed}, map(id, self.arrays.values()))
        return {value: found[id(array)] for value, array in self.arrays.items() if id(array) in found}

    def _watch(self, hazards: Sequence[Hazard], seen: dict[Hazard, Outlook]) -> Watch:
        def watch(step: Step) -> None:
            without: Step | None = None
            for hazard in hazards:
                if self.out_of_time:
                    raise OutOfTime
                outlook = seen[hazard]
                outlook.failure = outlook.failure or failure(hazard, step)
                if outlook.failure is None and not outlook.flushed:
                    without = without or flushed(step)
                    outlook.flushed = without is not None and failure(hazard, without) is not None
                for goal in self.ways[hazard]:
                    score = goal.score(step)
                    if score < outlook.scores.get(goal, inf):
                        outlook.scores[goal], outlook.steps[goal] = score, step

        return watch

    def _remember(self, hazard: Hazard, goal: Goal, score: float, point: Point) -> None:
        best = self.elite.setdefault((hazard, goal), [])
        if len(best) < ELITE or score < best[-1][0]:
            best.append((score, point))
            best.sort(key=lambda each: each[0])
            del best[ELITE:]


def arising(run: Trial, point: Point, hazards: Sequence[Hazard]) -> list[Hazard]:
    """The hazards before whose nodes no step made an infinity or NaN of finite operands: what they met is meant."""
    run.run(point, keep=True)
    clean: set[Node] = set()
    for step in run.tape:
        clean.add(step.node)
        floats = [np.asarray(operand) for operand in step.operands if _is_float(operand)]
        if floats and all(np.isfinite(operand).all() for operand in floats):
            results = [np.asarray(result) for result in step.results if _is_float(result)]
            if not all(np.isfinite(result).all() for result in results):
                break
    return [hazard for hazard in hazards if hazard.node in clean]


def _is_float(operand: Any) -> bool:
    if not isinstance(operand, np.ndarray | np.generic) or operand.dtype.kind in "OUScmM":
        return False
    return dtypes.of(operand.dtype).is_float
