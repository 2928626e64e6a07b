"""Worker processes: one model on one backend each, asked in turn, with limits of time and memory."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

WORKER = Path(__file__).with_name("worker.py")
_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "PYTHONWARNINGS": "ignore"}
_LAST_WORDS = 400
_GRACE = 5.0


class Failure(Exception):
    """A request that yields nothing.

    `kind` is unsupported (this version lacks something), crash (an error of the backend), model (no such model),
    memory, hang (no answer in time), death (the process ended) or environment (there is no such interpreter, or
    it cannot run a worker).
    """

    def __init__(self, kind: str, words: str, place: str = "") -> None:
        super().__init__(words)
        self.kind = kind
        self.words = words
        self.place = place


@dataclass(frozen=True, slots=True)
class Command:
    """How a worker is started: the interpreter, what is set in its environment, and what its model is opened with."""

    python: str = sys.executable
    environment: Mapping[str, str] = field(default_factory=dict)
    opening: Mapping[str, Any] = field(default_factory=dict)


class Worker:
    """A process that answers requests. It is started at once and can be given its first request while it loads."""

    def __init__(self, command: Command) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        inherited = dict(os.environ)
        if command.python != sys.executable:
            inherited.pop("PYTHONPATH", None)
        surroundings = {**inherited, **_QUIET, **command.environment}
        try:
            self._process = subprocess.Popen(
                [command.python, str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
                env=surroundings, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise Failure("environment", f"{command.python}: {(error.strerror or str(error)).lower()}") from None
        self._buffer = b""
        self._python = command.python
        self._answered = False
        self.requests = 0
        self.seconds = 0.0
        self.peak = 0

    def send(self, request: Mapping[str, Any]) -> None:
        """Give a request whose answer `receive` will take."""
        self.requests += 1
        stream = self._process.stdin
        assert stream is not None
        try:
            stream.write(json.dumps(request).encode() + b"\n")
            stream.flush()
        except (BrokenPipeError, ValueError):
            raise self._dead() from None

    def receive(self, timeout: float) -> dict[str, Any]:
        """The answer to the oldest request without one. A worker that does not answer in time is ended.

        Raises OSError if the worker could not write what it found.
        """
        line = self._line(time.monotonic() + timeout, timeout)
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError:
            raise Failure("environment", f"{self._python}: cannot run a worker, what it says is no answer") from None
        self._answered = True
        self.peak = max(self.peak, int(answer.get("memory", 0)))
        if answer.get("failure") == "disk":
            raise OSError(errno.ENOSPC, answer["words"])
        if "failure" in answer:
            raise Failure(answer["failure"], answer["words"], answer.get("place", ""))
        return answer

    def ask(self, request: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        self.send(request)
        return self.receive(timeout)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """End the process and all that it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._errors.close()

    def _line(self, deadline: float, timeout: float) -> bytes:
        stream = self._process.stdout
        assert stream is not None
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            ready = left > 0 and select.select([stream], [], [], left)[0]
            if not ready:
                self.close()
                raise Failure("hang", f"no answer within {timeout:g} s")
            piece = os.read(stream.fileno(), 1 << 16)
            if not piece:
                raise self._dead()
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _dead(self) -> Failure:
        """Why the process is no more: its last words and how it ended.

        A worker catches all errors, so one that ends of itself before its first answer could not even start.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        code = self._process.poll()
        how = f"was ended by {_signal(-code)}" if code is not None and code < 0 else f"ended with code {code}"
        with contextlib.suppress(OSError, ValueError):
            self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, self._errors.tell() - _LAST_WORDS))
            last = self._errors.read().decode("utf-8", "replace").strip().splitlines()
            if last:
                how += f": {last[-1]}"
        if not self._answered and code is not None and code >= 0:
            return Failure("environment", f"{self._python}: cannot run a worker, which {how}")
        return Failure("death", f"the process {how}")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
