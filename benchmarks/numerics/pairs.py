"""The corpus of pairs: every bug alarmed at its node, with an executed witness, and no alarm on what is sound.

Every hazard counts, as with `--min-certainty possible`, those of gradients too.

    python -m benchmarks.numerics.pairs [FORM or part of a NAME ...]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.numerics.corpus import FORMS
from benchmarks.numerics.subjects import Subject, corpus_subjects
from benchmarks.table import Table, mlvet
from mlvet.analyses.numerics import witness
from mlvet.analyses.numerics.analysis import Analysis, analyse
from mlvet.analyses.numerics.hazard import Hazard

WITNESS_SECONDS = 3.0
SAMPLED = 12
"""Cases that are put to the command as well."""


@dataclass(slots=True)
class Outcome:
    """What the analysis says of one case. `missed` are nodes without the alarm that is due, `excess` alarms not due."""

    subject: Subject
    analysis: Analysis
    seconds: float
    missed: list[str] = field(default_factory=list)
    excess: list[Hazard] = field(default_factory=list)
    witnessed: bool = False
    searching: float = 0.0

    @property
    def kind(self) -> str:
        case = self.subject.case
        assert case is not None
        return "buggy" if case.buggy else "fixed" if case.twin else "safe"


def judged(subject: Subject, seconds: float = WITNESS_SECONDS) -> Outcome:
    """Analyse a case, hold the alarms against what it claims, and look for a witness where one is due."""
    case = subject.case
    assert case is not None
    start = time.perf_counter()
    analysis = analyse(subject.graph, subject.inference, subject.ranges)
    outcome = Outcome(subject, analysis, time.perf_counter() - start)
    due = [hazard for hazard in analysis.hazards if hazard.node.name in case.nodes and hazard.backward == case.backward]
    outcome.missed = sorted(case.nodes - {hazard.node.name for hazard in due})
    right = case.nodes | case.follow if case.buggy else frozenset()
    outcome.excess = [hazard for hazard in analysis.hazards if hazard.node.name not in right]
    if due:
        start = time.perf_counter()
        graph, ranges, types = subject.graph, subject.ranges, subject.inference.types
        found = witness.search(graph, due, ranges, types, seconds=seconds)
        outcome.searching = time.perf_counter() - start
        outcome.witnessed = case.nodes <= {hazard.node.name for hazard in found}
    return outcome


def main(*wanted: str) -> Table:
    """One row per form, and one for all."""
    forms = tuple(form for form in FORMS if form in wanted) or FORMS
    words = [word for word in wanted if word not in FORMS]
    chosen = [each for each in corpus_subjects(forms) if not words or any(word in each.name for word in words)]
    outcomes = [judged(subject) for subject in chosen]
    rows = [_row(form, [each for each in outcomes if each.subject.group == form]) for form in forms]
    rows.append(_row("all", outcomes))
    columns = (
        "form", "buggy", "alarmed at every node due", "with an executed witness", "alarms beyond", "fixed",
        "fixed with an alarm", "safe patterns", "safe with an alarm", "operators without a rule", "median s", "most s",
    )  # fmt: skip
    return Table("numerics-pairs", "Numerical bugs and their cures", _COMMAND, columns, rows, _remarks(outcomes))


_COMMAND = "python -m benchmarks.numerics.pairs"


def _row(label: str, outcomes: Sequence[Outcome]) -> list[Any]:
    buggy, fixed, safe = ([each for each in outcomes if each.kind == kind] for kind in ("buggy", "fixed", "safe"))
    seen = sum(each.witnessed for each in buggy)
    times = sorted(each.seconds for each in outcomes) or [0.0]
    return [
        label,
        len(buggy),
        sum(not each.missed for each in buggy),
        f"{seen} ({100 * seen / max(1, len(buggy)):.1f} %)",
        sum(len(each.excess) for each in buggy),
        len(fixed),
        sum(bool(each.excess) for each in fixed),
        len(safe),
        sum(bool(each.excess) for each in safe),
        sum(each.analysis.unanalysed.total() for each in outcomes),
        f"{times[len(times) // 2]:.3f}",
        f"{times[-1]:.2f}",
    ]


def _remarks(outcomes: Sequence[Outcome]) -> list[str]:
    missed = [f"{each.subject.name} at {', '.join(each.missed)}" for each in outcomes if each.missed]
    bare = [each.subject.name for each in outcomes if each.kind == "buggy" and not each.witnessed]
    beyond = [_alarms(each) for each in outcomes if each.kind == "buggy" and each.excess]
    wrong = [_alarms(each) for each in outcomes if each.kind != "buggy" and each.excess]
    broken = [f"{each.subject.name}: {text}" for each in outcomes for text in each.analysis.failures]
    families = Counter(each.subject.case.family for each in outcomes if each.subject.case and each.kind == "buggy")
    rules = Counter(hazard.rule for each in outcomes if each.kind == "buggy" for hazard in each.analysis.hazards)
    remarks = [
        "Asked for: every bug alarmed at its node, at least 95 % of them with an executed witness, no alarm on a fixed "
        f"or safe one. A witness is searched for {WITNESS_SECONDS:g} s and counts if it was executed and, where a bug "
        "has several nodes, if each has one. Beyond: alarms of buggy models at nodes where none is due.",
        f"Not alarmed: {_listed(missed)}.",
        f"Without a witness: {_listed(bare)}.",
        f"Beyond: {_listed(beyond)}.",
        f"Alarms on sound models: {_listed(wrong)}.",
        f"Bugs by family: {_counted(families)}.",
        f"Alarms on buggy models by rule: {_counted(rules)}.",
    ]
    if broken:
        remarks.append(f"Failures of rules: {_listed(broken)}.")
    return [*remarks, *commanded(outcomes)]


def _alarms(outcome: Outcome) -> str:
    told = ", ".join(
        f"{hazard.rule} at {hazard.node.name}{' (gradient)' if hazard.backward else ''} {hazard.interval}"
        for hazard in outcome.excess
    )
    return f"{outcome.subject.name} ({told})"


def _listed(texts: Sequence[str]) -> str:
    return "; ".join(texts) or "none"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


def commanded(outcomes: Sequence[Outcome]) -> list[str]:
    """The same verdicts by the command for every so many-th buggy and sound case; what differs is told."""
    sample = []
    for buggy in (True, False):
        some = [outcome for outcome in outcomes if (outcome.kind == "buggy") == buggy]
        step = max(1, 2 * len(some) // SAMPLED)
        sample += some[step // 2 :: step][: SAMPLED // 2]
    differing = []
    observed = 0
    for outcome in sample:
        case = outcome.subject.case
        assert case is not None
        ranges = [f"--range={name}={low!r}:{high!r}" for name, (low, high) in case.ranges.items()]
        seconds = ["--witness-seconds", f"{WITNESS_SECONDS:g}"]
        document = mlvet(str(outcome.subject.path), *ranges, *seconds, "--min-certainty", "possible", "--exit-zero")
        findings = [each for each in document["findings"] if (each["evidence"] or {}).get("kind") == "numerics"]
        told = {each["location"]["node"] for each in findings}
        expected = {hazard.node.name for hazard in outcome.analysis.hazards}
        seen = {each["location"]["node"] for each in findings if each["certainty"] == "observed"}
        observed += case.buggy and case.nodes <= seen
        if told != expected:
            differing.append(f"{outcome.subject.name} (command {sorted(told)}, analysis {sorted(expected)})")
    count = sum(outcome.kind == "buggy" for outcome in sample)
    return [
        f"`mlvet check --min-certainty possible` on {len(sample)} of the cases, {count} of them buggy: alarms at other "
        f"nodes than here in {_listed(differing)}; {observed} of the buggy ones are `observed` at every node due."
    ]


if __name__ == "__main__":
    table = main(*sys.argv[1:])
    print(table.markdown())
