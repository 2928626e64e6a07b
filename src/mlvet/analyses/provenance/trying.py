"""Unstable comparisons, tried: the program is run with the other side taken, and with the input moved so far."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from mlvet.analyses.provenance.answer import Answer, Turning
from mlvet.analyses.provenance.asking import asked
from mlvet.analyses.provenance.question import Question
from mlvet.core.errors import MlvetError
from mlvet.core.explanation import Explanation, Flip

_TRIES = 3
_BEYOND = 1e-6
"""By what part of the distance an input is moved beyond the point where a comparison should turn."""


def tried(answer: Answer, question: Question, workers: int = 2) -> Answer:
    """The answer with what its flips do: the jump of each output, and whether the input really turns them."""
    if not answer.turning:
        return answer
    with ThreadPoolExecutor(workers) as pool:
        forced = list(pool.map(lambda each: _run(replace(question, forced=(each.place,))), answer.turning))
        matters = [run is None or run.values != answer.values for run in forced]
        turned = list(pool.map(partial(_turns, question), answer.turning, matters))
    explanations = [
        replace(each, flips=tuple(map(partial(_flip, each), each.flips, forced, turned)))
        for each in answer.explanations
    ]
    return replace(answer, explanations=explanations)


def _flip(explanation: Explanation, flip: Flip, run: Answer | None, distance: float | None) -> Flip:
    other = None if run is None else run.values.get(explanation.output)
    jump = None if other is None else abs(other - explanation.value)
    known = flip.distance if distance is None else distance
    return replace(flip, jump=jump, confirmed=distance is not None, distance=known)


def _turns(question: Question, turning: Turning, matters: bool) -> float | None:
    """How far the input must move for the comparison to turn: the first-order distance, corrected by secants.

    A comparison whose other side changes no output is not tried.
    """
    if not matters:
        return None
    change = turning.change
    for _ in range(_TRIES):
        moved = {turning.input: change * (1 + _BEYOND)}
        run = _run(replace(question, changed=moved, watched=(turning.place,)))
        if run is None or not run.seen:
            return None
        outcome, margin = run.seen[0]
        if outcome != turning.outcome:
            return abs(change)
        if margin == turning.margin:
            return None
        change = change * turning.margin / (turning.margin - margin)
    return None


def _run(question: Question) -> Answer | None:
    try:
        return asked(replace(question, delta=None))
    except MlvetError:
        return None
