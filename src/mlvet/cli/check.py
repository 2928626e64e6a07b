"""`mlvet check`: analyse, perhaps fix, report."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from mlvet.cli.edge import BAD_INPUT
from mlvet.cli.inputs import config_of, executor_of, paths_of
from mlvet.cli.streams import put, tell
from mlvet.core.config import Config
from mlvet.core.errors import UsageError
from mlvet.core.result import Vetting
from mlvet.core.rule import did_you_mean
from mlvet.pipeline import vet
from mlvet.report import FORMATS, render


def run(options: argparse.Namespace) -> int:
    """One check, or one after every change of a file with `--watch`."""
    chosen = options.output_format or "full"
    if chosen not in FORMATS:
        raise UsageError(
            f"unknown output format `{chosen}`{did_you_mean(chosen, list(FORMATS))} (known: {', '.join(FORMATS)})"
        )
    paths = paths_of(options)
    config = config_of(options, paths)
    if options.watch:
        from mlvet.cli.watch import watch

        return watch(lambda: _once(options, paths, config), paths, config)
    return _once(options, paths, config)


def _once(options: argparse.Namespace, paths: list[Path], config: Config) -> int:
    executor = executor_of(options, config)
    if options.fix or options.unsafe_fixes or options.diff:
        from mlvet.cli.fixing import difference, fix

        if options.diff:
            vetting = vet(paths, config, executor)
            text = difference(vetting, unsafe=options.unsafe_fixes)
            put(text)
            _tell_problems(vetting)
            return BAD_INPUT if vetting.summary.problems else int(bool(text) and not options.exit_zero)
        vetting, fixed = fix(paths, config, executor, unsafe=options.unsafe_fixes)
        if fixed:
            tell(f"applied {fixed} fix{'es' if fixed != 1 else ''}")
    else:
        vetting = vet(paths, config, executor)
    _write(_report(vetting, options), options.output, None if _for_people(options) else "utf-8")
    _tell_problems(vetting)
    return _exit_code(vetting, config, options)


def _report(vetting: Vetting, options: argparse.Namespace) -> str:
    color = _color(options)
    if options.statistics:
        from mlvet.report import statistics

        return statistics.render(vetting, color=color)
    return render(options.output_format or "full", vetting, color=color)


def _color(options: argparse.Namespace) -> bool:
    if options.color != "auto":
        return bool(options.color == "always")
    if os.environ.get("NO_COLOR") or options.output or sys.stdout is None:
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def _for_people(options: argparse.Namespace) -> bool:
    """Whether a report is read from a terminal; all others are UTF-8 by their own standards."""
    return bool(options.statistics) or options.output_format in (None, "full", "concise")


def _write(text: str, file: str | None, encoding: str | None) -> None:
    if file is not None:
        try:
            Path(file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{file}: cannot write the report: {error.strerror}") from error
    else:
        put(text, encoding)


def _tell_problems(vetting: Vetting) -> None:
    for problem in vetting.summary.problems:
        tell(str(problem))


def _exit_code(vetting: Vetting, config: Config, options: argparse.Namespace) -> int:
    if vetting.summary.problems:
        return BAD_INPUT
    failing = any(finding.severity.at_least(config.fail_on) for finding in vetting.findings)
    return int(failing and not options.exit_zero)
