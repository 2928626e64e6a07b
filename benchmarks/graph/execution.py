"""onnxruntime in a process of its own, which may crash or hang: does a model load, does it run, what does it yield?"""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a model: `stage` is empty if it ran, else load, run, crash or time; `types` are its results."""

    stage: str
    message: str = ""
    types: tuple[tuple[str, str, tuple[int, ...]], ...] = ()


class Runtime:
    """A process with onnxruntime in it, started anew after a crash or a hang."""

    def __init__(self, seconds: float = 20) -> None:
        self._seconds = seconds
        self._process: Any = None
        self._pipe: Any = None

    def run(self, model: bytes, feeds: Mapping[str, Any]) -> Ran:
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
        try:
            self._pipe.send((model, dict(feeds)))
            if self._pipe.poll(self._seconds + 20):
                found: Ran = self._pipe.recv()
                return found
            outcome = Ran("time", f"more than {self._seconds} seconds")
        except (EOFError, OSError):
            outcome = Ran("crash", "the process ended")
        self.close()
        return outcome

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


def _serve(pipe: Connection) -> None:
    import resource

    import onnxruntime

    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    while True:
        try:
            model, feeds = pipe.recv()
        except EOFError:
            return
        pipe.send(_ran(onnxruntime, options, model, feeds))


def _ran(onnxruntime: Any, options: Any, model: bytes, feeds: Mapping[str, Any]) -> Ran:
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        return Ran("load", str(error))
    try:
        results = session.run(None, feeds)
    except Exception as error:
        return Ran("run", str(error))
    types = []
    for output, result in zip(session.get_outputs(), results, strict=True):
        if hasattr(result, "shape"):
            types.append((output.name, output.type, tuple(result.shape)))
    return Ran("", "", tuple(types))
