"""The tables of the provenance engine; regenerates them in README.md.

python -m benchmarks.provenance [--only exactness overhead questions pairs large flips distribution cases public]
                                [--data DIR] [--checkouts DIR]

DIR of --data is a folder of public data sets: graphs/, text/, bif/. Without it, only tables that need none are made.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.table import Table

PARTS = ("exactness", "overhead", "questions", "pairs", "large", "flips", "distribution", "cases", "public")


def tables(data: Path | None, only: Sequence[str] = PARTS, checkouts: Path | None = None) -> Iterator[Table]:
    """Some of the tables, or all that can be made."""
    from benchmarks.provenance import all_pairs, answering, cases, exactness, flips, large, overhead, public_programs

    if "exactness" in only:
        yield exactness.main(data)
    if data is not None:
        if "overhead" in only:
            yield overhead.main(data)
        if "questions" in only:
            yield answering.main(data)
        if "pairs" in only:
            yield all_pairs.main(data)
        if "flips" in only:
            yield flips.flips(data)
        if "distribution" in only:
            yield flips.distribution(data)
    if "large" in only:
        yield large.main()
    if "cases" in only:
        yield from cases.tables(data)
    if "public" in only and checkouts is not None:
        yield public_programs.main(checkouts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS, help="tables to make")
    parser.add_argument("--data", type=Path, help="folder of public data sets")
    parser.add_argument("--checkouts", type=Path, help="checkouts of public programs in folders owner+name")
    parser.add_argument("--dry", action="store_true", help="print the tables and write nothing")
    options = parser.parse_args()
    folder = options.data and options.data.resolve()
    for table in tables(folder, options.only, options.checkouts and options.checkouts.resolve()):
        if not options.dry:
            table.write()
        print(table.markdown(), flush=True)
