"""Every table of the numerics engine, one after the other; regenerates them in README.md.

python -m benchmarks.numerics [--only PART ...] [--force GRAPHS] [--limit SECONDS]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from benchmarks.table import Table

FORCED = 500
"""Random graphs of a run beside the other tables; `python -m benchmarks.numerics.force --write` takes 10,000."""
LIMIT = 20.0
PARTS = ("cost", "pairs", "models", "ablation", "force")


def tables(forced: int = FORCED, limit: float = LIMIT, only: Sequence[str] = PARTS) -> Iterator[Table]:
    """Some of the tables, or all."""
    from benchmarks.numerics import ablation, cost, force, pairs, real_models

    makers: dict[str, Callable[[], Table]] = {
        "cost": cost.main,
        "pairs": pairs.main,
        "models": real_models.main,
        "ablation": lambda: ablation.main(limit),
        "force": lambda: _sample(force.main(forced), forced),
    }
    for part in PARTS:
        if part in only and (part != "force" or forced):
            yield makers[part]()


def _sample(table: Table, forced: int) -> Table:
    """A short run, kept apart from the table of the full one."""
    return replace(
        table, name="force-sample", title="Soundness by force, a sample", command=f"{_COMMAND} --force {forced}"
    )


_COMMAND = "python -m benchmarks.numerics"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--force", type=int, default=FORCED, metavar="GRAPHS", help="random graphs; 0 for none")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds per analysis of the ablation")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS, help="tables to make")
    options = parser.parse_args()
    for table in tables(options.force, options.limit, options.only):
        table.write()
        print(table.markdown(), flush=True)
