"""Where work runs: process pools and clusters behind the Executor protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlvet.core.errors import UsageError

if TYPE_CHECKING:
    from mlvet.core.executor import Executor


def executor_for(engine: str, jobs: int | None = None) -> Executor:
    """The executor that `--engine` names; `jobs` bounds how many jobs run at once."""
    if jobs is not None and jobs < 1:
        raise UsageError(f"the number of jobs must be at least 1, not {jobs}")
    if engine == "local":
        from mlvet.engine.local import LocalExecutor

        return LocalExecutor(jobs)
    if engine.startswith("dask://"):
        from mlvet.engine.dask import DaskExecutor

        return DaskExecutor(engine, jobs)
    if engine.startswith("ray://"):
        from mlvet.engine.ray import RayExecutor

        return RayExecutor(engine, jobs)
    raise UsageError(
        f"unknown engine `{engine}`; choose `local`, `dask://HOST:PORT`, `dask://local`, `ray://HOST:PORT` or `ray://local`"
    )
