"""Real public programs that are traced as they are, and what is asked of them.

    python -m benchmarks.provenance.public_programs CHECKOUTS [--plain] [--only NAME ...]

CHECKOUTS has one folder `owner+name` per repository, at the commit of the table; see `Program.commit`. A repository
with a main program is started by it; a library by a script of ours in `drivers/`, which imports it as it is. Programs
for Python 2 are converted mechanically by the commands of `Conversion` into a folder `owner+name+python3` beside.
`--plain` runs the programs and the finite differences alone, without mlvet.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.provenance.questions import PROGRAMS, Cell, Entry, Program, Question
from benchmarks.table import Table

COMMAND = "python -m benchmarks.provenance.public_programs CHECKOUTS"
HERE = Path(__file__).parent
DRIVERS = HERE / "drivers"
WITNESS = HERE / "witness.py"
MARK = "witness: "
TOLERANCE = 1e-6
SECONDS = 600


@dataclass(frozen=True, slots=True)
class Start:
    """How one program is run: its script, its arguments, its folder and its environment."""

    script: Path
    arguments: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    text: str

    def run(self, *before: str) -> subprocess.CompletedProcess[str]:
        """Run with `before` between the interpreter and the script: nothing, `-m mlvet trace ...` or the witness."""
        command = [sys.executable, *before, str(self.script), *self.arguments]
        return subprocess.run(
            command, cwd=self.folder, env=dict(self.environment), input=self.text,
            capture_output=True, text=True, timeout=SECONDS,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one question."""

    value: float | None = None
    top: Sequence[tuple[str, float]] = ()
    derivative: float | None = None
    expected: float | None = None
    verdict: str = "not asked"
    broken: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    program: Program
    runs: str
    unchanged: str = ""
    log: int | None = None
    answers: Sequence[Answer] = field(default_factory=tuple)


def converted(program: Program, checkouts: Path) -> Path:
    """The folder of the repository, converted first if it has to be."""
    folder = checkouts / program.repository.replace("/", "+")
    if program.conversion is None or not folder.is_dir():
        return folder
    target = folder.with_name(folder.name + "+python3")
    if not target.is_dir():
        shutil.copytree(folder, target)
        for command in program.conversion.commands:
            subprocess.run([sys.executable, "-m", *command, str(target)], check=True, capture_output=True)
        for name, old, new in program.conversion.renamed:
            path = target / name
            path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return target


@contextmanager
def started(program: Program, checkouts: Path) -> Iterator[Start]:
    """A fresh folder with the data of the program, in which it may write."""
    source = converted(program, checkouts)
    with tempfile.TemporaryDirectory(prefix="mlvet-public-") as place:
        folder = Path(place)
        for name in program.data:
            shutil.copyfile(DRIVERS / "data" / name, folder / name)
        script = DRIVERS / program.driver if program.driver else source / program.script
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                [str(source / program.path), *filter(None, [os.environ.get("PYTHONPATH", "")])]
            ),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLBACKEND": "Agg",
        }
        arguments = [text.format(checkout=source) for text in program.arguments]
        yield Start(script, arguments, folder, environment, program.text)


def observed(start: Start, question: Question, step: float) -> float:
    """The output by the witness, with the probed input changed by a step where it is assigned."""
    changing = ("--at", question.at, "--element", question.element or question.probe, f"--step={step!r}")
    done = start.run(str(WITNESS), "--of", question.of, *(changing if step else ()))
    last = done.stderr.strip().rpartition("\n")[2]
    if done.returncode or not last.startswith(MARK):
        raise RuntimeError(last or f"exit code {done.returncode}")
    return float(last.removeprefix(MARK))


