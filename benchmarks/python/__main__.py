"""The tables of the Python front end; regenerates them in README.md.

python -m benchmarks.python --corpus pytorch-examples=PATH --corpus keras-io=PATH ... [--jobs 2] [--only PART ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.python import corpora, growth
from benchmarks.table import Table

PARTS = ("corpora", "growth")


def tables(found: Mapping[str, Path], jobs: int = 2, only: Sequence[str] = PARTS) -> Iterator[Table]:
    """The table of the corpora, if there are any, and that of generated networks."""
    if found and "corpora" in only:
        yield corpora.main(found, jobs)
    if "growth" in only:
        yield growth.main()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", action="append", default=[], metavar="NAME=PATH", help="a folder of programs")
    parser.add_argument("--jobs", type=int, default=2, help="programs at once")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS, help="tables to make")
    parser.add_argument("--dry", action="store_true", help="print the tables and write nothing")
    options = parser.parse_args()
    named = {name: Path(path).resolve() for name, _, path in (text.partition("=") for text in options.corpus)}
    for table in tables(named, options.jobs, options.only):
        if not options.dry:
            table.write()
        print(table.markdown(), flush=True)
