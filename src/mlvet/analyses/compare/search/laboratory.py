"""Warm backends and oracles that take one small model after another and judge its layers as those of the user's model.

All layers whose inputs are known are run at once, on all backends side by side, each on what the oracle had.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mlvet.analyses.compare.oracle import Oracle
from mlvet.analyses.compare.runs import Crew, Files, Run, stored
from mlvet.analyses.compare.subject import Layer, Subject, taken_apart, told
from mlvet.analyses.compare.walk import LayerFailure, Walk, Walker
from mlvet.core.errors import UnsupportedInput
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Specimen:
    """A model in a file, and arrays for its inputs."""

    path: Path
    inputs: Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Examined:
    """What became of a specimen: its layers, their errors, and the backends that could not take the whole of it."""

    subject: Subject
    walk: Walk
    refused: Mapping[str, Failure] = field(default_factory=dict)
    able: frozenset[str] = frozenset()


class Laboratory:
    """The processes of a comparison, used for other models once the comparison is done."""

    def __init__(
        self, crew: Crew, runs: Sequence[Run], oracle: Oracle, format: str, versions: Mapping[str, str]
    ) -> None:
        self.format = format
        self.versions = versions
        self.folder = crew.folder
        self._crew = crew
        self._warm = {run.backend: run for run in runs}
        self._oracle = oracle
        self.names = tuple(str(run) for run in runs)

    def examine(self, specimen: Specimen, among: Sequence[str] = (), *, keep_all: bool = False) -> Examined:
        """Judge every layer of a specimen on all backends, or on those that are named.

        What is seen is kept of wrong layers, or of all.
        """
        with self._workplace() as folder:
            runs, refused = self._opened(specimen, among)
            subject = self._subject(specimen, runs, folder)
            self._oracle = self._oracle.on(subject, _opening(specimen))
            files = stored(folder, "given", specimen.inputs)
            walker = Walker(subject, [], self._oracle, files, lambda *_: None, keep_wrong=True, keep_all=keep_all)
            self._all(walker, runs)
            return Examined(subject, walker.walk, refused, frozenset(map(str, runs)))

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """An answer of the first backend that is alive."""
        for run in self._warm.values():
            if run.worker.alive:
                return run.worker.ask(request, seconds)
        raise Failure("death", "no backend is alive")

    def taken_apart(self, opening: Mapping[str, Any], to: Path) -> dict[str, Any]:
        """The model of the user as the first backend that is alive takes it apart."""
        backend = next(iter(self._warm))
        opened = self._crew.open([backend], opening, list(self._warm.values()))[backend]
        if isinstance(opened, Failure):
            raise opened
        self._warm[backend] = opened
        return opened.worker.ask({"do": "architecture", "to": str(to)}, opened.limits.seconds)

    @contextlib.contextmanager
    def _workplace(self) -> Iterator[Path]:
        usual = self._crew.folder
        with tempfile.TemporaryDirectory(dir=usual) as folder:
            self._crew.folder = Path(folder)
            try:
                yield Path(folder)
            finally:
                self._crew.folder = usual

    def _opened(self, specimen: Specimen, among: Sequence[str]) -> tuple[list[Run], dict[str, Failure]]:
        wanted = [backend for backend in self._warm if not among or str(backend) in among]
        opened = self._crew.open(wanted, _opening(specimen), list(self._warm.values()))
        runs = [run for run in opened.values() if isinstance(run, Run)]
        self._warm.update({run.backend: run for run in runs})
        return runs, {str(backend): run for backend, run in opened.items() if isinstance(run, Failure)}

    def _subject(self, specimen: Specimen, runs: Sequence[Run], folder: Path) -> Subject:
        if self.format == "onnx":
            from mlvet.runtime.onnx_parts import OnnxParts

            return taken_apart(specimen.path, OnnxParts(specimen.path, folder))
        if not runs:
            raise UnsupportedInput("no backend can open the model")
        return told(specimen.path, self.format, runs[0].opened)

    def _all(self, walker: Walker, runs: Sequence[Run]) -> None:
        left = list(walker.subject.layers)
        while left:
            ready = [layer for layer in left if all(value in walker.right for value in layer.inputs)]
            if not ready:
                walker.walk.unjudged.update((layer.name, "what enters it is not known exactly") for layer in left)
                return
            results = self._at_once(walker, ready, runs)
            for layer in ready:
                walker.judge(layer, results[layer.name])
            left = [layer for layer in left if layer not in ready]

    def _at_once(self, walker: Walker, layers: Sequence[Layer], runs: Sequence[Run]) -> dict[str, dict[str, Files]]:
        found: dict[str, dict[str, Files]] = {layer.name: {} for layer in layers}
        asked = []
        for run in runs:
            with contextlib.suppress(Failure):
                run.begin(walker.subject, layers, walker.right)
                asked.append(run)
        for run in asked:
            try:
                answers: Sequence[dict[str, Path] | Failure] = run.steps(layers)
            except Failure as failure:
                answers = self._one_by_one(walker, layers, run, failure)
            for layer, answer in zip(layers, answers, strict=True):
                if isinstance(answer, Failure):
                    walker.walk.failures.append(LayerFailure(layer, str(run), answer))
                else:
                    found[layer.name][str(run)] = answer
        return found

    def _one_by_one(
        self, walker: Walker, layers: Sequence[Layer], run: Run, failure: Failure
    ) -> list[dict[str, Path] | Failure]:
        """After a process ended amid several layers: which of them ends it."""
        if len(layers) == 1:
            return [failure]
        answers: list[dict[str, Path] | Failure] = []
        opening = {"model": str(walker.subject.path.absolute())}
        for layer in layers:
            again = self._crew.open([run.backend], opening, list(self._warm.values()))[run.backend]
            if isinstance(again, Failure):
                answers.append(again)
                continue
            self._warm[run.backend] = again
            try:
                again.begin(walker.subject, [layer], walker.right)
                answers += again.steps([layer])
            except Failure as other:
                answers.append(other)
        return answers


def _opening(specimen: Specimen) -> dict[str, Any]:
    return {"model": str(specimen.path.absolute())}
