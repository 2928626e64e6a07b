"""How many mutants are found, and how many of the programs they are made from are wrongly accused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.shapes.bases import Program, programs
from benchmarks.shapes.judging import Judged, in_processes, judged
from benchmarks.shapes.mutants import Mutant, mutants
from benchmarks.shapes.mutations import OPERATORS
from benchmarks.table import Table

COMMAND = "python -m benchmarks.shapes --corpora DIR --only mutants"


@dataclass(frozen=True, slots=True)
class Job:
    """A program, changed by a mutant or not."""

    program: Program
    corpora: Path
    text: str | None = None


def run(job: Job) -> Judged:
    """Judge the file that is run and the one that is changed, in a copy of the program."""
    with TemporaryDirectory(prefix="shape-mutant-") as name:
        folder = Path(name).resolve()
        entry = job.program.write(job.corpora, folder, job.text)
        return judged(folder, dict.fromkeys((entry, folder / job.program.files[0])))


def verdict(mutant: Mutant, found: Judged) -> str:
    """found: one finding, at the line that fails or that made the failing operator, with shapes in its message."""
    if found.error:
        return "error"
    assert mutant.failing is not None
    places = {mutant.failing, *((path, line) for path, line, _ in mutant.named)}
    there = [each for each in found.errors if each.is_at(places)]
    if not there:
        return "elsewhere" if found.errors else "missed"
    if len(found.errors) > 1:
        return "found with others"
    return "found" if "[" in there[0].message else "found without shapes"


def main(corpora: Path, processes: int, held_out: bool) -> Table:
    """The table; the mutants that are held out are looked at only if asked for."""
    by_name = {program.name: program for program in programs()}
    chosen = [(mutant, text) for mutant, text, _ in mutants(corpora) if held_out or not mutant.held_out]
    jobs = [Job(by_name[mutant.program], corpora, text) for mutant, text in chosen]
    found = in_processes(run, jobs, processes)
    told = [(mutant, verdict(mutant, each)) for (mutant, _), each in zip(chosen, found, strict=True)]
    rows = [_row(name, [(m, v) for m, v in told if m.operator == name and not m.held_out]) for name in OPERATORS]
    rows.append(_row("all that were looked at", [(m, v) for m, v in told if not m.held_out]))
    if held_out:
        rows.append(_row("held out until the end", [(m, v) for m, v in told if m.held_out]))
    accused = _accused(corpora, processes)
    return Table(
        "shapes-mutants",
        "Shape errors: mutants of correct programs",
        COMMAND + (" --held-out" if held_out else ""),
        ("mutation", "mutants", "found", "share", "with others", "elsewhere", "missed"),
        rows,
        (f"{len(accused)} of the {len(by_name)} originals get a finding. {', '.join(accused)}".strip(),),
        {"not found": [[m.id, v] for m, v in told if v != "found" and not m.held_out]},
    )


def _row(name: str, told: Iterable[tuple[Mutant, str]]) -> tuple[object, ...]:
    counts = Counter(v for _, v in told)
    total = counts.total()
    share = f"{100 * counts['found'] / total:.1f} %" if total else ""
    others = counts["found with others"] + counts["found without shapes"]
    return name, total, counts["found"], share, others, counts["elsewhere"], counts["missed"] + counts["error"]


def _accused(corpora: Path, processes: int) -> list[str]:
    """The originals that are told something."""
    jobs = [Job(program, corpora) for program in programs()]
    found = in_processes(run, jobs, processes)
    return [job.program.name for job, each in zip(jobs, found, strict=True) if each.errors or each.error]
