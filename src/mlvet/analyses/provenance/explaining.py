"""Answers to a question: replay, sweep, shares, flips, findings."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from mlvet.analyses.provenance.flips import Unstable, flip, unstable
from mlvet.analyses.provenance.influence import first, histogram, influences
from mlvet.analyses.provenance.outputs import Output, outputs, specifications
from mlvet.analyses.provenance.question import Question
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.core.errors import UsageError
from mlvet.core.explanation import Explanation, Flip
from mlvet.runtime.provenance.log import read
from mlvet.runtime.provenance.predicates import PREDICATES, Deciding, Place
from mlvet.runtime.provenance.replaying import Replay
from mlvet.runtime.provenance.specification import inputs_of
from mlvet.runtime.provenance.tape import TAPE


def answers(question: Question) -> dict[str, Any]:
    """All explanations as plain data."""
    seen: list[tuple[bool, float]] = []
    replay = replayed(question, seen)
    found = outputs(question.of, replay)
    if question.changed or question.forced:
        return {"values": {each.name: each.value for each in found}, "seen": seen}
    if not replay.found.count:
        raise UsageError(_no_inputs(replay))
    sweeps = Sweeps.of(TAPE.parts, TAPE.size)
    turning: list[Unstable] = []
    if question.delta is not None:
        turning = unstable(PREDICATES.all(), sweeps, replay.found, question.delta, question.max_derivative)
    flips = tuple(flip(each, replay.found) for each in turning[: question.flips])
    explanations = [explained(each, question, replay, sweeps, flips) for each in found]
    return {
        "explanations": [asdict(each) for each in explanations],
        "unstable": [_plain(each, replay) for each in turning[: question.flips]],
        "entries": sweeps.entries,
    }


def _plain(each: Unstable, replay: Replay) -> dict[str, Any]:
    return {
        "place": each.place, "ordinal": each.predicate.ordinal, "outcome": each.predicate.outcome,
        "margin": each.predicate.margin,
        "input": replay.found.name(each.input), "change": each.change,
    }  # fmt: skip


def replayed(question: Question, seen: list[tuple[bool, float]]) -> Replay:
    """The program run again; outcomes and margins of watched comparisons are added to the list."""
    log = read(question.log)
    deciding: dict[Place, dict[int, Deciding]] = {}
    for *place, ordinal in question.forced:
        deciding.setdefault(tuple(place), {})[ordinal] = lambda outcome, margin: not outcome  # type: ignore[arg-type]
    for *place, ordinal in question.watched:
        deciding.setdefault(tuple(place), {})[ordinal] = _watching(seen)  # type: ignore[arg-type]
    replay = Replay(log, inputs_of(question.inputs), specifications(question.of), question.changed, deciding)
    replay.run()
    return replay


def _watching(seen: list[tuple[bool, float]]) -> Deciding:
    def watch(outcome: bool, margin: float) -> bool:
        seen.append((outcome, margin))
        return outcome

    return watch


def _no_inputs(replay: Replay) -> str:
    if replay.found.refused:
        kinds = ", ".join(sorted(replay.found.refused))
        return f"the inputs hold no numbers: {kinds}"
    if replay.inputs:
        return "the program never came to where the inputs are assigned"
    return "no inputs: name them with --inputs NAME@FUNCTION:LINE, or mark them with mlvet.provenance.input"


def explained(output: Output, question: Question, replay: Replay, sweeps: Sweeps, flips: tuple[Flip, ...]) -> Explanation:
    """Why one output is what it is."""
    adjoint = sweeps.backward({output.place: 1.0} if output.place else {})
    found = influences(output.value, adjoint, replay.found)
    listed, residual = first(found, replay.found, question.top)
    return Explanation(
        output=output.name, value=output.value, influences=listed, inputs=replay.found.count, residual_share=residual,
        flips=flips, histogram=histogram(found.shares), notes=tuple(_notes(replay)),
    )  # fmt: skip


def _notes(replay: Replay) -> list[str]:
    notes = []
    log = replay.log
    if replay.difference is not None:
        notes.append(f"the replay left the path of the traced run: {replay.difference}")
    if log.footer is None:
        notes.append(f"the traced run did not end: {log.ending}")
    elif log.footer.how == "exception":
        notes.append(f"the traced run ended by {log.footer.exception}")
    return notes
