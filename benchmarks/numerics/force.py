"""Soundness by force: random graphs, analysed in every combination of abstractions and run at many points.

A run refutes an analysis if a node that was called safe yields NaN or infinity, or if a number lies outside the
interval of its value. Runs are made as written, and with subnormal numbers flushed to zero.

    python -m benchmarks.numerics.force --graphs 10000 --seed 0 --jobs 2 --combinations all
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, nextafter
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from random_boxes import POINTS, Array, Box, elements  # noqa: E402
from random_graphs import random_graph, shape_in_runs, vocabulary  # noqa: E402
from shrinking import Case, shrunk  # noqa: E402
from table import Table  # noqa: E402
from violations import Judged, Violation, violations  # noqa: E402
from watched_runs import Watched, watch  # noqa: E402

from mlvet.analyses.numerics.analysis import analyse  # noqa: E402
from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin  # noqa: E402
from mlvet.analyses.numerics.hazard import Verdict  # noqa: E402
from mlvet.analyses.numerics.settings import NumericAbstraction, Settings, TensorAbstraction  # noqa: E402
from mlvet.analyses.shapes.inference import Inference, infer  # noqa: E402
from mlvet.domains.dtypes import of  # noqa: E402
from mlvet.domains.intervals import Interval  # noqa: E402
from mlvet.ir.graph import Graph, Value  # noqa: E402
from mlvet.ir.text import to_text  # noqa: E402

FLUSHED = ("low", "high", "corners", "uniform", "magnitudes", "magnitudes", "near")
"""The points that are run once more with subnormal numbers flushed to zero."""
KEPT = 40
_MEMORY = 6 << 30
"""Violations that are shrunk and shown, at most, of each combination."""
Analyse = Callable[[Graph, Mapping[Value, Assumed], Settings], Judged]


@dataclass(slots=True)
class Tally:
    """What one combination of abstractions did on the graphs of one worker."""

    graphs: int = 0
    nodes: int = 0
    safe: int = 0
    unknown: int = 0
    executions: int = 0
    refuted: Counter[str] = field(default_factory=Counter)
    crashes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    reports: list[str] = field(default_factory=list)
    places: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        for name in ("graphs", "nodes", "safe", "unknown", "executions", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.refuted += other.refuted
        self.crashes += other.crashes
        self.reports += other.reports
        self.places += other.places


@dataclass(slots=True)
class Outcome:
    """The tallies by combination, and what all combinations share."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    operators: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    cut_short: int = 0
    drawing: float = 0.0
    running: float = 0.0

    def add(self, other: Outcome) -> None:
        for name, tally in other.tallies.items():
            self.tallies.setdefault(name, Tally()).add(tally)
        self.operators += other.operators
        self.runs += other.runs
        self.cut_short += other.cut_short
        self.drawing += other.drawing
        self.running += other.running


def combinations() -> dict[str, Settings]:
    """The six combinations by name."""
    return {f"{t.value}, {n.value}": Settings(t, n) for t in TensorAbstraction for n in NumericAbstraction}


def drawn(seed: int) -> tuple[Graph, dict[str, Box], np.random.Generator]:
    """The graph of a seed, its boxes, and the generator that its points come from."""
    rng = np.random.default_rng(seed)
    graph, ranges = random_graph(rng, int(rng.integers(3, 26)))
    return graph, ranges, rng


def points(
    graph: Graph, ranges: Mapping[str, Box], rng: np.random.Generator
) -> Iterator[tuple[dict[str, Array], bool]]:
    """The points of the boxes at which a graph is run."""
    free = [*graph.inputs, *(parameter.value for parameter in graph.parameters if parameter.data is None)]
    kinds = [(value.name, shape_in_runs(value.declared), value.declared.dtype) for value in free]
    for how, flushed in (*((how, False) for how in POINTS), *((how, True) for how in FLUSHED)):
        mixed = rng.random() < 0.4
        ways = [str(rng.choice(POINTS)) if mixed else how for _ in kinds]
        yield (
            {
                name: elements(way, rng, ranges[name], shape, dtype)
                for (name, shape, dtype), way in zip(kinds, ways, strict=True)
                if dtype is not None
            },
            flushed,
        )


def real_analysis(graph: Graph, ranges: Mapping[Value, Assumed], settings: Settings) -> Judged:
    """The analysis that is put to the test."""
    return analyse(graph, _types(graph), ranges, settings)


@lru_cache(maxsize=1)
def _types(graph: Graph) -> Inference:
    """The types that all combinations of one graph share."""
    return infer(graph)


