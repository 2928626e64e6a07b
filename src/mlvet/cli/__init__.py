"""The command line: thin, lazy, and the only place where errors become exit codes."""

import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: 0 clean, 1 findings, 2 bad usage or bad input."""
    given = sys.argv[1:] if arguments is None else arguments
    if given in (["--version"], ["-V"]) and _told_version():
        return 0
    if given[:1] == ["trace"]:
        _become_traced(given[1:])
    from mlvet.cli.edge import guarded_run

    return guarded_run(given)


def _told_version() -> bool:
    """Print the version without loading anything else; false if standard output does not take it."""
    from mlvet import __version__

    try:
        print(f"mlvet {__version__}", flush=True)
    except OSError:
        return False
    return sys.stdout is not None


def _become_traced(arguments: list[str]) -> None:
    """Start a production run without loading anything else; come back if there is something to explain to the user."""
    from mlvet.core.errors import UsageError
    from mlvet.runtime.provenance.launching import launch
    from mlvet.runtime.provenance.request import quick

    request = quick(arguments)
    if request is not None:
        try:
            launch(request)
        except (UsageError, OSError):
            return
