"""What a cluster runs on a node: one job in one local worker, so that limits kill there as they do here."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from mlvet.core.executor import Died, Failed, Ok, TimedOut
from mlvet.engine.local import LocalExecutor, failed
from mlvet.engine.worker import one_line

J = TypeVar("J")
R = TypeVar("R")

Outcome = Ok[J, R] | Failed[J] | TimedOut[J] | Died[J]


def packed(
    dumps: Callable[[Any], bytes], fn: Callable[[J], R], job: J, timeout: float | None, memory: int | None
) -> bytes | Failed[J]:
    """A call as the bytes that `run_packed` takes, or the outcome of a job that cannot be pickled."""
    try:
        call = dumps((fn, job))
    except Exception as error:
        return failed(job, "the job cannot be pickled", error)
    return pickle.dumps((call, timeout, memory))


def run_packed(payload: bytes, cancelled: Callable[[], bool] | None = None) -> Outcome[None, bytes]:
    """The outcome of a packed call; the value stays pickled, so only the worker and the client load what it holds."""
    call, timeout, memory = pickle.loads(payload)
    ended = list(LocalExecutor(1, cancelled=cancelled).run(_call, [call], timeout=timeout, memory=memory))
    return replace(ended[0], job=None) if ended else Died(None, "cancelled")


def unpacked(job: J, outcome: Outcome[None, bytes]) -> Outcome[J, Any]:
    """The outcome as the caller sees it: with its job and its value."""
    match outcome:
        case Failed(_, error, trace):
            return Failed(job, error, trace)
        case TimedOut(_, seconds):
            return TimedOut(job, seconds)
        case Died(_, cause):
            return Died(job, cause)
    try:
        return Ok(job, pickle.loads(outcome.value))
    except Exception as error:
        return failed(job, "the result cannot be unpickled", error)


def _call(call: bytes) -> bytes:
    fn, job = pickle.loads(call)
    value = fn(job)
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise pickle.PicklingError(f"the result cannot be pickled: {one_line(error)}") from error
