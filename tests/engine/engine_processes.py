"""What the tests ask about processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether something becomes true before patience ends."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def runs(pid: int) -> bool:
    """Whether a process runs; one that has ended and only waits to be reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return not Path("/proc/self").exists()


def noted(note: Path) -> list[int]:
    """The process numbers that a job has written down."""
    assert eventually(note.exists)
    return [int(number) for number in note.read_text().split()]


def all_gone(pids: list[int]) -> bool:
    return eventually(lambda: not any(map(runs, pids)))
