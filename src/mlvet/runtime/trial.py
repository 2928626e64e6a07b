"""Calls of libraries made again in a process of their own, which is stopped when it takes too long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from threading import Timer
from typing import Any

from mlvet.runtime import repeating

SECONDS = 90.0
"""The longest time for one call, the import of its library included."""
_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu", "PYTHONWARNINGS": "ignore"}


def trials(requests: Iterable[Mapping[str, Any]], seconds: float = SECONDS) -> Iterator[dict[str, Any]]:
    """What the real library does with each call: `outcome` is `raises`, `accepts` or `unknown` with a reason.

    One process serves all of them; where a call ends it, or takes longer than `seconds`, the next gets another.
    """
    worker: _Worker | None = None
    try:
        for request in requests:
            if worker is None:
                worker = _Worker()
            found = worker.answer(request, seconds)
            if found is None:
                worker.stop()
                worker = None
                found = {
                    "outcome": "unknown",
                    "reason": f"the trial took more than {seconds:g} s, or ended its process",
                }
            yield found
    finally:
        if worker is not None:
            worker.stop()


class _Worker:
    """The process that makes the calls. It finds no module of the analysed project."""

    def __init__(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._folder = tempfile.TemporaryDirectory(prefix="mlvet-")
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(repeating.__file__))], cwd=self._folder.name,
            env={**environment, **_QUIET}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def answer(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any] | None:
        """The answer to a request, None if there is none in time."""
        sent, received = self._process.stdin, self._process.stdout
        assert sent is not None
        assert received is not None
        try:
            sent.write(json.dumps(request).encode() + b"\n")
            sent.flush()
        except OSError:
            return None
        watch = Timer(seconds, self._process.kill)
        watch.start()
        try:
            line = received.readline()
        finally:
            watch.cancel()
        return dict(json.loads(line)) if line else None

    def stop(self) -> None:
        """End the process and all it holds."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()
