"""What the efficiency engine tells of a program given as text, and the program after the edits that it suggests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from mlvet.analyses.efficiency.request import EfficiencyRequest
from mlvet.core.finding import Finding
from mlvet.core.fix import apply_edits
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program


def told(text: str, folder: Path, rule: str) -> list[Finding]:
    """The suggestions of one rule, in the order of the text."""
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    program = Program(path, Source(path.name, text), folder, shapes=False, efficiency=EfficiencyRequest())
    outcome = vet_program(program)
    assert outcome.problems == []
    assert outcome.notes == []
    return sorted((each for each in outcome.findings if each.rule == rule), key=lambda each: each.location.line or 0)


def lines(text: str, folder: Path, rule: str) -> list[int]:
    """The lines that a rule is told of."""
    return [each.location.line or 0 for each in told(text, folder, rule)]


def edited(text: str, found: list[Finding]) -> str:
    """The program after the edits of some findings, all of which must have some."""
    fixes = [each.fix for each in found if each.fix is not None]
    after, applied = apply_edits(text, fixes)
    assert applied == len(found)
    return after


def results(text: str, folder: Path) -> list[np.ndarray]:
    """The arrays that a program leaves as `result`, one or a list of them, after a real run.

    One of Keras or TensorFlow 1 runs in a process of its own: a backend and a behaviour are chosen once for each. So
    does one with `tf.function`, which reads the file that it is defined in, and one that starts workers.
    """
    if any(each in text for each in ("keras", "compat.v1", "tf.function", "num_workers")):
        return _apart(text, folder)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(text, "program.py", "exec"), names)
    result = names["result"]
    parts = result if isinstance(result, list | tuple) else [result]
    return [np.asarray(each.detach() if hasattr(each, "detach") else each) for each in parts]


_SAVING = """
import numpy
parts = result if isinstance(result, list | tuple) else [result]
numpy.savez("result.npz", *[numpy.asarray(each) for each in parts])
"""


def _apart(text: str, folder: Path) -> list[np.ndarray]:
    (folder / "run.py").write_text(text + _SAVING, encoding="utf-8")
    environment = {**os.environ, "KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run([sys.executable, "run.py"], cwd=folder, env=environment, check=True, timeout=300)
    with np.load(folder / "result.npz") as saved:
        return [saved[name] for name in saved.files]
