"""The small models of the benchmark, made anew for a seed, and the comparisons of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.compare import graph_models
from benchmarks.compare.faults import Fault
from mlvet.analyses.compare.request import CompareRequest

HERE = Path(__file__).parent
KERAS = ("digits", "residual", "separable", "steering", "tokens", "attention", "audio", "mask")
GRAPHS = tuple(graph_models.MODELS)
_KERAS_PEERS = ("numpy", "torch")
_GRAPH_PEERS = ("onnxruntime", "onnx-reference")
ENVIRONMENT = "faulty"


def models(folder: Path, seed: int) -> Path:
    """All models of a seed and their data, in a folder."""
    made = folder / f"seed{seed}"
    if not made.is_dir():
        made.mkdir(parents=True)
        environment = {**os.environ, "KERAS_BACKEND": "jax", "TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [sys.executable, str(HERE / "keras_models.py"), str(made), str(seed)]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        graph_models.write(made, seed)
    return made


def request(made: Path, name: str, backends: Sequence[str], python: str | None = None) -> CompareRequest:
    """A comparison of one of the models on its data; labels where there are any."""
    labels = made / f"{name}.npy"
    return CompareRequest(
        made / f"{name}.{'onnx' if name in GRAPHS else 'keras'}", name, made / f"{name}.npz",
        labels if labels.exists() else None, tuple(backends), {ENVIRONMENT: python} if python else {},
    )  # fmt: skip


def peers(fault: Fault) -> tuple[str, ...]:
    """The faulty backend and a sound one: nobody can be outvoted."""
    of_kind = _GRAPH_PEERS if fault.model in GRAPHS else _KERAS_PEERS
    return f"{fault.backend}@{ENVIRONMENT}", next(each for each in of_kind if each != fault.backend)


class FaultyPython:
    """An interpreter in which one layer is wrong; which one is written to a file that it reads with each model."""

    def __init__(self, folder: Path) -> None:
        self.spec = folder / "fault.json"
        self.record = folder / "fault.record"
        self.path = folder / "python"
        self.spec.write_text("null", encoding="utf-8")
        self.path.write_text(
            f'#!/bin/sh\nexport PYTHONPATH="{HERE / "injection"}" MLVET_FAULT="{self.spec}"\n'
            f'exec "{sys.executable}" "$@"\n',
            encoding="utf-8",
        )
        self.path.chmod(0o755)

    def becomes(self, fault: Fault, noise: float) -> None:
        """From now on models are opened with this fault."""
        self.record.unlink(missing_ok=True)
        told: dict[str, Any] = {
            "layer": fault.layer, "kind": fault.kind, "record": str(self.record),
            "settings": {**fault.settings, "noise": noise},
        }  # fmt: skip
        self.spec.write_text(json.dumps(told), encoding="utf-8")

    def recorded(self) -> float | None:
        """What the fault has changed when the layer was last run alone, if it says so."""
        if not self.record.exists():
            return None
        return float(json.loads(self.record.read_text(encoding="utf-8").splitlines()[-1]))
