"""Check again whenever a file changes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from mlvet.cli.streams import put, tell
from mlvet.core.config import Config
from mlvet.core.errors import MlvetError
from mlvet.discovery import discover

_PAUSE = 0.3
_CLEAR = "\033[2J\033[H"


def watch(check: Callable[[], int], paths: Iterable[Path], config: Config) -> int:
    """Run `check` now and after every change, until the user interrupts."""
    paths = list(paths)
    try:
        while True:
            before = _state(paths, config)
            if sys.stdout is not None and sys.stdout.isatty():
                put(_CLEAR)
            try:
                check()
            except MlvetError as error:
                tell(str(error))
            tell("watching for changes (Ctrl-C ends)")
            while _state(paths, config) == before:
                time.sleep(_PAUSE)
    except KeyboardInterrupt:
        return 0


def _state(paths: list[Path], config: Config) -> dict[Path, tuple[int, int]]:
    state: dict[Path, tuple[int, int]] = {}
    for file in discover(paths, config).files:
        try:
            facts = file.stat()
        except OSError:
            continue
        state[file] = (facts.st_mtime_ns, facts.st_size)
    return state
