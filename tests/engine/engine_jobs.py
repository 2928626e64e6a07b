"""Jobs for the executor tests. They are at module level, so that any worker can load them by name."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from mlvet.core.executor import Ok
from mlvet.engine.local import LocalExecutor

HELD: list[bytearray] = []


def double(number: int) -> int:
    return 2 * number


def raise_it(message: str) -> None:
    raise ValueError(message)


def exit_at_once(code: int) -> None:
    os._exit(code)


def quit_politely(code: int) -> None:
    sys.exit(code)


def die_by(number: int) -> None:
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def allocate(count: int) -> int:
    return len(bytearray(count))


def hold(count: int) -> int:
    HELD.append(bytearray(count))
    return len(HELD)


def address_limit(_: int) -> int:
    return resource.getrlimit(resource.RLIMIT_AS)[0]


def nest_lambda(_: int) -> Callable[[], int]:
    return lambda: 0


class Sour:
    """Pickles, but refuses to be unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (raise_it, ("sour",))


def sour(_: int) -> Sour:
    return Sour()


def process_id(_: int) -> int:
    return os.getpid()


def session_and_input(_: int) -> tuple[bool, str]:
    return os.getsid(0) == os.getpid(), sys.stdin.read()


def start_sleeper(note: Path, *, apart: bool = False) -> int:
    """Start a process that outlives any test, and write its number and ours to a file."""
    command = ["/bin/sh", "-c", "sleep 3600 & wait"]
    child = subprocess.Popen(command, start_new_session=apart, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    part = note.with_suffix(".part")
    part.write_text(f"{os.getpid()} {child.pid}")
    part.rename(note)
    return child.pid


def leave_sleeper(note: Path) -> int:
    return start_sleeper(note)


def leave_sleeper_apart(note: Path) -> int:
    return start_sleeper(note, apart=True)


def sleep_with_sleeper(note: Path) -> None:
    start_sleeper(note)
    time.sleep(3600)


def sleep_with_sleeper_apart(note: Path) -> None:
    start_sleeper(note, apart=True)
    time.sleep(3600)


def sleep_with_orphan(note: Path) -> None:
    """Leave a daemon behind in the classical way: fork, new session, fork, and the middle process ends."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            part = note.with_suffix(".part")
            part.write_text(f"{os.getppid()} {os.getpid()}")
            part.rename(note)
            time.sleep(3600)
        os._exit(0)
    time.sleep(3600)


def first_returns_others_sleep(job: tuple[int, Path]) -> int:
    number, note = job
    if number:
        sleep_with_sleeper(note)
    return number


def fork_then_exit(_: int) -> None:
    """Die while a fork of this process lives on with all open files."""
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(7)


def fork_and_return_twice(_: int) -> int:
    own = os.getpid()
    os.fork()
    return own


def kill_host(_: int) -> None:
    """Kill the process that runs the local executor: the cluster's worker."""
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(3600)


def run_nested(number: int) -> list[int]:
    outcomes = LocalExecutor(2).run(double, range(number))
    return sorted(outcome.value for outcome in outcomes if isinstance(outcome, Ok))


def behave(job: str) -> str:
    """Do what the name of the job says."""
    match job:
        case "raise":
            raise_it("no")
        case "exit":
            exit_at_once(3)
        case "overrun":
            time.sleep(3600)
    return job


class Counted:
    """An endless supply of numbers that knows how many were taken."""

    def __init__(self) -> None:
        self.taken = 0

    def __iter__(self) -> Iterator[int]:
        for number in count():
            self.taken += 1
            yield number


def behave_or_tell_process(job: str) -> int:
    return os.getpid() if job == "tell" else int(behave(job))


def processes_above(_: int) -> list[int]:
    """The process that runs the local executor: the cluster's worker."""
    return [os.getppid()]
