"""When a process may be copied."""

from __future__ import annotations

import os
import threading


def may_fork() -> bool:
    """Whether a fork is safe: the process has a single thread, native ones included where the system lists them."""
    if not hasattr(os, "fork"):
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return threading.active_count() == 1
