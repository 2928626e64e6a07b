"""Kills process trees, and watches over them in a process of its own for the case that the parent is killed.

The guard shares nothing with the parent but a pipe. It runs as a fork of the parent or, by path, in a bare
interpreter; so it imports nothing of mlvet.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def kill_tree(pid: int) -> None:
    """Kill a process that leads its own group, with every process below it and every process of its group.

    On Linux the processes below are found even if they left the group: the worker is stopped, so that it adopts
    orphans (see `worker.adopt_orphans`) but starts nothing, until nothing new appears below it.
    """
    if sys.platform == "win32":
        import subprocess

        subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True)
        return
    _signal(pid, signal.SIGSTOP)
    killed: set[int] = set()
    while fresh := _below(pid) - killed:
        for descendant in fresh:
            _signal(descendant, signal.SIGKILL)
        killed |= fresh
    kill_group(pid)
    _signal(pid, signal.SIGKILL)


def kill_group(leader: int) -> None:
    """Kill what is left of a process group, if anything."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _below(pid: int) -> set[int]:
    """The descendants of a process, as far as the system's /proc tells them."""
    found: set[int] = set()
    front = [pid]
    while front:
        children = _children(front.pop()) - found
        found |= children
        front += children
    return found


def _children(pid: int) -> set[int]:
    listed: list[str] = []
    with contextlib.suppress(OSError):  # no /proc, or the process ended meanwhile
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as children:
                listed += children.read().split()
    return set(map(int, listed))


def watch(pipe: int) -> None:
    """Follow the lines `+pid` and `-pid` until the pipe closes, then kill the trees that are still listed."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    listed: set[int] = set()
    with open(pipe) as lines:
        for line in lines:
            (listed.add if line[0] == "+" else listed.discard)(int(line[1:]))
    for pid in listed:
        kill_tree(pid)


if __name__ == "__main__":
    # Some hosts kill their children one by one as they end; as an orphan the guard is not among them.
    if hasattr(os, "fork") and os.fork():
        os._exit(0)
    watch(0)
