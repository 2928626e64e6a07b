"""Correct programs changed at one place so that they fail for their shapes.

`make` runs the originals, draws the changes with the seed of mutations.py, runs every changed program and keeps those
that raise an exception about shapes; `verify` checks the files by their hashes and that every edit applies.

    python -m benchmarks.shapes.mutants --corpora DIR [--environment NAME=PYTHON ...] make|verify
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

from benchmarks.shapes.bases import Program, programs
from benchmarks.shapes.mutations import OPERATORS, SEED, candidates
from benchmarks.shapes.running import Ending, Runner, plain
from benchmarks.shapes.sites import Edit
from benchmarks.shapes.store import fill

HERE = Path(__file__).parent
RECORD = HERE / "mutants.json"
QUOTA, HELD_OUT = 60, 12
"""The mutants of each operator that are kept, and those of them that nobody looks at before the end."""
MOST = 15
"""The mutants of one program."""
TRIES = 4
"""The runs of one program and operator in one round, before the next program has its turn."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with one edit, and what happened when it was run."""

    id: str
    program: str
    operator: str
    edit: Edit
    status: str
    failing: tuple[str, int] | None = None
    frames: tuple[tuple[str, int, str], ...] = ()
    named: tuple[tuple[str, int, str], ...] = ()
    kind: str = ""
    message: str = ""
    held_out: bool = False


def mutants(corpora: Path, path: Path = RECORD) -> Iterator[tuple[Mutant, str, Path]]:
    """Each kept mutant with the text of its changed file and the path of the file it was made from."""
    by_name = {program.name: program for program in programs()}
    for mutant in read(path):
        if mutant.status == "kept":
            program = by_name[mutant.program]
            yield mutant, mutant.edit.applied(program.text(corpora)), program.source(corpora, program.files[0])


def read(path: Path = RECORD) -> list[Mutant]:
    """Every mutant that was run, kept or not."""
    return [_mutant(record) for record in json.loads(path.read_text(encoding="utf-8"))["mutants"]]


def make(
    corpora: Path, environments: Mapping[str, str], journal: Path | None, minutes: float, jobs: int
) -> dict[str, Any]:
    """Run originals and mutants until each operator has its quota, no site is left or the time is over."""
    with TemporaryDirectory(prefix="shape-store-") as folder, ExitStack() as stack, ThreadPoolExecutor(jobs) as pool:
        fill(Path(folder))
        runners = [stack.enter_context(Runner(corpora, environments, Path(folder))) for _ in range(jobs)]
        runs = Runs(runners, corpora, journal, time.monotonic() + 60 * minutes)
        bases = [program for program, ran in zip(programs(), pool.map(runs.original, programs()), strict=True) if ran]
        told = _drawn(bases, runs, pool)
    return {
        "seed": SEED,
        "originals": runs.originals,
        "mutants": [_record(each) for each in _with_held_out(told)],
    }


def _drawn(bases: list[Program], runs: Runs, pool: ThreadPoolExecutor) -> list[Mutant]:
    """In each round every operator tries to get one more mutant from every program."""
    left = {(name, each.name): runs.candidates(each, name) for name in OPERATORS for each in bases}
    told: list[Mutant] = []
    kept: Counter[str] = Counter()
    number = 0
    while any(left.values()) and not runs.over:
        for operator in OPERATORS:
            order = [program for program in bases if kept[program.name] < MOST and left[operator, program.name]]
            random.Random(f"{SEED} {operator} {number}").shuffle(order)
            if kept[operator] == QUOTA:
                continue
            tries = {each.name: left[operator, each.name][:TRIES] for each in order}
            for found in pool.map(lambda each: runs.until_kept(each, operator, tries[each.name]), order):  # noqa: B023
                if kept[operator] == QUOTA:
                    break
                told += found
                for mutant in found:
                    left[operator, mutant.program].pop(0)
                    kept.update([operator, mutant.program] if mutant.status == "kept" else [])
                    print(f"{number} {kept[operator]} {mutant.id} {mutant.status}", flush=True)
        for operator, name in left:
            if kept[operator] == QUOTA or kept[name] == MOST:
                left[operator, name].clear()
        number += 1
    return told


