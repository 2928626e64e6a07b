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

from mlvet.analyses.compare.conversion import Converted, again
from mlvet.analyses.compare.oracle import Oracle
from mlvet.analyses.compare.runs import Crew, Files, Run, stored
from mlvet.analyses.compare.subject import Layer, Subject, taken_apart
from mlvet.analyses.compare.walk import LayerFailure, Walk, Walker
from mlvet.analyses.compare.written_parts import described, oracle_opening
from mlvet.core.errors import UnsupportedInput
from mlvet.runtime.backends.catalogue import Backend
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


@dataclass(frozen=True, slots=True)
class Remade:
    """What a converter makes of a specimen: its outputs, those of the library before it, and the right ones."""

    own: Sequence[Array]
    source: Sequence[Array]
    exact: Sequence[Array]


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
        self._makers: dict[Backend, Run] = {}
        self._runtimes: dict[str, Run] = {}
        self._oracle = oracle
        self.names = tuple(str(run) for run in runs)

    def beside(self, runs: Sequence[Run], oracle: Oracle, format: str) -> Laboratory:
        """Another laboratory with processes of the same comparison, for models of another format."""
        return Laboratory(self._crew, runs, oracle, format, {str(run): run.version for run in runs})

    def examine(self, specimen: Specimen, among: Sequence[str] = (), *, keep_all: bool = False) -> Examined:
        """Judge every layer of a specimen on all backends, or on those that are named.

        What is seen is kept of wrong layers, or of all.
        """
        with self._workplace() as folder:
            runs, refused = self._opened(specimen, among)
            subject = self._subject(specimen, runs, folder)
            self._oracle = self._oracle.on(subject, oracle_opening(subject, _opening(specimen)))
            files = stored(folder, "given", specimen.inputs)
            walker = Walker(subject, [], self._oracle, files, lambda *_: None, keep_wrong=True, keep_all=keep_all)
            self._all(walker, runs)
            return Examined(subject, walker.walk, refused, frozenset(map(str, runs)))

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """An answer of the first backend that is alive and can do what is asked."""
        reason = Failure("death", "no backend is alive")
        for run in [*self._warm.values(), *self._makers.values()]:
            if run.worker.alive:
                try:
                    return run.worker.ask(request, seconds)
                except Failure as failure:
                    if failure.kind != "unsupported":
                        raise
                    reason = failure
        raise reason

    def of_model(self, opening: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
        """What the first backend that can tell answers of the model of the user."""
        reason = Failure("death", "no backend is alive")
        for backend in {**self._warm, **self._makers}:
            opened = self._crew.open([backend], opening, [*self._warm.values(), *self._makers.values()])[backend]
            if isinstance(opened, Failure):
                reason = opened
                continue
            (self._warm if backend in self._warm else self._makers)[backend] = opened
            try:
                return opened.worker.ask(dict(request), opened.limits.seconds)
            except Failure as failure:
                reason = failure
        raise reason

    def converted(self, specimen: Specimen, one: Converted) -> Remade | None:
        """What a converter makes of a specimen, beside what the model itself yields; None if no oracle knows it."""
        with self._workplace() as folder:
            backend = one.maker.backend
            warm = self._makers.get(backend, self._warm.get(backend, one.maker))
            maker = self._crew.open([backend], _opening(specimen), [warm])[backend]
            if isinstance(maker, Failure):
                raise maker
            self._makers[backend] = maker
            subject = self._subject(specimen, [maker], folder)
            self._oracle = self._oracle.on(subject, oracle_opening(subject, _opening(specimen)))
            files = stored(folder, "given", specimen.inputs)
            batch = len(next(iter(specimen.inputs.values()))) if self.format == "keras" else 0
            exact = self._oracle.outputs(files, batch)
            remade = again(self._crew, one, maker, self._runtimes.get(str(one), one.run), files)
            if isinstance(remade, Failure):
                raise remade
            self._runtimes[str(one)] = remade.run
            return None if exact is None else Remade(remade.whole(files, batch), maker.whole(files, batch), exact[1])

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
        if not any(run.opened["inputs"] for run in runs):
            raise UnsupportedInput("no backend can open the model")
        return described(specimen.path, self.format, runs, folder)

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
