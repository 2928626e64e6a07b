"""What is special about clusters: they are started and stopped for the run, they lose nodes, they may be missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import engine_jobs as jobs
import pytest
from engine_processes import all_gone, noted

from mlvet.core.executor import Died, Ok, TimedOut
from mlvet.engine import executor_for


def test_a_cluster_started_for_the_run_ends_with_it(cluster: str) -> None:
    (outcome,) = executor_for(cluster, 1).run(jobs.processes_above, [0])
    assert isinstance(outcome, Ok)
    assert outcome.value
    assert all_gone(outcome.value)


def test_a_time_out_kills_on_the_node(cluster: str, tmp_path: Path) -> None:
    note = tmp_path / "note"
    assert list(executor_for(cluster, 1).run(jobs.sleep_with_sleeper, [note], timeout=2)) == [TimedOut(note, 2)]
    assert all_gone(noted(note))


def test_a_job_dies_with_the_node_that_runs_it(cluster: str) -> None:
    (outcome,) = executor_for(cluster, 1).run(jobs.kill_host, [0])
    assert isinstance(outcome, Died)


@pytest.mark.parametrize(("engine", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_missing_package_is_named_with_its_cure(engine: str, package: str) -> None:
    program = f"""
import sys
sys.path[:] = {sys.path!r}
sys.modules[{package!r}] = None
from mlvet.core.errors import UsageError
from mlvet.engine import executor_for
try:
    next(executor_for("{engine}://local").run(abs, [1]))
except UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert f"install mlvet[{engine}]" in done.stdout, done.stderr
