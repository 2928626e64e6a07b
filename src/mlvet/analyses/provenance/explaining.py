"""Answers to a question: replay, sweep, shares, flips, findings."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from mlvet.analyses.provenance.influence import first, histogram, influences
from mlvet.analyses.provenance.outputs import Output, outputs, specifications
from mlvet.analyses.provenance.question import Question
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.core.errors import UsageError
from mlvet.core.explanation import Explanation
from mlvet.runtime.provenance.log import read
from mlvet.runtime.provenance.replaying import Replay
from mlvet.runtime.provenance.specification import inputs_of
from mlvet.runtime.provenance.tape import TAPE


def answers(question: Question) -> dict[str, Any]:
    """All explanations as plain data."""
    replay = replayed(question)
    found = outputs(question.of, replay)
    if question.changed or question.forced:
        return {"values": {each.name: each.value for each in found}}
    if not replay.found.count:
        raise UsageError(_no_inputs(replay))
    sweeps = Sweeps.of(TAPE.parts, TAPE.size)
    explanations = [explained(each, question, replay, sweeps) for each in found]
    return {"explanations": [asdict(each) for each in explanations], "entries": sweeps.entries}


def replayed(question: Question) -> Replay:
    log = read(question.log)
    replay = Replay(log, inputs_of(question.inputs), specifications(question.of), question.changed)
    replay.run()
    return replay


def _no_inputs(replay: Replay) -> str:
    if replay.found.refused:
        kinds = ", ".join(sorted(replay.found.refused))
        return f"the inputs hold no numbers: {kinds}"
    if replay.inputs:
        return "the program never came to where the inputs are assigned"
    return "no inputs: name them with --inputs NAME@FUNCTION:LINE, or mark them with mlvet.provenance.input"


def explained(output: Output, question: Question, replay: Replay, sweeps: Sweeps) -> Explanation:
    """Why one output is what it is."""
    adjoint = sweeps.backward({output.place: 1.0} if output.place else {})
    found = influences(output.value, adjoint, replay.found)
    listed, residual = first(found, replay.found, question.top)
    return Explanation(
        output=output.name, value=output.value, influences=listed, inputs=replay.found.count, residual_share=residual,
        histogram=histogram(found.shares), notes=tuple(_notes(replay)),
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
