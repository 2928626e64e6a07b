"""The command line: thin, lazy, and the only place where errors become exit codes."""

import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: 0 clean, 1 findings, 2 bad usage or bad input."""
    from mlvet.cli.edge import guarded_run

    return guarded_run(sys.argv[1:] if arguments is None else arguments)
