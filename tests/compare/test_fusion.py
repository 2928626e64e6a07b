"""A backend that is wrong only where it joins layers, made by an environment that patches ONNX Runtime."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.compare.conftest import Compare

PATCH = """
import onnxruntime

class InferenceSession(onnxruntime.InferenceSession):
    def run(self, names, feed, *rest):
        found = super().run(names, feed, *rest)
        kinds = [node.op_type for node in self.graph.node]
        joined = any(pair == ("Conv", "Relu") for pair in zip(kinds, kinds[1:]))
        return [each * 1.1 if joined and each.dtype.kind == "f" else each for each in found]

    def __init__(self, path, *rest, **others):
        import onnx
        self.graph = onnx.load(path).graph
        super().__init__(path, *rest, **others)

onnxruntime.InferenceSession = InferenceSession
"""


def environment(folder: Path, patch: str) -> Path:
    """An interpreter like this one, but with something changed when it starts."""
    (folder / "patched").mkdir()
    (folder / "patched" / "sitecustomize.py").write_text(patch, encoding="utf-8")
    python = folder / "patched" / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={folder / "patched"} exec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return python


def test_a_plain_model_that_leaves_its_own_layers_is_told_where(compare: Compare, onnx_model: Path) -> None:
    python = environment(onnx_model.parent, PATCH)
    backends = "onnxruntime,onnx-reference,onnxruntime@joining"
    code, report, _ = compare(onnx_model.name, "--env", f"joining={python}", "--backends", backends)
    fused = [finding for finding in report["findings"] if finding["rule"] == "fusion-dependent"]
    assert code == 1
    assert [finding["evidence"]["blamed"] for finding in fused] == ["onnxruntime@joining"]
    assert [finding["location"]["node"] for finding in fused] == ["relu"]
    assert {finding["rule"] for finding in report["findings"]} == {"fusion-dependent"}
