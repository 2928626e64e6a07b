"""A few examples through the model, one layer at a time, on all backends and the oracle in step.

Each layer runs twice on a backend: on what that backend itself had before, which shows how deviations spread, and on
what the oracle had, which shows what the layer adds. States are dropped when no later layer needs them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.local_errors import LocalError, local_errors
from mlvet.analyses.compare.localization import deviation
from mlvet.analyses.compare.oracle import REFERENCE, Oracle
from mlvet.analyses.compare.runs import Files, Run
from mlvet.analyses.compare.subject import Layer, Subject, last_uses
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]
_MASK = ".mask.npy"
_DOUBTFUL = 64.0
"""An error of less than so many times the noise is judged by more samples of the noise."""
_DRAWS = 8


@dataclass(frozen=True, slots=True)
class LayerFailure:
    """A layer that a backend cannot run alone."""

    layer: Layer
    backend: str
    failure: Failure


@dataclass(frozen=True, slots=True)
class Seen:
    """What entered a layer that is wrong or fails, what it should yield and what backends made of it."""

    entering: Mapping[str, Array]
    exact: Mapping[str, Array]
    results: Mapping[str, Mapping[str, Array]]


@dataclass(slots=True)
class Walk:
    """What a walk has seen. `deltas` holds the mean deviation of each value for each pair of backends."""

    errors: list[LocalError] = field(default_factory=list)
    failures: list[LayerFailure] = field(default_factory=list)
    deltas: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    judges: dict[str, str] = field(default_factory=dict)
    unjudged: dict[str, str] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)
    largest: int = 0

    def wrong(self) -> list[LocalError]:
        return [error for error in self.errors if error.wrong]


class Walker:
    """The states that are alive while a walk goes on."""

    def __init__(
        self, subject: Subject, runs: Sequence[Run], oracle: Oracle, inputs: Files, tell: Callable[[int, int], None]
    ) -> None:
        self.subject = subject
        self.runs = list(runs)
        self.oracle = oracle
        self.tell = tell
        self.right: dict[str, Path] = dict(inputs)
        self.own: dict[str, dict[str, Path]] = {str(run): dict(inputs) for run in runs}
        self.inputs = {*inputs}
        self.walk = Walk()
        self.keep_all = False

    def go(self) -> Walk:
        """All layers, in an order in which they can run."""
        dead = last_uses(self.subject.layers, ())
        for number, layer in enumerate(self.subject.layers):
            self.tell(number, len(self.subject.layers))
            self._layer(layer)
            self._drop(dead[number])
        return self.walk

    def _layer(self, layer: Layer) -> None:
        states = self._own_states(layer)
        self._note_deltas(layer, states)
        if not all(value in self.right for value in layer.inputs):
            self.walk.unjudged[layer.name] = "what enters it is not known exactly"
            return
        self.judge(layer, self._local_states(layer))

    def judge(self, layer: Layer, results: Mapping[str, Files]) -> None:
        """Compare what backends make of the oracle's input with what is right, and keep the latter for later layers."""
        exact, by = self._exact(layer, results)
        if exact is None:
            self.walk.unjudged[layer.name] = "no oracle knows such a layer"
            self._carry_on(layer, results)
            return
        self.walk.judges[layer.name] = by
        arrays = {value: np.load(path) for value, path in exact.items()}
        loaded = {name: _arrays(files) for name, files in results.items()}
        self.walk.largest = max(self.walk.largest, sum(each.nbytes for each in arrays.values()))
        noises = list(self._noises(layer, by))
        errors = local_errors(layer, arrays, loaded, noises)
        if any(error.wrong and error.times < _DOUBTFUL for error in errors):
            noises += self._more_noises(layer, by)
            errors = local_errors(layer, arrays, loaded, noises)
        self.walk.errors += errors
        failed = any(failure.layer is layer for failure in self.walk.failures)
        if self.keep_all or failed or any(error.wrong for error in errors):
            self.walk.seen[layer.name] = Seen(
                _arrays({each: self.right[each] for each in layer.inputs}), arrays, loaded
            )
        self._settle(exact, arrays, loaded)

    def _own_states(self, layer: Layer) -> dict[str, dict[str, Path]]:
        found: dict[str, dict[str, Path]] = {}
        for run in self.runs:
            values = self.own[str(run)]
            if all(value in values for value in layer.inputs):
                stepped = self._step(run, layer, values)
                if stepped is not None:
                    found[str(run)] = stepped
                    values.update(stepped)
        return found

    def _local_states(self, layer: Layer) -> dict[str, dict[str, Path]]:
        found = {}
        for run in self.runs:
            if any(each.backend == str(run) and each.layer is layer for each in self.walk.failures):
                continue
            stepped = self._step(run, layer, self.right)
            if stepped is not None:
                found[str(run)] = stepped
        return found

    def _step(self, run: Run, layer: Layer, values: Files) -> dict[str, Path] | None:
        if not run.worker.alive:
            return None
        try:
            return run.step(self.subject, layer, values)
        except Failure as failure:
            self.walk.failures.append(LayerFailure(layer, str(run), failure))
            return None

    def _exact(self, layer: Layer, results: Mapping[str, Files]) -> tuple[dict[str, Path] | None, str]:
        """What is right, and who says so. A reference that all backends contradict alike has to convince the second."""
        exact = self.oracle.exact(layer, self.right)
        if exact is not None and not self._alone(layer, exact, results):
            return exact, REFERENCE
        second = self.oracle.second
        other = self.oracle.exact(layer, self.right, by=second) if second else None
        if other is not None and second is not None:
            return other, second
        return (None, "") if exact is not None and self._alone(layer, exact, results) else (exact, REFERENCE)

    def _alone(self, layer: Layer, exact: Files, results: Mapping[str, Files]) -> bool:
        """Whether every backend contradicts an oracle."""
        arrays = {value: np.load(path) for value, path in exact.items()}
        loaded = {name: _arrays(files) for name, files in results.items()}
        errors = local_errors(layer, arrays, loaded, [])
        return bool(errors) and all(error.wrong for error in errors)

    def _noises(self, layer: Layer, by: str) -> Iterable[dict[str, Array]]:
        """What rounding alone makes of the layer: in the model's precision, and on inputs that are a rounding off."""
        rounded = self.oracle.rounded(layer, self.right) if by == REFERENCE else None
        if rounded is not None:
            yield _arrays(rounded)
        with self._moved(layer, len(self.walk.judges)) as moved:
            found = self.oracle.exact(layer, moved, by=by)
        if found is not None:
            yield _arrays(found)

    def _more_noises(self, layer: Layer, by: str) -> Iterator[dict[str, Array]]:
        """What rounding makes of a layer is a matter of luck where there are few numbers: more throws of the dice."""
        for draw in range(_DRAWS):
            seed = _DRAWS * len(self.walk.judges) + draw
            with self._moved(layer, seed) as moved:
                found = self.oracle.exact(layer, moved, by=by)
            if found is not None:
                yield _arrays(found)
            if by == REFERENCE:
                with self._moved(layer, seed, neighbours=True) as moved:
                    found = self.oracle.rounded(layer, moved)
                if found is not None:
                    yield _arrays(found)

    @contextlib.contextmanager
    def _moved(self, layer: Layer, seed: int, *, neighbours: bool = False) -> Iterator[dict[str, Path]]:
        """What enters a layer, each number off by a rounding at most: in between numbers, or a neighbour of its own."""
        moved = {}
        random = np.random.default_rng(seed)
        for value in layer.inputs:
            array = np.load(self.right[value])
            if array.dtype.kind == "f" and neighbours:
                array = np.nextafter(array, random.choice([-np.inf, np.inf], array.shape).astype(array.dtype))
            elif array.dtype.kind == "f":
                array = array.astype(np.float64) * (1 + 2.0**-24 * random.uniform(-1, 1, array.shape))
            moved[value] = self.right[value].with_suffix(".moved.npy")
            np.save(moved[value], array)
            _copy_mask(self.right[value], moved[value])
        yield moved
        for path in moved.values():
            _remove(path)

    def _settle(self, exact: Files, arrays: Mapping[str, Array], loaded: Mapping[str, Mapping[str, Array]]) -> None:
        """Keep what is right as the next layers are given it: in the precision that the backends have there."""
        for value, array in arrays.items():
            kinds = {each[value].dtype for each in loaded.values() if value in each}
            dtype = next(iter(kinds)) if len(kinds) == 1 else np.dtype(np.float32)
            if array.dtype.kind == "f" and dtype.kind == "f":
                np.save(exact[value], array.astype(dtype))
            self.right[value] = exact[value]

    def _carry_on(self, layer: Layer, results: Mapping[str, Files]) -> None:
        """Without an oracle, what a backend yields stands for what is right, so that later layers are judged."""
        for value in layer.outputs:
            known = [files[value] for files in results.values() if value in files]
            if known:
                self.right[value] = known[0]

    def _note_deltas(self, layer: Layer, states: Mapping[str, Files]) -> None:
        names = list(states)
        for index, first in enumerate(names):
            for second in names[index + 1 :]:
                deltas = self.walk.deltas.setdefault((first, second), {})
                for value in layer.outputs:
                    if value in states[first] and value in states[second]:
                        deltas[value] = deviation(np.load(states[first][value]), np.load(states[second][value]))

    def _drop(self, values: Sequence[str]) -> None:
        for held in (self.right, *self.own.values()):
            for value in values:
                path = held.pop(value, None)
                if path is not None and value not in self.inputs:
                    _remove(path)


def _arrays(files: Files) -> dict[str, Array]:
    return {value: np.load(path) for value, path in files.items()}


def _copy_mask(path: Path, to: Path) -> None:
    mask = Path(f"{path}{_MASK}")
    if mask.exists():
        Path(f"{to}{_MASK}").write_bytes(mask.read_bytes())


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    Path(f"{path}{_MASK}").unlink(missing_ok=True)
