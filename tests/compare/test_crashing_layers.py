"""A backend that fails on the model is asked layer by layer in which one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.compare.conftest import Compare, faulty

FAILING = """
from onnx.reference.ops.op_softmax import Softmax
honest = Softmax._run
def run(self, x, axis=None):
    if x.shape[-1] > 2:
        raise ValueError("too many classes")
    return honest(self, x, axis=axis)
Softmax._run = run
"""


def test_the_layer_is_named_and_reduced(compare: Compare, onnx_model: Path, tmp_path: Path) -> None:
    python = faulty(tmp_path, FAILING)
    backends = ("--backends", "onnxruntime,onnx-reference@faulty", "--env", f"faulty={python}")
    code, report, _ = compare(onnx_model.name, *backends, "--reproduce", "found")
    (finding,) = report["findings"]
    assert (code, finding["rule"], finding["location"]["node"]) == (1, "backend-crash", "softmax")
    assert finding["evidence"]["blamed"] == "onnx-reference@faulty"
    folder = tmp_path / finding["evidence"]["reproduction"]["folder"]
    done = subprocess.run([python, str(folder / "show.py")], capture_output=True, text=True, timeout=120)
    assert done.returncode
    assert "too many classes" in done.stderr
    right = subprocess.run([sys.executable, "-I", str(folder / "show.py")], capture_output=True, text=True, timeout=120)
    assert not right.returncode
    assert {line.split(None, 1)[0] for line in right.stdout.splitlines()} >= {"onnxruntime", "onnx-reference@faulty"}
