"""The local executor: worker processes on this machine, killed for certain when a job overruns."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mlvet.core.executor import Died, Failed, Ok, TimedOut

if TYPE_CHECKING:
    from mlvet.engine.crew import Crew, Worker

J = TypeVar("J")
R = TypeVar("R")

_START_SECONDS = 60.0
_TICK_SECONDS = 0.2


class _Task(Generic[J]):
    """A job and the worker that has it; at `deadline` it is overdue, or its worker has not come up in time."""

    __slots__ = ("deadline", "job", "worker")

    def __init__(self, job: J, worker: Worker, deadline: float) -> None:
        self.job = job
        self.worker = worker
        self.deadline = deadline


class LocalExecutor:
    """Runs jobs in at most `jobs` processes, by default one per available processor.

    Workers are forks when this process has a single thread, else new interpreters. Each leads a session of its own
    without standard input and serves many jobs. The time-out of a job starts when its worker has come up; it is kept
    while the caller waits for the next outcome. `memory` bounds the address space that a job takes beyond what its
    worker already holds. `cancelled` is asked several times a second; once it is true the run stops.
    """

    def __init__(self, jobs: int | None = None, *, cancelled: Callable[[], bool] | None = None) -> None:
        if jobs is not None and jobs < 1:
            raise ValueError(f"jobs must be at least 1, not {jobs}")
        self.jobs = jobs or processors()
        self._cancelled = cancelled

    def run(
        self,
        fn: Callable[[J], R],
        jobs: Iterable[J],
        *,
        timeout: float | None = None,
        memory: int | None = None,
    ) -> Iterator[Ok[J, R] | Failed[J] | TimedOut[J] | Died[J]]:
        """One outcome per job, as they end. Takes jobs only as workers become free."""
        import pickle

        from mlvet.engine.crew import Crew

        source = iter(jobs)
        with Crew(pickle.dumps(fn, pickle.HIGHEST_PROTOCOL), memory) as crew:
            shift = _Shift[J, R](crew, timeout, memory)
            ended: list[Ok[J, R] | Failed[J] | TimedOut[J] | Died[J]] = []
            while not (self._cancelled and self._cancelled()):
                ended += filter(None, map(shift.begin, islice(source, self.jobs - len(shift.busy))))
                if not ended and not shift.busy:
                    return
                yield from ended
                ended = shift.wait(_TICK_SECONDS if self._cancelled else None)


class _Shift(Generic[J, R]):
    """The jobs under way in one run, by the connection on which their answer comes."""

    def __init__(self, crew: Crew, timeout: float | None, memory: int | None) -> None:
        self.busy: dict[Any, _Task[J]] = {}
        self._crew = crew
        self._idle: list[Worker] = []
        self._timeout = float("inf") if timeout is None else timeout
        self._memory = memory

    def begin(self, job: J) -> Failed[J] | Died[J] | None:
        """Give a job to a worker; the answer is its outcome if it ends right here."""
        import pickle

        try:
            payload = pickle.dumps(job, pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            return failed(job, "the job cannot be pickled", error)
        while True:
            fresh = not self._idle
            worker = self._crew.start() if fresh else self._idle.pop()
            try:
                worker.connection.send_bytes(payload)
            except OSError:
                cause = self._crew.dismiss(worker)  # it died after its last job
                if fresh:
                    return Died(job, f"the worker did not start: {cause}")
                continue
            allowed = self._timeout if worker.ready else _START_SECONDS
            self.busy[worker.connection] = _Task(job, worker, time.monotonic() + allowed)
            return None

    def wait(self, seconds: float | None) -> list[Ok[J, R] | Failed[J] | TimedOut[J] | Died[J]]:
        """The outcomes of jobs that have ended, after waiting for the first of them or at most `seconds`."""
        from multiprocessing.connection import wait

        if not self.busy:
            return []
        nearest = max(0.0, min(task.deadline for task in self.busy.values()) - time.monotonic())
        longest = nearest if seconds is None else min(nearest, seconds)
        answered = wait(list(self.busy), None if longest == float("inf") else longest)
        outcomes = [self._answer(self.busy[connection]) for connection in answered]
        now = time.monotonic()
        overdue = [
            task for connection, task in self.busy.items() if task.deadline <= now and connection not in answered
        ]
        outcomes += map(self._overdue, overdue)
        return [outcome for outcome in outcomes if outcome is not None]

    def _answer(self, task: _Task[J]) -> Ok[J, R] | Failed[J] | TimedOut[J] | Died[J] | None:
        worker = task.worker
        try:
            kind, *rest = worker.connection.recv()
        except (EOFError, OSError):
            return self._died(task)
        if kind == "ready":
            worker.ready = True
            task.deadline = time.monotonic() + self._timeout
            return None
        del self.busy[worker.connection]
        if kind == "memory":
            self._crew.dismiss(worker)
            limit = "" if self._memory is None else f" (limit {_megabytes(self._memory)} MB)"
            return Died(task.job, f"ran out of memory{limit}")
        self._idle.append(worker)
        return Failed(task.job, *rest) if kind == "failed" else self._unpickled(task.job, *rest)

    def _unpickled(self, job: J, value: bytes) -> Ok[J, R] | Failed[J]:
        import pickle

        try:
            return Ok(job, pickle.loads(value))
        except Exception as error:
            return failed(job, "the result cannot be unpickled", error)

    def _died(self, task: _Task[J]) -> Died[J]:
        from mlvet.engine.crew import ended

        del self.busy[task.worker.connection]
        ended(task.worker.process)
        return Died(task.job, self._crew.dismiss(task.worker))

    def _overdue(self, task: _Task[J]) -> TimedOut[J] | Died[J]:
        del self.busy[task.worker.connection]
        self._crew.dismiss(task.worker)
        if not task.worker.ready:
            return Died(task.job, f"the worker did not start within {_START_SECONDS:.0f} s")
        return TimedOut(task.job, self._timeout)


def failed(job: J, what: str, error: Exception) -> Failed[J]:
    """The outcome of a job that cannot cross to or from its worker."""
    from mlvet.engine.worker import one_line, trace_of

    return Failed(job, f"{what}: {one_line(error)}", trace_of(error))


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "process_cpu_count"):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _megabytes(count: int) -> str:
    return f"{count / 2**20:.4g}"
