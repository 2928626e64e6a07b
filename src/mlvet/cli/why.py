"""`mlvet why`: which inputs made an output what it is."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlvet.cli.progress_line import ProgressLine
from mlvet.cli.reporting import color_of
from mlvet.cli.streams import put
from mlvet.core.errors import UsageError
from mlvet.core.grade import Severity

if TYPE_CHECKING:
    from mlvet.analyses.provenance.question import Question
    from mlvet.core.explanation import Explanation

_QUICK, _SMALL = 3.0, 1_000_000
"""Seconds and entries of a replay up to which further runs are made although nobody asked for them."""
_RELATIVE = 1e-3


def run(options: argparse.Namespace) -> int:
    """Answer, report, and tell by the exit code whether something is suspicious."""
    from mlvet.report.explanation import known_format

    known_format(options.output_format)
    question = _question(options)
    with ProgressLine() as progress:
        progress("replaying the program", 0, 1)
        told, explanations = _compared(options, question) if options.against else _answered(options, question)
    _write(told, options.output, options.output_format)
    failing = any(
        finding.severity.at_least(options.fail_on or Severity.WARNING)
        for each in explanations
        for finding in each.findings
    )
    return int(failing and not options.exit_zero)


def _question(options: argparse.Namespace) -> Question:
    from mlvet.analyses.provenance.question import Question

    given = options.delta is not None
    graph = options.output_format in ("html", "graphml", "prov-json")
    return Question(
        os.path.abspath(options.log), tuple(options.of), tuple(options.inputs), options.top,
        options.delta if given else _RELATIVE, not given, options.max_derivative, options.flips,
        taint=options.taint, paths=options.paths or graph, memory=options.memory,
    )  # fmt: skip


def _answered(options: argparse.Namespace, question: Question) -> tuple[str | bytes, list[Explanation]]:
    from mlvet.analyses.provenance.asking import asked
    from mlvet.analyses.provenance.checking import checked
    from mlvet.analyses.provenance.telling import told
    from mlvet.analyses.provenance.trying import tried
    from mlvet.core.source import Source
    from mlvet.report.explanation import render

    answer = asked(question, options.timeout)
    quick = answer.seconds <= _QUICK and answer.entries <= _SMALL
    if options.flips and (options.delta is not None or quick):
        answer = checked(tried(answer, question), question)
    explanations = told(answer, only_jumps=options.delta is None)
    paths = {finding.location.path for each in explanations for finding in each.findings}
    sources = {path: Source(path, Path(path).read_text(errors="replace")) for path in paths if os.path.isfile(path)}
    report = render(
        options.output_format, explanations, color=color_of(options), histogram=options.histogram, sources=sources
    )
    return report, explanations


def _compared(options: argparse.Namespace, question: Question) -> tuple[str | bytes, list[Explanation]]:
    from mlvet.analyses.provenance.against import compared
    from mlvet.analyses.provenance.asking import asked
    from mlvet.report.explanation import difference

    if options.output_format not in ("full", "json"):
        raise UsageError(f"--against is told as full or json, not as {options.output_format}")
    whole = replace(question, top=0, delta=None, paths=False)
    after = asked(whole, options.timeout).explanations
    before = asked(replace(whole, log=os.path.abspath(options.against)), options.timeout).explanations
    earlier = {each.output: each for each in before}
    pairs = [(earlier[each.output], each) for each in after if each.output in earlier]
    if not pairs:
        raise UsageError(f"{options.against}: has none of these outputs")
    found = [compared(*pair) for pair in pairs]
    if options.output_format == "json":
        return difference.json_document(found), []
    return difference.terminal(found, top=options.top, color=color_of(options)), []


def _write(report: str | bytes, file: str | None, format: str) -> None:
    if file is not None:
        try:
            Path(file).write_bytes(report if isinstance(report, bytes) else report.encode())
        except OSError as error:
            raise UsageError(f"{file}: cannot write the report: {error.strerror}") from error
    elif isinstance(report, bytes):
        if sys.stdout is None or sys.stdout.isatty():
            raise UsageError(f"--output FILE is needed for {format}")
        sys.stdout.buffer.write(report)
        sys.stdout.flush()
    else:
        put(report, None if format == "full" else "utf-8")
