"""Every table of the numerics engine, one after the other; regenerates them in README.md.

python -m benchmarks.numerics [--force GRAPHS] [--limit SECONDS]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.table import Table

FORCED = 500
"""Random graphs of a run beside the other tables; `python -m benchmarks.numerics.force --write` takes 10,000."""
LIMIT = 20.0


def tables(forced: int = FORCED, limit: float = LIMIT) -> Iterator[Table]:
    """The pairs, the abstractions, the real models, the cost, soundness by force."""
    from benchmarks.numerics import ablation, cost, force, pairs, real_models

    yield cost.main()
    yield pairs.main()
    yield real_models.main()
    yield ablation.main(limit)
    if forced:
        sample = "Soundness by force, a sample"
        yield replace(force.main(forced), name="force-sample", title=sample, command=f"{_COMMAND} --force {forced}")


_COMMAND = "python -m benchmarks.numerics"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--force", type=int, default=FORCED, metavar="GRAPHS", help="random graphs; 0 for none")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds per analysis of the ablation")
    options = parser.parse_args()
    for table in tables(options.force, options.limit):
        table.write()
        print(table.markdown())
