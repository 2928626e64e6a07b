"""A vetting to its report and its exit code, for every command that has findings."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from pathlib import Path

from mlvet.cli.edge import BAD_INPUT
from mlvet.cli.streams import put, tell
from mlvet.core.errors import UsageError
from mlvet.core.grade import Severity
from mlvet.core.result import Vetting
from mlvet.core.rule import did_you_mean
from mlvet.report import FORMATS, render


def known_format(options: argparse.Namespace) -> None:
    """Complain of an output format that there is not, or of no place for the report, before any work is done."""
    chosen = options.output_format or "full"
    if chosen not in FORMATS:
        raise UsageError(
            f"unknown output format `{chosen}`{did_you_mean(chosen, list(FORMATS))} (known: {', '.join(FORMATS)})"
        )
    if options.output is not None:
        _has_place(Path(options.output))


def _has_place(file: Path) -> None:
    why = None
    if file.is_dir():
        why = errno.EISDIR
    elif not file.parent.is_dir():
        why = errno.ENOTDIR if file.parent.exists() else errno.ENOENT
    elif not os.access(file if file.exists() else file.parent, os.W_OK):
        why = errno.EACCES
    if why is not None:
        raise UsageError(f"{file}: cannot write the report: {os.strerror(why)}")


def reported(vetting: Vetting, options: argparse.Namespace, fail_on: Severity) -> int:
    """Write the report, tell what could not be read, and return the exit code."""
    _write(_report(vetting, options), options.output, None if _for_people(options) else "utf-8")
    tell_problems(vetting)
    return _exit_code(vetting, fail_on, options)


def _report(vetting: Vetting, options: argparse.Namespace) -> str:
    color = color_of(options)
    if options.statistics:
        from mlvet.report import statistics

        return statistics.render(vetting, color=color)
    return render(options.output_format or "full", vetting, color=color)


def color_of(options: argparse.Namespace) -> bool:
    """Whether the report is coloured: as the user says, else on a terminal that takes it."""
    if options.color != "auto":
        return bool(options.color == "always")
    if os.environ.get("NO_COLOR") or options.output or sys.stdout is None:
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def _for_people(options: argparse.Namespace) -> bool:
    """Whether a report is read from a terminal; all others are UTF-8 by their own standards."""
    return bool(options.statistics) or options.output_format in (None, "full", "concise")


def _write(text: str, file: str | None, encoding: str | None) -> None:
    """To a file, or to standard output, where it also goes if the file cannot be written after all."""
    if file is not None:
        try:
            Path(file).write_text(text, encoding="utf-8")
        except OSError as error:
            put(text, encoding)
            raise UsageError(f"{file}: cannot write the report: {error.strerror}") from error
    else:
        put(text, encoding)


def tell_problems(vetting: Vetting) -> None:
    for problem in vetting.summary.problems:
        tell(str(problem))


def _exit_code(vetting: Vetting, fail_on: Severity, options: argparse.Namespace) -> int:
    if vetting.summary.problems:
        return BAD_INPUT
    failing = any(finding.severity.at_least(fail_on) for finding in vetting.findings)
    return int(failing and not options.exit_zero)
