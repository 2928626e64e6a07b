"""The shape findings of a folder of programs, as `mlvet check` shows them, each folder in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import TypeVar

from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Told:
    """A finding without what a benchmark does not look at; `lines` are those of its place and of the run that fails."""

    path: str
    line: int
    rule: str
    certainty: str
    severity: str
    message: str
    lines: frozenset[tuple[str, int]]

    def is_at(self, places: Iterable[tuple[str, int]]) -> bool:
        return not self.lines.isdisjoint(places)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a folder's programs were told, and the processor seconds it took; `error` is a defect of mlvet."""

    told: tuple[Told, ...]
    seconds: float
    error: str = ""

    @property
    def errors(self) -> list[Told]:
        """What is shown by default, suggestions left out."""
        return [each for each in self.told if each.severity != Severity.SUGGESTION]


def judged(folder: Path, files: Iterable[Path]) -> Judged:
    """Interpret and judge some files of a folder."""
    from mlvet.core.source import Source
    from mlvet.programs import Program, distinct, vet_program

    started = time.process_time()
    found: list[tuple[str, Finding]] = []
    try:
        for file in files:
            shown = file.relative_to(folder).as_posix()
            source = Source(shown, file.read_text(encoding="utf-8", errors="replace"))
            found += ((shown, finding) for finding in vet_program(Program(file, source, folder)).findings)
    except Exception as error:
        return Judged((), time.process_time() - started, f"{type(error).__name__}: {error}")
    shown_by_default = [each for each in distinct(found) if each.certainty.at_least(Certainty.LIKELY)]
    return Judged(tuple(map(_told, shown_by_default)), time.process_time() - started)


def in_processes(function: Callable[[Job], Result], jobs: Iterable[Job], processes: int) -> Iterator[Result]:
    """The results in the order of the jobs; a process does a few jobs and is then replaced."""
    with Pool(processes, maxtasksperchild=20) as pool:
        yield from pool.imap(function, jobs)


def _told(finding: Finding) -> Told:
    place = finding.location
    last = place.end_line or place.line or 0
    lines = {(place.path, line) for line in range(place.line or 0, last + 1)}
    for related in finding.related:
        if related.location is not None and related.location.line is not None and _fails_too(related.message):
            lines.add((related.location.path, related.location.line))
    return Told(
        place.path, place.line or 0, finding.rule, finding.certainty.value, finding.severity.value, finding.message,
        frozenset(lines),
    )  # fmt: skip


def _fails_too(message: str) -> bool:
    """Whether a note names the call or run that raises, or another place with the same mismatch."""
    return message in ("this run fails", "the same mismatch is here") or message.endswith("is called here")
