"""The shape bugs of TensorFlow programs that were asked about on StackOverflow, with the versions put right."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from benchmarks.shapes.judging import Judged, in_processes, judged
from benchmarks.table import Table

COMMAND = "python -m benchmarks.shapes --corpora DIR --bugs shapes_ut.csv --only stackoverflow"
CHECKOUT = "ForeverZyh+TensorFlow-Program-Bugs"
SILENT = ("UT-10", "UT-13", "UT-15")
"""Programs whose bug raises nothing when they are run, or not before hours have passed."""


def main(corpora: Path, bugs: Path, processes: int) -> Table:
    """One row for each bug."""
    top = corpora / CHECKOUT
    failing = dict(_failing(bugs))
    cases = sorted({*failing, *SILENT}, key=lambda name: int(name.partition("-")[2]))
    files = [(name, _file(top, name, "buggy"), _file(top, name, "fix")) for name in cases]
    found = list(in_processes(_judged, [path for _, *both in files for path in both], processes))
    rows, right, silent = [], 0, 0
    for place, (name, buggy, _) in enumerate(files):
        wrong, fixed = found[2 * place], found[2 * place + 1]
        told = list(wrong.told) if name in SILENT else wrong.errors
        lines = sorted({min(line for path, line in each.lines if path == each.path) for each in told})
        at = name in SILENT or any(each.is_at({(buggy.name, line) for line in failing[name]}) for each in told)
        right += name in failing and bool(told) and at
        silent += name in SILENT and bool(told)
        expected = " or ".join(map(str, sorted(failing.get(name, ())))) or "raises nothing"
        rules = ", ".join(f"{each.rule} ({each.certainty})" for each in told)
        rows.append((name, expected, rules, ", ".join(map(str, lines)), len(fixed.errors)))
    return Table(
        "shapes-stackoverflow",
        "Shape errors: StackOverflow",
        COMMAND,
        ("bug", "fails at line", "told", "at line", "errors on the fixed program"),
        rows,
        (
            f"{right} of {len(failing)} that fail are found at the failing or defining line, {silent} of {len(SILENT)} "
            "that raise nothing are told (ShapeTracer finds 9 of all 14, Pythia 11 with heuristics).",
        ),
    )


def _failing(bugs: Path) -> Iterator[tuple[str, set[int]]]:
    """The lines at which each buggy program fails, or where the failing operator is defined."""
    with bugs.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["label"] == "buggy":
                found = {int(row[key]) for key in ("crash_line", "op_defined_line") if row[key]}
                yield Path(row["file"]).parts[1], found


def _file(top: Path, name: str, kind: str) -> Path:
    (found,) = (top / "StackOverflow" / name).glob(f"*-{kind}/*.py")
    return found


def _judged(path: Path) -> Judged:
    return judged(path.parent, [path])