def assumed(graph: Graph, ranges: Mapping[str, Box]) -> dict[Value, Assumed]:
    """The boxes as the user would give them."""
    values = [*graph.inputs, *(parameter.value for parameter in graph.parameters)]
    given = {value: ranges[value.name] for value in values if value.name in ranges}
    return {value: Assumed(_interval(*box), Origin.GIVEN, "drawn") for value, box in given.items()}


def _interval(low: float, high: float) -> Interval:
    """The box as an interval of floats, which lie outside where integers are too large to be floats."""
    least = float(low) if float(low) == low else nextafter(low, -inf)
    return Interval(least, float(high) if float(high) == high else nextafter(high, inf))


def force(seeds: Sequence[int], chosen: Sequence[str], analysis_of: Analyse = real_analysis) -> Outcome:
    """Draw the graphs of some seeds, run each at its points, and hold every combination against the runs."""
    outcome = Outcome({name: Tally() for name in chosen})
    settings = combinations()
    shown: set[tuple[int, str, str]] = set()
    for seed in seeds:
        start = time.perf_counter()
        graph, ranges, rng = drawn(seed)
        drawn_at = time.perf_counter()
        runs = [watch(graph, point, flushed=flushed) for point, flushed in points(graph, ranges, rng)]
        outcome.drawing += drawn_at - start
        outcome.running += time.perf_counter() - drawn_at
        outcome.operators.update(node.op for node in graph.nodes())
        outcome.runs += len(runs)
        outcome.cut_short += sum(bool(run.error) for run in runs)
        for name in chosen:
            _hold(seed, graph, ranges, runs, name, settings[name], analysis_of, outcome.tallies[name], shown)
    return outcome


def _hold(
    seed: int, graph: Graph, ranges: dict[str, Box], runs: list[Watched], name: str, settings: Settings,
    analysis_of: Analyse, tally: Tally, shown: set[tuple[int, str, str]],
) -> None:  # fmt: skip
    """Hold one combination against the runs of one graph; `shown` has what another combination showed already."""
    tally.graphs += 1
    start = time.perf_counter()
    try:
        analysis = analysis_of(graph, assumed(graph, ranges), settings)
    except Exception as problem:
        tally.crashes[f"{type(problem).__name__}: {problem}"[:120]] += 1
        if len(tally.reports) < KEPT:
            tally.reports.append(f"## seed {seed}, {name}: crash\n{_trace(problem)}")
        return
    finally:
        tally.seconds += time.perf_counter() - start
    verdicts = Counter(analysis.verdicts.get(node) for node in graph.nodes())
    tally.nodes += verdicts.total()
    tally.safe += verdicts[Verdict.SAFE]
    tally.unknown += verdicts[Verdict.UNKNOWN] + verdicts[None]
    tally.executions += sum(len(run.steps) for run in runs)
    found = sorted(violations(graph, analysis, runs), key=lambda violation: violation.after)
    if not found:
        return
    first = found[0]
    tally.refuted["after a foreseen failure" if first.after else first.kind] += 1
    place = first.kind + " (after)" * first.after, first.node.op if first.node is not None else "region"
    tally.places[place] += 1
    if len(tally.reports) < KEPT and (seed, *place) not in shown and tally.places[place] <= 2:
        shown.add((seed, *place))
        case = Case(graph, ranges, first.run.inputs, first)
        tally.reports.append(report(seed, name, shrunk(case, _shower(first, settings, analysis_of))))


def _shower(first: Violation, settings: Settings, analysis_of: Analyse) -> Any:
    """Whether a smaller graph shows a violation of the same kind at the same operator."""

    def shows(graph: Graph, ranges: dict[str, Box], point: Mapping[str, Array]) -> Violation | None:
        try:
            analysis = analysis_of(graph, assumed(graph, ranges), settings)
        except Exception:
            return None
        run = watch(graph, point, flushed=first.run.flushed)
        for violation in violations(graph, analysis, [run]):
            same = (violation.node.op if violation.node else "") == (first.node.op if first.node else "")
            if same and violation.kind == first.kind and violation.after == first.after:
                return violation
        return None

    return shows


def report(seed: int, combination: str, case: Case) -> str:
    """A violation in words, with the graph as text, its boxes and the point."""
    boxes = "\n".join(
        f"  {name} in [{low!r}, {high!r}]" for name, (low, high) in case.ranges.items() if name in case.point
    )
    used = {value.name for value in case.graph.inputs} | {p.value.name for p in case.graph.parameters}
    arrays = "\n".join(
        f"  {name} = {array.tolist()!r} ({of(array.dtype)})" for name, array in case.point.items() if name in used
    )
    return f"## seed {seed}, {combination}\n{case.violation}\nboxes\n{boxes}\npoint\n{arrays}\n{to_text(case.graph)}"


