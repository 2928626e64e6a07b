"""One model file from its bytes to findings: read, infer, judge."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mlvet.core.config import Config
from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.core.executor import Died, Executor, Failed, Ok, TimedOut
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.result import Problem
from mlvet.core.rule import did_you_mean
from mlvet.report.summary import counted

if TYPE_CHECKING:
    from mlvet.analyses.numerics.request import NumericsRequest
    from mlvet.analyses.shapes.inference import Inference
    from mlvet.ir.graph import Graph

_SPARE = 4 << 30
_COPIES = 4
_LISTED = 12


@dataclass(frozen=True, slots=True)
class Job:
    """A model file; `named` says that the user asked for it, so that it must be a model.

    `numerics` is what the numerics engine is asked, the same for all files.
    """

    path: Path
    shown: str
    named: bool = True
    numerics: NumericsRequest | None = None


@dataclass(slots=True)
class Outcome:
    """What came of some model files.

    `passed_over` counts files of a folder that only look like models. `figures` are those of the numerics engine by
    name, `unfollowed` the operators whose numbers it cannot follow. `inputs` and `parameters` are the names that
    ranges can be given to, `meant` and `sampled` the user's ranges and arrays that are of one of them; all are empty
    if the user gives none.
    """

    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    analysed: int = 0
    unanalysed: Counter[str] = field(default_factory=Counter)
    files: int = 0
    passed_over: int = 0
    figures: Counter[str] = field(default_factory=Counter)
    unfollowed: Counter[str] = field(default_factory=Counter)
    inputs: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    meant: set[str] = field(default_factory=set)
    sampled: set[str] = field(default_factory=set)

    def add(self, other: Outcome) -> None:
        self.findings += other.findings
        self.problems += other.problems
        self.notes += other.notes
        self.analysed += other.analysed
        self.unanalysed += other.unanalysed
        self.files += other.files
        self.passed_over += other.passed_over
        self.figures += other.figures
        self.unfollowed += other.unfollowed
        self.inputs += other.inputs
        self.parameters += other.parameters
        self.meant |= other.meant
        self.sampled |= other.sampled


def vet_model(job: Job) -> Outcome:
    """Every static analysis of one model file."""
    from mlvet.frontends.models import AMBIGUOUS, read_model

    try:
        graph = read_model(job.path, job.shown)
    except UnsupportedInput as error:
        if not job.named and job.path.suffix in AMBIGUOUS:
            return Outcome(passed_over=1)
        return Outcome(problems=[Problem(job.shown, str(error))])
    except RecursionError:
        return Outcome(problems=[Problem(job.shown, "nested too deeply to be read")])
    return vet_graph(graph, job.shown, job.numerics)


def vet_graph(graph: Graph, shown: str, numerics: NumericsRequest | None) -> Outcome:
    """Every static analysis of one graph, without that of its numbers if nothing is asked of them."""
    from mlvet.analyses.catalogue import catalogue
    from mlvet.analyses.shapes.inference import infer
    from mlvet.analyses.shapes.judgement import findings

    inference = infer(graph)
    outcome = Outcome(
        findings=list(findings(graph, inference, catalogue())),
        notes=[f"{shown}: {note}" for note in (*graph.notes, *inference.failures)],
        analysed=inference.analysed,
        unanalysed=inference.unanalysed,
        files=1,
    )
    if not any(True for _ in graph.nodes()):
        outcome.notes.append(f"{shown}: the model has no operators, so there was nothing to analyse")
    if numerics is not None:
        outcome.add(_numerics(graph, inference, numerics, shown))
    return outcome


def graph_numerics(graph: Graph, request: NumericsRequest, shown: str) -> Outcome:
    """What the numerics engine says of the graph of a program."""
    from mlvet.analyses.shapes.inference import infer

    return _numerics(graph, infer(graph), request, shown)


def _numerics(graph: Graph, inference: Inference, request: NumericsRequest, shown: str) -> Outcome:
    """What the numerics engine says of a graph."""
    from mlvet.analyses.catalogue import catalogue
    from mlvet.analyses.numerics.telling.judgement import findings

    judged = findings(graph, inference, catalogue(), request, _witness_folder(shown or graph.name))
    asked = bool(request.given.names)
    return Outcome(
        findings=judged.findings,
        problems=[Problem(shown, refusal) for refusal in judged.refusals],
        notes=[f"{shown}: {note}" for note in judged.notes],
        inputs=[value.name for value in graph.inputs] if asked else [],
        parameters=[parameter.name for parameter in graph.parameters] if asked else [],
        meant=judged.meant,
        sampled=judged.sampled,
        figures=Counter(
            operators_analysed=judged.analysed,
            operators_unanalysed=sum(judged.unanalysed.values()),
            hazards=len(judged.findings),
            witnesses=sum(finding.certainty is Certainty.OBSERVED for finding in judged.findings),
        ),
        unfollowed=judged.unanalysed,
    )


def _witness_folder(shown: str) -> Path | None:
    """Where the witnesses of one model are kept, a part of the cache; None where nothing can be written."""
    from hashlib import sha256

    from mlvet.engine.cache import cache_folder

    mark = sha256(os.path.abspath(shown).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", Path(shown).name).strip("-.")[:60] or "model"
    try:
        return cache_folder() / "witnesses" / f"{name}-{mark}"
    except UsageError:
        return None


def vet_models(jobs: Iterable[Job], executor: Executor, timeout: float) -> Outcome:
    """Vet model files in workers, so that a file which exhausts time or memory stops nothing else."""
    waiting = sorted(jobs, key=lambda job: job.shown)
    together = Outcome()
    for outcome in executor.run(vet_model, waiting, timeout=timeout, memory=_memory(waiting)):
        match outcome:
            case Ok(_, value):
                together.add(value)
            case TimedOut(job, seconds):
                together.problems.append(Problem(job.shown, f"took more than {seconds:g} s"))
            case Died(job, cause):
                together.problems.append(Problem(job.shown, f"could not be analysed: {cause}"))
            case Failed(job, error, _):
                together.problems.append(Problem(job.shown, f"could not be analysed, a defect of mlvet: {error}"))
    together.notes += _coverage(together)
    return together


def require_names(outcome: Outcome, config: Config) -> None:
    """Raise UsageError if a range of the command line, or all arrays of the data file, are of no model's value."""
    known = [*outcome.inputs, *outcome.parameters]
    names = list(dict.fromkeys(outcome.inputs))
    rest = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    inputs = (", ".join(f"`{name}`" for name in names[:_LISTED]) or "none") + rest
    for name in sorted(config.asked_ranges - outcome.meant):
        what = "no input or parameter of a checked model has the name"
        raise UsageError(f"{what} `{name}`, for which a range is given{did_you_mean(name, known)} (inputs: {inputs})")
    if config.data is not None and not outcome.sampled:
        raise UsageError(f"{config.data}: no array has the name of an input or parameter (inputs: {inputs})")


