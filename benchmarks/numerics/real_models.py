"""Real models: how much of them is understood, how long it takes, and every alarm, judged by hand.

`judged.json` says of each alarm whether an input within the ranges makes it happen.

    python -m benchmarks.numerics.real_models [--search SECONDS] [part of a NAME ...]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.numerics.models import MODELS, real_subjects
from benchmarks.numerics.subjects import Subject
from benchmarks.table import Table
from mlvet.analyses.numerics import witness
from mlvet.analyses.numerics.analysis import Analysis, analyse
from mlvet.analyses.numerics.hazard import Hazard, Verdict
from mlvet.domains.dtypes import DType, Kind
from mlvet.ir.graph import Node, Value

HERE = Path(__file__).parent
RUNS = 3


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an alarm is true, and why."""

    verdict: str
    why: str


@dataclass(slots=True)
class Outcome:
    """What the analysis says of one model, and how long it took after reading."""

    subject: Subject
    analysis: Analysis
    seconds: float
    known: int
    reached: int
    fed_by_top: Counter[str]


def judgements() -> dict[str, dict[str, Judgement]]:
    """What was decided by hand, by model and by node and rule."""
    path = HERE / "judged.json"
    document = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {model: {key: Judgement(**told) for key, told in alarms.items()} for model, alarms in document.items()}


def key(hazard: Hazard) -> str:
    """The name of an alarm in `judged.json`."""
    return f"{hazard.node.name} {hazard.rule}{' gradient' if hazard.backward else ''}"


def measured(subject: Subject, runs: int = RUNS) -> Outcome:
    """Analyse a model some times and look at what is known of every operator that can run."""
    times = []
    for _ in range(runs):
        start = time.thread_time()
        analysis = analyse(subject.graph, subject.inference, subject.ranges)
        times.append(time.thread_time() - start)
    reached = [node for node in subject.graph.nodes() if node in analysis.verdicts]
    tops = {value for node in reached for value in node.outputs if _is_top(subject, analysis, value)}
    tops |= {value for value in subject.ranges if _is_top(subject, analysis, value)}
    known = sum(not any(value in tops for value in node.outputs) for node in reached)
    return Outcome(subject, analysis, statistics.median(times), known, len(reached), _fed(reached, tops, analysis))


def _is_top(subject: Subject, analysis: Analysis, value: Value) -> bool:
    """Whether a value can be every finite number of its element type; a truth value is always one of two."""
    dtype: DType | None = subject.inference.type_of(value).dtype
    interval = analysis.intervals.get(value)
    if dtype is None or interval is None:
        return True
    if dtype.kind in (Kind.TEXT, Kind.BOOL):
        return False
    return interval.low <= dtype.least and interval.high >= dtype.largest


def _fed(reached: Sequence[Node], tops: set[Value], analysis: Analysis) -> Counter[str]:
    """How many operators take a value that can be anything, by the operator that first could yield anything."""
    producers = {value: node for node in reached for value in node.outputs}
    causes: dict[Value, str] = {}
    fed: Counter[str] = Counter()
    for node in reached:
        given = [value for value in node.inputs if value is not None and value in tops]
        for value in given:
            causes.setdefault(value, _own(producers.get(value), value, analysis))
        if given:
            fed[causes[given[0]]] += 1
        for value in node.outputs:
            if value in tops:
                passed = given and analysis.verdicts[node] is not Verdict.HAZARD
                causes[value] = causes[given[0]] if passed else _own(node, value, analysis)
    return fed


def _own(node: Node | None, value: Value, analysis: Analysis) -> str:
    if node is None:
        return f"input {value.name}"
    how = {Verdict.UNKNOWN: "no rule", Verdict.HAZARD: "overflowed"}.get(
        analysis.verdicts[node], "bounds reach the limits"
    )
    return f"{node.name} ({node.op}: {how})"


