"""Programs with the shape bugs that people ask about, each with the edit that answers the question.

The programs are in `programs/questions`, the edits and what happened when both were run in `questions.json`.
`python -m benchmarks.shapes.questions` runs them anew with this Python's PyTorch and writes the record.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.shapes.bases import OURS, Program
from benchmarks.shapes.running import Runner, plain

HERE = Path(__file__).parent
RECORD = HERE / "questions.json"


@dataclass(frozen=True, slots=True)
class Question:
    """A program that fails and the edit that puts it right; `failing` is its innermost line in the traceback."""

    name: str
    about: str
    old: str
    new: str
    failing: int = 0
    kind: str = ""
    message: str = ""
    sha256: str = ""

    @property
    def file(self) -> str:
        return f"{self.name}.py"

    def asked(self) -> str:
        """The text of the program that fails."""
        return (HERE / "programs" / "questions" / self.file).read_text(encoding="utf-8")

    def answered(self) -> str:
        """The text of the program put right; the piece to replace occurs once."""
        before, after = self.asked().split(self.old)
        return before + self.new + after

    def digest(self) -> str:
        """The hash of both texts."""
        return hashlib.sha256(f"{self.asked()}\0{self.answered()}".encode()).hexdigest()


def questions(path: Path = RECORD) -> list[Question]:
    """Every question with its record."""
    return [Question(**each) for each in json.loads(path.read_text(encoding="utf-8"))]


def run(question: Question, runner: Runner) -> Question:
    """The record of a question; one that does not fail about shapes, or an answer that fails, is an error."""
    program = Program(question.name, "torch", OURS, "questions", (question.file,), {}, question.file)
    asked = runner.run(program)
    if not asked.about_shapes:
        raise SystemExit(f"{question.name} is expected to fail: {asked.outcome} {asked.message}")
    answered = runner.run(program, question.answered())
    if answered.outcome != "ended":
        raise SystemExit(f"{question.name} is expected to run: {answered.outcome} {answered.message}")
    failing = asked.frames[-1][1]
    message = plain(asked.message)
    return replace(question, failing=failing, kind=asked.kind, message=message, sha256=question.digest())


def main() -> None:
    interpreters = {"side": sys.executable}
    with TemporaryDirectory(prefix="shape-store-") as store, Runner(HERE, interpreters, Path(store)) as runner:
        told = [asdict(run(question, runner)) for question in questions()]
    RECORD.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    for each in told:
        print(f"{each['name']}:{each['failing']}: {each['kind']}: {each['message']}")


if __name__ == "__main__":
    main()
