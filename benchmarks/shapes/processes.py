"""A command run as a process of its own, with the processor seconds of it and of the processes it starts."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ran:
    """What a process wrote and took; without a code it was stopped when its time was over."""

    output: str
    seconds: float
    code: int | None


def ran(command: Sequence[str], folder: Path, most: float, extra: Mapping[str, str] | None = None) -> Ran:
    """Run a command in a folder for at most some seconds of the clock."""
    with tempfile.TemporaryFile() as written:
        process = subprocess.Popen(
            command, cwd=folder, stdout=written, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            start_new_session=True, env={**os.environ, **(extra or {})},
        )  # fmt: skip
        over = threading.Event()

        def stop() -> None:
            over.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(most, stop)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        written.seek(0)
        output = written.read().decode(errors="replace")
    return Ran(output, usage.ru_utime + usage.ru_stime, None if over.is_set() else process.returncode)
