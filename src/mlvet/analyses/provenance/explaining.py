"""Answers to a question: replay, sweep, shares, flips, findings."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mlvet.analyses.provenance.answer import Answer, Turning
from mlvet.analyses.provenance.directions import ground, probe
from mlvet.analyses.provenance.findings import Origin, findings, unused
from mlvet.analyses.provenance.flips import Unstable, flip, unstable
from mlvet.analyses.provenance.hidden import Compared, rounding_notes, roundings
from mlvet.analyses.provenance.influence import Influences, first, histogram, influences, scales
from mlvet.analyses.provenance.outputs import Output, outputs, specifications
from mlvet.analyses.provenance.pairs import MEMORY, pairs
from mlvet.analyses.provenance.paths import graph_of, stopped
from mlvet.analyses.provenance.question import Question
from mlvet.analyses.provenance.study import Study
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.core.explanation import Break, Explanation, Flip, Influence, Link, Vertex
from mlvet.core.finding import Finding
from mlvet.core.location import Location
from mlvet.runtime.provenance.breaks import BREAKS
from mlvet.runtime.provenance.capture import parameters
from mlvet.runtime.provenance.labels import LABELS
from mlvet.runtime.provenance.log import read
from mlvet.runtime.provenance.nan_origins import ORIGINS
from mlvet.runtime.provenance.predicates import PREDICATES, Deciding, Place
from mlvet.runtime.provenance.replaying import Replay
from mlvet.runtime.provenance.roundings import ROUNDINGS
from mlvet.runtime.provenance.specification import inputs_of
from mlvet.runtime.provenance.tape import TAPE, Step

_ONE_BY_ONE = 24
"""Outputs that get all there is to tell; those after them only their first inputs."""
_STUDIED = 300_000
"""Inputs up to which findings are looked for: each needs its name."""


_OFFERED = 6
"""Parameters of functions that are offered as inputs."""
_UNFOLLOWED = {
    "thread": "the program starts threads, which are not followed: what they compute may be attributed wrongly",
    "fork": "the program starts processes, which are not followed",
}


def answered(question: Question) -> Answer:
    """The answer to a question; the program is run in this process."""
    answer = Answer()
    began = time.process_time()
    replay = replayed(question, answer.seen)
    answer.seconds = time.process_time() - began
    if question.origins:
        answer.origins = list(ORIGINS)
        return answer
    if question.losses:
        answer.losses = _breaks()
        return answer
    if replay.stopped is not None and (question.changed or question.forced):
        raise UnsupportedInput(f"the replay stops: {replay.stopped}")
    found = _outputs(question, replay)
    answer.values = {each.name: each.value for each in found}
    if question.changed or question.forced:
        return answer
    if not replay.found.count:
        raise UsageError(_no_inputs(replay))
    sweeps = Sweeps.of(TAPE.parts, TAPE.size)
    answer.entries = sweeps.entries
    turning: list[Unstable] = []
    if question.delta is not None and question.flips:
        turning = unstable(
            PREDICATES.all(), sweeps, replay.found, question.delta, question.max_derivative, relative=question.relative
        )
    turning = turning[: question.flips]
    answer.turning = [_told(each, replay) for each in turning]
    flips = tuple(flip(each, replay.found) for each in turning)
    cut = stopped(sweeps, LABELS) if question.paths else None
    rows = []
    for output in found[:_ONE_BY_ONE]:
        explanation, row = explained(output, question, replay, sweeps, flips, cut)
        answer.explanations.append(explanation)
        rows.append(row)
    for place, (one, notes) in enumerate(_findings(found[:_ONE_BY_ONE], rows, question, replay, sweeps)):
        before = answer.explanations[place]
        answer.explanations[place] = replace(before, findings=one, notes=(*before.notes, *notes))
    if question.delta is not None:
        answer.probe = probe(found[:_ONE_BY_ONE], rows, replay.found)
        answer.ground = ground(found[:_ONE_BY_ONE], rows, replay.found)
    rest = found[_ONE_BY_ONE:]
    if any(isinstance(part, Step) for part in sweeps.parts):
        answer.explanations += (explained(each, question, replay, sweeps, flips, None)[0] for each in rest)
    elif rest:
        answer.explanations += explained_together(rest, question, replay, sweeps, flips)
    return answer


def _outputs(question: Question, replay: Replay) -> list[Output]:
    """The outputs; where there are none because the replay could not go on, that is the reason."""
    try:
        return outputs(question.of, replay)
    except UsageError as error:
        if replay.stopped is None:
            raise
        raise UnsupportedInput(f"the replay stops: {replay.stopped}; so {error}") from error


def explained_together(
    found: Sequence[Output], question: Question, replay: Replay, sweeps: Sweeps, flips: tuple[Flip, ...]
) -> list[Explanation]:
    """Many outputs in blocks: the first inputs of each and the share of all others."""
    inputs = replay.found
    values = inputs.all_values()
    top = question.top or inputs.count
    places = np.array([each.place for each in found], np.int64)
    together = pairs(sweeps, places, inputs.all_places(), scales(values, inputs), top, memory=question.memory or MEMORY)
    told = []
    for at, output in enumerate(found):
        listed = tuple(
            _influence(output, inputs.name(int(index)), float(values[index]), float(by), float(share))
            for index, by, share in zip(
                together.inputs[at], together.derivatives[at], together.shares[at], strict=True
            )
            if index >= 0 and (by or not question.top)
        )  # fmt: skip
        told.append(
            Explanation(
                output.name, output.value, listed, inputs.count, float(together.residual[at]), flips,
                breaks=tuple(_breaks()), notes=(*_notes(replay), *rounding_notes(ROUNDINGS)),
            )
        )  # fmt: skip
    return told


def _influence(output: Output, name: str, value: float, derivative: float, share: float) -> Influence:
    elasticity = derivative * value / output.value if output.value else math.nan
    return Influence(name, value, derivative, elasticity, share)


def replayed(question: Question, seen: list[tuple[bool, float]]) -> Replay:
    """The program run again; outcomes and margins of watched comparisons are added to the list."""
    deciding: dict[Place, dict[int, Deciding]] = {}
    for path, line, number, ordinal in question.forced:
        deciding.setdefault((path, line, number), {})[ordinal] = _other_side
    for path, line, number, ordinal in question.watched:
        deciding.setdefault((path, line, number), {})[ordinal] = _watching(seen)
    log = read(question.log)
    replay = Replay(
        log, inputs_of(question.inputs or log.header.inputs), specifications(question.of), question.changed, deciding,
        labels=question.paths, origins=question.origins, losses=question.losses,
    )  # fmt: skip
    replay.run()
    return replay


def _other_side(outcome: bool, margin: float) -> bool:
    del margin
    return not outcome


def _watching(seen: list[tuple[bool, float]]) -> Deciding:
    def watch(outcome: bool, margin: float) -> bool:
        seen.append((outcome, margin))
        return outcome

    return watch


def _told(each: Unstable, replay: Replay) -> Turning:
    place = (*each.place, each.predicate.ordinal)
    return Turning(place, each.predicate.outcome, each.predicate.margin, replay.found.name(each.input), each.change)


def _no_inputs(replay: Replay) -> str:
    if replay.found.refused:
        kinds = ", ".join(sorted(replay.found.refused))
        return f"the inputs hold no numbers: {kinds}"
    if replay.inputs:
        return "the program never came to where the inputs are assigned"
    there = parameters(replay.log.header.script)
    such = f", such as {', '.join(there[:_OFFERED])}" if there else ""
    return f"no inputs: name them with --inputs NAME@FUNCTION:LINE{such}, or mark them with mlvet.provenance.input"


def explained(
    output: Output, question: Question, replay: Replay, sweeps: Sweeps, flips: tuple[Flip, ...], cut: Sweeps | None
) -> tuple[Explanation, Influences]:
    """Why one output is what it is."""
    adjoint = sweeps.backward({output.place: 1.0} if output.place else {})
    found = influences(output.value, adjoint, replay.found)
    listed, residual = first(found, replay.found, question.top)
    tainted = None
    if question.taint:
        tainted = int(sweeps.tainted(output.place)[replay.found.all_places()].sum())
    vertices: tuple[Vertex, ...] = ()
    links: tuple[Link, ...] = ()
    if cut is not None:
        vertices, links = graph_of(output, sweeps, cut, adjoint, replay.found, LABELS)
    explanation = Explanation(
        output=output.name, value=output.value, influences=listed, inputs=replay.found.count, residual_share=residual,
        flips=flips, breaks=tuple(_breaks()), vertices=vertices, links=links, histogram=histogram(found.shares),
        tainted=tainted, notes=(*_notes(replay), *rounding_notes(roundings(adjoint))),
    )  # fmt: skip
    return explanation, found


def _breaks() -> list[Break]:
    return [Break(path, line, what, count) for (path, line, what), count in BREAKS.items()]


def _findings(
    found: Sequence[Output], rows: Sequence[Influences], question: Question, replay: Replay, sweeps: Sweeps
) -> list[tuple[tuple[Finding, ...], list[str]]]:
    """What is suspicious about the outputs, and notes; findings about several outputs are told at the first."""
    if replay.found.count > _STUDIED or not rows:
        return [((), []) for _ in rows]
    names = [replay.found.name(index) for index in range(replay.found.count)]
    results = np.array([each.value for each in found])
    origins: Sequence[Origin] = ()
    if np.isnan(results).any():
        from mlvet.analyses.provenance.asking import asked

        made = asked(replace(question, origins=True, delta=None, paths=False)).origins
        origins = [Origin(each.path, each.line, each.text, each.operands) for each in made]
    derivatives = np.array([each.derivatives for each in rows])
    study = Study(names, rows[0].values, [each.name for each in found], results, derivatives)
    location = Location(replay.log.header.script, 1)
    expected = tuple(dict.fromkeys(each.name for each in replay.inputs))
    idle = list(unused(study, expected))
    compared: Compared | None = None
    if idle or not derivatives.any(axis=1).all():
        compared = Compared.of(PREDICATES.all(), sweeps, replay.found.all_places())
    told = findings(
        study,
        location,
        origins=origins,
        expected=expected,
        compared=None if compared is None else compared.inputs,
        broken=bool(BREAKS) or replay.difference is not None or replay.log.footer is None,
    )
    by_output: list[list[Finding]] = [[] for _ in found]
    places = {each.name: place for place, each in enumerate(found)}
    for each in told:
        data = each.evidence.data if each.evidence else {}
        named = data.get("output") or next(iter(data.get("outputs", ())), None)
        by_output[places.get(str(named), 0)].append(each)
    notes = [[] for _ in found] if compared is None else compared.notes(study, idle)
    return [(tuple(one), many) for one, many in zip(by_output, notes, strict=True)]


def _notes(replay: Replay) -> list[str]:
    notes = []
    log = replay.log
    if replay.difference is not None:
        notes.append(f"the replay left the path of the traced run: {replay.difference}")
    elif replay.rerun is not None and replay.rerun.same_output is False:
        notes.append("the replay printed other text than the traced run: values may be others than they were")
    if log.footer is None:
        notes.append(f"the traced run did not end: {log.ending}")
    elif log.footer.how == "exception":
        notes.append(f"the traced run ended by {log.footer.exception}")
    counts = log.footer.counts if log.footer is not None else {}
    for kind, words in _UNFOLLOWED.items():
        if counts.get(kind) or log.of_kind(kind):
            notes.append(words)
    for kind, count in replay.found.refused.items():
        notes.append(f"{count:,} of the inputs hold no numbers: {kind}")
    return notes