class Runs:
    """Runs of programs and mutants; those in the journal are not repeated."""

    def __init__(self, runners: Iterable[Runner], corpora: Path, journal: Path | None, deadline: float) -> None:
        self.corpora, self.journal, self.deadline = corpora, journal, deadline
        self.free: SimpleQueue[Runner] = SimpleQueue()
        for runner in runners:
            self.free.put(runner)
        self.known: dict[str, dict[str, Any]] = {}
        self.originals: dict[str, dict[str, Any]] = {}
        self.lines: dict[str, set[int]] = {}
        if journal is not None and journal.exists():
            entries = (json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines())
            self.known = {entry.pop("key"): entry for entry in entries}

    @property
    def over(self) -> bool:
        return time.monotonic() > self.deadline

    def original(self, program: Program) -> bool:
        """Whether a program runs as it is; its executed lines are recorded on the way."""
        if altered := program.altered(self.corpora):
            raise SystemExit(f"{program.name}: missing or not as recorded: {', '.join(altered)}")
        compiled = any(each in program.text(self.corpora) for each in ("tf.function", "def train_step"))
        eager = (False, True) if program.framework == "keras" and compiled else (False,)
        endings = [self._run(program, None, each) for each in eager]
        file = program.files[0]
        self.lines[program.name] = {line for ending in endings for line in ending.lines.get(file, ())}
        first = endings[0]
        self.originals[program.name] = {"outcome": first.outcome, "lines": len(self.lines[program.name])}
        print(f"original {program.name} {first.outcome} {first.seconds} s {first.message[:200]}", flush=True)
        return first.ran

    def candidates(self, program: Program, operator: str) -> list[Edit]:
        """The edits on lines that the original executes."""
        found = candidates(program.text(self.corpora), program.framework, program.name, operator)
        return [edit for edit in found if self._executed(program, edit)]

    def until_kept(self, program: Program, operator: str, edits: Iterable[Edit]) -> list[Mutant]:
        """The outcomes of the edits up to the first that is kept."""
        told: list[Mutant] = []
        for edit in edits:
            if self.over or (told and told[-1].status == "kept"):
                break
            told.append(self.mutant(program, operator, edit))
        return told

    def mutant(self, program: Program, operator: str, edit: Edit) -> Mutant:
        """The outcome of one edit."""
        ending = self._run(program, edit, False)
        status = "survivor" if ending.ran else "kept" if ending.about_shapes else "other failure"
        name = f"{program.name}:{operator}:{edit.line}:{edit.column}:{crc32(edit.new.encode()):08x}"
        return Mutant(
            name, program.name, operator, edit, status, _failing(ending), ending.frames, ending.named, ending.kind,
            plain(ending.message),
        )  # fmt: skip

    def _executed(self, program: Program, edit: Edit) -> bool:
        """Whether a line of the edit was executed; a statement counts at each of its lines."""
        lines = self.lines[program.name]
        return any(line in lines for line in range(edit.line, edit.line + edit.old.count("\n") + 1))

    def _run(self, program: Program, edit: Edit | None, eager: bool) -> Ending:
        digest = program.sha256[program.files[0]][:12]
        key = json.dumps([program.name, digest, program.arguments, program.seconds, asdict(edit) if edit else eager])
        if key not in self.known:
            text = edit.applied(program.text(self.corpora)) if edit else None
            runner = self.free.get()
            try:
                ending = runner.run(program, text, lines=edit is None, eager=eager)
            finally:
                self.free.put(runner)
            self.known[key] = asdict(ending)
            if self.journal is not None:
                with self.journal.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, **asdict(ending)}) + "\n")
        told = self.known[key]
        places = {name: tuple((file, line, where) for file, line, where in told[name]) for name in ("frames", "named")}
        return Ending(**{**told, **places, "kinds": tuple(told["kinds"])})


def _failing(ending: Ending) -> tuple[str, int] | None:
    """The innermost line of the program: of the traceback, or of the message where a compiled function hides it."""
    places = ending.named if "in user code" in ending.message and ending.named else ending.frames
    return places[-1][:2] if places else None


def _with_held_out(told: Iterable[Mutant]) -> list[Mutant]:
    told = list(told)
    held: set[str] = set()
    for operator in OPERATORS:
        names = [each.id for each in told if each.operator == operator and each.status == "kept"]
        held |= set(random.Random(f"{SEED} held out {operator}").sample(names, min(HELD_OUT, len(names))))
    return [_mutant({**_record(each), "held_out": each.id in held}) for each in told]


def _record(mutant: Mutant) -> dict[str, Any]:
    return {name: value for name, value in asdict(mutant).items() if value not in ((), None, "")}


def _mutant(record: Mapping[str, Any]) -> Mutant:
    values = dict(record)
    values["edit"] = Edit(**values["edit"])
    for name in ("frames", "named"):
        values[name] = tuple((file, line, where) for file, line, where in values.get(name, ()))
    values["failing"] = tuple(values["failing"]) if values.get("failing") else None
    return Mutant(**values)


def verify(corpora: Path) -> list[str]:
    """What is wrong with the record: files not as recorded, edits that do not apply, counts over the limits."""
    wrong = []
    by_name = {program.name: program for program in programs()}
    for program in by_name.values():
        wrong += [f"{program.name}: {name} is missing or not as recorded" for name in program.altered(corpora)]
    told = read()
    for mutant in told:
        base = by_name.get(mutant.program)
        if base is None:
            wrong.append(f"{mutant.id}: no program {mutant.program}")
            continue
        try:
            compile(mutant.edit.applied(base.text(corpora)), mutant.id, "exec")
        except (ValueError, SyntaxError, OSError) as error:
            wrong.append(f"{mutant.id}: {error}")
    kept = Counter(mutant.program for mutant in told if mutant.status == "kept")
    wrong += [f"{name}: {count} mutants" for name, count in kept.items() if count > MOST]
    wrong += [f"{name} twice" for name, count in Counter(mutant.id for mutant in told).items() if count > 1]
    return wrong


def summary(told: Iterable[Mutant]) -> str:
    """How many mutants of each operator were kept, survived or failed otherwise."""
    counts = Counter((mutant.operator, mutant.status) for mutant in told)
    statuses = ("kept", "survivor", "other failure")
    lines = [
        f"{operator}: " + ", ".join(f"{counts[operator, each]} {each}" for each in statuses) for operator in OPERATORS
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--corpora", type=Path, required=True, metavar="DIR", help="folder of checkouts, owner+name each"
    )
    parser.add_argument(
        "--environment", action="append", default=[], metavar="NAME=PYTHON", help="interpreters: side, tf1"
    )
    parser.add_argument("--journal", type=Path, help="file of earlier runs, which are not repeated")
    parser.add_argument("--jobs", type=int, default=1, help="programs that run at the same time")
    parser.add_argument("--minutes", type=float, default=600.0, help="no run starts later")
    parser.add_argument("command", choices=("make", "verify"))
    options = parser.parse_args()
    if options.command == "make":
        environments = {"side": sys.executable, **dict(each.split("=", 1) for each in options.environment)}
        record = make(options.corpora, environments, options.journal, options.minutes, options.jobs)
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    wrong = verify(options.corpora)
    print("\n".join([summary(read()), *wrong]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
