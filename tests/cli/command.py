"""The real command, run as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mlvet

BUG = "print(undefined_name)\n"
PATIENCE = 60.0
SOURCE = str(Path(mlvet.__file__).parents[1])


def environment(extra: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The variables of this process without those that steer mlvet, and `extra` on top; None takes one away."""
    steering = ("MLVET_TRACEBACK", "VIRTUAL_ENV", "CONDA_PREFIX", "NO_COLOR", "FORCE_COLOR")
    merged = {**os.environ, **dict.fromkeys(steering), "PYTHONPATH": SOURCE, **(extra or {})}
    return {name: value for name, value in merged.items() if value is not None}


def command(*arguments: str | bytes | Path, python: str | Path = sys.executable) -> list[str | bytes | Path]:
    return [python, "-m", "mlvet", *arguments]


def run(
    *arguments: str | bytes | Path,
    cwd: Path,
    env: Mapping[str, str | None] | None = None,
    python: str | Path = sys.executable,
    patience: float = PATIENCE,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """Run mlvet to its end; whatever happens, it shows no traceback and takes nothing for a bug of its own."""
    done = subprocess.run(
        command(*arguments, python=python),
        cwd=cwd,
        env=environment(env),
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=patience,
        **options,
    )
    assert_composed(done)
    return done


def shell(line: str, cwd: Path, env: Mapping[str, str | None] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `$MLVET` is the command."""
    extra = {**(env or {}), "MLVET": f"{sys.executable} -m mlvet"}
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=cwd,
        env=environment(extra),
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=PATIENCE,
    )
    assert_composed(done)
    return done


def assert_composed(done: subprocess.CompletedProcess[str]) -> None:
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    assert "internal error" not in said
    assert "Exception ignored" not in said


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


def findings(done: subprocess.CompletedProcess[str]) -> list[tuple[str, int, str]]:
    """Path, line and rule of the findings of a JSON report."""
    return [(each["location"]["path"], each["location"]["line"], each["rule"]) for each in document(done)["findings"]]


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    return done.stderr.splitlines()


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether something becomes true before patience ends."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
