"""The derivatives checked by running the program with inputs moved; where something is lost, that and its place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from mlvet.analyses.provenance.answer import Answer
from mlvet.analyses.provenance.asking import asked
from mlvet.analyses.provenance.probing import FAR, NEAR, explains, lost_slope
from mlvet.analyses.provenance.question import Question
from mlvet.analyses.provenance.rules.missing_dependency import MissingDependency
from mlvet.analyses.provenance.rules.reversed_dependency import ReversedDependency
from mlvet.core.errors import MlvetError
from mlvet.core.explanation import Break, Explanation

_BY_ABSENCE = (MissingDependency.name, ReversedDependency.name)
"""Findings that rest on derivatives of 0, which show nothing where the chain is lost."""


def checked(answer: Answer, question: Question, workers: int = 2) -> Answer:
    """The answer, with a note on each output that moves otherwise than its derivatives say."""
    slopes = answer.probe.slopes
    if not answer.probe.direction or not slopes:
        return answer
    first = _values(answer, question, FAR)
    if first is None or all(
        explains(slope, answer.values[name], first.get(name), FAR) for name, slope in slopes.items()
    ):
        return answer
    with ThreadPoolExecutor(workers) as pool:
        others = list(pool.map(lambda step: _values(answer, question, step), (-FAR, NEAR, -NEAR)))
    runs = list(zip((FAR, -FAR, NEAR, -NEAR), (first, *others), strict=True))
    if any(values is None for _, values in runs):
        return answer
    seen = {
        name: lost_slope(slope, answer.values[name], [(step, (values or {}).get(name)) for step, values in runs])
        for name, slope in slopes.items()
    }
    lost = {name: slope for name, slope in seen.items() if slope is not None}
    if not lost:
        return answer
    places = _places(question)
    explanations = [
        _told(each, lost[each.output], slopes[each.output], places) if each.output in lost else each
        for each in answer.explanations
    ]
    return replace(answer, explanations=explanations)


def _told(explanation: Explanation, seen: float, slope: float, places: tuple[Break, ...]) -> Explanation:
    note = (
        f"the chain is lost on the way: runs with many inputs moved by {FAR:.2g} of them change the output by "
        f"{seen * FAR:.3g}, where the derivatives say {slope * FAR:.3g}; inputs may act otherwise than told"
    )
    if not places and not explanation.breaks:
        note += ". No call of the program shows where: look for rounding, compiled code, text, files, threads"
    known = {(each.path, each.line) for each in explanation.breaks}
    breaks = (*explanation.breaks, *(each for each in places if (each.path, each.line) not in known))
    findings = tuple(each for each in explanation.findings if each.rule not in _BY_ABSENCE)
    return replace(explanation, notes=(*explanation.notes, note), breaks=breaks, findings=findings)


def _values(answer: Answer, question: Question, step: float) -> dict[str, float] | None:
    """The outputs with the inputs moved; None if the program does not come so far with them."""
    try:
        return asked(replace(question, delta=None, paths=False, changed=answer.probe.moved(step))).values
    except MlvetError:
        return None


def _places(question: Question) -> tuple[Break, ...]:
    """The calls that take numbers with places and give back others without."""
    try:
        return tuple(asked(replace(question, delta=None, paths=False, losses=True)).losses)
    except MlvetError:
        return ()
