"""From options to the values that the pipeline takes."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlvet.cli.numerics import merged
from mlvet.core.config import Config, load_config
from mlvet.core.errors import UsageError
from mlvet.core.executor import Executor


def paths_of(options: argparse.Namespace) -> list[Path]:
    """The paths named on the command line and, if asked, on standard input; the current folder without any."""
    _require_working_folder()
    named: list[str] = list(options.paths)
    if "" in named:
        raise UsageError("a path is empty; use `.` for the current folder")
    if options.stdin_paths:
        if sys.stdin is None:
            raise UsageError("--stdin-paths needs standard input, which is closed")
        lines = (line.removesuffix(b"\r") for line in sys.stdin.buffer.read().split(b"\n"))
        return [Path(path) for path in (*named, *(os.fsdecode(line) for line in lines if line.strip()))]
    return [Path(path) for path in named] or [Path()]


def _require_working_folder() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise UsageError("the working folder has been deleted, or cannot be entered") from error


def config_of(options: argparse.Namespace, paths: list[Path]) -> Config:
    """The project's configuration with the command line on top."""
    explicit = Path(options.config) if options.config else None
    if explicit is not None and not explicit.is_file():
        raise UsageError(f"{explicit}: no such configuration file")
    config = load_config(_common_folder(paths), explicit)
    given: dict[str, Any] = {
        "select": _tuple(options.select),
        "ignore": (*config.ignore, *options.ignore) if options.ignore else None,
        "checkers": _tuple(options.checkers),
        "min_certainty": options.min_certainty,
        "min_severity": options.min_severity,
        "fail_on": getattr(options, "fail_on", None),
        "baseline": Path(options.baseline) if options.baseline else None,
        "python": Path(options.python) if options.python else None,
        "trust_python": True if options.python else None,
        "ranges": merged(config.ranges, options.ranges or ()),
        "asked_ranges": frozenset(name for name, _ in options.ranges or ()),
        "data": Path(options.data) if options.data is not None else None,
        "tensor_abstraction": options.tensor_abstraction,
        "numeric_abstraction": options.numeric_abstraction,
        "witness_seconds": options.witness_seconds,
        "confirm": options.confirm or None,
        "memory": options.memory,
        "speculate": _tuple(options.speculate),
        "no_speculate": _tuple(options.no_speculate),
        "measure": options.measure,
        "timeout": options.timeout,
        "jobs": options.jobs,
    }
    settled = replace(config, **{name: value for name, value in given.items() if value is not None})
    settled = replace(settled, checkers=tuple(dict.fromkeys(settled.checkers)))
    _validate(settled)
    return settled


def executor_of(options: argparse.Namespace, config: Config) -> Executor:
    from mlvet.cli.progress import with_progress
    from mlvet.engine import executor_for

    return with_progress(executor_for(options.engine, config.jobs))


def _tuple(words: list[str] | None) -> tuple[str, ...] | None:
    return tuple(words) if words else None


def _common_folder(paths: list[Path]) -> Path:
    try:
        folders = [os.path.abspath(path if os.path.isdir(path) else path.parent) for path in paths]
        return Path(os.path.commonpath(folders)) if folders else Path.cwd()
    except ValueError:
        return Path.cwd()


def _validate(config: Config) -> None:
    """Names that cannot be right are told before any work is done."""
    from mlvet.analyses.catalogue import catalogue
    from mlvet.analyses.pycheck.checkers import checker
    from mlvet.core.rule import expand

    listed = (rule for rules in config.per_file_ignores.values() for rule in rules)
    expand((*config.select, *config.ignore, *listed), catalogue())
    for name in config.checkers:
        checker(name)
