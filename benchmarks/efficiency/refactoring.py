"""The programs with mlvet's own edits, beside the originals: how much faster they are and how far results differ."""

from __future__ import annotations

import re
import subprocess
import sys
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.efficiency.established import compare
from benchmarks.efficiency.judging import PROGRAMS, Judged, judged, truth
from benchmarks.table import Table
from mlvet.core.fix import Applicability, Edit, Fix, apply_edits
from mlvet.core.location import Location

COMMAND = "python -m benchmarks.efficiency --only refactoring"
_MOST = 5.0
_LIMIT = 600.0
_FEWER = 5
"""At a scale above 1 programs make a so many times smaller number of steps, which would take hours otherwise."""
_EDITED = "mlvet's edits"


def main(scales: tuple[int, ...] = (1, 10)) -> Table:
    rows: list[tuple[object, ...]] = []
    ratios: dict[str, list[float]] = {}
    with TemporaryDirectory() as folder:
        for each in judged():
            if "/" in each.name or not any(one["timed"] for one in each.required):
                continue
            by, new = _refactored(each, Path(folder))
            seen = [_compared(PROGRAMS / each.name, new, scale) for scale in scales]
            ratios.setdefault(by, []).extend(min(one["wall"], _MOST) for one in seen if isinstance(one, dict))
            tolerance = truth()[each.name]["tolerance"]
            rows.append((each.name, by, *map(_ratio, seen), _equal(seen, tolerance)))
            print(rows[-1], file=sys.stderr, flush=True)
    all_ratios = [one for listed in ratios.values() for one in listed]
    said = (
        f"Geometric mean of {len(all_ratios)} ratios, each capped at {_MOST:g}x: {_mean(all_ratios):.2f}x "
        f"(asked: 2.07x); of those by edits alone {_mean(ratios.get(_EDITED, [])):.2f}x. Where a suggestion has an "
        "example and no edit, the program in `refactored/`, written by hand to the same effect, is timed. "
        f"One run each; above scale 1 with a {_FEWER}th of the steps.",
    )
    columns = ("program", "refactored by", *(f"scale {each}" for each in scales), "results")
    return Table("efficiency-refactoring", "Efficiency: programs refactored", COMMAND, columns, rows, said)


def _refactored(each: Judged, folder: Path) -> tuple[str, Path]:
    """The program with the edits of its reports; where one has an example only, as somebody changed it by hand."""
    fixes = [fix_of(report) for report in each.reports]
    if not fixes or None in fixes:
        return "hand, after the examples", PROGRAMS.parent / "refactored" / each.name
    text = (PROGRAMS / each.name).read_text(encoding="utf-8")
    changed, _ = apply_edits(text, [fix for fix in fixes if fix is not None])
    copy = folder / each.name
    copy.write_text(changed, encoding="utf-8")
    return _EDITED, copy


def _mean(ratios: list[float]) -> float:
    return prod(ratios) ** (1 / len(ratios)) if ratios else 0.0


def _compared(old: Path, new: Path, scale: int) -> dict[str, float] | str:
    arguments = ["--scale", str(scale)]
    steps = re.search(r'"--steps", type=int, default=(\d+)', old.read_text(encoding="utf-8"))
    if scale > 1 and steps is not None:
        arguments += ["--steps", str(max(1, int(steps[1]) // _FEWER))]
    try:
        return compare(old, new, arguments, 1, 1, _LIMIT)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return f"failed: {error}"


def _ratio(seen: dict[str, float] | str) -> str:
    return seen if isinstance(seen, str) else f"{seen['wall']:.2f}x"


def _equal(seen: list[dict[str, float] | str], tolerance: float) -> str:
    differences = [each["diff"] for each in seen if isinstance(each, dict)]
    if not differences:
        return "-"
    return ("equal" if max(differences) <= tolerance else "differ") + f" ({max(differences):.0e})"


def fix_of(report: Any) -> Fix | None:
    fix = report["fix"]
    if fix is None or not fix["edits"]:
        return None
    edits = tuple(Edit(_location(each["location"]), each["content"]) for each in fix["edits"])
    return Fix(fix["title"], edits, Applicability(fix["applicability"]), fix["reason"])


def _location(data: Any) -> Location:
    return Location(data["path"], data["line"], data["column"], data["end_line"], data["end_column"])
