"""How often a mutant is given an edit, and how often the edit undoes the mutation."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.shapes.bases import programs
from benchmarks.shapes.detection import Job
from benchmarks.shapes.judging import in_processes
from benchmarks.shapes.mutants import mutants
from benchmarks.shapes.mutations import OPERATORS
from benchmarks.table import Table
from mlvet.core.finding import Finding
from mlvet.core.fix import apply_edits
from mlvet.core.grade import Certainty, Severity

COMMAND = "python -m benchmarks.shapes --corpora DIR --only fixes"


def offered(job: Job) -> str:
    """What the errors of a changed program are offered: the original text, another edit, words or nothing."""
    assert job.text is not None
    with TemporaryDirectory(prefix="shape-fix-") as name:
        folder = Path(name).resolve()
        entry = job.program.write(job.corpora, folder, job.text)
        changed = folder / job.program.files[0]
        errors = list(_errors(folder, dict.fromkeys((entry, changed))))
    if not errors:
        return "not found"
    shown = changed.relative_to(folder).as_posix()
    fixes = [each.fix for each in errors if each.fix is not None]
    edits = [fix for fix in fixes if fix.edits]
    mine = [fix for fix in edits if all(edit.location.path == shown for edit in fix.edits)]
    if any(_is_same(apply_edits(job.text, [fix])[0], job.program.text(job.corpora)) for fix in mine):
        return "the original"
    return "another edit" if edits else "words" if fixes else "nothing"


def _errors(folder: Path, files: Iterable[Path]) -> Iterator[Finding]:
    from mlvet.core.source import Source
    from mlvet.programs import Program, distinct, vet_program

    found: list[tuple[str, Finding]] = []
    for file in files:
        shown = file.relative_to(folder).as_posix()
        source = Source(shown, file.read_text(encoding="utf-8", errors="replace"))
        found += ((shown, finding) for finding in vet_program(Program(file, source, folder)).findings)
    for each in distinct(found):
        if each.severity is Severity.ERROR and each.certainty.at_least(Certainty.LIKELY):
            yield each


def _is_same(one: str, other: str) -> bool:
    """Whether two texts are the same program, but for spaces and comments."""
    return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))


def main(corpora: Path, processes: int) -> Table:
    """The table, of the mutants that are not held out."""
    by_name = {program.name: program for program in programs()}
    chosen = [(mutant, text) for mutant, text, _ in mutants(corpora) if not mutant.held_out]
    found = in_processes(offered, [Job(by_name[mutant.program], corpora, text) for mutant, text in chosen], processes)
    told = [(mutant.operator, each) for (mutant, _), each in zip(chosen, found, strict=True)]
    rows = [_row(name, [each for operator, each in told if operator == name]) for name in OPERATORS]
    rows.append(_row("all that were looked at", [each for _, each in told]))
    return Table(
        "shapes-fixes",
        "Shape errors: edits that are offered for mutants",
        COMMAND,
        ("mutation", "mutants", "the original", "another edit", "words", "nothing", "not found"),
        rows,
        ("Another edit makes the program one in which nothing is found; it may do the same as the original.",),
    )


def _row(name: str, told: list[str]) -> tuple[object, ...]:
    counts = Counter(told)
    kinds = ("the original", "another edit", "words", "nothing", "not found")
    return name, counts.total(), *(counts[each] for each in kinds)