def from_outside(start: Start, question: Question, step: float) -> float:
    """The output by the witness, with the probed input changed in the data file or among the arguments."""
    outside = question.outside
    if isinstance(outside, str):
        at = list(start.arguments).index(outside) + 1
        arguments = list(start.arguments)
        arguments[at] = repr(float(arguments[at]) + step)
        changed = Start(start.script, arguments, start.folder, start.environment, start.text)
        return observed(changed, question, 0.0)
    assert outside is not None
    path = start.folder / outside.file
    original = path.read_text(encoding="utf-8")
    path.write_text(_with(original, outside, step), encoding="utf-8")
    try:
        return observed(start, question, 0.0)
    finally:
        path.write_text(original, encoding="utf-8")


def _with(text: str, place: Entry | Cell, step: float) -> str:
    if isinstance(place, Entry):
        document = json.loads(text)
        holder = document
        for key in place.keys[:-1]:
            holder = holder[key]
        holder[place.keys[-1]] += step
        return json.dumps(document)
    lines = text.splitlines()
    cells = lines[place.row].split(place.separator)
    cells[place.column] = repr(float(cells[place.column]) + step)
    lines[place.row] = place.separator.join(cells)
    return "\n".join(lines) + "\n"


def difference(start: Start, question: Question, *, outside: bool = False) -> float:
    """The derivative by a central difference."""
    look = from_outside if outside else observed
    return (look(start, question, question.step) - look(start, question, -question.step)) / (2 * question.step)


def judged(start: Start, question: Question, document: Mapping[str, Any]) -> Answer:
    """What `mlvet why` says, held against re-running the program with the input changed."""
    influences = document.get("influences", [])
    top = [(str(each["input"]), float(each["share"])) for each in influences[:3]]
    value = float(document["value"])
    broken = "; ".join(
        [f"{Path(each['path']).name}:{each['line']} {each['what']}" for each in document.get("breaks", [])]
        + [note for note in document.get("notes", []) if "chain is lost" in note]
    )
    mine = next((each for each in influences if _same(str(each["input"]), question.probe)), None)
    expected = difference(start, question)
    largest = max((abs(float(each["derivative"])) for each in influences), default=0.0)
    faults = []
    if abs(value - observed(start, question, 0.0)) > 1e-12 * max(1.0, abs(value)):
        faults.append("value differs")
    derivative = float(mine["derivative"]) if mine else None
    if derivative is None:
        faults.append(f"{question.probe} is not named")
    elif abs(derivative - expected) > TOLERANCE * max(abs(expected), largest):
        faults.append(f"derivative {derivative:.9g}, observed {expected:.9g}")
    if question.first and not (top and _same(top[0][0], question.first)):
        faults.append(f"{question.first} is not first")
    return Answer(value, top, derivative, expected, "; ".join(faults) or "passed", broken)


def _same(one: str, other: str) -> bool:
    """Whether two names are the same expression; the mark behind the name of a second call is compared as it is."""
    (one, _, first), (other, _, second) = one.partition("#"), other.partition("#")
    return first == second and ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))


