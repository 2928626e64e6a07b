"""A progress line on a terminal, for work that lasts."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import TypeVar

from mlvet.core.executor import Died, Executor, Failed, Ok, TimedOut

J = TypeVar("J")
R = TypeVar("R")
_PATIENCE = 1.0
_TICK = 0.25
_WIDTH = 24


def with_progress(executor: Executor) -> Executor:
    """The executor itself, or one that shows how far it is when standard error is a terminal."""
    visible = sys.stderr is not None and sys.stderr.isatty() and hasattr(signal, "setitimer")
    return Shown(executor) if visible and threading.current_thread() is threading.main_thread() else executor


class Shown:
    """An executor that draws a line by timer signals; a thread would keep the pool from forking."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def run(
        self, fn: Callable[[J], R], jobs: Iterable[J], *, timeout: float | None = None, memory: int | None = None
    ) -> Iterator[Ok[J, R] | Failed[J] | TimedOut[J] | Died[J]]:
        listed = list(jobs)
        done = 0
        started = time.monotonic()

        def draw(signum: int, frame: FrameType | None) -> None:
            del signum, frame
            filled = _WIDTH * done // max(1, len(listed))
            elapsed = time.monotonic() - started
            bar = "#" * filled + "-" * (_WIDTH - filled)
            sys.stderr.write(f"\r[{bar}] {done} of {len(listed)} checker runs, {elapsed:.0f} s\033[K")
            sys.stderr.flush()

        previous = signal.signal(signal.SIGALRM, draw)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _TICK)
        try:
            for outcome in self._executor.run(fn, listed, timeout=timeout, memory=memory):
                done += 1
                yield outcome
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
            if time.monotonic() - started >= _PATIENCE:
                sys.stderr.write("\r\033[K")
                sys.stderr.flush()
