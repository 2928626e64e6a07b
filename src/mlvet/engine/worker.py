"""The far side of the local executor: a process that runs one job after another."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Answer = tuple[str, *tuple[Any, ...]]
_PR_SET_CHILD_SUBREAPER = 36
_OBJECTS_BETWEEN_COLLECTIONS = 50_000


def serve(connection: Connection[Any, Any], fn: bytes, memory: int | None, main: Mapping[str, str]) -> NoReturn:
    """Answer each pickled job that arrives until the connection closes; then end, with the whole process group."""
    own = os.getpid()
    if hasattr(os, "register_at_fork"):
        # A process that a job forks must not keep the connection open once the worker has died.
        os.register_at_fork(after_in_child=connection.close)
    adopt_orphans()
    _be_one_of_many()
    load = _loader(main)
    function = functools.cache(lambda: load(fn))
    connection.send(("ready",))
    while True:
        try:
            job = connection.recv_bytes()
        except (EOFError, OSError):
            _end()
        answer = _answer(function, job, load, memory)
        if os.getpid() != own:
            os._exit(1)  # the job forked, and this is the copy
        flush_streams()
        try:
            connection.send(answer)
        except OSError:
            _end()


def serve_forked(connection: Connection[Any, Any], fn: bytes, memory: int | None) -> NoReturn:
    """Turn a fresh fork into a worker: own session, no standard input, default signals."""
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        serve(connection, fn, memory, {})
    finally:
        os._exit(1)


def serve_spawned(handle: int) -> NoReturn:
    """Be a worker in a new interpreter; the first message brings the arguments of `serve`."""
    if sys.platform == "win32":
        from multiprocessing.connection import PipeConnection as Connection
    else:
        from multiprocessing.connection import Connection

        os.set_inheritable(handle, False)
    connection = Connection(handle)
    try:
        arguments = connection.recv()
    except (EOFError, OSError):
        os._exit(1)
    serve(connection, *arguments)


def adopt_orphans() -> None:
    """Become, on Linux, the parent of every orphan among the processes that jobs start, so that none escapes."""
    if sys.platform == "linux":
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _be_one_of_many() -> None:
    """Work on one processor: linear algebra starts no threads, which spin while they wait, unless the user says so.

    What a job makes mostly lives until its end, so the collector looks for cycles less often than it would.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)


def one_line(error: BaseException) -> str:
    """An exception as `Type: message` without line breaks."""
    try:
        message = " ".join(str(error).split())
    except Exception:
        message = "(its message cannot be shown)"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _answer(
    function: Callable[[], Callable[[Any], Any]], job: bytes, load: Callable[[bytes], Any], memory: int | None
) -> Answer:
    try:
        with _limited(memory):
            value = function()(load(job))
            try:
                return ("ok", pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
            except Exception as error:
                if isinstance(error, MemoryError):
                    raise
                return ("failed", f"the result cannot be pickled: {one_line(error)}", trace_of(error))
    except MemoryError:
        return ("memory",)
    except BaseException as error:
        return ("failed", one_line(error), trace_of(error))


def trace_of(error: BaseException) -> str:
    """The traceback of an exception, from the frame below the one that caught it."""
    import traceback

    frames = error.__traceback__
    below = frames.tb_next if frames and frames.tb_next else frames
    return "".join(traceback.format_exception(type(error), error, below))


@contextlib.contextmanager
def _limited(memory: int | None) -> Iterator[None]:
    """Let the process take `memory` bytes of address space beyond what it holds now, where the system can."""
    if memory is None or sys.platform == "win32":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bounds = [bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (min(_held() + memory, *bounds, sys.maxsize), hard))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _held() -> int:
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _loader(main: Mapping[str, str]) -> Callable[[bytes], Any]:
    """Unpickling that loads the parent's main module first, once, when a pickle mentions it."""

    @functools.cache
    def prepare() -> None:
        from multiprocessing import process, spawn

        current = process.current_process()
        current._inheriting = True  # type: ignore[attr-defined]
        try:
            spawn.prepare(dict(main))
        finally:
            del current._inheriting  # type: ignore[attr-defined]

    def load(data: bytes) -> Any:
        if main and b"__main__" in data:
            prepare()
        return pickle.loads(data)

    return load


def flush_streams() -> None:
    """Write out what was printed, so that no fork repeats it and no kill loses it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()


def _end() -> NoReturn:
    if sys.platform != "win32":
        os.killpg(0, signal.SIGKILL)
    os._exit(0)