def asked(start: Start, log: Path, question: Question) -> Answer:
    """Ask `mlvet why` one question."""
    inputs = [text for spec in question.inputs for text in ("--inputs", spec)]
    command = [sys.executable, "-m", "mlvet", "why", str(log), "--of", question.of, *inputs]
    done = subprocess.run(
        [*command, "--top", "1000", "--output-format", "json"],
        cwd=start.folder, env=dict(start.environment), capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        return Answer(verdict=f"exit code {done.returncode}", broken=done.stderr.strip().rpartition("\n")[2])
    try:
        return judged(start, question, json.loads(done.stdout))
    except (ValueError, KeyError, TypeError, RuntimeError) as error:
        return Answer(verdict=f"not readable: {type(error).__name__}: {error}")


def plainly(start: Start, question: Question) -> Answer:
    """Without mlvet: the value, and whether the differences agree with each other and with the recorded one."""
    try:
        value, expected = observed(start, question, 0.0), difference(start, question)
        faults = []
        if abs(expected - question.derivative) > 1e-5 * max(abs(expected), 1e-9):
            faults.append(f"recorded {question.derivative!r}, observed {expected!r}")
        if question.outside is not None:
            other = difference(start, question, outside=True)
            if abs(expected - other) > 1e-5 * max(abs(expected), 1e-9):
                faults.append(f"from outside {other!r}, inside {expected!r}")
        return Answer(value, (), None, expected, "; ".join(faults) or "passed")
    except (RuntimeError, ValueError) as error:
        return Answer(verdict=str(error))


def row(program: Program, checkouts: Path, *, plain: bool) -> Row:
    """Run one program plainly, traced, and ask its questions."""
    if not (checkouts / program.repository.replace("/", "+")).is_dir():
        return Row(program, "no checkout")
    with started(program, checkouts) as start:
        usual = start.run()
        if usual.returncode:
            return Row(program, f"fails: {usual.stderr.strip().rpartition(chr(10))[2]}")
        if plain:
            again = start.run()
            same = "same output twice" if again.stdout == usual.stdout else "output differs between runs"
            return Row(program, "yes", same, None, [plainly(start, question) for question in program.questions])
        log = start.folder / "run.mlvet"
        traced = start.run("-m", "mlvet", "trace", "--output", str(log))
        if not log.exists():
            reason = traced.stderr.strip().rpartition("\n")[2] or f"exit code {traced.returncode}"
            return Row(program, "yes", f"not traced: {reason}")
        same = (traced.stdout, traced.returncode) == (usual.stdout, usual.returncode)
        answers = [asked(start, log, question) for question in program.questions]
        return Row(program, "yes", "yes" if same else "no", log.stat().st_size, answers)


def main(checkouts: Path, only: Sequence[str] = (), *, plain: bool = False) -> Table:
    rows = []
    for each in PROGRAMS:
        if not only or each.name in only:
            print(each.name, file=sys.stderr, flush=True)
            try:
                rows.append(row(each, checkouts, plain=plain))
            except subprocess.TimeoutExpired:
                rows.append(Row(each, f"not done after {SECONDS} s"))
    cells: list[list[Any]] = []
    for each in rows:
        size = "" if each.log is None else f"{each.log:,}"
        start = [each.program.name, each.runs, each.unchanged, size]
        if not each.answers:
            cells.append([*start, "", "", "", "", ""])
        for question, answer in zip(each.program.questions, each.answers, strict=False):
            top = ", ".join(f"`{name}` {share:.1%}" for name, share in answer.top)
            value = "" if answer.value is None else f"{answer.value:.6g}"
            verdict = answer.verdict
            if answer.expected is not None:
                verdict += f" (`{question.probe}`: {answer.expected:.6g})"
            cells.append([*start, f"`{question.of}` by `{'`, `'.join(question.inputs)}`", value, top, verdict,
                          answer.broken])  # fmt: skip
            start = ["", "", "", ""]
    answers = [answer for each in rows for answer in each.answers]
    passed = sum(answer.verdict == "passed" for answer in answers)
    ran = sum(each.runs == "yes" for each in rows)
    return Table(
        "provenance-public", "Real public programs, traced as they are", COMMAND,
        ("program", "runs", "output unchanged", "log, bytes", "question", "value", "first inputs", "check", "broken"),
        cells,
        (
            f"{ran} of {len(rows)} programs run; {passed} of {len(answers)} questions pass.",
            "Check: the derivative that mlvet reports for one input against a central difference, made by running the "
            "program again with that input changed where it is assigned (`witness.py`, which knows nothing of mlvet); "
            f"at most {TOLERANCE:g} of the larger of that derivative and the output's largest one.",
        ),
        {"questions": [
            {"program": each.program.name, "of": question.of, "probe": question.probe, "derivative": answer.derivative,
             "observed": answer.expected, "verdict": answer.verdict}
            for each in rows for question, answer in zip(each.program.questions, each.answers, strict=False)
        ]},
    )  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--plain", action="store_true", help="without mlvet")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    given = parser.parse_args()
    print(main(given.checkouts.resolve(), given.only, plain=given.plain).markdown())
