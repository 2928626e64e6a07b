"""The Dask executor: jobs on the workers of a Dask cluster, each in a process of its own there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from itertools import islice
from typing import Any, TypeVar
from uuid import uuid4

from mlvet.core.errors import UsageError
from mlvet.core.executor import Died, Failed, Ok, TimedOut
from mlvet.engine.local import processors
from mlvet.engine.node import Outcome, packed, run_packed, unpacked
from mlvet.engine.worker import one_line

J = TypeVar("J")
R = TypeVar("R")


class DaskExecutor:
    """Runs jobs on the cluster at `dask://HOST:PORT`, or for `dask://local` on one started here for the run.

    `jobs` bounds how many jobs are out at once; by default twice the cluster's threads. The cluster runs a job again
    when it loses the worker, as often as it is configured to; after that the job has died. mlvet is installed on
    every node.
    """

    def __init__(self, address: str, jobs: int | None = None) -> None:
        self._place = address.removeprefix("dask://")
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
            import cloudpickle
            from distributed import as_completed
        except ImportError as error:
            raise UsageError("the Dask engine is not installed; install mlvet[dask]") from error
        source = iter(jobs)
        out: dict[str, tuple[Any, J]] = {}
        with ExitStack() as stack:
            client = self._connected(stack)
            stack.callback(_cancel, client, out)
            room = self._jobs or 2 * max(1, sum(client.nthreads().values()))
            ending = as_completed(loop=client.loop)
            ended: list[Outcome[J, R]] = []
            while True:
                for job in islice(source, room - len(out)):
                    call = packed(cloudpickle.dumps, fn, job, timeout, memory)
                    if isinstance(call, Failed):
                        ended.append(call)
                        continue
                    key = f"mlvet-{uuid4()}"
                    future = client.submit(_run_task, call, key, key=key)
                    out[key] = (future, job)
                    ending.add(future)
                if not ended and not out:
                    return
                yield from ended
                ended = [_outcome(*out.pop(next(ending).key))] if out else []

    def _connected(self, stack: ExitStack) -> Any:
        """A client of the cluster, closed with the stack, as is a cluster started here."""
        import logging

        from distributed import Client, LocalCluster

        if self._place == "local":
            cluster = LocalCluster(
                n_workers=self._jobs or processors(),
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
            return stack.enter_context(Client(stack.enter_context(cluster), set_as_default=False))
        try:
            return stack.enter_context(Client(f"tcp://{self._place}", set_as_default=False))
        except (OSError, ValueError) as error:
            raise UsageError(f"dask://{self._place}: no Dask scheduler answers there") from error


def _run_task(call: bytes, key: str) -> Outcome[None, bytes]:
    """Run a packed call on a Dask worker; stop when the client has cancelled the task or is gone."""
    from distributed import get_worker

    tasks = get_worker().state.tasks
    return run_packed(call, lambda: key not in tasks or tasks[key].state == "cancelled")


def _outcome(future: Any, job: J) -> Outcome[J, Any]:
    from asyncio import CancelledError
    from concurrent.futures import CancelledError as Cancelled

    try:
        return unpacked(job, future.result())
    except (Exception, CancelledError, Cancelled) as error:  # a lost worker, or a cluster that stopped
        return Died(job, one_line(error))


def _cancel(client: Any, out: dict[str, tuple[Any, Any]]) -> None:
    with suppress(OSError):  # a cluster that is gone runs nothing
        client.cancel([future for future, _ in out.values()], force=True)
