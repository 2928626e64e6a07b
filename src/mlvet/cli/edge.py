"""The edge of the program: every error ends here, as one line and an exit code."""

from __future__ import annotations

import os

from mlvet.cli.streams import prepare, put, tell
from mlvet.core.errors import MlvetError, UnsupportedInput, UsageError

INTERRUPTED = 130
BAD_INPUT = 2


def guarded_run(arguments: list[str]) -> int:
    """Parse, dispatch, and turn every way to fail into a line on standard error."""
    prepare()
    try:
        return _run(arguments)
    except (UsageError, UnsupportedInput) as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        return 0
    except OSError as error:
        place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        return _complain(f"{place}{error.strerror or error}")
    except RecursionError:
        return _complain("internal error: the input nests too deeply for mlvet")
    except Exception as error:
        return _internal(error)


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):
        from mlvet import __version__

        put(f"mlvet {__version__}\n")
        return 0
    from mlvet.cli.parser import parse

    options = parse(arguments)
    return int(options.run(options))


def _complain(text: str, code: int = BAD_INPUT) -> int:
    tell(text)
    return code


def _internal(error: Exception) -> int:
    """A defect of ours: one line, and the traceback for those who set MLVET_TRACEBACK."""
    if os.environ.get("MLVET_TRACEBACK"):
        import traceback

        traceback.print_exc()
    kind = "" if isinstance(error, MlvetError) else f"{type(error).__name__}: "
    words = " ".join(f"{kind}{error}".split())
    return _complain(
        f"internal error: {words} (a bug of mlvet; set MLVET_TRACEBACK=1 for details to report, with the input)"
    )
