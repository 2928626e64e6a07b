"""The edge of the program: every error ends here, as one line and an exit code."""

from __future__ import annotations

import os
import sys

from mlvet.core.errors import MlvetError, UnsupportedInput, UsageError

INTERRUPTED = 130
BAD_INPUT = 2


def guarded_run(arguments: list[str]) -> int:
    """Parse, dispatch, and turn every way to fail into a line on standard error."""
    _tolerate_any_text()
    try:
        from mlvet.cli.parser import parse

        options = parse(arguments)
        code = int(options.run(options))
        if sys.stdout is not None:
            sys.stdout.flush()
    except (UsageError, UnsupportedInput) as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _abandon_output()
        return 0
    except OSError as error:
        if error.filename is None:
            _abandon_output()
        return _complain(f"{error.filename or 'standard output'}: {error.strerror or error}")
    except RecursionError:
        return _complain("internal error: the input nests too deeply for mlvet")
    except Exception as error:
        return _internal(error)
    return code


def _complain(text: str, code: int = BAD_INPUT) -> int:
    if sys.stderr is not None:
        line = " ".join(text.split())
        sys.stderr.write(f"mlvet: {line}\n")
    return code


def _internal(error: Exception) -> int:
    """A defect of ours: one line, and the traceback for those who set MLVET_TRACEBACK."""
    if os.environ.get("MLVET_TRACEBACK"):
        import traceback

        traceback.print_exc()
    kind = "" if isinstance(error, MlvetError) else f"{type(error).__name__}: "
    return _complain(
        f"internal error: {kind}{error} (a bug of mlvet; set MLVET_TRACEBACK=1 for details to report, with the input)"
    )


def _tolerate_any_text() -> None:
    """Characters that the terminal's encoding lacks are written as escapes."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _abandon_output() -> None:
    """Nobody reads standard output any more; keep the interpreter from flushing it at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
