"""`mlvet check`: analyse, perhaps fix, report."""

from __future__ import annotations

import argparse
from pathlib import Path

from mlvet.cli.edge import BAD_INPUT
from mlvet.cli.inputs import config_of, executor_of, paths_of
from mlvet.cli.reporting import known_format, reported, tell_problems
from mlvet.cli.streams import put, tell
from mlvet.core.config import Config
from mlvet.pipeline import vet


def run(options: argparse.Namespace) -> int:
    """One check, or one after every change of a file with `--watch`."""
    known_format(options)
    paths = paths_of(options)
    config = config_of(options, paths)
    if options.watch:
        from mlvet.cli.watch import watch

        return watch(lambda: _once(options, paths, config), paths, config)
    return _once(options, paths, config)


def _once(options: argparse.Namespace, paths: list[Path], config: Config) -> int:
    executor = executor_of(options, config)
    if options.fix or options.unsafe_fixes or options.diff:
        from mlvet.cli.fixing import difference, fix

        if options.diff:
            vetting = vet(paths, config, executor)
            text = difference(vetting, unsafe=options.unsafe_fixes)
            put(text)
            tell_problems(vetting)
            return BAD_INPUT if vetting.summary.problems else int(bool(text) and not options.exit_zero)
        vetting, fixed = fix(paths, config, executor, unsafe=options.unsafe_fixes)
        if fixed:
            tell(f"applied {fixed} fix{'es' if fixed != 1 else ''}")
    else:
        vetting = vet(paths, config, executor)
    return reported(vetting, options, config.fail_on)
