"""The tables of the compare engine; regenerates them in README.md.

python -m benchmarks.compare [--only injected live history real cost] [--folder DIR] [--minutes MINUTES]

`history` needs the environments of history.md in the folder that MLVET_HISTORY names.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.table import Table

PARTS = ("injected", "live", "history", "real", "cost")
MINUTES = 20.0


def tables(folder: Path, only: Sequence[str] = PARTS, minutes: float = MINUTES) -> Iterator[Table]:
    """Some of the tables, or all; models are made in the folder, and made once."""
    from benchmarks.compare import cost, history, injected, live, paper, real_models
    from benchmarks.compare.faults import SEED

    folder.mkdir(parents=True, exist_ok=True)
    if "injected" in only:
        clean, faulty = injected.run(folder)
        yield injected.main(clean, faulty)
        yield paper.main(clean, faulty)
    if "live" in only:
        yield live.main(folder, minutes)
    if "history" in only and history.environments():
        yield history.main(folder)
    if "real" in only:
        yield real_models.main(folder)
    if "cost" in only:
        yield cost.main(folder, SEED)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS, help="tables to make")
    parser.add_argument("--folder", type=Path, help="where models are made and kept; else a temporary one")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="minutes of mutation; 0 for none")
    parser.add_argument("--dry", action="store_true", help="print the tables and write nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        for table in tables(options.folder or Path(place), options.only, options.minutes):
            if not options.dry:
                table.write()
            print(table.markdown(), flush=True)
