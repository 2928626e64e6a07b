"""What is told of repositories of programs that run, and how much of it is true."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.python.one_file import commit
from benchmarks.shapes.classification import Key, Verdict, line_hash, verdicts
from benchmarks.shapes.judging import Judged, Told, in_processes, judged
from benchmarks.table import Table
from mlvet.core.grade import Certainty, Severity

COMMAND = "python -m benchmarks.shapes --corpora DIR --only corpora"
LIMIT = 20.0
"""Processor seconds that one file may take."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Folders of a checkout; files import one another from the first folder down."""

    name: str
    folder: str
    parts: tuple[str, ...] = (".",)

    def files(self, corpora: Path) -> list[Path]:
        top = corpora / self.folder
        return sorted(file for part in self.parts for file in (top / part).rglob("*.py"))


CORPORA = (
    Corpus("pytorch/examples", "pytorch+examples"),
    Corpus("keras-io/examples", "keras-team+keras-io/examples"),
    Corpus("flax/examples", "google+flax/examples"),
    Corpus(
        "tensorflow/models research: slim, delf, deeplab", "tensorflow+models/research", ("slim", "delf", "deeplab")
    ),
)


class OutOfTime(BaseException):
    """A file took longer than its processor seconds; no handler of the program at hand takes it for its own."""


def run(job: tuple[Path, Path]) -> Judged:
    """Judge one file of a folder within the limit."""
    folder, file = job
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        return judged(folder, [file])
    except OutOfTime:
        return Judged((), LIMIT, OutOfTime.__name__)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _stop(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise OutOfTime


def main(corpora: Path, processes: int, chosen: Sequence[Corpus] = CORPORA) -> Table:
    """One row per corpus; what is true is listed, and so is what nobody looked at."""
    known = verdicts()
    rows, remarks, seconds = [], [], 0.0
    for corpus in chosen:
        folder, files = corpora / corpus.folder, corpus.files(corpora)
        outcomes = list(in_processes(run, [(folder, file) for file in files], processes))
        told = [(each, _verdict(corpus, folder, each, known)) for each in distinct(outcomes)]
        spent = sum(each.seconds for each in outcomes)
        seconds += spent
        rows.append((corpus.name, commit(folder), len(files), *_counts(outcomes, told), f"{spent:.0f} s"))
        remarks += _remarks(corpus, told)
        remarks += (f"{corpus.name}, `{file.name}`: {each.error}" for file, each in _failed(files, outcomes))
    columns = (
        "corpus", "commit", "files", "cut", "internal errors", "files with findings", "proved", "likely", "suggestions",
        "true", "false", "unclassified", "processor time",
    )  # fmt: skip
    said = (
        f"{seconds:.0f} s of processor time in all, at most {LIMIT:.0f} s a file. Errors and warnings that are proved "
        "or likely, and suggestions, as `mlvet check` shows them. Each was looked at in the source; what came of it is "
        "in `benchmarks/shapes/classified.json`."
    )
    details = {"findings": [remark for remark in remarks if remark.startswith("- ")]}
    return Table(
        "shapes-corpora", "Shape errors: programs of public repositories", COMMAND, columns, rows,
        (said, "\n".join(remarks)), details,
    )  # fmt: skip


def distinct(outcomes: Iterable[Judged]) -> list[Told]:
    """Each place and rule once, however many programs of a corpus use the module; the surest of them."""
    best: dict[tuple[str, int, str], Told] = {}
    for outcome in outcomes:
        for each in outcome.told:
            key = (each.path, each.line, each.rule)
            if key not in best or _rank(each) > _rank(best[key]):
                best[key] = each
    return [best[key] for key in sorted(best)]


def _rank(told: Told) -> int:
    return Certainty(told.certainty).rank


def _verdict(corpus: Corpus, folder: Path, told: Told, known: Mapping[Key, Verdict]) -> Verdict | None:
    return known.get((corpus.name, told.path, told.rule, line_hash(folder / told.path, told.line)))


def _counts(outcomes: Iterable[Judged], told: Sequence[tuple[Told, Verdict | None]]) -> Iterator[Any]:
    errors = [each.error for each in outcomes if each.error]
    yield sum(error == OutOfTime.__name__ for error in errors)
    yield sum(error != OutOfTime.__name__ for error in errors)
    yield len({each.path for each, _ in told})
    kinds = Counter("suggestion" if _is_suggestion(each) else each.certainty for each, _ in told)
    yield from (kinds[Certainty.PROVED.value], kinds[Certainty.LIKELY.value], kinds["suggestion"])
    judgements = Counter(verdict.verdict if verdict is not None else "unclassified" for _, verdict in told)
    yield from (judgements["true"], judgements["false"], judgements["unclassified"])


def _is_suggestion(told: Told) -> bool:
    return told.severity == Severity.SUGGESTION.value


def _remarks(corpus: Corpus, told: Iterable[tuple[Told, Verdict | None]]) -> Iterator[str]:
    """A line for each finding, with the verdict on it."""
    for each, verdict in told:
        place = f"{corpus.name} `{each.path}:{each.line}` {each.rule}"
        kind = "suggestion" if _is_suggestion(each) else f"{each.certainty} {each.severity}"
        yield f"- {place} ({kind}): " + (
            f"{verdict.verdict}; {verdict.reason}" if verdict is not None else f"unclassified; {each.message}"
        )


def _failed(files: Iterable[Path], outcomes: Iterable[Judged]) -> Iterator[tuple[Path, Judged]]:
    return ((file, each) for file, each in zip(files, outcomes, strict=True) if each.error)
