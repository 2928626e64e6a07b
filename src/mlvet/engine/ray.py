"""The Ray executor: jobs as tasks of a Ray cluster, each in a process of its own there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Any, TypeVar

from mlvet.core.errors import UsageError
from mlvet.core.executor import Died, Failed, Ok, TimedOut
from mlvet.engine.local import processors
from mlvet.engine.node import Outcome, packed, run_packed, unpacked
from mlvet.engine.worker import one_line

J = TypeVar("J")
R = TypeVar("R")


class RayExecutor:
    """Runs jobs on the cluster at `ray://HOST:PORT`, or for `ray://local` on one started here for the run.

    `jobs` bounds how many jobs are out at once; by default twice the cluster's processors. Ray runs a job again when
    it loses the worker, three times; after that the job has died. mlvet is installed on every node. A connection
    that the program already has to a cluster is used and left open. Ray's own servers listen on every network
    interface, for `ray://local` too.
    """

    def __init__(self, address: str, jobs: int | None = None) -> None:
        self._address = address
        self._jobs = jobs

    def run(
        self,
        fn: Callable[[J], R],
        jobs: Iterable[J],
        *,
        timeout: float | None = None,
        memory: int | None = None,
    ) -> Iterator[Ok[J, R] | Failed[J] | TimedOut[J] | Died[J]]:
        """One outcome per job, as they end. Takes jobs only as the cluster has room for them."""
        try:
            import ray
        except ImportError as error:
            raise UsageError("the Ray engine is not installed; install mlvet[ray]") from error
        source = iter(jobs)
        out: dict[Any, J] = {}
        with ExitStack() as stack:
            if not ray.is_initialized():
                self._connect(ray)
                stack.callback(ray.shutdown)
            stack.callback(_cancel, ray, out)
            room = self._jobs or 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
            task = ray.remote(run_packed)
            ended: list[Outcome[J, R]] = []
            while True:
                for job in islice(source, room - len(out)):
                    call = packed(ray.cloudpickle.dumps, fn, job, timeout, memory)
                    if isinstance(call, Failed):
                        ended.append(call)
                    else:
                        out[task.remote(call)] = job
                if not ended and not out:
                    return
                yield from ended
                done = ray.wait(list(out), num_returns=1)[0] if out else []
                ended = [_outcome(ray, reference, out.pop(reference)) for reference in done]

    def _connect(self, ray: Any) -> None:
        if self._address == "ray://local":
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            ray.init(
                address="local",
                num_cpus=self._jobs or processors(),
                include_dashboard=False,
                log_to_driver=False,
                logging_level="ERROR",
                runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}},
            )
            return
        try:
            ray.init(address=self._address, log_to_driver=False, logging_level="ERROR")
        except (OSError, ValueError, ImportError) as error:
            raise UsageError(f"{self._address}: no Ray cluster answers there: {one_line(error)}") from error


def _outcome(ray: Any, reference: Any, job: J) -> Outcome[J, Any]:
    try:
        return unpacked(job, ray.get(reference))
    except ray.exceptions.RayError as error:
        return Died(job, one_line(error))


def _cancel(ray: Any, out: dict[Any, Any]) -> None:
    """Stop the tasks under way; the guard on the node then kills what their jobs had started."""
    for reference in out:
        ray.cancel(reference, force=True)
