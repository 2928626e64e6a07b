"""What runs of a graph show against an analysis of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from watched_runs import Extent, Step, Watched

from mlvet.analyses.numerics.hazard import Verdict
from mlvet.domains.intervals import Interval
from mlvet.ir.graph import Graph, Node, Value

GUARDS = frozenset({"where", "select"})


class Judged(Protocol):
    """The part of an analysis that a run can refute."""

    @property
    def intervals(self) -> Any: ...
    @property
    def verdicts(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Violation:
    """A run in which something happened that the analysis excludes.

    `kind` is `failure` (NaN or infinity out of a node called safe), `escape` (a number outside the interval of the
    result), `entry` (a number outside the interval of what enters a region), or `guard` (a failure called guarded that
    reached an output). `after` says that another node had failed before, in a way the analysis had foreseen.
    """

    kind: str
    node: Node | None
    value: Value
    extent: Extent
    interval: Interval
    operands: tuple[tuple[Value, Extent, Interval | None], ...]
    run: Watched
    after: bool

    def __str__(self) -> str:
        name = f"{self.node.op} @{self.node.name}" if self.node is not None else "region"
        found = f"{_shown(self.extent)} outside {self.interval}"
        reads = ", ".join(f"{value}: {_shown(extent)} in {interval}" for value, extent, interval in self.operands)
        notes = " (flushed)" * self.run.flushed + " (after a foreseen failure)" * self.after
        return f"{self.kind} at {name}{notes}: {self.value} has {found}; operands {reads or 'none'}"


def _shown(extent: Extent) -> str:
    numbers = f"{extent.low!r}..{extent.high!r}" if extent.low <= extent.high else "no number"
    return numbers + " and NaN" * extent.nan


def inside(extent: Extent, interval: Interval | None) -> bool:
    """Whether all elements lie in an interval; zero may stand for any number that was flushed to it."""
    if interval is None:
        return True
    if extent.nan and not interval.nan:
        return False
    return _numbers_inside(extent.low, extent.high, extent.tiny, interval)


def _numbers_inside(low: float, high: float, tiny: float, interval: Interval) -> bool:
    if low > high:
        return True
    above = low >= interval.low or (low == 0 and interval.low < tiny)
    below = high <= interval.high or (high == 0 and interval.high > -tiny)
    return above and below and not interval.empty


def violations(graph: Graph, analysis: Judged, runs: Iterable[Watched]) -> Iterator[Violation]:
    """Everything in the runs that the analysis excludes; what comes of a violation counts as after a failure."""
    for run in runs:
        yield from _Refutation(graph, analysis, run).violations()


class _Refutation:
    """One run held against the analysis: which values come of a failure, foreseen or guarded."""

    def __init__(self, graph: Graph, analysis: Judged, run: Watched) -> None:
        self.graph = graph
        self.intervals = analysis.intervals
        self.verdicts = analysis.verdicts
        self.run = run
        self.failed: set[Value] = set()
        self.guarded: set[Value] = set()
        self.any_failed = False

    def violations(self) -> Iterator[Violation]:
        for step in self.run.steps:
            yield from self._entry(step) if step.node is None else self._node(step, step.node)
        for value in self.graph.outputs:
            if value in self.guarded and not self.run.error:
                maker = next(node for node in self.graph.body.nodes if value in node.outputs)
                step = next(step for step in reversed(self.run.steps) if step.node is maker)
                yield self._violation("guard", step, value, dict(step.results)[value], after=False)

    def _entry(self, step: Step) -> Iterator[Violation]:
        for value, extent in step.results:
            self.failed.discard(value)
            self.guarded.discard(value)
            if self.any_failed:
                self.failed.add(value)
            elif not inside(extent, self.intervals.get(value)):
                yield self._violation("entry", step, value, extent, after=False)

    def _node(self, step: Step, node: Node) -> Iterator[Violation]:
        verdict = self.verdicts.get(node, Verdict.UNKNOWN)
        outside = [value for value, extent in step.operands if not inside(extent, self.intervals.get(value))]
        after = any(value in self.failed for value, _ in step.operands)
        if node.regions:
            after = after or self.any_failed
        held_back = bool(outside) and all(value in self.guarded for value in outside)
        judged = not outside or (held_back and node.op in GUARDS)
        for value, extent in step.results:
            interval = self.intervals.get(value)
            held = inside(extent, interval)
            if judged and interval is not None and not (node.regions and after):
                if verdict is Verdict.SAFE and self._fails(step, extent, node):
                    yield self._violation("failure", step, value, extent, after)
                elif not (held if verdict is Verdict.SAFE else self._finite_inside(extent, interval)):
                    yield self._violation("escape", step, value, extent, after)
            guarded = (held_back and not judged) or verdict is Verdict.GUARDED
            self._remember(value, held, judged, after, guarded)

    def _fails(self, step: Step, extent: Extent, node: Node) -> bool:
        """NaN out of numbers or infinities, or infinity out of finite numbers."""
        if node.op in GUARDS or node.regions:
            return False
        nan = any(operand.nan for _, operand in step.operands)
        infinite = any(operand.infinite for _, operand in step.operands)
        return (extent.nan and not nan) or (extent.infinite and not infinite and not nan)

    def _finite_inside(self, extent: Extent, interval: Interval) -> bool:
        return _numbers_inside(extent.finite_low, extent.finite_high, extent.tiny, interval)

    def _remember(self, value: Value, held: bool, judged: bool, after: bool, guarded: bool) -> None:
        self.failed.discard(value)
        self.guarded.discard(value)
        if judged and held and not after:
            return
        if guarded and not held and not after:
            self.guarded.add(value)
            return
        self.failed.add(value)
        self.any_failed = True

    def _violation(self, kind: str, step: Step, value: Value, extent: Extent, after: bool) -> Violation:
        operands = tuple((operand, held, self.intervals.get(operand)) for operand, held in step.operands)
        interval = self.intervals[value]
        return Violation(kind, step.node, value, extent, interval, operands, self.run, after)
