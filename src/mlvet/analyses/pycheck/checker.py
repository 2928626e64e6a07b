"""What a checker is to mlvet: a command to run in a sealed setting, and a way to read its answer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mlvet.analyses.pycheck.environment import Environment


@dataclass(frozen=True, slots=True)
class Request:
    """One run of one checker.

    `workdir` is a private empty folder: the checker runs there and may write there, so nothing of the
    analysed project is on its path. `search` are the folders that the project's imports start from; `base` lies above
    all files, and `first` are those folders that come before the installed packages. `cache` is a folder that lasts
    between runs. `unreadable` are files that Python cannot compile: a tool that gives up at
    the first of them gets them here and not among `files`.
    """

    files: tuple[Path, ...]
    environment: Environment
    search: tuple[Path, ...]
    workdir: Path
    cache: Path
    base: Path = Path("/")
    first: tuple[Path, ...] = ()
    unreadable: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One report of one checker, in mlvet's terms.

    `code` is the checker's own name for it, `rule` ours (None when it is no kind of crash). Lines and columns
    count from 1; `end_column` is exclusive; columns are 0 when the checker does not say.
    """

    checker: str
    code: str
    rule: str | None
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str


@dataclass(frozen=True, slots=True)
class Checker:
    """An adapter: where the tool is, how it is called, how its output reads.

    `kinds` maps the tool's codes to rule names; codes that are absent are dropped by `parse` unless it decides
    by message. `answers` are the exit codes with which the tool has done its work. A `grouped` tool follows imports, so
    it sees only files that resolve them alike. `partial` are the codes of what holds on some paths or for some members
    of a union only; where the tool has one code for both, the adapter appends `:union` to it. `environment` is added to
    the variables that the tool sees. `runs` divides a request that the tool cannot do at once.
    """

    name: str
    arguments: Callable[[Request], list[str]]
    parse: Callable[[str, Request], Iterable[Diagnosis]]
    kinds: Mapping[str, str]
    answers: frozenset[int] = frozenset({0, 1})
    python_module: str | None = None
    grouped: bool = True
    partial: frozenset[str] = frozenset()
    environment: Mapping[str, str] = field(default_factory=dict)
    runs: Callable[[Request], Iterable[Request]] = lambda request: (request,)

    def executable(self) -> list[str] | None:
        """The command that starts the tool, or None when it is not installed.

        The tool installed beside mlvet wins over one on PATH. Python tools start with `-P`, so no folder of the
        analysed project is ever importable by them.
        """
        if self.python_module is not None and _importable(self.python_module):
            return [sys.executable, "-P", "-m", self.python_module]
        beside = Path(sys.executable).parent / self.name
        found = str(beside) if beside.is_file() else shutil.which(self.name)
        return [found] if found else None


class CheckerFailed(Exception):
    """The tool did not do its work; the text says how, in a few words."""


def run_checker(checker: Checker, request: Request) -> list[Diagnosis]:
    """Run the tool, as often as the request needs, and read its answers."""
    start = checker.executable()
    if start is None:
        raise CheckerFailed("not installed")
    return [diagnosis for run in checker.runs(request) for diagnosis in _run_once(checker, start, run)]


def _run_once(checker: Checker, start: list[str], request: Request) -> list[Diagnosis]:
    command = [*start, *checker.arguments(request)]
    completed = subprocess.run(
        command,
        cwd=request.workdir,
        env=_sealed_environment(checker.environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    if completed.returncode not in checker.answers:
        raise CheckerFailed(_last_words(completed))
    try:
        return list(checker.parse(completed.stdout, request))
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise CheckerFailed(f"answered in a form that mlvet does not know ({error!r})") from error


def _sealed_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """The user's variables without those that add code or settings to a Python tool."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "MYPY", "PYLINT", "PYREFLY", "RUFF", "TY_", "PYRIGHT"))
    }
    return {**kept, "PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", **extra}


def _last_words(completed: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in (completed.stderr or completed.stdout).splitlines() if line.strip()]
    ending = f"signal {-completed.returncode}" if completed.returncode < 0 else f"exit code {completed.returncode}"
    telling = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
    return f"{ending}: {telling[:200]}" if telling else ending


def _importable(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None
