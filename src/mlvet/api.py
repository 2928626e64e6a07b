"""What a program can ask of mlvet: read models, check paths or graphs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mlvet.core.finding import Finding
from mlvet.frontends.jaxpr import from_jax
from mlvet.frontends.keras import from_keras
from mlvet.frontends.onnx import from_onnx
from mlvet.frontends.tensorflow import from_tensorflow
from mlvet.frontends.torch_export import from_torch
from mlvet.ir.graph import Graph

__all__ = ["check", "from_jax", "from_keras", "from_onnx", "from_tensorflow", "from_torch"]


def check(subject: Graph | str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> Sequence[Finding]:
    """The findings on a graph, on a file or folder, or on several, as `mlvet check` would show them.

    The project's configuration applies to paths. Raises UnsupportedInput if an input cannot be read.
    """
    if isinstance(subject, Graph):
        return _check_graph(subject)
    from mlvet.core.config import load_config
    from mlvet.core.errors import UnsupportedInput
    from mlvet.engine import executor_for
    from mlvet.pipeline import vet

    several: Iterable[Any] = [subject] if isinstance(subject, str | os.PathLike) else subject
    paths = [Path(path) for path in several]
    config = load_config(paths[0].resolve().parent if paths else Path.cwd())
    vetting = vet(paths, config, executor_for("local", config.jobs))
    if vetting.summary.problems:
        raise UnsupportedInput("; ".join(map(str, vetting.summary.problems)))
    return vetting.findings


def _check_graph(graph: Graph) -> Sequence[Finding]:
    from mlvet.analyses.catalogue import catalogue
    from mlvet.analyses.shapes.inference import infer
    from mlvet.analyses.shapes.judgement import findings
    from mlvet.core.fingerprint import fingerprinted

    found = findings(graph, infer(graph), catalogue())
    return fingerprinted(found, {}, os.getcwd(), os.getcwd())
