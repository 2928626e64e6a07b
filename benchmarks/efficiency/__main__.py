"""The tables of the efficiency engine; regenerates them in README.md.

python -m benchmarks.efficiency [--only detection refactoring time ...] [--corpora DIR] [--dry]

`repositories`, `applied` and `peers` read checkouts of public repositories in DIR, named owner+name.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.efficiency import applying, detection, peers, refactoring, repositories, scaling
from benchmarks.table import Table

PARTS = {"detection": detection.main, "refactoring": refactoring.main, "time": scaling.main}
PUBLIC = {"repositories": repositories.main, "applied": applying.main, "peers": peers.main}


def tables(only: Sequence[str] = tuple(PARTS), corpora: Path | None = None) -> Iterator[Table]:
    for part in only:
        if part in PARTS:
            yield PARTS[part]()
        elif corpora is not None:
            yield PUBLIC[part](corpora)
        else:
            raise SystemExit(f"{part} needs --corpora")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=(*PARTS, *PUBLIC), default=tuple(PARTS), help="tables to make")
    parser.add_argument("--corpora", type=Path, help="folder of checkouts")
    parser.add_argument("--dry", action="store_true", help="print the tables and write nothing")
    options = parser.parse_args()
    for table in tables(options.only, options.corpora):
        if not options.dry:
            table.write()
        print(table.markdown(), flush=True)
