"""Comparisons that share their workers: a process that has loaded its backend opens one model after the other.

Everything else is what `mlvet compare` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlvet.analyses.compare import comparison
from mlvet.analyses.compare.comparison import Comparison, compare
from mlvet.analyses.compare.request import CompareRequest
from mlvet.analyses.compare.runs import Crew, Limits
from mlvet.runtime.backends.catalogue import Backend
from mlvet.runtime.backends.process import Worker


class Pool:
    """Workers that live longer than one comparison, by how they were started."""

    def __init__(self) -> None:
        self._idle: dict[tuple[Any, ...], list[Worker]] = {}

    def take(self, backend: Backend) -> Worker:
        idle = self._idle.setdefault(_kind(backend), [])
        while idle:
            worker = idle.pop()
            if worker.alive:
                return worker
            worker.close()
        return Worker(backend.command)

    def give_back(self, backend: Backend, worker: Worker) -> None:
        self._idle.setdefault(_kind(backend), []).append(worker)

    def close(self) -> None:
        for workers in self._idle.values():
            for worker in workers:
                worker.close()
        self._idle.clear()

    def compare(self, request: CompareRequest) -> Comparison:
        """A comparison with workers of this pool."""
        pool = self

        class Warm(Crew):
            def __init__(self, folder: Path, limits: Limits) -> None:
                super().__init__(folder, limits)
                self.lent: list[tuple[Backend, Worker]] = []

            def _started(self, backend: Backend) -> Worker:
                worker = pool.take(backend)
                self.lent.append((backend, worker))
                return worker

            def __exit__(self, *_: object) -> None:
                for backend, worker in self.lent:
                    pool.give_back(backend, worker)
                super().__exit__()

        usual = comparison.Crew
        comparison.Crew = Warm  # type: ignore[misc]
        try:
            return compare(request)
        finally:
            comparison.Crew = usual  # type: ignore[misc]


@contextmanager
def pool() -> Iterator[Pool]:
    found = Pool()
    try:
        yield found
    finally:
        found.close()


def _kind(backend: Backend) -> tuple[Any, ...]:
    command = backend.command
    return command.python, tuple(sorted(command.environment.items()))
