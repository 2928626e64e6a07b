"""The bugs that people ask about, found by mlvet and by PyTea: detection and processor seconds side by side."""

from __future__ import annotations

import compileall
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.shapes import pytea
from benchmarks.shapes.processes import Ran, ran
from benchmarks.shapes.questions import Question, questions
from benchmarks.table import Table

COMMAND = "python -m benchmarks.shapes --corpora DIR --only pytea [--pytea CHECKOUT]"
ROOT = Path(__file__).parents[2]
MOST = 600.0


@dataclass(frozen=True, slots=True)
class Told:
    """What `mlvet check` shows of a program: line, rule and certainty of each finding but suggestions."""

    findings: tuple[tuple[int, str, str], ...]
    seconds: float


@cache
def compiled() -> None:
    """Compile mlvet's modules, as an installation does."""
    compileall.compile_dir(ROOT / "src", quiet=2)


def checked(path: Path) -> Ran:
    """Run `mlvet check --select SHP` as a process, as a user would."""
    compiled()
    command = [sys.executable, "-m", "mlvet", "check", "--select", "SHP", "--output-format", "json", path.name]
    return ran(command, path.parent, MOST, {"PYTHONPATH": str(ROOT / "src")})


def told(file: str, text: str) -> Told:
    """What mlvet says of a program that is alone in a folder."""
    with TemporaryDirectory(prefix="shape-question-") as name:
        path = Path(name).resolve() / file
        path.write_text(text, encoding="utf-8")
        done = checked(path)
    if done.code not in (0, 1):
        raise SystemExit(f"mlvet on {file} ended with {done.code}:\n{done.output}")
    found = json.loads(done.output[done.output.index("{") :])["findings"]
    shown = [each for each in found if each["severity"] != "suggestion"]
    lines = ((each["location"]["line"], each["rule"], each["certainty"]) for each in shown)
    return Told(tuple(lines), round(done.seconds, 2))


def main(checkout: Path | None) -> Table:
    """One row for each question; PyTea is run only if a built checkout is given."""
    if checkout is not None:
        pytea.make(checkout)
    asked, stored = questions(), pytea.outcomes()
    ours = {each.name: (told(each.file, each.asked()), told(each.file, each.answered())) for each in asked}
    rows = [_row(each, ours[each.name][0], stored[each.name]) for each in asked]
    rows.append(_total(asked, [ours[each.name][0] for each in asked], [stored[each.name] for each in asked]))
    return Table(
        "shapes-pytea",
        "Shape errors: questions about PyTorch, against PyTea",
        COMMAND,
        ("question", "fails at line", "mlvet", "CPU s", "PyTea", "PyTea's CPU s"),
        rows,
        tuple(_remarks(asked, {name: fixed for name, (_, fixed) in ours.items()}, stored)),
    )


def found_by_mlvet(question: Question, seen: Told) -> bool:
    """Whether the program gets one finding, at the line that fails."""
    return [line for line, _, _ in seen.findings] == [question.failing]


def found_by_pytea(question: Question, outcome: pytea.Outcome) -> bool:
    """Whether an alarm that the answer does not get is at the line that fails, or at no line of the program."""
    return any(alarm.line in (question.failing, 0) for alarm in outcome.about_the_bug)


def _row(question: Question, seen: Told, outcome: pytea.Outcome) -> tuple[object, ...]:
    findings = ", ".join(f"line {line}: {rule} ({certainty})" for line, rule, certainty in seen.findings)
    return (
        question.about,
        question.failing,
        findings or "missed",
        f"{seen.seconds:.1f}",
        _said(question, outcome),
        f"{outcome.asked.seconds:.1f}",
    )


def _said(question: Question, outcome: pytea.Outcome) -> str:
    if outcome.asked.trouble:
        return outcome.asked.trouble
    if found_by_pytea(question, outcome):
        alarm = next(alarm for alarm in outcome.about_the_bug if alarm.line in (question.failing, 0))
        return f"line {alarm.line}" if alarm.line else "no line of the program"
    if outcome.about_the_bug:
        return f"elsewhere, line {outcome.about_the_bug[0].line}"
    return "missed, false alarm" if outcome.asked.alarms else "missed"


def _total(asked: Iterable[Question], seen: list[Told], stored: list[pytea.Outcome]) -> tuple[object, ...]:
    ours = sum(found_by_mlvet(each, one) for each, one in zip(asked, seen, strict=True))
    theirs = sum(found_by_pytea(each, one) for each, one in zip(asked, stored, strict=True))
    return (
        "**found, mean CPU s**",
        "",
        f"**{ours} of {len(seen)}**",
        f"**{sum(each.seconds for each in seen) / len(seen):.1f}**",
        f"**{theirs} of {len(stored)}**",
        f"**{sum(each.asked.seconds for each in stored) / len(stored):.1f}**",
    )


def _remarks(asked: list[Question], fixed: dict[str, Told], stored: dict[str, pytea.Outcome]) -> Iterator[str]:
    ours = [name for name, seen in fixed.items() if seen.findings]
    theirs = [each.name for each in asked if stored[each.name].answered.alarms]
    unread = [each.name for each in asked if stored[each.name].answered.trouble]
    yield (
        f"Of the {len(asked)} answers, which run, mlvet accuses {len(ours)}{_named(ours)}, PyTea {len(theirs)}"
        f"{_named(theirs)}; PyTea has no verdict on {len(unread)}{_named(unread)}."
    )
    yield (
        "Found by mlvet: exactly one finding, at the line that fails. Found by PyTea: an alarm at that line, or one "
        "that names no line of the program, which the answer does not get. Seconds are of the process and its "
        "children, start-up included. PyTea is commit c536515 of 2022 with Node 20 and Z3 5.4; its convolutions refuse "
        "an image without a batch, as those of older versions of PyTorch did."
    )


def _named(names: list[str]) -> str:
    return f" ({', '.join(names)})" if names else ""
