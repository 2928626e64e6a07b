"""A few examples through the model, one layer at a time, on all backends and the oracle in step.

Each layer runs twice on a backend: on what that backend itself had before, which shows how deviations spread, and on
what the oracle had, which shows what the layer adds. States are dropped when no later layer needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from mlvet.analyses.compare.terms import summing
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]
Results = Mapping[str, Mapping[str, Array]]
"""What each backend yields, by the names of the values."""
_Judgement = tuple[dict[str, Path], dict[str, Array], list[LocalError], str]
_MASK = ".mask.npy"
_DOUBTFUL = 64.0
"""An error of less than so many times the noise is judged by more draws of the noise."""
_DRAWS = 8
_MOVED = 0.25
"""The share of the inputs that a further draw takes a neighbour of: in the mean they move by half a step."""


@dataclass(frozen=True, slots=True)
class LayerFailure:
    """A layer that a backend cannot run alone."""

    layer: Layer
    backend: str
    failure: Failure


@dataclass(slots=True)
class Walk:
    """What a walk has seen. `deltas` holds the mean deviation of each value for each pair of backends."""

    errors: list[LocalError] = field(default_factory=list)
    failures: list[LayerFailure] = field(default_factory=list)
    deltas: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    judges: dict[str, str] = field(default_factory=dict)
    unjudged: dict[str, str] = field(default_factory=dict)
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
        results = self._local_states(layer)
        loaded = {name: _arrays(files) for name, files in results.items()}
        judged = self._judged(layer, loaded)
        if judged is None:
            self.walk.unjudged[layer.name] = "no oracle knows such a layer"
            self._carry_on(layer, results)
            return
        exact, arrays, errors, by = judged
        self.walk.judges[layer.name] = by
        self.walk.largest = max(self.walk.largest, sum(each.nbytes for each in arrays.values()))
        self.walk.errors += errors
        self._settle(exact, arrays, loaded)
        for files in results.values():
            _forget(files)

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

    def _judged(self, layer: Layer, loaded: Results) -> _Judgement | None:
        """What is right, the errors beside it, and who says so.

        A reference that all backends contradict beyond the noise has to convince the second oracle. The noise that it
        tells of counts either way: it is the difference of its own two precisions.
        """
        order = summing(layer, [np.load(self.right[value], mmap_mode="r").shape for value in layer.inputs])
        first = self._by(REFERENCE, layer)
        noises: list[dict[str, Array]] = []
        if first is not None:
            noises = list(self._noises(layer, REFERENCE))
            errors = local_errors(layer, first[1], loaded, noises, order)
            if any(error.wrong and error.times < _DOUBTFUL for error in errors):
                noises += [each for draw in range(_DRAWS) for each in self._noises(layer, REFERENCE, 1 + draw)]
                errors = local_errors(layer, first[1], loaded, noises, order)
            if not errors or not all(error.wrong for error in errors):
                return (*first, errors, REFERENCE)
            _forget(first[0])
        name = self.oracle.second
        second = self._by(name, layer) if name else None
        if second is None or name is None:
            return None
        off = [_shifted(second[1], each, first[1]) for each in noises] if first is not None else []
        off += list(self._noises(layer, name))
        return (*second, local_errors(layer, second[1], loaded, off, order), name)

    def _by(self, name: str, layer: Layer) -> tuple[dict[str, Path], dict[str, Array]] | None:
        files = self.oracle.exact(layer, self.right, by=name)
        return None if files is None else (files, _arrays(files))

    def _noises(self, layer: Layer, by: str, draw: int = 0) -> Iterable[dict[str, Array]]:
        """What rounding alone makes of the layer: in the model's precision, and on inputs that are a rounding off.

        Where there are few numbers this is a matter of luck, so there may be further draws: neighbours of the inputs.
        """
        rounded = self.oracle.rounded(layer, self.right) if by == REFERENCE and not draw else None
        if rounded is not None:
            yield _arrays(rounded)
            _forget(rounded)
        moved = {}
        random = np.random.default_rng([len(self.walk.judges), draw])
        for value in layer.inputs:
            array = np.load(self.right[value])
            if array.dtype.kind == "f" and draw:
                towards = np.where(random.random(array.shape) < 0.5, -np.inf, np.inf).astype(array.dtype)
                array = np.where(random.random(array.shape) < _MOVED, np.nextafter(array, towards), array)
            elif array.dtype.kind == "f":
                array = array.astype(np.float64) * (1 + 2.0**-24 * random.uniform(-1, 1, array.shape))
            moved[value] = self.right[value].with_suffix(".moved.npy")
            np.save(moved[value], array)
            _copy_mask(self.right[value], moved[value])
        found = self.oracle.rounded(layer, moved) if draw else self.oracle.exact(layer, moved, by=by)
        _forget(moved)
        if found is not None:
            yield _arrays(found)
            _forget(found)

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


def _shifted(right: Mapping[str, Array], rounded: Mapping[str, Array], exact: Mapping[str, Array]) -> dict[str, Array]:
    """What one oracle yields, off by what rounding costs another one."""
    return {
        value: array + (rounded[value].astype(np.float64) - exact[value])
        for value, array in right.items()
        if array.dtype.kind == "f" and value in rounded and rounded[value].shape == exact[value].shape == array.shape
    }


def _copy_mask(path: Path, to: Path) -> None:
    mask = Path(f"{path}{_MASK}")
    if mask.exists():
        Path(f"{to}{_MASK}").write_bytes(mask.read_bytes())


def _forget(files: Files) -> None:
    for path in files.values():
        _remove(path)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    Path(f"{path}{_MASK}").unlink(missing_ok=True)
