"""The original and a changed copy, run in turn several times: the ratio of their times and how their results differ."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

_WORKER = Path(__file__).with_name("worker.py")
_NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be run: a file, one of its functions or the whole as a script, and the arguments of the script."""

    file: Path
    function: str = ""
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((f"{self.file.name}{':' if self.function else ''}{self.function}", *self.arguments))


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of the original and of the copy (medians), bytes at the peak, and how far their results are apart.

    `difference` is the largest one, relative to the size of the numbers compared; None if there was nothing to compare.
    `compared` says what was: the names that both leave behind, or the numbers that they print.
    """

    before: float
    after: float
    memory_before: int | None
    memory_after: int | None
    difference: float | None
    compared: str

    @property
    def ratio(self) -> float:
        return self.before / max(self.after, 1e-9)


class NotMeasured(Exception):
    """Why there is no measurement: a run failed, or took too long."""


class TargetFails(NotMeasured):
    """The program that the user names does not run as it is, so that there is nothing to compare with."""


def measured(target: Target, changed: str, python: str, seconds: float, rounds: int = ROUNDS) -> Measured:
    """Run a target and its changed text in turn."""
    with tempfile.TemporaryDirectory(prefix="mlvet") as folder:
        copy = Path(folder) / target.file.name
        copy.write_text(changed, encoding="utf-8")
        runs = [
            (_run(target, target.file, python, seconds), _run(target, copy, python, seconds)) for _ in range(rounds)
        ]
    before, after = zip(*runs, strict=True)
    difference, compared = _difference(before[-1], after[-1])
    return Measured(
        median(each["seconds"] for each in before), median(each["seconds"] for each in after),
        _most(before), _most(after), difference, compared,
    )  # fmt: skip


def _most(runs: Sequence[Mapping[str, Any]]) -> int | None:
    found = [each["memory"] for each in runs if each["memory"] is not None]
    return min(found) if found else None


def _run(target: Target, file: Path, python: str, seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="mlvet") as folder:
        answer = Path(folder) / "answer.json"
        command = [python, str(_WORKER), str(file), target.function, str(answer), *target.arguments]
        environment = {**os.environ, "MLVET_MEASURED_FOLDER": str(target.file.parent)}
        try:
            ended = subprocess.run(
                command, cwd=target.file.parent, env=environment, capture_output=True, text=True, timeout=seconds,
                stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise _failure(target, file, f"took more than {seconds:g} s") from None
        if ended.returncode or not answer.exists():
            last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
            places = re.findall(rf'File "{re.escape(str(file))}", line (\d+)', ended.stderr)
            raise _failure(target, file, f"failed{f' on line {places[-1]}' if places else ''}: {last}")
        found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    found["printed"] = [float(each) for each in _NUMBER.findall(ended.stdout)]
    return found


def _failure(target: Target, file: Path, how: str) -> NotMeasured:
    if file == target.file:
        return TargetFails(f"`{target}` {how}")
    return NotMeasured(f"the changed copy of `{target}` {how}")


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[float | None, str]:
    """The largest difference of results that both runs have, and what was compared."""
    names = [name for name in before["results"] if name in after["results"]]
    if names:
        pairs = [pair for name in names for pair in _pairs(before["results"][name], after["results"][name])]
        return _largest(pairs), f"{len(names)} names"
    if before["printed"] and len(before["printed"]) == len(after["printed"]):
        pairs = list(zip(before["printed"], after["printed"], strict=True))
        return _largest(pairs), "printed numbers"
    return None, "nothing"


def _pairs(one: Any, other: Any) -> Iterator[tuple[float, float]]:
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield 0.0, float("inf")
            return
        for a, b in zip(one, other, strict=True):
            yield from _pairs(a, b)
    elif isinstance(one, float) and isinstance(other, float):
        yield one, other
    else:
        yield 0.0, float("inf")


def _largest(pairs: Sequence[tuple[float, float]]) -> float:
    """The largest difference beside the largest number."""
    finite = [abs(each) for pair in pairs for each in pair if abs(each) < float("inf")]
    size = max(finite, default=1.0) or 1.0
    apart = [0.0 if a == b or (a != a and b != b) else abs(a - b) / size for a, b in pairs]
    return max((float("inf") if each != each else each for each in apart), default=0.0)


def interpreter(chosen: Path | None) -> str:
    """The interpreter that runs a program: the user's choice, or this one."""
    if chosen is None:
        return sys.executable
    return str(chosen / "bin" / "python") if chosen.is_dir() else str(chosen)
