"""The programs with mlvet's own edits, beside the originals: how much faster they are and how far results differ."""

from __future__ import annotations

import subprocess
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.efficiency.established import compare
from benchmarks.efficiency.judging import PROGRAMS, judged, truth
from benchmarks.table import Table
from mlvet.core.fix import Applicability, Edit, Fix, apply_edits
from mlvet.core.location import Location

COMMAND = "python -m benchmarks.efficiency --only refactoring"
_MOST = 5.0
_LIMIT = 600.0


def main(scales: tuple[int, ...] = (1, 10), repeats: int = 3) -> Table:
    rows: list[tuple[object, ...]] = []
    ratios: list[float] = []
    with TemporaryDirectory() as folder:
        for each in judged():
            if "/" in each.name:
                continue
            fixes = [fix for report in each.reports if (fix := _fix(report)) is not None]
            if not fixes:
                rows.append((each.name, "no edit", "-", "-", "-"))
                continue
            text = (PROGRAMS / each.name).read_text(encoding="utf-8")
            changed, applied = apply_edits(text, fixes)
            copy = Path(folder) / each.name
            copy.write_text(changed, encoding="utf-8")
            seen = [_compared(PROGRAMS / each.name, copy, scale, repeats) for scale in scales]
            ratios += [min(one["wall"], _MOST) for one in seen[:1] if isinstance(one, dict)]
            tolerance = truth()[each.name]["tolerance"]
            rows.append((each.name, f"{applied} edits", *map(_ratio, seen), _equal(seen, tolerance)))
    mean = prod(ratios) ** (1 / len(ratios)) if ratios else 0.0
    said = (f"Geometric mean of {len(ratios)} rows at scale 1, each capped at {_MOST:g}x: {mean:.2f}x (asked: 2.07x).",)
    columns = ("program", "refactored by", *(f"scale {each}" for each in scales), "results")
    return Table("efficiency-refactoring", "Efficiency: programs with mlvet's edits", COMMAND, columns, rows, said)


def _compared(old: Path, new: Path, scale: int, repeats: int) -> dict[str, float] | str:
    try:
        return compare(old, new, ["--scale", str(scale)], repeats, 1, _LIMIT)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return f"failed: {error}"


def _ratio(seen: dict[str, float] | str) -> str:
    return seen if isinstance(seen, str) else f"{seen['wall']:.2f}x"


def _equal(seen: list[dict[str, float] | str], tolerance: float) -> str:
    differences = [each["diff"] for each in seen if isinstance(each, dict)]
    if not differences:
        return "-"
    return ("equal" if max(differences) <= tolerance else "differ") + f" ({max(differences):.0e})"


def _fix(report: Any) -> Fix | None:
    fix = report["fix"]
    if fix is None or not fix["edits"]:
        return None
    edits = tuple(Edit(_location(each["location"]), each["content"]) for each in fix["edits"])
    return Fix(fix["title"], edits, Applicability(fix["applicability"]), fix["reason"])


def _location(data: Any) -> Location:
    return Location(data["path"], data["line"], data["column"], data["end_line"], data["end_column"])
