"""Suggestions tried out: the program that the user names is run as it is and with the edit of each."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from mlvet.core.config import Config
from mlvet.core.errors import UsageError
from mlvet.core.evidence import Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.fix import apply_edits
from mlvet.core.grade import Certainty
from mlvet.core.result import Problem
from mlvet.runtime.measuring.sides import Measured, NotMeasured, Target, TargetFails, interpreter, measured

FASTER = 1.05
"""The ratio from which on a run counts as faster, and the part of memory from which on it counts as smaller."""
_SAME = 1e-3


def target_of(text: str) -> Target:
    """What the user names: `train.py`, `train.py:main`, or `train.py --steps 20`."""
    try:
        first, *arguments = shlex.split(text) or [""]
    except ValueError as error:
        raise UsageError(f"--measure: cannot read `{text}`: {error}") from error
    name, colon, function = first.partition(":")
    file = Path(name)
    if not name:
        raise UsageError(f"--measure: `{text}` names no file")
    if not file.is_file():
        raise UsageError(f"--measure: no such file: {name}")
    if arguments and function:
        raise UsageError("--measure: a function is called without arguments")
    if colon:
        _check_function(file, function)
    return Target(file.resolve(), function, tuple(arguments))


def _check_function(file: Path, function: str) -> None:
    """Refuse a function of which the file says nothing, whether by `def`, by an assignment or by an import."""
    words = set(re.findall(r"\w+", file.read_text(encoding="utf-8", errors="replace")))
    if function not in words:
        alike = get_close_matches(function, words, 1)
        hint = f"; did you mean `{alike[0]}`?" if alike else ""
        raise UsageError(f"--measure: {file} has no function `{function}`{hint}")


def tried(
    findings: Iterable[Finding], config: Config, base: Path
) -> tuple[list[Finding], list[str], list[Problem]]:  # fmt: skip
    """Findings with what was measured of them, notes on what could not be, and why the target does not run at all."""
    target = target_of(config.measure or "")
    found = list(findings)
    waiting = [
        index
        for index, each in enumerate(found)
        if each.code.startswith("EFF") and each.fix is not None and each.fix.edits and _is_of(each, target, base)
    ]
    if not waiting:
        return found, [f"nothing was measured: no suggestion with an edit is in {target.file.name}"], []
    notes: list[str] = []
    for index in waiting:
        fix = found[index].fix
        assert fix is not None
        changed, _ = apply_edits(target.file.read_text(encoding="utf-8"), [fix])
        try:
            seen = measured(target, changed, interpreter(config.python), config.timeout)
        except TargetFails as problem:
            return found, notes, [Problem(found[index].location.path, f"not measured: {problem}")]
        except NotMeasured as problem:
            notes.append(f"{found[index].location}: not measured: {problem}")
            continue
        found[index] = _with(found[index], seen, target)
    return found, notes, []


def _is_of(finding: Finding, target: Target, base: Path) -> bool:
    return (base / finding.location.path).resolve() == target.file


def _with(finding: Finding, seen: Measured, target: Target) -> Finding:
    """A finding with its measurement: observed if the edit pays and keeps the results, possible if it does not pay."""
    same = seen.difference is None or seen.difference <= _SAME
    smaller = bool(seen.memory_before and seen.memory_after and seen.memory_before >= FASTER * seen.memory_after)
    pays = seen.ratio >= FASTER or smaller
    data = {
        **(finding.evidence.data if finding.evidence else {}),
        "measured": {
            "target": str(target), "seconds_before": round(seen.before, 4), "seconds_after": round(seen.after, 4),
            "ratio": round(seen.ratio, 3), "memory_before": seen.memory_before, "memory_after": seen.memory_after,
            "difference": seen.difference, "compared": seen.compared,
        },
    }  # fmt: skip
    certainty = Certainty.OBSERVED if pays and same else Certainty.LIKELY if pays else Certainty.POSSIBLE
    note = Related(f"measured with `{target}`: {_words(seen)}")
    return replace(
        finding, certainty=certainty, evidence=Evidence("efficiency", data), related=(*finding.related, note)
    )


def _words(seen: Measured) -> str:
    times = f"{seen.before:.3g} s before, {seen.after:.3g} s after the edit ({seen.ratio:.2f}x)"
    if seen.difference is None:
        return f"{times}; there are no results to compare"
    differ = "the same results" if seen.difference == 0 else f"results differ by {seen.difference:.1g} at most"
    return f"{times}, {differ} ({seen.compared})"
