"""Parts of a SavedModel or of a TFLite file as files of their own, written by the worker that has the model open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mlvet.analyses.compare.runs import Run
from mlvet.analyses.compare.subject import Subject, told
from mlvet.runtime.backends.process import Failure

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_SUFFIXES = {"saved_model": ".pb", "tflite": ".tflite"}


class WrittenParts:
    """A model that a worker takes apart; a part is written once."""

    def __init__(self, run: Run, folder: Path, suffix: str) -> None:
        self._run = run
        self._folder = folder
        self._suffix = suffix
        self._nodes = {node["name"]: node for node in run.opened["nodes"]}
        self._ports = [port["name"] for port in run.opened["inputs"]]
        self._written: dict[tuple[str, ...], Path] = {}

    def alone(self, name: str, held: Mapping[str, tuple[Any, tuple[int, ...], Path]] = _NOTHING) -> Path:  # noqa: ARG002
        """One operator, on the values that enter it. Its file tells their types and ranks by itself."""
        node = self._nodes[name]
        return self._part(node["outputs"], node["inputs"])

    def until(self, values: Iterable[str]) -> Path:
        """All that leads from the inputs to some values."""
        return self._part(list(values), self._ports)

    def doubled(self, path: Path) -> Path:
        """The same file: its reference holds all numbers in double precision by itself."""
        return path

    def _part(self, values: list[str], given: list[str]) -> Path:
        key = (*values, "", *given)
        if key not in self._written:
            path = self._folder / f"part-{len(self._written)}{self._suffix}"
            self._run.part(values, given, path)
            self._written[key] = path
        return self._written[key]


def described(path: Path, format: str, runs: Sequence[Run], folder: Path) -> Subject:
    """The model as the first of some workers describes it that can tell what goes in."""
    telling = next(run for run in runs if run.opened["inputs"])
    suffix = _SUFFIXES.get(format)
    parts = WrittenParts(telling, folder, suffix) if suffix and telling.opened["nodes"] else None
    return told(path, format, telling.opened, parts)


def oracle_opening(subject: Subject, opening: Mapping[str, Any]) -> dict[str, Any]:
    """The oracle reads the frozen graph of a SavedModel, in which values have the names that they have here."""
    if subject.format == "saved_model" and subject.parts is not None:
        try:
            return {**opening, "model": str(subject.parts.until(subject.outputs))}
        except Failure:
            pass
    return dict(opening)
