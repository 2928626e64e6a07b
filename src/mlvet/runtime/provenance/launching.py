"""The start of a production run: the process turns into one with a known hash seed, so that sets keep their order."""

from __future__ import annotations

import os
import sys

from mlvet.core.errors import UsageError
from mlvet.runtime.provenance.request import Request

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

SUFFIX = ".mlvet-trace"
MAGIC_START = b"mlvet trace "
_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")


def launch(request: Request) -> NoReturn:
    """Become the traced program."""
    checked(request.script)
    request.output = os.path.abspath(request.output or default_output(request.script))
    _writable(request.output)
    given = os.environ.get("PYTHONHASHSEED", "")
    users = given.isdigit()
    seed = given if users else str(int.from_bytes(os.urandom(4), "little") or 1)
    request.hash_seed, request.seed_is_users = seed, users
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    if given and not users:
        environment["MLVET_PYTHONHASHSEED"] = given
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *_flags(), _CHILD, *request.words()], environment)


def checked(script: str) -> None:
    """Complain of a script that Python could not start."""
    if os.path.isdir(script):
        if not os.path.isfile(os.path.join(script, "__main__.py")):
            raise UsageError(f"{script}: a folder without __main__.py")
        return
    if not os.path.exists(script):
        raise UsageError(f"{script}: no such file")
    try:
        with open(script, "rb"):
            pass
    except OSError as error:
        raise UsageError(f"{script}: {error.strerror or error}") from error


def default_output(script: str) -> str:
    """Beside the script, or in the current folder if that is not writable."""
    beside = os.path.normpath(script) + SUFFIX
    if os.access(os.path.dirname(os.path.abspath(beside)), os.W_OK):
        return beside
    return os.path.basename(beside)


def _writable(path: str) -> None:
    """Complain of a log that cannot be written, or that would overwrite something else."""
    existed = os.path.lexists(path)
    try:
        with open(path, "ab+") as file:
            file.seek(0)
            start = file.read(len(MAGIC_START))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}; `--output FILE` names another log") from error
    if not existed:
        os.remove(path)
    elif start and start != MAGIC_START:
        raise UsageError(f"{path}: exists and is no log of mlvet; `--output FILE` names another log")


def _flags() -> list[str]:
    """The options of this interpreter that the program would have been run with."""
    found = ["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []
    found += ["-B"] * sys.flags.dont_write_bytecode + ["-E"] * (sys.flags.ignore_environment and not sys.flags.isolated)
    for name, value in sys._xoptions.items():
        found += ["-X", name if value is True else f"{name}={value}"]
    from_environment = os.environ.get("PYTHONWARNINGS", "").split(",")
    for each in sys.warnoptions:
        if each not in from_environment:
            found += ["-W", each]
    return found