def _memory(jobs: list[Job]) -> int:
    """How much a worker may take: some copies of the largest file, and room for the rest."""
    sizes = [os.path.getsize(job.path) for job in jobs if os.path.isfile(job.path)]
    return _COPIES * max(sizes, default=0) + _SPARE


def _coverage(outcome: Outcome) -> list[str]:
    """Notes on operators without a rule, on operators whose numbers are not followed if those are others, on files."""
    notes = []
    followed, left = outcome.figures["operators_analysed"], outcome.figures["operators_unanalysed"]
    if outcome.unanalysed and outcome.unanalysed == outcome.unfollowed:
        notes.append(f"operators without a rule, whose results can be anything: {_counted(outcome.unanalysed)}")
    elif outcome.unanalysed:
        notes.append(f"operators without a shape rule: {_counted(outcome.unanalysed)}")
    if (followed or left) and (followed != outcome.analysed or outcome.unanalysed != outcome.unfollowed):
        without = f"; not followed: {_counted(outcome.unfollowed)}" if left else ""
        notes.append(f"numerics: analysed {followed:,} of {counted(followed + left, 'operator')}{without}")
    if passed := outcome.passed_over:
        looks, was = ("looks", "was") if passed == 1 else ("look", "were")
        how = f"like {'a model by its name' if passed == 1 else 'models by their names'} only"
        notes.append(f"{counted(passed, 'file')} {looks} {how} and {was} passed over")
    return notes


def _counted(names: Counter[str]) -> str:
    listed = ", ".join(f"{name} ({count})" for name, count in names.most_common(8))
    rest = len(names) - 8
    return f"{listed}{f' and {rest} more' if rest > 0 else ''}"
