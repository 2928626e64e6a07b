"""Every benchmark, one after the other; regenerates the tables of README.md.

python benchmarks/run.py [--corpus NAME=PATH ...] [--force GRAPHS]
"""

from __future__ import annotations

import argparse
import sys
from itertools import chain
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "pycheck"), str(HERE / "graph"), str(HERE.parent)]

import corpus  # noqa: E402
import mutants  # noqa: E402
import reading  # noqa: E402
import recall  # noqa: E402
import speed  # noqa: E402

from benchmarks.numerics import __main__ as numerics  # noqa: E402
from benchmarks.python import __main__ as python  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", nargs="*", default=[], metavar="NAME=PATH", help="checkouts of public repositories")
    parser.add_argument("--force", type=int, default=numerics.FORCED, metavar="GRAPHS", help="random graphs")
    options = parser.parse_args()
    tables = [speed.main, recall.main, reading.main, mutants.main]
    paths = {name: Path(path).resolve() for name, _, path in (text.partition("=") for text in options.corpus)}
    if paths:
        tables.append(lambda: corpus.main(paths))
    for make in tables:
        table = make()
        table.write()
        print(table.markdown())
    for table in chain(numerics.tables(options.force), python.tables(paths)):
        table.write()
        print(table.markdown())
    if not paths:
        print("The tables of real repositories are as they were: give CORPUS='name=path ...' to make it anew.")


if __name__ == "__main__":
    main()
