"""Reading TensorFlow's files in a process that has TensorFlow itself loaded, in either order."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import mlvet

FOLDER = Path(__file__).parent / "tensorflow_files"
READ = f"import mlvet; graph = mlvet.from_tensorflow({str(FOLDER / 'saved_keras')!r}); assert graph.body.nodes"
LOAD = f"import tensorflow as tf; model = tf.saved_model.load({str(FOLDER / 'saved_keras')!r}); assert model.signatures"


@pytest.mark.parametrize("steps", [(LOAD, READ), (READ, LOAD), (LOAD, READ, LOAD)], ids=["after", "before", "between"])
def test_neither_disturbs_the_other(steps: tuple[str, ...]) -> None:
    environment = {"PYTHONPATH": str(Path(mlvet.__file__).parents[1]), "TF_CPP_MIN_LOG_LEVEL": "3", "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(steps)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
