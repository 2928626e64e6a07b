"""What every executor does, whether it runs here or on a cluster."""

from __future__ import annotations

import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import engine_jobs as jobs
import pytest
from engine_processes import all_gone, noted

from mlvet.core.errors import UsageError
from mlvet.core.executor import Died, Executor, Failed, Ok, TimedOut
from mlvet.engine import executor_for

MB = 2**20
TIMEOUT = 2.0


def test_every_job_has_one_outcome_when_there_are_more_jobs_than_workers(executor: Executor) -> None:
    outcomes = list(executor.run(jobs.double, range(20)))
    assert sorted((outcome.job, outcome.value) for outcome in outcomes) == [(n, 2 * n) for n in range(20)]


def test_no_jobs_have_no_outcomes(executor: Executor) -> None:
    assert list(executor.run(jobs.double, [])) == []


def test_an_exception_fails_the_job_in_one_line_with_its_trace(executor: Executor) -> None:
    (outcome,) = executor.run(jobs.raise_it, ["two\nlines"])
    assert isinstance(outcome, Failed)
    assert outcome.error == "ValueError: two lines"
    assert "in raise_it" in outcome.trace


def test_sys_exit_fails_the_job(executor: Executor) -> None:
    (outcome,) = executor.run(jobs.quit_politely, [4])
    assert isinstance(outcome, Failed)
    assert outcome.error == "SystemExit: 4"


def test_os_exit_kills_the_job(executor: Executor) -> None:
    assert list(executor.run(jobs.exit_at_once, [3])) == [Died(3, "exit code 3")]


def test_a_signal_kills_the_job(executor: Executor) -> None:
    outcomes = executor.run(jobs.die_by, [signal.SIGSEGV, signal.SIGKILL])
    assert {outcome.job: outcome.cause for outcome in outcomes} == {
        signal.SIGSEGV: "signal 11 (SIGSEGV)",
        signal.SIGKILL: "signal 9 (SIGKILL)",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces the limit")
def test_a_job_beyond_its_memory_dies_and_one_within_it_does_not(executor: Executor) -> None:
    outcomes = executor.run(jobs.allocate, [1024 * MB, 16 * MB], memory=512 * MB)
    assert sorted(map(repr, outcomes)) == [
        repr(Died(1024 * MB, "ran out of memory (limit 512 MB)")),
        repr(Ok(16 * MB, 16 * MB)),
    ]


def test_a_result_that_cannot_be_pickled_fails_the_job(executor: Executor) -> None:
    (outcome,) = executor.run(jobs.nest_lambda, [0])
    assert isinstance(outcome, Failed)
    assert "the result cannot be pickled" in outcome.error


def test_a_result_that_cannot_be_unpickled_fails_the_job(executor: Executor) -> None:
    (outcome,) = executor.run(jobs.sour, [0])
    assert isinstance(outcome, Failed)
    assert outcome.error == "the result cannot be unpickled: ValueError: sour"


def test_a_job_that_cannot_be_pickled_fails_alone(executor: Executor) -> None:
    lock = threading.Lock()
    outcomes = {type(outcome): outcome for outcome in executor.run(jobs.double, [1, lock])}
    assert outcomes[Ok] == Ok(1, 2)
    assert outcomes[Failed].job is lock
    assert outcomes[Failed].error.startswith("the job cannot be pickled")


SLEEPERS = [
    jobs.sleep_with_sleeper,
    *([jobs.sleep_with_sleeper_apart, jobs.sleep_with_orphan] if sys.platform == "linux" else []),
]


@pytest.mark.parametrize("sleeper", SLEEPERS)
def test_a_time_out_kills_the_job_and_all_it_started(
    executor: Executor, tmp_path: Path, sleeper: Callable[[Path], None]
) -> None:
    note = tmp_path / "note"
    assert list(executor.run(sleeper, [note], timeout=TIMEOUT)) == [TimedOut(note, TIMEOUT)]
    assert all_gone(noted(note))


def test_jobs_after_a_bad_one_run(executor: Executor) -> None:
    names = ["fine", "raise", "fine", "exit", "overrun", "fine", "fine"]
    kinds = Counter(type(outcome) for outcome in executor.run(jobs.behave, names, timeout=TIMEOUT))
    assert kinds == {Ok: 4, Failed: 1, Died: 1, TimedOut: 1}


def test_jobs_are_taken_only_as_workers_become_free(executor: Executor) -> None:
    supply = jobs.Counted()
    outcomes = executor.run(jobs.double, supply)
    assert len(list(islice(outcomes, 5))) == 5
    outcomes.close()  # type: ignore[attr-defined]
    assert supply.taken <= 9


def test_closing_the_iterator_stops_the_jobs_under_way(executor: Executor, tmp_path: Path) -> None:
    note = tmp_path / "note"
    outcomes = executor.run(jobs.first_returns_others_sleep, [(0, note), (1, note)])
    assert next(outcomes) == Ok((0, note), 0)
    pids = noted(note)
    outcomes.close()  # type: ignore[attr-defined]
    assert all_gone(pids)


@pytest.mark.parametrize("engine", ["spark://here", "", "dask:"])
def test_an_unknown_engine_is_refused_with_the_choices(engine: str) -> None:
    with pytest.raises(UsageError, match=r"choose `local`, `dask://HOST:PORT`.*`ray://local`"):
        executor_for(engine, None)


def test_fewer_than_one_job_at_once_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 1, not 0"):
        executor_for("local", 0)
