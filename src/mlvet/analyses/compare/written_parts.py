"""Parts of a SavedModel or of a TFLite file as files of their own, written by the worker that has the model open."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mlvet.analyses.compare.runs import Run


class WrittenParts:
    """A model that a worker takes apart; a part is written once."""

    def __init__(self, run: Run, folder: Path, suffix: str) -> None:
        self._run = run
        self._folder = folder
        self._suffix = suffix
        self._nodes = {node["name"]: node for node in run.opened["nodes"]}
        self._ports = [port["name"] for port in run.opened["inputs"]]
        self._written: dict[tuple[str, ...], Path] = {}

    def alone(self, name: str) -> Path:
        """One operator, on the values that enter it."""
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
