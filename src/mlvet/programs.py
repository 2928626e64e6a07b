"""One Python program from its text to findings: interpret, infer, judge."""

from __future__ import annotations

import os
import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlvet.core.errors import UnsupportedInput
from mlvet.core.executor import Died, Executor, Failed, Ok, TimedOut
from mlvet.core.finding import Finding
from mlvet.core.grade import Severity
from mlvet.core.result import Problem
from mlvet.core.source import Source
from mlvet.frontends.source import read_source

if TYPE_CHECKING:
    from mlvet.analyses.efficiency.host.outline import Outline
    from mlvet.analyses.efficiency.request import EfficiencyRequest
    from mlvet.analyses.numerics.request import NumericsRequest
    from mlvet.analyses.shapes.programs.contradictions import Contradiction
    from mlvet.frontends.python.program import Interpreted
    from mlvet.ir.graph import Graph
    from mlvet.ir.host import Span

_MEMORY = 4 << 30
_OWN_RULE = "own-rule"
"""The rule that tells what rules of the user report, which can be several things of one place."""
_ITERATIONS = 2
"""How many iterations of an unrolled loop are looked at for numbers that fail."""
_LIBRARIES = re.compile(
    r"^[ \t]*(?:import|from)[ \t]+"
    r"(?:torch|tensorflow|keras|tf_keras|jax|flax|numpy|einops|pytorch_lightning|lightning)\b",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Program:
    """A file of a program, the model files of the project, and what the engines are asked."""

    path: Path
    source: Source
    base: Path
    models: Mapping[str, Path] = field(default_factory=dict)
    numerics: NumericsRequest | None = None
    shapes: bool = True
    confirm: bool = False
    memory: int | None = None
    efficiency: EfficiencyRequest | None = None


@dataclass(slots=True)
class Outcome:
    """What came of some programs; `figures` count files, statements, paths, operators, constraints and unknowns."""

    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    figures: Counter[str] = field(default_factory=Counter)
    unknowns: Counter[str] = field(default_factory=Counter)
    unmodelled: Counter[str] = field(default_factory=Counter)
    inputs: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    meant: set[str] = field(default_factory=set)
    sampled: set[str] = field(default_factory=set)

    def add(self, other: Outcome) -> None:
        self.findings += other.findings
        self.problems += other.problems
        self.notes += other.notes
        self.figures += other.figures
        self.unknowns += other.unknowns
        self.unmodelled += other.unmodelled
        self.inputs += other.inputs
        self.parameters += other.parameters
        self.meant |= other.meant
        self.sampled |= other.sampled


def uses_tensors(source: Source) -> bool:
    """Whether a file imports a library of tensors, so that interpreting it can tell something."""
    return _LIBRARIES.search(source.text) is not None


def vet_program(program: Program) -> Outcome:
    """Every analysis of one program that rests on its interpretation."""
    from mlvet.frontends.python.program import interpret

    host = _outlined(program)
    found = interpret(
        program.source, program.path, program.base, models=program.models, hosting=host is not None,
        watched=frozenset() if host is None else host.watched,
    )  # fmt: skip
    shown = program.source.path
    outcome = Outcome(
        figures=Counter(
            files=1, statements=found.statements, statements_reached=found.reached, paths=found.paths,
            operators=sum(1 for _ in found.graph.nodes()), constraints=len(found.demands),
            incomplete=int(not found.complete),
        ),
        unknowns=Counter({reason.value: count for reason, count in found.unknowns.items()}),
        unmodelled=found.unmodelled,
        notes=[f"{shown}: {note}" for note in found.notes],
    )  # fmt: skip
    if program.shapes:
        with _kept_apart(shown, "shapes", outcome.problems.append):
            _judge_shapes(program, found, outcome)
    if host is not None and program.efficiency is not None:
        with _kept_apart(shown, "efficiency", lambda defect: outcome.notes.append(str(defect))):
            _judge_efficiency(program.efficiency, host, found, outcome)
    if program.numerics is not None and outcome.figures["operators"]:
        with _kept_apart(shown, "numbers", outcome.problems.append):
            _judge_numerics(program.numerics, found, shown, outcome)
    return outcome


@contextmanager
def _kept_apart(shown: str, what: str, tell: Callable[[Problem], object]) -> Iterator[None]:
    """A defect of mlvet in one analysis is told, and the findings of the others stay."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        if os.environ.get("MLVET_TRACEBACK"):
            traceback.print_exc()
        words = " ".join(f"{type(error).__name__}: {error}".split())
        tell(Problem(shown, f"its {what} could not be judged, a defect of mlvet: {words}"))


def _judge_shapes(program: Program, found: Interpreted, outcome: Outcome) -> None:
    from mlvet.analyses.catalogue import catalogue
    from mlvet.analyses.shapes.programs.analysis import vet
    from mlvet.analyses.shapes.suspicions.analysis import suspicions

    shapes = vet(found.graph, found.demanded, catalogue(), replays=program.confirm)
    failing = [each.location for each in shapes.findings if each.severity is Severity.ERROR]
    suggested = suspicions(found.graph, found.demanded, catalogue(), failing)
    outcome.findings += _remedied(program, found, [*shapes.findings, *suggested], shapes.contradictions)
    if program.memory is not None:
        from mlvet.analyses.shapes.memory.telling import memory_findings

        large, unknown = memory_findings(found.graph, found.demanded, catalogue(), program.memory)
        outcome.findings += large
        outcome.notes += [f"{program.source.path}: {note}" for note in unknown]
    outcome.figures += Counter({f"shape_{name}": count for name, count in shapes.figures.items()})


def _judge_efficiency(request: EfficiencyRequest, host: Outline, found: Interpreted, outcome: Outcome) -> None:
    from mlvet.analyses.catalogue import catalogue
    from mlvet.analyses.efficiency.analysis import vet as suggestions

    efficiency = suggestions(host, found.host, found.graph, found.demanded, catalogue(), request)
    outcome.findings += efficiency.findings
    outcome.notes += efficiency.notes
    outcome.figures += Counter({f"efficiency_{name}": count for name, count in efficiency.figures.items()})


def _judge_numerics(request: NumericsRequest, found: Interpreted, shown: str, outcome: Outcome) -> None:
    from mlvet.model_files import graph_numerics

    judged = graph_numerics(first_iterations(found.graph), request, shown)
    outcome.findings += judged.findings
    outcome.inputs += judged.inputs
    outcome.parameters += judged.parameters
    outcome.meant |= judged.meant
    outcome.sampled |= judged.sampled
    outcome.problems += judged.problems


def _outlined(program: Program) -> Outline | None:
    """The file taken apart, if the efficiency of the program is asked for."""
    if program.efficiency is None:
        return None
    from mlvet.analyses.efficiency.analysis import outline

    return outline(program.source)


def _remedied(
    program: Program, found: Interpreted, findings: list[Finding], contradictions: list[Contradiction]
) -> list[Finding]:
    """Findings with the edits that cure them, for programs whose text is as it is in the file."""
    if not findings or program.source.cells:
        return findings
    from mlvet.analyses.shapes.remedies.analysis import remedied
    from mlvet.frontends.python.program import interpret

    shown = program.source.path
    texts = {shown: program.source.text}
    places = [finding.location for finding in findings]
    places += [note.location for finding in findings for note in finding.related if note.location is not None]
    for path in sorted({place.path for place in places} - {shown}):
        with suppress(UnsupportedInput):
            texts[path] = read_source(program.base / path, path).text

    def reading(changed: Mapping[str, str], watched: frozenset[Span]) -> Interpreted:
        source = replace(program.source, text=changed.get(shown, program.source.text))
        return interpret(
            source, program.path, program.base, models=program.models, texts=changed, watched=watched
        )  # fmt: skip

    causes = {id(finding): each for finding, each in zip(findings, contradictions, strict=False)}
    return remedied(findings, causes, found, texts, reading)


def first_iterations(graph: Graph) -> Graph:
    """A graph without the later iterations of unrolled loops that nothing else needs; they repeat the first ones."""
    from mlvet.ir.slice import backward

    late = [node for node in graph.body.nodes if any((each.index or 0) >= _ITERATIONS for each in node.loops)]
    if not late:
        return graph
    left = set(late)
    return backward(graph, [value for node in graph.body.nodes if node not in left for value in node.outputs])


def distinct(findings: Iterable[tuple[str, Finding]]) -> list[Finding]:
    """One finding per place and rule, the surest; programs that share a module tell of it alike.

    Where a program shows what is wrong in a module that it uses, what the module alone shows is not told as well: it is
    the same, seen with arguments of which nothing is known.
    """
    told = list(findings)
    shown = {each.location.path for program, each in told if each.location.path != program and _is_shape_error(each)}
    best: dict[object, Finding] = {}
    for program, finding in told:
        if program == finding.location.path and program in shown and _is_shape_error(finding):
            continue
        key = (finding.rule, finding.location, finding.message if finding.rule == _OWN_RULE else "")
        if key not in best or finding.certainty.rank > best[key].certainty.rank:
            best[key] = finding
    return list(best.values())


def _is_shape_error(finding: Finding) -> bool:
    return finding.code.startswith("SHP") and finding.severity is Severity.ERROR


def vet_programs(programs: Iterable[Program], executor: Executor, timeout: float) -> Outcome:
    """Vet programs in workers, so that one which exhausts time or memory stops nothing else."""
    waiting = sorted(programs, key=lambda program: program.source.path)
    together = Outcome()
    findings: list[tuple[str, Finding]] = []
    for outcome in executor.run(vet_program, waiting, timeout=timeout, memory=_MEMORY):
        match outcome:
            case Ok(program, value):
                findings += ((program.source.path, finding) for finding in value.findings)
                together.add(value)
            case TimedOut(program, seconds):
                together.notes.append(
                    f"{program.source.path}: interpreting it took more than {seconds:g} s, so it was left out"
                )
            case Died(program, cause):
                together.notes.append(f"{program.source.path}: could not be interpreted: {cause}")
            case Failed(program, error, _):
                words = f"could not be interpreted, a defect of mlvet: {error}"
                together.problems.append(Problem(program.source.path, words))
    together.findings = distinct(findings)
    if any(program.confirm for program in waiting):
        from mlvet.analyses.shapes.programs.confirmation import confirmed

        together.findings = confirmed(together.findings)
    return together
