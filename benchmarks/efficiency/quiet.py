"""Whether others leave the machine's cores free, so that work on two threads can be timed."""

from __future__ import annotations

import os
import time
from pathlib import Path

_BUSY = 0.2
"""Cores that others may use."""
_SPAN = 2.0
_PATIENCE = 60.0


def quiet() -> bool:
    """Whether others use hardly any core, if need be after waiting for that; this process idles meanwhile."""
    deadline = time.monotonic() + _PATIENCE
    while others() > _BUSY:
        if time.monotonic() > deadline:
            return False
    return True


def others() -> float:
    """The cores that were busy for a short time, without work of low priority, which yields, and waiting for disks."""
    before, began = _worked(), time.monotonic()
    time.sleep(_SPAN)
    return (_worked() - before) / (time.monotonic() - began)


def _worked() -> float:
    user, _, system, *_ = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
