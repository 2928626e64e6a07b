"""Every benchmark, one after the other; regenerates the tables of README.md.

python benchmarks/run.py [--corpus NAME=PATH ...] [--force GRAPHS] [--checkouts DIR [--bugs FILE.csv]]
                         [--data DIR]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import chain
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "pycheck"), str(HERE / "graph"), str(HERE.parent)]

import corpus  # noqa: E402
import mutants  # noqa: E402
import reading  # noqa: E402
import recall  # noqa: E402
import speed  # noqa: E402

from benchmarks.compare import __main__ as comparing  # noqa: E402
from benchmarks.efficiency import __main__ as efficiency  # noqa: E402
from benchmarks.numerics import __main__ as numerics  # noqa: E402
from benchmarks.provenance import __main__ as provenance  # noqa: E402
from benchmarks.python import __main__ as python  # noqa: E402
from benchmarks.shapes import __main__ as shapes  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", nargs="*", default=[], metavar="NAME=PATH", help="checkouts of public repositories")
    parser.add_argument("--force", type=int, default=numerics.FORCED, metavar="GRAPHS", help="random graphs")
    parser.add_argument(
        "--checkouts", type=Path, metavar="DIR", help="checkouts in folders owner+name, for shape errors"
    )
    parser.add_argument("--bugs", type=Path, metavar="CSV", help="where the StackOverflow programs fail")
    parser.add_argument("--data", type=Path, metavar="DIR", help="graphs, texts and networks, for provenance")
    options = parser.parse_args()
    tables = [speed.main, recall.main, reading.main, mutants.main]
    paths = {name: Path(path).resolve() for name, _, path in (text.partition("=") for text in options.corpus)}
    if paths:
        tables.append(lambda: corpus.main(paths))
    for make in tables:
        table = make()
        table.write()
        print(table.markdown())
    of_shapes = (
        shapes.tables(options.checkouts.resolve(), options.bugs, held_out=True)
        if options.checkouts
        else shapes.tables(Path(), only=("pytea",))
    )
    of_efficiency = (
        efficiency.tables((*efficiency.PARTS, *efficiency.PUBLIC), options.checkouts.resolve())
        if options.checkouts
        else efficiency.tables()
    )
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        of_compare = comparing.tables(Path(place))
        data, checkouts = (path and path.resolve() for path in (options.data, options.checkouts))
        of_provenance = provenance.tables(data, checkouts=checkouts)
        for table in chain(
            numerics.tables(options.force), python.tables(paths), of_shapes, of_efficiency, of_compare, of_provenance
        ):
            table.write()
            print(table.markdown())
    if not paths:
        print("The tables of real repositories are as they were: give CORPUS='name=path ...' to make them anew.")
    if not options.checkouts:
        print("Those of shape errors in fetched programs too: give CHECKOUTS=folder, and BUGS=shapes_ut.csv.")
    if not options.data:
        print("Those of provenance on public graphs, texts and networks too: give DATA=folder.")


if __name__ == "__main__":
    main()
