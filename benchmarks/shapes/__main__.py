"""The tables of the shape engine on programs; regenerates them in README.md.

python -m benchmarks.shapes --corpora DIR [--bugs FILE.csv] [--held-out] [--jobs 2] [--pytea CHECKOUT]
    [--only PART ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.shapes import comparison, detection, fixes, stackoverflow, timing
from benchmarks.shapes import corpora as repositories
from benchmarks.table import Table

PARTS = ("stackoverflow", "mutants", "fixes", "corpora", "pytea", "time")


def tables(
    corpora: Path,
    bugs: Path | None = None,
    held_out: bool = False,
    jobs: int = 2,
    pytea: Path | None = None,
    only: Sequence[str] = PARTS,
) -> Iterator[Table]:
    """The tables for which there is what they need."""
    if bugs is not None and "stackoverflow" in only:
        yield stackoverflow.main(corpora, bugs, jobs)
    if "mutants" in only:
        yield detection.main(corpora, jobs, held_out)
    if "fixes" in only:
        yield fixes.main(corpora, jobs)
    if "corpora" in only:
        yield repositories.main(corpora, jobs)
    if "pytea" in only:
        yield comparison.main(pytea)
    if "time" in only:
        yield timing.main(corpora)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True, metavar="DIR", help="the folder of the checkouts")
    parser.add_argument("--bugs", type=Path, metavar="CSV", help="where the StackOverflow programs fail")
    parser.add_argument("--held-out", action="store_true", help="look at the mutants that are held out, too")
    parser.add_argument("--jobs", type=int, default=2, help="programs at once")
    parser.add_argument("--pytea", type=Path, metavar="CHECKOUT", help="a built PyTea, to run it anew")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS, help="tables to make")
    parser.add_argument("--dry", action="store_true", help="print the tables and write nothing")
    options = parser.parse_args()
    corpora, pytea = options.corpora.resolve(), options.pytea and options.pytea.resolve()
    for table in tables(corpora, options.bugs, options.held_out, options.jobs, pytea, options.only):
        if not options.dry:
            table.write()
        print(table.markdown(), flush=True)
