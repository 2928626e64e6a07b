"""`mlvet compare`: one model on several backends."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlvet.cli.progress_line import ProgressLine
from mlvet.cli.reporting import known_format, reported
from mlvet.core.errors import UsageError
from mlvet.core.grade import Severity


def run(options: argparse.Namespace) -> int:
    """Compare, report, and tell by the exit code whether backends disagree."""
    from mlvet.analyses.catalogue import catalogue
    from mlvet.analyses.compare.bisecting import bisect, data_of, told_of
    from mlvet.analyses.compare.comparison import beginning, compare
    from mlvet.analyses.compare.distances import Thresholds
    from mlvet.analyses.compare.request import CompareRequest
    from mlvet.analyses.compare.runs import Limits
    from mlvet.analyses.compare.telling import findings, notes, summary
    from mlvet.core.fingerprint import fingerprinted
    from mlvet.core.result import Problem, Summary, Vetting

    known_format(options)
    _foldable(options.reproduce)
    model = Path(options.model)
    if options.build and not re.fullmatch(r"[\w.]+:\w+", options.build):
        raise UsageError(f"--build {options.build}: not of the form MODULE:FUNCTION")
    if not model.exists():
        raise UsageError(f"{model}: no such file or folder")
    began = time.monotonic()
    request = CompareRequest(
        model, os.fspath(model), _file(options.data), _file(options.labels), tuple(options.backends or ()),
        _environments(options.env or ()), options.build,
        Thresholds(
            **_given(k=options.k, classes=options.class_threshold, deviation=options.mad_threshold, share=options.share)
        ),
        Limits(options.timeout, options.memory, **_given(states=options.states_memory)), options.batch,
        seed=options.seed, gradients=options.gradients,
        reproduce=Path(options.reproduce) if options.reproduce else None, mutate=options.mutate or 0.0,
        announce=_announce, **_given(count=options.examples),
    )  # fmt: skip
    with ProgressLine() as progress:
        if options.bisect:
            bisection = bisect(request, *_versions(options.bisect), progress)
            found = bisection.shown
        else:
            bisection, found = None, compare(request, progress)
    base = os.getcwd()
    told = fingerprinted(findings(found, request.shown), {}, base, base)
    told_twice = {each.evidence.data.get("words") for each in told if each.evidence}
    unsupported = [
        f"{each.backend}: not compared: {beginning(each.failure.words)}"
        for each in found.refusals
        if not each.dead and each.failure.words not in told_twice
    ]
    vetting = Vetting(
        tuple(told),
        Summary(
            files=1, seconds=time.monotonic() - began, operators_analysed=len(found.walk.judges),
            operators_unanalysed=len(found.walk.unjudged),
            notes=(
                *found.notes, *notes(found), *found.searched.notes, *unsupported,
                *(told_of(bisection) if bisection else ()),
            ),
            problems=tuple(Problem(request.shown, each) for each in found.problems),
            analyses={"compare": {**summary(found, all_maps=options.map), **data_of(bisection)}},
        ),
        {}, catalogue(), base, base,
    )  # fmt: skip
    return reported(vetting, options, options.fail_on or Severity.WARNING)


def _given(**options: Any) -> dict[str, Any]:
    """The options that the user gives; the others keep their defaults."""
    return {name: value for name, value in options.items() if value is not None}


def _file(name: str | None) -> Path | None:
    if name is not None and not os.path.isfile(name):
        raise UsageError(f"{name}: no such file")
    return None if name is None else Path(name)


def _foldable(name: str | None) -> None:
    """Complain of a folder that cannot be made, before a long search."""
    if name is None:
        return
    place = Path(os.path.abspath(name))
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise UsageError(f"--reproduce {name}: {os.fspath(place)} is no folder")
    if not os.access(place, os.W_OK | os.X_OK):
        raise UsageError(f"--reproduce {name}: nothing can be written to {os.fspath(place)}")


def _versions(given: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"([\w.-]+)=([^.=][^=]*?)\.\.([^.=][^=]*)", given)
    if found is None:
        raise UsageError(f"--bisect {given}: not of the form PACKAGE=V1..V2")
    return found[1], found[2], found[3]


def _environments(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in given:
        name, separator, python = each.partition("=")
        if not separator or not name or not python:
            raise UsageError(f"--env {each}: not of the form NAME=PYTHON")
        found[name] = python
    return found


def _announce(words: str) -> None:
    """What a long search has found so far is said at once."""
    if sys.stderr is not None:
        sys.stderr.write(f"mlvet: {words}\n")
        sys.stderr.flush()
