"""Backends at work on one model: opened side by side, then asked in turn; what they yield lies in files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.subject import Layer, Subject
from mlvet.runtime.backends.catalogue import Backend
from mlvet.runtime.backends.process import Failure, Worker

Array = NDArray[Any]
Files = Mapping[str, Path]
"""Values by name, each in a file."""
_SMALL = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds for a request, bytes for a process, and bytes for the states that are held at once."""

    seconds: float = 300.0
    memory: int | None = None
    states: int = 500_000_000


@dataclass(slots=True)
class Run:
    """One backend with the model open, and the time that its requests took."""

    backend: Backend
    worker: Worker
    folder: Path
    limits: Limits
    opened: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    unmasked: Sequence[str] = ()
    """The values whose masks the last step took away."""
    _number: int = field(default_factory=count().__next__)
    _count: int = 0

    def __str__(self) -> str:
        return str(self.backend)

    @property
    def version(self) -> str:
        return str(self.opened.get("version", ""))

    @property
    def precision(self) -> str:
        """The precision in which the backend computes plain models, if it is less than that of their numbers."""
        return str(self.opened.get("precision", ""))

    def whole(self, inputs: Files, batch: int, target: str | None = None, *, precise: bool = False) -> list[Array]:
        """The outputs of the plain model, or those of a part of it."""
        request = {"do": "run", "inputs": _paths(inputs), "batch": batch, "target": target, "precise": precise}
        answer = self._asked(request)
        self.seconds += float(answer["seconds"])
        return [_mapped(path) for path in answer["outputs"]]

    def step(self, subject: Subject, layer: Layer, values: Files) -> dict[str, Path]:
        """One layer alone on values that are given; the files that hold what it yields."""
        inputs = {name: values[name] for name in layer.inputs}
        part = subject.part(layer, inputs, double=self.backend.double)
        self.unmasked = ()
        answer = self._asked({"do": "step", "node": part, "inputs": _paths(inputs), "outputs": layer.outputs})
        self.unmasked = answer.get("unmasked", ())
        return dict(zip(layer.outputs, map(Path, answer["outputs"]), strict=False))

    def part(self, values: Sequence[str], given: Sequence[str], to: Path) -> None:
        """Have a part of the model written, between values that are given and values that are wanted."""
        self._asked({"do": "part", "values": list(values), "given": list(given), "file": str(to)})

    def convert(self, converter: str, to: Path, inputs: Files, target: str | None = None) -> dict[str, Any]:
        """Have the model, or the part of it that ends with a value, written by a converter; its version and inputs."""
        request = {"do": "convert", "converter": converter, "file": str(to), "inputs": _paths(inputs), "target": target}
        return self._asked(request)

    def begin(self, subject: Subject, layers: Sequence[Layer], values: Files) -> None:
        """Let some layers be run, each alone; `steps` tells what became of them."""
        asked = []
        for layer in layers:
            inputs = {name: values[name] for name in layer.inputs}
            part = subject.part(layer, inputs, double=self.backend.double)
            asked.append({"node": part, "inputs": _paths(inputs)})
        self.worker.send({"do": "steps", "steps": asked, "to": str(self._place())})

    def steps(self, layers: Sequence[Layer]) -> list[dict[str, Path] | Failure]:
        """The files that hold what each of some layers yields, or why it yields nothing."""
        answers = self.worker.receive(self.limits.seconds)["steps"]
        return [
            Failure(answer["failure"], answer["words"], answer.get("place", ""))
            if "failure" in answer
            else dict(zip(layer.outputs, map(Path, answer["outputs"]), strict=False))
            for layer, answer in zip(layers, answers, strict=True)
        ]

    def gradients(
        self, values: Files, weights: Sequence[Path], layer: Layer | None = None, moved: int | None = None
    ) -> dict[str, Array]:
        """What the sum of weighted outputs changes by, of the model or of one layer alone, by parameter and input."""
        request: dict[str, Any] = {"do": "gradients", "inputs": _paths(values), "weights": [str(w) for w in weights]}
        answer = self._asked({**request, "node": layer.name if layer else None, "moved": moved})
        return dict(zip(answer["names"], map(_taken, answer["outputs"]), strict=True))

    def _asked(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return self.worker.ask({**request, "to": str(self._place())}, self.limits.seconds)

    def _place(self) -> Path:
        self._count += 1
        return self.folder / f"{str(self.backend).replace('/', '_')}-{self._number}-{self._count}"


class Crew:
    """The workers of one comparison. All end with it."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder = folder
        self.limits = limits
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def open(
        self, backends: Sequence[Backend], opening: Mapping[str, Any], warm: Sequence[Run] = (),
        *, tell: Callable[[int], None] = lambda _: None,
    ) -> dict[Backend, Run | Failure]:  # fmt: skip
        """A run for each backend, or why there is none. They load at the same time; those that are warm are used."""
        found: dict[Backend, Run | Failure] = {}
        workers = {run.backend: run.worker for run in warm if run.worker.alive}
        for backend in backends:
            try:
                worker = workers.get(backend) or self._started(backend)
                request = {"do": "open", "memory": self.limits.memory, **opening, **backend.command.opening}
                worker.send(request)
                found[backend] = Run(backend, worker, self.folder, self.limits)
            except Failure as failure:
                found[backend] = failure
        for number, (backend, run) in enumerate(found.items()):
            tell(number)
            if isinstance(run, Run):
                try:
                    run.opened = run.worker.receive(self.limits.seconds)
                except Failure as failure:
                    found[backend] = failure
        return found

    def _started(self, backend: Backend) -> Worker:
        worker = Worker(backend.command)
        self._stack.callback(worker.close)
        return worker


def stored(folder: Path, name: str, arrays: Mapping[str, Array]) -> dict[str, Path]:
    """Arrays in files."""
    files: dict[str, Path] = {}
    for index, (key, array) in enumerate(arrays.items()):
        files[key] = folder / f"{name}.{index}.npy"
        np.save(files[key], array)
    return files


def _mapped(path: str) -> Array:
    """An array that is read from its file as needed; the file has no name any more and goes with the array."""
    array: Array = np.load(path, mmap_mode="r" if os.path.getsize(path) > _SMALL else None)
    os.unlink(path)
    return array


def _taken(path: str) -> Array:
    """An array whose file is needed no more."""
    array: Array = np.load(path)
    Path(path).unlink()
    return array


def _paths(files: Files) -> dict[str, str]:
    return {name: str(path) for name, path in files.items()}
