"""The derivatives checked by running the program with inputs moved; where something is lost, that and its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from mlvet.analyses.provenance.answer import Answer
from mlvet.analyses.provenance.asking import asked
from mlvet.analyses.provenance.measuring import Ground, differs, explained_anew, measured
from mlvet.analyses.provenance.probing import CLOSE, FAR, NEAR, NEAR_ENOUGH, explains, explains_closely, lost_slope
from mlvet.analyses.provenance.question import Question
from mlvet.analyses.provenance.rules.amplifying_edge import AmplifyingEdge
from mlvet.analyses.provenance.rules.dominating_input import DominatingInput
from mlvet.analyses.provenance.rules.missing_dependency import MissingDependency
from mlvet.analyses.provenance.rules.reversed_dependency import ReversedDependency
from mlvet.core.errors import MlvetError
from mlvet.core.explanation import Break, Explanation

_BY_ABSENCE = (MissingDependency.name, ReversedDependency.name)
"""Findings that rest on derivatives of 0, which show nothing where the chain is lost."""
_BY_DERIVATIVE = (DominatingInput.name, AmplifyingEdge.name)
"""Findings that rest on derivatives which are measured anew."""


def checked(answer: Answer, question: Question, workers: int = 2) -> Answer:
    """The answer, with a note on each output that moves otherwise than its derivatives say, and those measured.

    Breaks that are seen to lose nothing are left out.
    """
    slopes = answer.probe.slopes
    if not answer.probe.direction or not slopes:
        return answer
    doubted = any(each.breaks for each in answer.explanations)
    steps = (FAR, -FAR) if doubted else (FAR,)
    with ThreadPoolExecutor(workers) as pool:
        ends = list(pool.map(lambda step: _values(answer, question, step), steps))
        if any(values is None for values in ends):
            return answer
        runs = list(zip(steps, ends, strict=True))
        unexplained = [name for name in slopes if not _explained(name, answer, runs)]
        if doubted:
            answer = _without_breaks(answer, set(slopes) - set(unexplained))
        if not unexplained:
            return answer
        more = tuple(step for step in (FAR, -FAR, NEAR, -NEAR) if step not in steps)
        runs += zip(more, pool.map(lambda step: _values(answer, question, step), more), strict=True)
    if any(values is None for _, values in runs):
        return answer
    agree = CLOSE if doubted else NEAR_ENOUGH
    seen = {
        name: lost_slope(slope, answer.values[name], [(step, (values or {}).get(name)) for step, values in runs], agree)
        for name, slope in slopes.items()
        if name in unexplained
    }
    lost = {name: slope for name, slope in seen.items() if slope is not None}
    hidden = [name for name in unexplained if doubted and name not in lost]
    return _told(answer, question, lost, hidden) if lost or hidden else answer


def _explained(name: str, answer: Answer, runs: Sequence[tuple[float, dict[str, float] | None]]) -> bool:
    """Whether an output moves as its derivatives say; closely, where runs to both sides were made."""
    slope, before = answer.probe.slopes[name], answer.values[name]
    ends = [(values or {}).get(name) for _, values in runs]
    if len(ends) == 1:
        return explains(slope, before, ends[0], FAR)
    return explains_closely(slope, before, ends[0], ends[1], FAR)


def _without_breaks(answer: Answer, whole: Set[str]) -> Answer:
    """The answer without the breaks of outputs to which nothing was lost; an input that was not moved may be."""
    if len(answer.probe.direction) < len(answer.ground.inputs) or not answer.ground.inputs:
        return answer
    explanations = [replace(each, breaks=()) if each.output in whole else each for each in answer.explanations]
    return replace(answer, explanations=explanations)


def _told(answer: Answer, question: Question, lost: Mapping[str, float], hidden: Sequence[str]) -> Answer:
    """The answer with what is lost, where, and with derivatives that are measured where that can be done.

    Of `hidden` outputs a jump or a kink hides whether anything is lost; what is measured shows it.
    """
    asked_for = {name: answer.values[name] for name in (*lost, *hidden)}
    again = (measured(answer.ground, question, asked_for, _runs) or Ground()).derivatives
    differing = {name for name in hidden if differs(answer.ground, name, again.get(name, {}))}
    places = _places(question) if lost or differing else ()

    def mended(explanation: Explanation) -> Explanation:
        name = explanation.output
        if name not in lost and name not in differing:
            return explanation
        placed = _with_places(explanation, places)
        if found := again.get(name):
            return _mended(placed, answer.ground, found, question)
        return _noted(placed, lost[name], answer.probe.slopes[name])

    return replace(answer, explanations=[mended(each) for each in answer.explanations])


def _with_places(explanation: Explanation, places: tuple[Break, ...]) -> Explanation:
    known = {(each.path, each.line) for each in explanation.breaks}
    breaks = (*explanation.breaks, *(each for each in places if (each.path, each.line) not in known))
    findings = tuple(each for each in explanation.findings if each.rule not in _BY_ABSENCE)
    return replace(explanation, breaks=breaks, findings=findings)


def _noted(explanation: Explanation, seen: float, slope: float) -> Explanation:
    note = (
        f"the chain is lost on the way: runs with many inputs moved by {FAR:.2g} of them change the output by "
        f"{seen * FAR:.3g}, where the derivatives say {slope * FAR:.3g}; inputs may act otherwise than told"
    )
    return replace(explanation, notes=(*explanation.notes, note + _nowhere(explanation)))


def _nowhere(explanation: Explanation) -> str:
    if explanation.breaks:
        return ""
    return ". No call of the program shows where: look for rounding, compiled code, text, files, threads"


def _mended(explanation: Explanation, ground: Ground, found: Mapping[str, float], question: Question) -> Explanation:
    """The explanation with what was measured."""
    left = len(ground.inputs) - len(found)
    of = f"by {len(found):,} of {len(ground.inputs):,} inputs" if left else "by all inputs"
    note = f"the chain is lost on the way, so derivatives {of} are measured: by runs with one moved after the other"
    if left:
        note += "; by the others the output has a kink or a jump, or the program does not take them moved"
    findings = tuple(each for each in explanation.findings if each.rule not in _BY_DERIVATIVE)
    made = explained_anew(explanation, ground, found, question.top)
    return replace(made, notes=(*made.notes, note + _nowhere(explanation)), findings=findings)


def _runs(question: Question) -> list[dict[str, float] | None]:
    try:
        return asked(question).runs
    except MlvetError:
        return []


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
