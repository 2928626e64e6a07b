"""What the local executor does beyond the protocol: which processes there are, and that none is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import engine_jobs as jobs
import pytest
from engine_processes import all_gone, noted

from mlvet.core.executor import Died, Failed, Ok
from mlvet.engine.local import LocalExecutor

MB = 2**20
PRELUDE = """
import sys, threading
from pathlib import Path
import engine_jobs as jobs
from mlvet.core.forking import may_fork
from mlvet.engine.local import LocalExecutor
if {threads}:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
assert may_fork() is not {threads}
"""


def start(folder: Path, program: str, *, threads: bool = False) -> subprocess.Popen[str]:
    """A program of its own, with or without a second thread, in a file so that it can be loaded again."""
    script = folder / "program.py"
    script.write_text(PRELUDE.format(threads=threads) + program)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, script], env=environment, stdout=pipe, stderr=pipe, text=True)


both = pytest.mark.parametrize("threads", [False, True], ids=["forked", "spawned"])


def test_a_worker_serves_many_jobs_even_after_one_failed() -> None:
    assert len({outcome.value for outcome in LocalExecutor(1).run(jobs.process_id, range(5))}) == 1
    first, failed, last = LocalExecutor(1).run(jobs.behave_or_tell_process, ["tell", "raise", "tell"])
    assert isinstance(failed, Failed)
    assert first.value == last.value


def test_there_are_never_more_workers_than_jobs_at_once() -> None:
    assert len({outcome.value for outcome in LocalExecutor(2).run(jobs.process_id, range(50))}) <= 2


def test_a_worker_leads_its_session_and_has_no_input() -> None:
    (outcome,) = LocalExecutor(1).run(jobs.session_and_input, [0])
    assert outcome == Ok(0, (True, ""))


def test_less_than_one_worker_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        LocalExecutor(0)


LEAVERS = [jobs.leave_sleeper, *([jobs.leave_sleeper_apart] if sys.platform == "linux" else [])]


@pytest.mark.parametrize("leaver", LEAVERS)
def test_what_a_job_leaves_behind_ends_with_the_run(tmp_path: Path, leaver: Callable[[Path], int]) -> None:
    note = tmp_path / "note"
    (outcome,) = LocalExecutor(1).run(leaver, [note])
    assert isinstance(outcome, Ok)
    assert all_gone([outcome.value])


def test_a_death_is_seen_though_a_fork_of_the_worker_lives_on() -> None:
    assert list(LocalExecutor(1).run(jobs.fork_then_exit, [0])) == [Died(0, "exit code 7")]


def test_a_fork_that_returns_from_the_job_does_not_answer() -> None:
    outcomes = list(LocalExecutor(1).run(jobs.fork_and_return_twice, range(3)))
    assert [outcome.job for outcome in outcomes] == [0, 1, 2]
    assert len({outcome.value for outcome in outcomes}) == 1


def test_a_job_can_run_jobs() -> None:
    assert list(LocalExecutor(1).run(jobs.run_nested, [3])) == [Ok(3, [0, 2, 4])]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces the limit")
def test_each_job_has_the_whole_allowance_again() -> None:
    outcomes = LocalExecutor(1).run(jobs.hold, [300 * MB] * 3, memory=512 * MB)
    assert [outcome.value for outcome in outcomes] == [1, 2, 3]


def test_an_error_in_the_supply_of_jobs_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        list(LocalExecutor(2).run(jobs.double, (1 // number for number in (1, 0))))


def test_a_cancelled_run_stops(tmp_path: Path) -> None:
    note = tmp_path / "note"
    assert list(LocalExecutor(1, cancelled=note.exists).run(jobs.sleep_with_sleeper, [note])) == []
    assert all_gone(noted(note))


SLEEP = "notes = [Path(name) for name in {notes!r}]\nlist(LocalExecutor(2).run(jobs.sleep_with_sleeper, notes))\n"


@both
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_parent_leaves_no_process(tmp_path: Path, number: signal.Signals, threads: bool) -> None:
    notes = [tmp_path / "one", tmp_path / "two"]
    parent = start(tmp_path, SLEEP.format(notes=[str(note) for note in notes]), threads=threads)
    pids = [pid for note in notes for pid in noted(note)]
    parent.send_signal(number)
    parent.communicate(timeout=60)
    assert parent.returncode == -number
    assert all_gone(pids)


@both
def test_an_iterator_that_is_never_closed_leaves_no_process(tmp_path: Path, threads: bool) -> None:
    note = tmp_path / "note"
    program = f"""
note = Path({str(note)!r})
outcomes = LocalExecutor(2).run(jobs.first_returns_others_sleep, [(0, note), (1, note)])
keep = (outcomes, next(outcomes)); keep = [keep, sys]; sys.keep = keep
from engine_processes import noted
noted(note)
"""
    parent = start(tmp_path, program, threads=threads)
    _, errors = parent.communicate(timeout=60)
    assert (parent.returncode, errors) == (0, "")
    assert all_gone(noted(note))


@both
def test_functions_of_the_main_module_run_and_what_was_printed_appears_once(tmp_path: Path, threads: bool) -> None:
    program = """
class Pair:
    def __init__(self, left): self.left = left
def pair(number):
    print("job")
    return Pair(number)
if __name__ == "__main__":
    print("before", end=" ")
    print(*[type(outcome.value) is Pair and outcome.value.left for outcome in LocalExecutor(1).run(pair, [5, 6])])
"""
    output, errors = start(tmp_path, program, threads=threads).communicate(timeout=60)
    assert (output.split(), errors) == (["before", "job", "job", "5", "6"], "")


def test_a_main_module_that_starts_workers_when_imported_fails_the_job(tmp_path: Path) -> None:
    program = """
def same(number):
    return number
print(*[outcome.error for outcome in LocalExecutor(1).run(same, [5])])
"""
    output, _ = start(tmp_path, program, threads=True).communicate(timeout=60)
    assert "guard it by `if __name__ == '__main__':`" in output


def test_a_worker_that_cannot_start_kills_the_job_not_the_run(tmp_path: Path) -> None:
    program = """
sys.executable = "/bin/false"
print(*[outcome.cause for outcome in LocalExecutor(1).run(jobs.double, [1, 2])], sep="; ")
"""
    output, errors = start(tmp_path, program, threads=True).communicate(timeout=60)
    assert output.count("exit code 1") == 2, errors
