"""Standard output and standard error, either of which may be closed, full or without a reader."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

from mlvet.core.errors import UsageError


def put(text: str, encoding: str | None = None) -> None:
    """Write to standard output, at once, in its own encoding or in another."""
    if sys.stdout is None:
        raise UsageError("standard output is closed")
    try:
        if encoding is not None and isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding=encoding)
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon(sys.stdout)
        raise
    except OSError as error:
        _abandon(sys.stdout)
        raise UsageError(f"standard output: {error.strerror or error}") from error


def tell(text: str) -> None:
    """Write one line to standard error; what a file name could do to the terminal is shown as escapes."""
    if sys.stderr is None:
        return
    from mlvet.report.terminal import visible

    try:
        sys.stderr.write(f"mlvet: {visible(text)}\n")
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def prepare() -> None:
    """Make the streams fit for the run.

    A closed descriptor is taken by the null device: else the next pipe gets its number, and a checker takes it for a
    standard stream. Characters that the terminal's encoding lacks are written as escapes.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _abandon(stream: TextIO) -> None:
    """Nothing more reaches the stream; keep the interpreter from failing to flush it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
