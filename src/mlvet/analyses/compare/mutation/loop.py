"""The search: variants of layers and mutants of the model in turn, until the time is up or the user ends it."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mlvet.analyses.compare.local_errors import LocalError
from mlvet.analyses.compare.mutation.breed import Bred, Breed
from mlvet.analyses.compare.mutation.guidance import Guidance, Parent, deviation
from mlvet.analyses.compare.reproduction.minimal import SIZES, Defect, Minimal, minimal
from mlvet.analyses.compare.reproduction.reduction import Budget
from mlvet.analyses.compare.search.laboratory import Examined, Laboratory
from mlvet.analyses.compare.subject import Layer
from mlvet.analyses.compare.walk import FAILS, LayerFailure, Seen
from mlvet.core.errors import UnsupportedInput
from mlvet.runtime.backends.catalogue import library_of
from mlvet.runtime.backends.process import Failure

Progress = Callable[[str, int, int], None]
_AT_ONCE = 12
_REDUCTION = Budget(tries=80, seconds=40.0)


@dataclass(slots=True)
class Deviant:
    """A defect that the search has found: the least model of it, and the mutants that show it."""

    error: LocalError
    layer: str
    made: str
    least: Minimal
    count: int = 1
    folder: Path | None = None


@dataclass(slots=True)
class Crash:
    """A backend that fails on a layer which others run."""

    backend: str
    layer: str
    kind: str
    made: str
    failure: Failure
    least: Minimal
    count: int = 1
    folder: Path | None = None


@dataclass(slots=True)
class Mutations:
    """What a search has seen. Errors that a layer does not show once more, cut out alone, are not confirmed."""

    deviants: list[Deviant] = field(default_factory=list)
    crashes: list[Crash] = field(default_factory=list)
    variants: int = 0
    mutants: int = 0
    senseless: int = 0
    unconfirmed: int = 0
    seconds: float = 0.0
    interrupted: bool = False


class Search:
    """Breeds, examines and judges. `known` are causes that are told already."""

    def __init__(
        self, lab: Laboratory, breed: Breed, folder: Path, seed: int, known: set[tuple[str, ...]],
        found: Callable[[Deviant | Crash], None], progress: Progress,
    ) -> None:  # fmt: skip
        self.lab = lab
        self.breed = breed
        self.folder = folder
        self.random = np.random.default_rng(seed)
        self.known = known
        self.found = found
        self.progress = progress
        self.result = Mutations()
        self._seen: dict[tuple[str, ...], Deviant | None] = {}
        self._causes: dict[tuple[str, ...], Deviant] = {}
        self._crashes: dict[tuple[str, ...], Crash | None] = {}
        self._guidance = Guidance(breed.operators, self.random, [Parent(breed.first(), 0.0)])
        self._layers = itertools.cycle(breed.layers() or [""])

    def go(self, minutes: float) -> Mutations:
        """Search for so long. An interruption by the user ends the search and keeps what was found."""
        began = time.monotonic()
        end = began + 60 * minutes
        try:
            while time.monotonic() < end:
                spent = int(time.monotonic() - began)
                done = f"{self.result.variants} variants, {self.result.mutants} mutants"
                self.progress(f"{done}, {len(self.result.deviants)} defects", spent, int(end - began))
                self.round()
        except KeyboardInterrupt:
            self.result.interrupted = True
        self.result.seconds = time.monotonic() - began
        return self.result

    def round(self) -> None:
        """Variants of one layer, and one mutant."""
        layer = next(self._layers)
        if layer:
            self.variants(layer)
        self._mutant(self._guidance)

    def variants(self, layer: str) -> None:
        """Some variants of one layer."""
        bred = self._bred(lambda: self.breed.variants(layer, _AT_ONCE, self.random))
        if bred is not None:
            examined = self._examined(bred)
            if examined is not None:
                self.result.variants += len(examined.subject.layers)
                self._judge(bred, examined)
            bred.specimen.path.unlink(missing_ok=True)

    def _mutant(self, guidance: Guidance) -> None:
        parent, operator = guidance.parent(), guidance.operator()
        bred = self._bred(lambda: self.breed.child(parent.mutant, operator, self.random))
        examined = None if bred is None else self._examined(bred)
        if bred is None or examined is None:
            self.result.senseless += 1
            guidance.learn(operator, parent, None, 0.0)
            return
        self.result.mutants += 1
        guidance.learn(operator, parent, bred.mutant, deviation(examined.walk))
        self._judge(bred, examined)
        bred.specimen.path.unlink(missing_ok=True)

    def _bred(self, make: Callable[[], Bred | None]) -> Bred | None:
        try:
            return make()
        except (Failure, UnsupportedInput):
            return None

    def _examined(self, bred: Bred) -> Examined | None:
        try:
            return self.lab.examine(bred.specimen)
        except (Failure, UnsupportedInput):
            return None

    def _judge(self, bred: Bred, examined: Examined) -> None:
        for error in examined.walk.wrong():
            self._wrong(bred, examined, error)
        for failure in examined.walk.failures:
            self._failed(bred, examined, failure)

    def _wrong(self, bred: Bred, examined: Examined, error: LocalError) -> None:
        key = _likeness(error)
        if key in self._seen:
            told = self._seen[key]
            if told is not None:
                told.count += 1
            return
        self._seen[key] = None
        walk = examined.walk
        right = tuple(each.backend for each in walk.errors if each.layer is error.layer and not each.wrong)
        if not right or not _sensible(walk.seen[error.layer.name]):
            return
        defect = self._defect(bred, walk.seen[error.layer.name], error.backend, error.layer, right)
        least = minimal(self.lab, defect, self.folder, _REDUCTION)
        if least is None:
            self.result.unconfirmed += 1
            return
        cause = least.cause
        if cause in self.known:
            return
        if cause in self._causes:
            self._causes[cause].count += 1
            self._seen[key] = self._causes[cause]
            return
        name = error.layer.name.replace("--", "/")
        deviant = Deviant(error, bred.mutant.parent_of(name), _made(bred, name), least)
        self._seen[key] = self._causes[cause] = deviant
        self.result.deviants.append(deviant)
        self.found(deviant)

    def _failed(self, bred: Bred, examined: Examined, each: LayerFailure) -> None:
        """A failure in a layer that the oracle knows and most backends run as it does."""
        key = (library_of(each.backend), each.layer.kind, _without_numbers(each.failure.words))
        if key in self._crashes:
            told = self._crashes[key]
            if told is not None:
                told.count += 1
            return
        walk = examined.walk
        right = tuple(error.backend for error in walk.errors if error.layer is each.layer and not error.wrong)
        if each.failure.kind not in FAILS or 2 * len(right) <= len(examined.able) or not right:
            return
        self._crashes[key] = None
        defect = self._defect(bred, walk.seen[each.layer.name], each.backend, each.layer, right)
        least = minimal(self.lab, defect, self.folder, _REDUCTION)
        if least is None:
            self.result.unconfirmed += 1
            return
        name = each.layer.name.replace("--", "/")
        crash = Crash(
            each.backend, bred.mutant.parent_of(name), each.layer.kind, _made(bred, name), each.failure, least
        )  # fmt: skip
        self._crashes[key] = crash
        self.result.crashes.append(crash)
        self.found(crash)

    def _defect(self, bred: Bred, seen: Seen, backend: str, layer: Layer, right: tuple[str, ...]) -> Defect:
        return Defect(backend, layer, seen, right, self.breed.alone(bred, layer.name))


def _sensible(seen: Seen) -> bool:
    """Whether what is right is a number: where it is none, such as the greatest of nothing, backends may differ."""
    return all(np.isfinite(array).all() for array in seen.exact.values() if array.dtype.kind == "f")


def _made(bred: Bred, layer: str) -> str:
    change = bred.changes.get(layer)
    return change if change is not None else "; ".join(bred.mutant.steps)


def _likeness(error: LocalError) -> tuple[str, ...]:
    """What errors have in common that are likely of one cause: numbers of the configuration do not count."""
    config = {
        key: value for key, value in error.layer.config.items() if isinstance(value, str | bool) and key not in SIZES
    }
    return (library_of(error.backend), error.layer.kind, json.dumps(config, sort_keys=True), str(error.wrong_shape))


def _without_numbers(words: str) -> str:
    return "".join("#" if each.isdigit() else each for each in words)[:80]
