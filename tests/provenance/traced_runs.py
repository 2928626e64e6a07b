"""Programs run as they are, traced, and run again from their log: real processes, compared bit for bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlvet
from mlvet.runtime.provenance.log import Log, read

SOURCE = str(Path(mlvet.__file__).parents[1])
PATIENCE = 120

_RERUN = """
import json, os, sys
from mlvet.core.errors import MlvetError
from mlvet.runtime.provenance.log import read
from mlvet.runtime.provenance.rerunning import rerun
try:
    found = rerun(read(sys.argv[1]))
except MlvetError as error:
    print(json.dumps({"error": str(error)}))
else:
    print(json.dumps({
        "faithful": found.faithful, "diverged": found.diverged, "same_output": found.same_output,
        "difference": found.difference and found.difference.words, "ending": repr(found.ending),
    }))
"""


def environment(**extra: str) -> dict[str, str]:
    steering = ("PYTHONHASHSEED", "PYTHONUNBUFFERED", "MLVET_TRACEBACK")
    kept = {name: value for name, value in os.environ.items() if name not in steering}
    return {**kept, "PYTHONPATH": SOURCE, **extra}


def program(folder: Path, text: str, name: str = "program.py") -> Path:
    """Write a program."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def plain(folder: Path, *arguments: str, given: bytes = b"", **extra: str) -> subprocess.CompletedProcess[bytes]:
    """Run a script without mlvet."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, input=given, capture_output=True, timeout=PATIENCE,
        env=environment(**extra),
    )  # fmt: skip


def traced(folder: Path, *arguments: str, given: bytes = b"", **extra: str) -> subprocess.CompletedProcess[bytes]:
    """`mlvet trace`, without its own line."""
    return plain(folder, "-m", "mlvet", "trace", "--quiet", *arguments, given=given, **extra)


@dataclass(frozen=True, slots=True)
class Again:
    """What came of running a log again."""

    faithful: bool = False
    diverged: str | None = None
    same_output: bool | None = None
    difference: str | None = None
    ending: str = ""
    error: str | None = None


def again(log: Path) -> Again:
    """Run a log again in a fresh process."""
    found = subprocess.run(
        [sys.executable, "-c", _RERUN, os.fspath(log)], capture_output=True, text=True, timeout=PATIENCE,
        env=environment(PYTHONHASHSEED=read(log).header.hash_seed),
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    told: dict[str, Any] = json.loads(found.stdout)
    return Again(**told)


def log_of(folder: Path, name: str = "program.py") -> Log:
    """The log beside a script."""
    return read(folder / f"{name}.mlvet-trace")