def main(wanted: Sequence[str] = (), search: float = 0.0) -> Table:
    """One row per model, and one for all."""
    chosen = [one for one in real_subjects() if not wanted or any(word in one.name for word in wanted)]
    outcomes = [measured(one) for one in chosen]
    judged = judgements()
    rows = [_row(each.subject.name, [each], judged) for each in outcomes]
    rows.append(_row("all", outcomes, judged))
    columns = (
        "model", "operators", "never reached", "without a rule", "known", "fed by top", "alarms", "true", "false",
        "open", "alarms by rule", "s",
    )  # fmt: skip
    remarks = [
        "Operators: those that have results, in all regions. Never reached: in branches that are not taken with these "
        "ranges, or in functions that nothing calls. Known: the share of the reached operators whose results are all "
        "tighter than their element type; at least 97 % are asked for. Seconds: processor time of the analysis after "
        f"reading, the median of {RUNS} runs; at most 5 for 1,500 operators.",
        "Ranges: " + "; ".join(_told_ranges(chosen)) + ".",
        *(f"Fed by top in {name}: {told}." for name, told in _told_tops(outcomes)),
        *(f"Failures of rules in {each.subject.name}: {'; '.join(each.analysis.failures)}." for each in outcomes
          if each.analysis.failures),
        *_alarms(outcomes, judged, search),
    ]  # fmt: skip
    command = "python -m benchmarks.numerics.real_models"
    return Table("numerics-models", "Real models", command, columns, rows, remarks)


def _row(label: str, outcomes: Sequence[Outcome], judged: dict[str, dict[str, Judgement]]) -> list[Any]:
    hazards = [(each.subject.name, hazard) for each in outcomes for hazard in each.analysis.hazards]
    verdicts = Counter(_judged(judged, name, hazard).verdict for name, hazard in hazards)
    rules = Counter(hazard.rule for _, hazard in hazards)
    reached = sum(each.reached for each in outcomes)
    times = [each.seconds for each in outcomes]
    operators = sum(sum(1 for node in each.subject.graph.nodes() if node.outputs) for each in outcomes)
    return [
        label,
        operators,
        operators - reached,
        sum(each.analysis.unanalysed.total() for each in outcomes),
        f"{100 * sum(each.known for each in outcomes) / max(1, reached):.1f} %",
        sum(each.fed_by_top.total() for each in outcomes),
        len(hazards),
        verdicts["true"],
        verdicts["false"],
        verdicts["open"],
        ", ".join(f"{rule} {count}" for rule, count in rules.most_common()),
        f"{times[0]:.2f}" if len(times) == 1 else f"median {statistics.median(times):.2f}, most {max(times):.2f}",
    ]


def _judged(judged: dict[str, dict[str, Judgement]], name: str, hazard: Hazard) -> Judgement:
    return judged.get(name, {}).get(key(hazard), Judgement("open", ""))


def _told_ranges(chosen: Sequence[Subject]) -> list[str]:
    told: dict[str, list[str]] = {}
    for model in MODELS:
        if any(one.name == model.name for one in chosen):
            bounds = ", ".join(f"`{name}` {low:g}:{high:g}" for name, (low, high) in model.ranges.items())
            told.setdefault(f"{bounds} ({model.why})", []).append(model.name)
    if any(one.name.startswith("transformers/") for one in chosen):
        told.setdefault("`input_ids` within the table (the export has no other input)", []).append("transformers")
    return [f"{', '.join(names)}: {text}" for text, names in told.items()]


def _told_tops(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str]]:
    for each in outcomes:
        if each.fed_by_top:
            yield each.subject.name, ", ".join(f"{count} by {cause}" for cause, count in each.fed_by_top.most_common(8))


def _alarms(outcomes: Sequence[Outcome], judged: dict[str, dict[str, Judgement]], search: float) -> Iterator[str]:
    """A line for every alarm, with its judgement, and with a witness if one is searched for."""
    for each in outcomes:
        hazards = each.analysis.hazards
        found = _witnesses(each.subject, hazards, search) if hazards and search else {}
        for hazard in hazards:
            what = "result" if hazard.operand is None else f"operand {hazard.operand}"
            told = _judged(judged, each.subject.name, hazard)
            seen = f" Witness: {found[hazard].outcome} at {found[hazard].value}." if hazard in found else ""
            verdict = f"{told.verdict}: {told.why}" if told.why else told.verdict
            yield (
                f"- {each.subject.name} `{key(hazard)}` ({hazard.node.op}), {what} in {hazard.interval}, "
                f"{hazard.outcome.value}. **{verdict}**{seen}"
            )


def _witnesses(subject: Subject, hazards: Sequence[Hazard], seconds: float) -> dict[Hazard, witness.Witness]:
    return witness.search(subject.graph, hazards, subject.ranges, subject.inference.types, seconds=seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", type=float, default=0.0, help="seconds per model for witnesses of its alarms")
    parser.add_argument("wanted", nargs="*")
    options = parser.parse_args()
    print(main(options.wanted, options.search).markdown())
