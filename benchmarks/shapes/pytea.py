"""What PyTea says of a program: its alarms with the program's line, and the processor seconds it takes.

PyTea has two stages. The first stops at a constraint that is surely violated (`failed path`), the second asks Z3 about
what is left (`Invalid path`). Both are alarms. `pytea.json` keeps what it said of each question; it is made anew only
when a built checkout is given.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.shapes.processes import ran
from benchmarks.shapes.questions import Question, questions

RECORD = Path(__file__).parent / "pytea.json"
MOST = 600.0
COLOURS = re.compile(r"\x1b\[\d*m")
STOPPED = re.compile(r"^failed path #\d+: (?P<message>.*?)$(?P<rest>.*?)^LOGS:", re.MULTILINE | re.DOTALL)
VIOLATED = re.compile(r"^Invalid path:.*?message: (?P<message>[^\n]*?) at <(?P<rest>[^>]*)>", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"\((?P<file>[^()\s]+):(?P<line>\d+):\d+\)")


@dataclass(frozen=True, slots=True)
class Alarm:
    """One alarm, at the innermost line of the program that PyTea names for it, 0 if it names none."""

    message: str
    line: int


@dataclass(frozen=True, slots=True)
class Said:
    """The alarms for a program; `trouble` says why there is no verdict."""

    alarms: tuple[Alarm, ...]
    seconds: float
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was said of a question and of its answer."""

    name: str
    sha256: str
    asked: Said
    answered: Said

    @property
    def about_the_bug(self) -> tuple[Alarm, ...]:
        """The alarms that the answer does not get."""
        return tuple(alarm for alarm in self.asked.alarms if alarm not in self.answered.alarms)


def said(checkout: Path, file: str, text: str) -> Said:
    """Run PyTea on a program that is alone in a folder."""
    with TemporaryDirectory(prefix="shape-pytea-") as name:
        folder = Path(name).resolve()
        (folder / file).write_text(text, encoding="utf-8")
        command = [sys.executable, str(checkout / "bin" / "pytea.py"), "--log=1", str(folder / file)]
        done = ran(command, folder, MOST)
    output = COLOURS.sub("", done.output)
    seconds = round(done.seconds, 2)
    if done.code is None:
        return Said((), seconds, "time-out")
    if "cannot parse entry file" in output:
        return Said((), seconds, "cannot read the program")
    if done.code != 0 or "OVERALL" not in output:
        return Said((), seconds, "crash")
    return Said(tuple(dict.fromkeys(alarms(output, file))), seconds)


def outcomes(path: Path = RECORD) -> dict[str, Outcome]:
    """The stored outcome of each question."""
    return {each["name"]: _outcome(each) for each in json.loads(path.read_text(encoding="utf-8"))}


def make(checkout: Path) -> None:
    """Run PyTea on every question and its answer, and store what it says."""
    told = [_asked(checkout, question) for question in questions()]
    RECORD.write_text(json.dumps([asdict(each) for each in told], indent=1) + "\n", encoding="utf-8")


def _asked(checkout: Path, question: Question) -> Outcome:
    asked = said(checkout, question.file, question.asked())
    answered = said(checkout, question.file, question.answered())
    return Outcome(question.name, question.digest(), asked, answered)


def alarms(output: str, file: str) -> Iterator[Alarm]:
    """The alarms of both stages in what PyTea prints about a file."""
    for pattern in (STOPPED, VIOLATED):
        for found in pattern.finditer(output):
            message, *_ = found["message"].split("- [")
            yield Alarm(message.strip(), _line(found["message"] + found["rest"], file))


def _line(text: str, file: str) -> int:
    """The first place in the program: call stacks begin with the innermost call."""
    return next((int(place["line"]) for place in PLACE.finditer(text) if Path(place["file"]).name == file), 0)


def _outcome(record: dict[str, object]) -> Outcome:
    def one(told: object) -> Said:
        assert isinstance(told, dict)
        return Said(tuple(Alarm(**each) for each in told["alarms"]), told["seconds"], told["trouble"])

    return Outcome(str(record["name"]), str(record["sha256"]), one(record["asked"]), one(record["answered"]))
