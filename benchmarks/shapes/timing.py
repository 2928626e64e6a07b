"""Processor seconds of `mlvet check --select SHP` on programs of about 300 lines, start-up included."""

from __future__ import annotations

import statistics
from pathlib import Path

from benchmarks.shapes.comparison import checked
from benchmarks.table import Table

COMMAND = "python -m benchmarks.shapes --corpora DIR --only time"
RUNS = 3
ASKED = 1.5
FETCHED = (
    "pytorch+examples/word_language_model/main.py",
    "pytorch+examples/siamese_network/main.py",
    "keras-team+keras-io/examples/vision/pointnet.py",
)
OURS = Path(__file__).parent / "programs" / "timed" / "captioning.py"


def main(corpora: Path) -> Table:
    """One row for each program: the median of a few runs."""
    rows = [_row(place, corpora / place) for place in FETCHED]
    rows.append(_row(f"{OURS.name} (ours)", OURS))
    return Table(
        "shapes-time",
        "Shape errors: time on programs of about 300 lines",
        COMMAND,
        ("program", "lines", "CPU s", "asked for"),
        rows,
        (f"Median of {RUNS} processes of `mlvet check --select SHP`, start-up included.",),
    )


def _row(name: str, path: Path) -> tuple[object, ...]:
    runs = [checked(path) for _ in range(RUNS)]
    if any(run.code not in (0, 1) for run in runs):
        raise SystemExit(f"mlvet on {name} failed:\n{runs[-1].output}")
    lines = len(path.read_text(encoding="utf-8").splitlines())
    return name, lines, f"{statistics.median(run.seconds for run in runs):.2f}", ASKED
