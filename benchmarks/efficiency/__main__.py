"""The tables of the efficiency engine; regenerates them in README.md.

python -m benchmarks.efficiency [--only detection refactoring time] [--dry]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from benchmarks.efficiency import detection, refactoring, scaling
from benchmarks.table import Table

PARTS = {"detection": detection.main, "refactoring": refactoring.main, "time": scaling.main}


def tables(only: Sequence[str] = tuple(PARTS)) -> Iterator[Table]:
    for part in only:
        yield PARTS[part]()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=tuple(PARTS), default=tuple(PARTS), help="tables to make")
    parser.add_argument("--dry", action="store_true", help="print the tables and write nothing")
    options = parser.parse_args()
    for table in tables(options.only):
        if not options.dry:
            table.write()
        print(table.markdown(), flush=True)
