"""The executors under test: whichever can be imported here."""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from collections.abc import Iterator

import pytest

from mlvet.core.executor import Executor
from mlvet.engine import executor_for

PACKAGES = {"dask": "distributed", "ray": "ray"}
CLUSTERS = [engine for engine, package in PACKAGES.items() if importlib.util.find_spec(package)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give `cluster` the address of a cluster that is started for the test, one for each installed package."""
    if "cluster" in metafunc.fixturenames:
        metafunc.parametrize("cluster", [f"{engine}://local" for engine in CLUSTERS])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the tests of a cluster where none is installed."""
    items[:] = [item for item in items if "cluster" not in getattr(item, "fixturenames", ()) or CLUSTERS]


@pytest.fixture(scope="session", params=["local", "local-beside-threads", *CLUSTERS])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """An executor with room for two jobs."""
    yield from {
        "local": _local,
        "local-beside-threads": _local_beside_threads,
        "dask": _dask,
        "ray": _ray,
    }[request.param]()


def _local() -> Iterator[Executor]:
    yield executor_for("local", 2)


def _local_beside_threads() -> Iterator[Executor]:
    leave = threading.Event()
    thread = threading.Thread(target=leave.wait)
    thread.start()
    yield executor_for("local", 2)
    leave.set()
    thread.join()


def _dask() -> Iterator[Executor]:
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as running:
        yield executor_for(running.scheduler_address.replace("tcp://", "dask://"), 2)


def _ray() -> Iterator[Executor]:
    import ray

    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield executor_for("ray://local", 2)
    ray.shutdown()
