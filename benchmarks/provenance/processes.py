"""Processes of a benchmark: programs and their cost, traces, and replays that answer in a process of their own."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlvet.analyses.provenance.outputs import Output, outputs, specifications
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.runtime.provenance.log import read
from mlvet.runtime.provenance.replaying import Replay
from mlvet.runtime.provenance.specification import inputs_of
from mlvet.runtime.provenance.tape import TAPE

ROOT = Path(__file__).parents[2]
SINGLE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Failed(Exception):
    """A process that did not end well; its last words."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds, seconds of the clock, and the greatest resident size in bytes, children included."""

    processor: float
    clock: float
    memory: int


def environment(**extra: str) -> dict[str, str]:
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    return {**os.environ, "PYTHONPATH": path, **SINGLE, **extra}


def costs(command: Sequence[str], **extra: str) -> Cost:
    """Run a command to its end and measure it; one that fails is an error."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [str(each) for each in command], env=environment(**extra), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=errors,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        clock = time.perf_counter() - began
        if process.returncode:
            errors.seek(0)
            raise Failed(f"{' '.join(command)} ended with {process.returncode}:\n{errors.read().decode()[-2000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, clock, usage.ru_maxrss * 1024)


def python(*arguments: object) -> list[str]:
    return [sys.executable, *map(str, arguments)]


def trace(script: Path, arguments: Sequence[str], log: Path, mode: str = "default") -> Cost:
    """`mlvet trace` of a script."""
    options = ("--quiet", "--log", mode, "--output", log)
    return costs(python("-m", "mlvet", "trace", *options, script, *arguments))


def why(log: Path, of: Sequence[str], inputs: Sequence[str], *options: object) -> dict[str, Any]:
    """The answer of `mlvet why` as data."""
    asked = [part for each in of for part in ("--of", each)] + [part for each in inputs for part in ("--inputs", each)]
    command = python("-m", "mlvet", "why", log, *asked, "--output-format", "json", *options)
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@dataclass(slots=True)
class Replayed:
    """A log replayed in this process, ready for sweeps; `seconds` of the processor that the replay took."""

    replay: Replay
    outputs: list[Output]
    sweeps: Sweeps
    seconds: float
    arranging: float


def job(task: str, log: Path, inputs: Sequence[str], of: Sequence[str], **options: Any) -> Any:
    """Replay a log in a new process, call `task` (`module:function`) there, and return what it returns."""
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as folder:
        asked, answered = Path(folder) / "asked.json", Path(folder) / "answered.json"
        wanted = {"task": task, "log": str(log), "inputs": list(inputs), "of": list(of), "options": options}
        asked.write_text(json.dumps(wanted), encoding="utf-8")
        command = python("-m", "benchmarks.provenance.processes", asked, answered)
        cost = costs(command, PYTHONHASHSEED=read(log).header.hash_seed)
        answer = json.loads(answered.read_text(encoding="utf-8"))
    if isinstance(answer, dict):
        answer["cost"] = {"processor": cost.processor, "clock": cost.clock, "memory": cost.memory}
    return answer


def _done(asked: Mapping[str, Any]) -> Any:
    module, _, function = asked["task"].partition(":")
    task = getattr(importlib.import_module(module), function)
    log = read(asked["log"])
    replay = Replay(log, inputs_of(tuple(asked["inputs"])), specifications(tuple(asked["of"])))
    began = time.process_time()
    replay.run()
    seconds = time.process_time() - began
    if replay.difference is not None:
        raise SystemExit(f"the replay left the path: {replay.difference}")
    assert replay.rerun is not None
    if replay.rerun.ending is not None and not isinstance(replay.rerun.ending, SystemExit):
        raise replay.rerun.ending
    began = time.process_time()
    sweeps = Sweeps.of(TAPE.parts, TAPE.size)
    arranging = time.process_time() - began
    found = outputs(tuple(asked["of"]), replay) if asked["of"] else []
    return task(Replayed(replay, found, sweeps, seconds, arranging), **asked["options"])


if __name__ == "__main__":
    made = _done(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    Path(sys.argv[2]).write_text(json.dumps(made), encoding="utf-8")
