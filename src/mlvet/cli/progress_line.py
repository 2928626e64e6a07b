"""A line on a terminal that tells what is being done, how far it is and since when; nothing elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

_BAR = 20


class ProgressLine:
    """Call it with what is done, how many of its steps are behind and how many there are. The line goes at the end."""

    def __init__(self) -> None:
        self._visible = sys.stderr is not None and sys.stderr.isatty()
        self._began = time.monotonic()
        self._written = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._written:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def __call__(self, what: str, done: int, of: int) -> None:
        if not self._visible:
            return
        bar = "#" * (_BAR * done // max(1, of))
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        sys.stderr.write(f"\r[{bar:-<{_BAR}}] {what} ({done} of {of}), {minutes}:{seconds:02}\033[K")
        sys.stderr.flush()
        self._written = True
