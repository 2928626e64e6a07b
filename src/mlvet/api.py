"""What a program can ask of mlvet: read models, check paths or graphs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlvet.core.finding import Finding
from mlvet.frontends.jaxpr import from_jax
from mlvet.frontends.keras import from_keras
from mlvet.frontends.onnx import from_onnx
from mlvet.frontends.tensorflow import from_tensorflow
from mlvet.frontends.torch_export import from_torch
from mlvet.ir.graph import Graph

if TYPE_CHECKING:
    from mlvet.core.config import Config

__all__ = ["check", "from_jax", "from_keras", "from_onnx", "from_tensorflow", "from_torch"]


def check(
    subject: Graph | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    data: str | os.PathLike[str] | None = None,
    min_certainty: str | None = None,
) -> Sequence[Finding]:
    """The findings on a graph, on a file or folder, or on several, as `mlvet check` would show them.

    `ranges` says by name between which numbers the elements of inputs and parameters of models are; `data` is an .npz
    file whose arrays say it for inputs of the same names. The project's configuration applies to paths. Raises
    UnsupportedInput if an input cannot be read, UsageError if an argument cannot be right.
    """
    from mlvet.core.config import Config, load_config

    if isinstance(subject, Graph):
        return _check_graph(subject, _asked(Config(), ranges, data, min_certainty))
    from mlvet.core.errors import UnsupportedInput
    from mlvet.engine import executor_for
    from mlvet.pipeline import vet

    several: Iterable[Any] = [subject] if isinstance(subject, str | os.PathLike) else subject
    paths = [Path(path) for path in several]
    found = load_config(paths[0].resolve().parent if paths else Path.cwd())
    config = _asked(found, ranges, data, min_certainty)
    vetting = vet(paths, config, executor_for("local", config.jobs))
    if vetting.summary.problems:
        raise UnsupportedInput("; ".join(map(str, vetting.summary.problems)))
    return vetting.findings


def _asked(
    config: Config,
    ranges: Mapping[str, tuple[float, float]] | None,
    data: str | os.PathLike[str] | None,
    min_certainty: str | None,
) -> Config:
    """The configuration with the arguments on top."""
    from mlvet.core.config import holds_numbers
    from mlvet.core.errors import UsageError
    from mlvet.core.grade import Certainty

    asked = {}
    for name, ends in (ranges or {}).items():
        try:
            low, high = map(float, ends)
        except (TypeError, ValueError, OverflowError):
            raise UsageError(f"the range of `{name}` is not a pair of numbers: {ends!r}") from None
        if not holds_numbers(low, high):
            raise UsageError(f"the range of `{name}` has no number: {low:g} to {high:g}")
        asked[name] = low, high
    if min_certainty is not None and min_certainty not in list(Certainty):
        raise UsageError(f"`{min_certainty}` is not one of {', '.join(Certainty)}")
    return replace(
        config,
        ranges={**config.ranges, **asked},
        asked_ranges=frozenset(asked),
        data=config.data if data is None else Path(data),
        min_certainty=config.min_certainty if min_certainty is None else Certainty(min_certainty),
    )


def _check_graph(graph: Graph, config: Config) -> Sequence[Finding]:
    from mlvet.analyses.numerics.request import request_of
    from mlvet.core.errors import UsageError
    from mlvet.core.fingerprint import fingerprinted
    from mlvet.model_files import require_names, vet_graph

    outcome = vet_graph(graph, graph.path, request_of(config))
    if outcome.problems:
        raise UsageError("; ".join(problem.reason for problem in outcome.problems))
    require_names(outcome, config)
    shown = [finding for finding in outcome.findings if finding.certainty.at_least(config.min_certainty)]
    return fingerprinted(shown, {}, os.getcwd(), os.getcwd())