def _trace(problem: Exception) -> str:
    import traceback

    return "".join(traceback.format_exception(problem)[-4:])


def main(
    graphs: int = 10_000, seed: int = 0, jobs: int = 2, chosen: Sequence[str] = (), keep: Path | None = None
) -> Table:
    """One row per combination."""
    names = list(chosen) or list(combinations())
    start = time.perf_counter()
    whole = Outcome()
    for part in _parts(range(seed, seed + graphs), names, jobs):
        whole.add(part)
    spent = time.perf_counter() - start
    if keep is not None:
        keep.write_text(
            "\n\n".join(text for tally in whole.tallies.values() for text in tally.reports), encoding="utf-8"
        )
    return _table(whole, graphs, spent)


def _bound_memory() -> None:
    """Sizes that hang on data may ask for any amount: such a run is cut short, an analysis that does so crashes."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _parts(seeds: range, names: list[str], jobs: int) -> Iterator[Outcome]:
    if jobs < 2:
        yield force(seeds, names)
        return
    chunks = [seeds[first : first + 50] for first in range(0, len(seeds), 50)]
    with ProcessPoolExecutor(jobs, initializer=_bound_memory) as pool:
        yield from pool.map(force, chunks, [names] * len(chunks))


def _table(whole: Outcome, graphs: int, spent: float) -> Table:
    rows: list[list[Any]] = []
    for name, tally in whole.tallies.items():
        refuted = [tally.refuted[kind] for kind in ("failure", "escape", "entry", "guard", "after a foreseen failure")]
        share = f"{100 * tally.safe / max(1, tally.nodes):.1f} %"
        stopped = tally.crashes.total()
        time_each = f"{1000 * tally.seconds / max(1, tally.graphs):.1f} ms"
        rows.append(
            [name, tally.graphs, tally.nodes, tally.executions, share, tally.unknown, *refuted, stopped, time_each]
        )
    drawn_names = {op.name for op in vocabulary()}
    each = f"drawing {1000 * whole.drawing / graphs:.1f} ms, running {1000 * whole.running / graphs:.1f} ms"
    places: Counter[tuple[str, str]] = sum((tally.places for tally in whole.tallies.values()), Counter())
    crashes: Counter[str] = sum((tally.crashes for tally in whole.tallies.values()), Counter())
    remarks = [
        "failure: NaN or infinity at a node called safe. escape: a number outside the interval of its value. entry: "
        "the same for what enters a region. guard: a failure called guarded that reaches an output. foreseen: any of "
        "these in a run in which a node that was not called safe had failed before.",
        f"{len(drawn_names & set(whole.operators))} of {len(drawn_names)} operators that can be drawn and run, and "
        f"{', '.join(f'{name} {whole.operators[name]}' for name in ('if', 'loop', 'while', 'scan'))}. "
        f"{whole.runs} runs, {whole.cut_short} of them cut short by shapes that hang on data. Per graph: "
        f"{each}. {spent:.0f} s in all.",
        f"By place: {', '.join(f'{kind} at {op} {n}' for (kind, op), n in places.most_common(40)) or 'no violation'}.",
        f"Crashes: {', '.join(f'{text} {n}' for text, n in crashes.most_common(10)) or 'none'}.",
    ]
    columns = (
        "abstraction", "graphs", "nodes", "executions", "called safe", "unknown", "failure", "escape", "entry", "guard",
        "foreseen", "crashes", "analysis",
    )  # fmt: skip
    return Table("force", "Soundness by force", "python -m benchmarks.numerics.force", columns, rows, remarks)


def summary(table: Table) -> str:
    """One line: how many graphs, executions and violations."""
    violated, crashed = sum(sum(row[6:11]) for row in table.rows), sum(row[11] for row in table.rows)
    graphs, executions = table.rows[0][1], table.rows[0][3]
    told = f"{graphs} graphs, {executions} executions each, {len(table.rows)} combinations"
    return f"{told}: {violated} violations, {crashed} crashes"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first graph; the next ones have the next numbers")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--combinations", default="all", help="`all`, or those whose name contains this")
    parser.add_argument("--keep", type=Path, help="file for the violations, made small")
    parser.add_argument("--write", action="store_true", help="write the table to benchmarks/results and README.md")
    options = parser.parse_args()
    wanted = [name for name in combinations() if options.combinations == "all" or options.combinations in name]
    outcome = main(options.graphs, options.seed, options.jobs, wanted, options.keep)
    if options.write:
        outcome.write()
    print(summary(outcome))
    print(outcome.markdown())
