"""The six combinations of abstractions, with and without the ranges of inputs and of parameters.

python -m benchmarks.numerics.ablation [--limit SECONDS] [--only corpus|real]
"""

from __future__ import annotations

import argparse
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

from benchmarks.numerics.causes import CAUSES, Reasons
from benchmarks.numerics.models import real_subjects
from benchmarks.numerics.real_models import judgements, key
from benchmarks.numerics.subjects import Subject, corpus_subjects
from benchmarks.table import Table
from mlvet.analyses.numerics.analysis import Analysis, analyse
from mlvet.analyses.numerics.assumptions.ranges import Assumed, by_dtype
from mlvet.analyses.numerics.settings import NumericAbstraction, Settings, TensorAbstraction
from mlvet.ir.graph import Constant, Graph, Parameter, Value

LIMIT = 60.0
"""Seconds after which an analysis is given up."""
RANGES = {"all ranges": (True, True), "no input ranges": (False, True), "no parameter ranges": (True, False),
          "no ranges": (False, False)}  # fmt: skip


class _OutOfTime(BaseException):
    """Not an Exception, so that the analysis does not take it for a defect of a rule."""


@dataclass(slots=True)
class Tally:
    """What one combination does with the graphs of one group."""

    found: int = 0
    alarms: int = 0
    on_sound: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    open: int = 0
    seconds: float = 0.0
    given_up: list[str] = field(default_factory=list)


def main(limit: float = LIMIT, only: str = "") -> Table:
    """One row per group, combination and choice of ranges."""
    rows: list[list[Any]] = []
    given_up: list[str] = []
    groups = {"corpus": corpus_subjects, "real": real_subjects}
    for group, load in groups.items():
        if only in ("", group):
            subjects = load()
            reasons = {subject.name: Reasons(subject) for subject in subjects}
            for ranges, (inputs, parameters) in RANGES.items():
                chosen = [without(subject, inputs=inputs, parameters=parameters) for subject in subjects]
                for settings in combinations():
                    tally = tallied(chosen, reasons, settings, limit)
                    label = f"{settings.tensor.value}, {settings.numeric.value}"
                    rows.append(_row(group, ranges, label, tally, stated=inputs and parameters))
                    given_up += [f"{name} ({label}, {ranges})" for name in tally.given_up]
    columns = (
        "models", "ranges", "abstraction",
        "bugs alarmed", "sound ones alarmed", "alarms", "false", *CAUSES, "not judged", "s", "given up",
    )  # fmt: skip
    remarks = [
        "False on the corpus: alarms on fixed and safe graphs, and on buggy ones at nodes where none is due. False on "
        "real models: what `judged.json` says, and each alarm of a weaker combination that the default does not give; "
        "without the stated ranges the truth is another one, so those are not judged. The corpus is judged by the "
        "truth of the stated ranges throughout: what is false without them is what the ranges are worth. Bugs: of all "
        "buggy graphs, those alarmed at every node due. Sound ones: fixed and safe graphs with an alarm.",
        "Without input ranges every input can be any finite number of its element type; without parameter ranges every "
        "variable and every stored weight can (floats of more than one element; indices and scalars stay as they are).",
        "Causes, the first that holds: " + (_causes() or ""),
        "Seconds are processor time of all analyses of the row together. "
        f"Given up after {limit:g} s: {'; '.join(given_up) or 'none'}.",
    ]
    command = "python -m benchmarks.numerics.ablation"
    return Table("numerics-ablation", "Abstractions and ranges", command, columns, rows, remarks)


def _causes() -> str:
    from benchmarks.numerics import causes

    text = (causes.__doc__ or "").partition("The first that holds: ")[2]
    return " ".join(text.split())


def combinations() -> list[Settings]:
    """All six, the default first."""
    return [Settings(tensor, numeric) for tensor in TensorAbstraction for numeric in NumericAbstraction]


def without(subject: Subject, *, inputs: bool, parameters: bool) -> Subject:
    """The subject with the ranges of inputs, of parameters, or of both replaced by those of their element types."""
    ranges = dict(subject.ranges)
    graph = subject.graph
    if not inputs:
        ranges |= {value: _anything(subject, value) for value in graph.inputs if value in ranges}
    if not parameters:
        weights = _stored_weights(graph)
        graph = replace(graph, parameters=(*graph.parameters, *weights))
        free = [each.value for each in graph.parameters if each.data is None or _is_weight(each)]
        ranges |= {value: _anything(subject, value) for value in free}
    return replace(subject, graph=graph, ranges=ranges)


def _anything(subject: Subject, value: Value) -> Assumed:
    return by_dtype(subject.inference.type_of(value))


def _stored_weights(graph: Graph) -> list[Parameter]:
    """The weights that a file has among its constants."""
    constants = [constant for region in graph.regions() for constant in region.constants]
    return [
        Parameter(each.value, each.value.name, data=each.data, trainable=False)
        for each in constants
        if _is_weight(each)
    ]


def _is_weight(stored: Constant | Parameter) -> bool:
    return stored.data is not None and stored.data.dtype.is_float and stored.data.size > 1


def tallied(subjects: Sequence[Subject], reasons: dict[str, Reasons], settings: Settings, limit: float) -> Tally:
    """Analyse the graphs with one combination and count."""
    tally = Tally()
    judged = judgements()
    for subject in subjects:
        start = time.thread_time()
        analysis = limited(subject, settings, limit)
        tally.seconds += time.thread_time() - start
        if analysis is None:
            tally.given_up.append(subject.name)
            continue
        case = subject.case
        tally.alarms += len(analysis.hazards)
        tally.on_sound += bool(analysis.hazards) and case is not None and not case.buggy
        right = case.nodes | case.follow if case is not None and case.buggy else frozenset()
        if case is not None and case.buggy:
            alarmed = {hazard.node.name for hazard in analysis.hazards}
            tally.found += case.nodes <= alarmed
        for hazard in analysis.hazards:
            if case is None:
                told = judged.get(subject.name, {}).get(key(hazard))
                if told is not None and told.verdict == "true":
                    continue
                tally.open += told is None
            elif hazard.node.name in right:
                continue
            tally.causes[reasons[subject.name].of(hazard, analysis, settings)] += 1
    return tally


def limited(subject: Subject, settings: Settings, limit: float) -> Analysis | None:
    """The analysis, or None if it takes longer than so many seconds."""
    try:
        with _alarm(limit):
            return analyse(subject.graph, subject.inference, subject.ranges, settings)
    except _OutOfTime:
        return None


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(_number: int, _frame: FrameType | None) -> None:
        raise _OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _row(group: str, ranges: str, label: str, tally: Tally, *, stated: bool) -> list[Any]:
    told = group == "corpus" or stated
    figures = [tally.causes.total(), *(tally.causes[cause] for cause in CAUSES)] if told else [""] * (1 + len(CAUSES))
    of_corpus = [tally.found, tally.on_sound] if group == "corpus" else ["", ""]
    return [
        group, ranges, label, *of_corpus, tally.alarms, *figures,
        tally.open if told and group == "real" else "", f"{tally.seconds:.1f}", len(tally.given_up),
    ]  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds per analysis")
    parser.add_argument("--only", choices=("corpus", "real"), default="")
    options = parser.parse_args()
    print(main(options.limit, options.only).markdown())
