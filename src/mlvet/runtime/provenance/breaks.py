"""Where the chain of derivatives broke: calls whose results hang on inputs in a way that no rule here knows."""

from __future__ import annotations

import os
import sys
import sysconfig
from types import FrameType
from typing import TypeAlias

import numpy as np

Break: TypeAlias = tuple[str, int, str]
"""File and line of the user's program, and what was called there."""

BREAKS: dict[Break, int] = {}
"""How often each break was seen in this process."""

_OWN = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep
_NUMPY = os.path.dirname(np.__file__) + os.sep
_STANDARD = sysconfig.get_paths()["stdlib"] + os.sep
_users: dict[str, bool] = {}


def is_users(filename: str) -> bool:
    """Whether a file belongs to the user's program: no library and no part of mlvet."""
    known = _users.get(filename)
    if known is None:
        library = f"{os.sep}site-packages{os.sep}" in filename or f"{os.sep}dist-packages{os.sep}" in filename
        library = library or filename.startswith(
            (_OWN, _NUMPY, _STANDARD, "<frozen", "<__array_function__", "<class ", "<mlvet")
        )
        known = _users[filename] = not library
    return known


def is_machinery(filename: str) -> bool:
    """Whether a file only carries out what another asked for: NumPy and mlvet."""
    return filename.startswith((_OWN, _NUMPY, "<__array_function__"))


def users_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame of the user's program, or the outermost one where there is none."""
    last = frame
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            return frame
        last, frame = frame, frame.f_back
    return last


def broken(what: str) -> None:
    """Note that a result of `what` no longer carries where it came from."""
    frame = users_frame(sys._getframe(1))
    place = (frame.f_code.co_filename, frame.f_lineno, what) if frame else ("", 0, what)
    BREAKS[place] = BREAKS.get(place, 0) + 1
