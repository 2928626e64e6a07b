"""Warm laboratories for the tests of the search."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mlvet.analyses.compare.oracle import Oracle
from mlvet.analyses.compare.request import CompareRequest
from mlvet.analyses.compare.runs import Crew, Limits, Run
from mlvet.analyses.compare.search.laboratory import Laboratory
from mlvet.analyses.compare.subject import Subject, format_of, taken_apart, told
from mlvet.runtime.backends.catalogue import backends
from mlvet.runtime.onnx_parts import OnnxParts


@contextlib.contextmanager
def laboratory(model: Path, *names: str) -> Iterator[tuple[Laboratory, Subject, CompareRequest]]:
    """Backends that have a model open, as a comparison leaves them to a search."""
    request = CompareRequest(model, model.name, backends=names)
    format = format_of(model)
    with tempfile.TemporaryDirectory() as top, Crew(Path(top), Limits()) as crew:
        opened = crew.open(backends(names, format, {}), request.opening)
        runs = [run for run in opened.values() if isinstance(run, Run)]
        assert [str(run) for run in runs] == [*names]
        subject = (
            taken_apart(model, OnnxParts(model, Path(top))) if format == "onnx" else told(model, format, runs[0].opened)
        )
        oracle = Oracle(crew, subject, request.opening)
        yield Laboratory(crew, runs, oracle, format, {str(run): run.version for run in runs}), subject, request


def keras_model(path: Path, text: str) -> Path:
    """A Keras model made by a process of its own, so that no test chooses the backend of another."""
    script = f"import keras\nkeras.utils.set_random_seed(0)\n{text}\nmodel.save({str(path)!r})\n"
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True)
    return path


def shown(script: Path, python: str = "") -> dict[str, str]:
    """What a script of a reproduction prints, by backend; it runs without mlvet, by this interpreter or another one."""
    command = [python] if python else [sys.executable, "-I"]
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "KERAS_BACKEND")}
    done = subprocess.run(
        [*command, str(script)], env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    lines = [line.split(None, 1) for line in done.stdout.splitlines()]
    return dict(lines)
