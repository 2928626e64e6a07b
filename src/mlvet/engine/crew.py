"""The near side of the local executor: starting workers, giving them jobs, and ending them for certain."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakSet

from mlvet.core.forking import may_fork
from mlvet.engine import guard, worker

if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen

_ENDING_SECONDS = 5.0
_OURS: WeakSet[Any] = WeakSet()
"""The parent's ends of all pipes, which no fork may keep open: the far sides tell by them that the parent is gone."""


def _close_ours() -> None:
    for end in list(_OURS):
        end.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_ours)


class Process(Protocol):
    """A child process, as `subprocess.Popen` sees it."""

    pid: int

    def poll(self) -> int | None: ...


class Forked:
    """A child made by a plain fork; `poll` gives its exit code, or minus the signal that ended it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                pid, status = self.pid, 0
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code


class Worker:
    """A worker process and the connection to it; `ready` once it has said that it serves."""

    __slots__ = ("connection", "process", "ready")

    def __init__(self, process: Process, connection: Connection[Any, Any]) -> None:
        self.process = process
        self.connection = connection
        self.ready = False


class Guard:
    """The near side of the guard process: it kills the trees it was told of when this process ends before `close`."""

    def __init__(self) -> None:
        reading, writing = os.pipe()
        self._pipe = open(writing, "wb", buffering=0)  # noqa: SIM115
        _OURS.add(self._pipe)
        self._process = self._fork(reading) if may_fork() else self._spawn(reading)
        os.close(reading)

    def tell(self, line: bytes) -> None:
        """Send `+pid` or `-pid`."""
        with suppress(BrokenPipeError):  # somebody killed the guard; the run goes on without it
            self._pipe.write(line + b"\n")

    def close(self) -> None:
        """End the guard and wait for its end."""
        self._pipe.close()
        if not isinstance(self._process, Forked) and self._process.stdout:
            self._process.stdout.read()
            self._process.stdout.close()
        ended(self._process)

    @staticmethod
    def _fork(reading: int) -> Forked:
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                null = os.open(os.devnull, os.O_RDWR)
                for standard in (0, 1, 2):
                    os.dup2(null, standard)
                guard.watch(reading)
            finally:
                os._exit(0)
        return Forked(pid)

    @staticmethod
    def _spawn(reading: int) -> Popen[bytes]:
        import subprocess

        command = [sys.executable, "-I", "-S", guard.__file__]
        quiet, pipe = subprocess.DEVNULL, subprocess.PIPE
        return subprocess.Popen(command, stdin=reading, stdout=pipe, stderr=quiet, start_new_session=True)


class Crew:
    """The workers of one run. Leaving the context kills them and every process that their jobs left behind."""

    def __init__(self, fn: bytes, memory: int | None) -> None:
        self._fn = fn
        self._memory = memory
        self._owner = os.getpid()
        self._workers: set[Worker] = set()
        self._guard: Guard | None = None

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kill the workers; a copy of this object in a fork leaves them alone."""
        if self._guard is None or os.getpid() != self._owner:
            return
        workers = list(self._workers)
        for member in workers:
            guard.kill_tree(member.process.pid)
        for member in workers:
            self._forget(member)
        self._guard.close()
        self._guard = None
        atexit.unregister(self.close)

    def start(self) -> Worker:
        """A new worker."""
        worker.flush_streams()
        if self._guard is None:
            self._guard = Guard()
            atexit.register(self.close)  # an iterator that is never closed is collected too late to act
        ours, theirs = Pipe()
        _OURS.add(ours)
        process = self._fork(theirs) if may_fork() else self._spawn(theirs)
        member = Worker(process, ours)
        self._workers.add(member)
        self._guard.tell(b"+%d" % process.pid)
        theirs.close()
        if not isinstance(process, Forked):
            setting = (self._fn, self._memory, _main_module())
            with suppress(OSError):  # it is dead already, as the first job will find
                ours.send(setting)
        return member

    def dismiss(self, member: Worker) -> str:
        """Kill a worker with all its processes; the answer says how it had ended if it was dead already."""
        code = member.process.poll()
        (guard.kill_tree if code is None else guard.kill_group)(member.process.pid)
        self._forget(member)
        return "the connection was closed" if code is None else cause_of(code)

    def _forget(self, member: Worker) -> None:
        ended(member.process)
        member.connection.close()
        self._workers.discard(member)
        if self._guard:
            self._guard.tell(b"-%d" % member.process.pid)

    def _fork(self, theirs: Connection[Any, Any]) -> Process:
        with suppress(ImportError):
            import ctypes  # noqa: F401  once here instead of in every worker
        pid = os.fork()
        if pid == 0:
            worker.serve_forked(theirs, self._fn, self._memory)
        return Forked(pid)

    def _spawn(self, theirs: Connection[Any, Any]) -> Process:
        import subprocess

        handle = theirs.fileno()
        program = (
            f"import sys; sys.path[:] = {sys.path!r}; from mlvet.engine import worker; worker.serve_spawned({handle})"
        )
        command = [sys.executable, "-c", program]
        if sys.platform == "win32":
            os.set_handle_inheritable(handle, True)
            startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": [handle]})
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, startupinfo=startup)
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[handle], start_new_session=True)


def ended(process: Process, seconds: float = _ENDING_SECONDS) -> int | None:
    """The exit code of a process that is about to end, or None if it has not ended after `seconds`."""
    deadline = time.monotonic() + seconds
    while (code := process.poll()) is None and time.monotonic() < deadline:
        time.sleep(0.0005)
    return code


def cause_of(code: int) -> str:
    """An exit code in words."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"signal {-code}"


def _main_module() -> Mapping[str, str]:
    """Where a new interpreter finds the main module, in the terms of `multiprocessing.spawn.prepare`."""
    from multiprocessing import process

    if getattr(process.current_process(), "_inheriting", False):
        raise RuntimeError("workers start while the main module is imported; guard it by `if __name__ == '__main__':`")
    main = sys.modules["__main__"]
    name = getattr(getattr(main, "__spec__", None), "name", None)
    path = getattr(main, "__file__", None)
    return {"init_main_from_name": name} if name else {"init_main_from_path": path} if path else {}
