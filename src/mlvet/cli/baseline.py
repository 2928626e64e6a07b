"""`mlvet baseline`: remember today's findings."""

from __future__ import annotations

import argparse
from pathlib import Path

from mlvet.cli.edge import BAD_INPUT
from mlvet.cli.inputs import config_of, executor_of, paths_of
from mlvet.cli.streams import put, tell
from mlvet.core.baseline import DEFAULT_NAME, write_baseline
from mlvet.pipeline import vet
from mlvet.report.terminal import visible


def run(options: argparse.Namespace) -> int:
    """Write the fingerprints of all findings that a check would show."""
    paths = paths_of(options)
    config = config_of(options, paths)
    target = Path(options.output) if options.output else config.baseline or config.root / DEFAULT_NAME
    vetting = vet(paths, config, executor_of(options, config), known=frozenset())
    count = write_baseline(target, vetting.findings)
    put(f"Wrote {count} finding{'s' if count != 1 else ''} to {visible(str(target))}.\n")
    for problem in vetting.summary.problems:
        tell(str(problem))
    return BAD_INPUT if vetting.summary.problems else 0
