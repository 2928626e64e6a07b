"""Looks for inputs inside of the assumed ranges for which hazards really happen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from time import monotonic

import numpy as np

from mlvet.analyses.numerics.hazard import Hazard
from mlvet.analyses.numerics.ranges import Assumed
from mlvet.analyses.numerics.witness.execution import OutOfTime, needed_part
from mlvet.analyses.numerics.witness.found import FLUSHED, REFERENCE, Witness
from mlvet.analyses.numerics.witness.guided import Guide
from mlvet.analyses.numerics.witness.points import random_points, special_points
from mlvet.analyses.numerics.witness.replay import happens
from mlvet.analyses.numerics.witness.space import Point, Space, spaces
from mlvet.analyses.numerics.witness.trial import ERRORS, Outlook, Trial, arises_here, trial
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
        if hazard in left:
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
    tries: int = 0
    runs_whole: bool = True

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
        seconds_best: list[Trial] = []
        worked = False
        for space in spaces(self.graph, needed, self.ranges, self.types):
            if monotonic() > deadline:
                break
            run = self._prepared(space, hazards, deadline)
            if run is None:
                return
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

    def _prepared(self, space: Space, hazards: Sequence[Hazard], deadline: float) -> Trial | None:
        try:
            return trial(self.graph, space, hazards, deadline)
        except ERRORS:
            return None

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
        for hazard, outlook in outlooks.items():
            if outlook.failure is not None:
                self._settled(run, point, hazard, outlook)
            elif outlook.flushed and hazard not in self.lesser:
                witness = self._witness(run, point, hazard, flush=True)
                if witness is not None:
                    self.lesser[hazard] = witness

    def _settled(self, run: Trial, point: Point, hazard: Hazard, outlook: Outlook) -> bool:
        """Whether a failure is one that counts; it then becomes the witness of its hazard."""
        failed = outlook.failure
        if failed is None or (failed.foreign and not arises_here(run, point, hazard)):
            return False
        witness = self._witness(run, point, hazard, flush=False)
        if witness is None:
            return False
        self.found[hazard] = witness
        run.hazards = [each for each in run.hazards if each is not hazard]
        return True

    def _witness(self, run: Trial, point: Point, hazard: Hazard, *, flush: bool) -> Witness | None:
        """The witness at a point if a fresh execution, of the whole graph if it runs, shows the hazard again."""
        inputs = {value.name: array for value, array in run.space.arrays(point).items()}
        again = None
        if self.runs_whole:
            try:
                until = monotonic() + max(1.0, self.seconds / 20)
                again = happens(self.graph, hazard, inputs, whole=True, flush=flush, deadline=until)
            except (OutOfTime, *ERRORS):
                self.runs_whole = False
        if again is None:
            try:
                again = happens(self.graph, hazard, inputs, flush=flush)
            except (OutOfTime, *ERRORS):
                return None
        if again is None:
            return None
        told = FLUSHED if flush else REFERENCE
        return Witness(inputs, again.value, again.operand, again.outcome, told, self.tries + run.tries)
