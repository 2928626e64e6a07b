"""Looks for inputs inside of the assumed ranges for which hazards really happen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from time import monotonic
from typing import Any

import numpy as np

from mlvet.analyses.numerics.assumptions.ranges import Assumed
from mlvet.analyses.numerics.hazard import Hazard
from mlvet.analyses.numerics.witness.execution import OutOfTime, needed_part, stored_elements
from mlvet.analyses.numerics.witness.failure import Failure
from mlvet.analyses.numerics.witness.found import FLUSHED, REFERENCE, Witness
from mlvet.analyses.numerics.witness.guided import Guide
from mlvet.analyses.numerics.witness.points import random_points, special_points
from mlvet.analyses.numerics.witness.replay import happens
from mlvet.analyses.numerics.witness.space import Point, index_bounds, spaces
from mlvet.analyses.numerics.witness.trial import ERRORS, Outlook, Trial, arising
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Graph, Value

SHARED_POINTS = 120
OWN_POINTS = 60
OTHER_SIZES = 3


def search(
    graph: Graph,
    hazards: Sequence[Hazard],
    ranges: Mapping[Value, Assumed],
    types: Mapping[Value, Tensor],
    *,
    seconds: float,
    seed: int = 0,
) -> dict[Hazard, Witness]:
    """A witness for each hazard that one was found for, within so many seconds.

    Special and random points serve all hazards at once; what is left is searched one by one, guided by gradients, with
    equal shares of the time, and at last with other sizes. A witness is only reported if it shows the hazard again in a
    fresh execution. The same seed finds the same witnesses as long as time does not run out.
    """
    state = _Search(graph, ranges, types, monotonic() + seconds, seconds, np.random.default_rng(seed))
    pending = list(dict.fromkeys(hazards))
    if pending:
        state.together(pending, 0.4)
    for number, hazard in enumerate(pending):
        left = [each for each in pending[number:] if each not in state.found]
        if hazard in left and monotonic() < state.deadline:
            state.alone(hazard, monotonic() + (state.deadline - monotonic()) / len(left))
    return {hazard: each for hazard in pending if (each := state.found.get(hazard) or state.lesser.get(hazard))}


@dataclass(slots=True)
class _Search:
    graph: Graph
    ranges: Mapping[Value, Assumed]
    types: Mapping[Value, Tensor]
    deadline: float
    seconds: float
    rng: np.random.Generator
    found: dict[Hazard, Witness] = field(default_factory=dict)
    lesser: dict[Hazard, Witness] = field(default_factory=dict)
    loaded: dict[Value, Any] = field(default_factory=dict)
    bounds: dict[Value, int] = field(init=False)
    tries: int = 0
    runs_whole: bool = True

    def __post_init__(self) -> None:
        self.bounds = index_bounds(self.graph, self.types)

    def together(self, hazards: Sequence[Hazard], share: float) -> None:
        """Special and random points on the part that all hazards need."""
        deadline = monotonic() + share * (self.deadline - monotonic())
        for run in islice(self._trials(hazards, deadline), 1):
            self._points(run, SHARED_POINTS)
            self.tries += run.tries

    def alone(self, hazard: Hazard, deadline: float) -> None:
        """Points on the part that one hazard needs, then guided moves, for a few choices of sizes."""
        for number, run in enumerate(islice(self._trials([hazard], deadline), 1 + OTHER_SIZES)):
            share = 1.0 if run.space.only else max(0.5, 1.0 / (1 + OTHER_SIZES - number))
            run.deadline = monotonic() + share * (deadline - monotonic())
            self._points(run, OWN_POINTS)
            if hazard not in self.found and run.space.moving and run.slowest < self.seconds / 10:
                self._guided(run, hazard)
            self.tries += run.tries
            run.tries = 0
            if hazard in self.found or monotonic() > deadline:
                return

    def _trials(self, hazards: Sequence[Hazard], deadline: float) -> Iterator[Trial]:
        """Sizes with which the part runs; if it runs with none, those that reach a hazard's node."""
        part = needed_part(self.graph, [hazard.node for hazard in hazards])
        needed = frozenset((*part.inputs, *(p.value for p in part.parameters if p.data is None)))
        try:
            stored = stored_elements(part, self.loaded)
        except ERRORS:
            return
        seconds_best: list[Trial] = []
        worked = False
        for space in spaces(self.graph, needed, self.ranges, self.types, self.bounds):
            if monotonic() > deadline:
                break
            run = Trial(part, space, list(hazards), deadline, stored)
            reached = False
            for point in ({}, {free.value: np.zeros(free.shape) for free in space.moving}):
                outlooks = run.run(point)
                self._harvest(run, point, outlooks)
                reached = reached or any(outlook.scores or outlook.failure for outlook in outlooks.values())
                if run.finished:
                    break
            if run.finished:
                worked = True
                yield run
            elif reached:
                seconds_best.append(run)
        if not worked:
            yield from seconds_best

    def _points(self, run: Trial, count: int) -> None:
        for point in islice(chain(special_points(run.space, self.rng), random_points(run.space, self.rng)), count):
            if run.out_of_time or not run.hazards:
                break
            self._harvest(run, point, run.run(point))

    def _guided(self, run: Trial, hazard: Hazard) -> None:
        def done(point: Point, outlook: Outlook) -> bool:
            self._harvest(run, point, {hazard: outlook})
            return hazard in self.found

        Guide(run, hazard, done, self.rng).search()

    def _harvest(self, run: Trial, point: Point, outlooks: Mapping[Hazard, Outlook]) -> None:
        """Make witnesses of what failed at a point, if it counts and a fresh execution shows it again."""
        failed = [hazard for hazard, outlook in outlooks.items() if outlook.failure and not outlook.failure.foreign]
        foreign = [hazard for hazard, outlook in outlooks.items() if outlook.failure and outlook.failure.foreign]
        failed += arising(run, point, foreign) if foreign else []
        flushed = [
            hazard
            for hazard, outlook in outlooks.items()
            if outlook.flushed and not outlook.failure and hazard not in self.lesser
        ]
        self.found.update(self._witnesses(run, point, failed, flush=False))
        self.lesser.update(self._witnesses(run, point, flushed, flush=True))
        run.hazards = [hazard for hazard in run.hazards if hazard not in self.found]

    def _witnesses(self, run: Trial, point: Point, hazards: list[Hazard], *, flush: bool) -> dict[Hazard, Witness]:
        """The witnesses at a point, each seen again in an execution of the whole graph, or of a part if that fails."""
        inputs = {value.name: array for value, array in run.space.arrays(point).items()} if hazards else {}
        again: dict[Hazard, Failure] = {}
        for whole in (True, False):
            left = [hazard for hazard in hazards if hazard not in again]
            if not left or (whole and not self.runs_whole):
                continue
            until = monotonic() + (max(1.0, self.seconds / 20) if whole else 1.0 + 5 * run.slowest)
            try:
                again |= happens(self.graph, left, inputs, whole=whole, flush=flush, deadline=until, loaded=self.loaded)
            except (OutOfTime, *ERRORS):
                self.runs_whole = self.runs_whole and not whole
        told, tries = FLUSHED if flush else REFERENCE, self.tries + run.tries
        return {
            hazard: Witness(inputs, seen.value, seen.operand, seen.outcome, told, tries)
            for hazard, seen in again.items()
        }
