"""What the analysis is measured on: graphs with the ranges that a user would state, read once and kept."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from benchmarks.numerics.corpus import FORMS, Case, cases, safe_cases
from mlvet.analyses.numerics.assumptions.ranges import Assumed, Given, assumed_ranges
from mlvet.analyses.shapes.inference import Inference, infer
from mlvet.frontends.models import read_model
from mlvet.ir.graph import Graph, Value


@dataclass(frozen=True, slots=True)
class Subject:
    """A graph, its types and its ranges. `case` is what the corpus claims of it; real models have none."""

    name: str
    group: str
    path: Path
    graph: Graph
    inference: Inference
    ranges: Mapping[Value, Assumed]
    case: Case | None = None

    @property
    def operators(self) -> int:
        return sum(1 for _ in self.graph.nodes())


def subject(
    name: str, group: str, path: Path, given: Mapping[str, tuple[float, float]], case: Case | None = None
) -> Subject:
    """A model file as the analysis takes it."""
    graph = read_model(path, path.name)
    inference = infer(graph)
    return Subject(name, group, path, graph, inference, assumed_ranges(graph, inference, Given(dict(given))), case)


@lru_cache(maxsize=1)
def folder() -> tempfile.TemporaryDirectory[str]:
    """Where models are written to; it lasts as long as this process, because graphs read their elements late."""
    return tempfile.TemporaryDirectory(prefix="mlvet-numerics-")


@lru_cache(maxsize=4)
def corpus_subjects(forms: tuple[str, ...] = FORMS) -> tuple[Subject, ...]:
    """The pairs and the safe patterns, written to files and read again."""
    place = Path(folder().name)
    chosen = [*cases(forms), *safe_cases(forms)]
    return tuple(subject(case.name, case.form, case.build(place), case.ranges, case) for case in chosen)
