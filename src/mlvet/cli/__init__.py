"""The command line: thin, lazy, and the only place where errors become exit codes."""

import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: 0 clean, 1 findings, 2 bad usage or bad input."""
    given = sys.argv[1:] if arguments is None else arguments
    if given in (["--version"], ["-V"]):
        from mlvet import __version__

        if sys.stdout is not None:
            sys.stdout.write(f"mlvet {__version__}\n")
        return 0
    from mlvet.cli.edge import guarded_run

    return guarded_run(given)
