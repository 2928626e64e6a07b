"""How work is spread out: a protocol that local pools and clusters implement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

J = TypeVar("J")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Ok(Generic[J, R]):
    """The job returned."""

    job: J
    value: R


@dataclass(frozen=True, slots=True)
class Failed(Generic[J]):
    """The job raised; `error` is the exception in one line, `trace` its traceback."""

    job: J
    error: str
    trace: str


@dataclass(frozen=True, slots=True)
class TimedOut(Generic[J]):
    """The job was killed after `seconds`, with every process it had started."""

    job: J
    seconds: float


@dataclass(frozen=True, slots=True)
class Died(Generic[J]):
    """The process of the job ended without an answer: a signal, `os._exit`, or the memory limit."""

    job: J
    cause: str


class Executor(Protocol):
    """Runs `fn` over `jobs` and yields one outcome per job, in the order in which they end.

    `fn` and the jobs can be pickled. `timeout` is seconds per job, `memory` bytes per job; None means no limit.
    Closing the iterator early stops the jobs that still run.
    """

    def run(
        self,
        fn: Callable[[J], R],
        jobs: Iterable[J],
        *,
        timeout: float | None = None,
        memory: int | None = None,
    ) -> Iterator[Ok[J, R] | Failed[J] | TimedOut[J] | Died[J]]: ...
