"""A few examples through the model, one layer at a time, on all backends and the oracle in step.

Each layer runs twice on a backend: on what that backend itself had before, which shows how deviations spread, and on
what the oracle had, which shows what the layer adds. States are dropped when no later layer needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from mlvet.analyses.compare.local_errors import LocalError, local_errors
from mlvet.analyses.compare.localization import deviation
from mlvet.analyses.compare.oracle import REFERENCE, Oracle
from mlvet.analyses.compare.runs import Files, Run
from mlvet.analyses.compare.states import State, change_of_error, remove, rewrite, state
from mlvet.analyses.compare.subject import Layer, Subject, last_uses
from mlvet.runtime.backends.process import Failure

_NEIGHBOURS = 3
_NEXT_TO = 2.0**-20
"""Enough roundings that sums round otherwise, too few to change what is rounded to half precision."""


class TooLarge(Exception):
    """The states need more room than they may have, and fewer examples would need less."""


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
    room: int = 0

    def wrong(self) -> list[LocalError]:
        return [error for error in self.errors if error.wrong]


class Walker:
    """The states that are alive while a walk goes on."""

    def __init__(
        self, subject: Subject, runs: Sequence[Run], oracle: Oracle, inputs: Files, tell: Callable[[int, int], None],
        *, room: float = float("inf"), divisible: bool = False,
    ) -> None:  # fmt: skip
        self.subject = subject
        self.runs = list(runs)
        self.oracle = oracle
        self.tell = tell
        self.right: dict[str, Path] = dict(inputs)
        self.own: dict[str, dict[str, Path]] = {str(run): dict(inputs) for run in runs}
        self.inputs = {*inputs}
        self.room = room
        self.divisible = divisible
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
        exact, by = self._exact(layer, results)
        if exact is None:
            self.walk.unjudged[layer.name] = "no oracle knows such a layer"
            self._carry_on(layer, results)
            return
        self.walk.judges[layer.name] = by
        held = {name: _states(files) for name, files in results.items()}
        noises = list(self._noises(layer, by))
        errors = local_errors(layer, _states(exact), held, map(_states, noises))
        self.walk.errors += [self._confirmed(error, held[error.backend], exact, by) for error in errors]
        self._measure([*results.values(), *noises, exact])
        self._settle(exact, held)
        for files in (*results.values(), *noises):
            for path in files.values():
                remove(path)

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
            for path in (exact or {}).values():
                remove(path)
            return other, second
        return (None, "") if exact is not None and self._alone(layer, exact, results) else (exact, REFERENCE)

    def _alone(self, layer: Layer, exact: Files, results: Mapping[str, Files]) -> bool:
        """Whether every backend contradicts an oracle."""
        errors = local_errors(layer, _states(exact), {name: _states(files) for name, files in results.items()}, [])
        return bool(errors) and all(error.wrong for error in errors)

    def _noises(self, layer: Layer, by: str) -> Iterable[Files]:
        """What rounding alone makes of the layer: in the model's precision, and on inputs that are a rounding off."""
        rounded = self.oracle.rounded(layer, self.right) if by == REFERENCE else None
        if rounded is not None:
            yield rounded
        moved = self._moved(layer, 2.0**-24, np.dtype(np.float64))
        found = self.oracle.exact(layer, moved, by=by)
        self._forget(moved)
        if found is not None:
            yield found

    def _confirmed(self, error: LocalError, own: Mapping[str, State], exact: Files, by: str) -> LocalError:
        """An error beside the backend's own noise: what it changes by from one input to others next to it.

        Long sums in single precision lose more than any estimate from double precision shows, but something else on
        every input; a layer that computes something else does so on all of them.
        """
        if not error.wrong or error.wrong_shape:
            return error
        run = next(run for run in self.runs if str(run) == error.backend)
        noise = error.noise
        for seed in range(_NEIGHBOURS):
            moved = self._moved(error.layer, _NEXT_TO, None, seed, together=1.0 - seed)
            theirs = self._step(run, error.layer, moved)
            right = self.oracle.exact(error.layer, moved, by=by) if theirs is not None else None
            self._forget(moved)
            for value, path in (right or {}).items():
                if theirs is not None and value in theirs and value in own:
                    pairs = [state(each) for each in (theirs[value], path)]
                    noise = max(noise, change_of_error(pairs[0], pairs[1], own[value], state(exact[value])))
            for files in (theirs or {}, right or {}):
                for path in files.values():
                    remove(path)
        return replace(error, noise=noise)

    def _moved(
        self, layer: Layer, by: float, dtype: np.dtype[Any] | None, seed: int = 0, together: float = 0.0
    ) -> dict[str, Path]:
        """What enters a layer, off by a share of each value; in its own precision if there is no other.

        Sums feel what is off at random less and less the longer they are, and what is off together always.
        """
        random = np.random.default_rng((len(self.walk.judges), seed))
        moved = {}
        for value in layer.inputs:
            path = moved[value] = self.right[value]
            kind = state(path).dtype
            if kind.kind == "f":
                moved[value] = rewrite(
                    path, path.with_suffix(".moved.npy"),
                    lambda block: block.astype(np.float64) * (1 + by * (together + random.uniform(-1, 1, block.shape))),
                    dtype or kind,
                )  # fmt: skip
        return moved

    def _forget(self, moved: Files) -> None:
        for value, path in moved.items():
            if path != self.right[value]:
                remove(path)

    def _settle(self, exact: Files, held: Mapping[str, Mapping[str, State]]) -> None:
        """Keep what is right as the next layers are given it: in the precision that the backends have there."""
        for value, path in exact.items():
            kinds = {each[value].dtype for each in held.values() if value in each}
            dtype = next(iter(kinds)) if len(kinds) == 1 else np.dtype(np.float32)
            if state(path).dtype.kind == "f" and dtype.kind == "f":
                rewrite(path, path, lambda block: block, dtype)
            self.right[value] = path

    def _measure(self, others: Sequence[Files]) -> None:
        """Note how much room the states take that are held at this moment."""
        paths = {path for files in (*others, self.right, *self.own.values()) for path in files.values()}
        room = sum(path.stat().st_size for path in paths if path.exists())
        self.walk.room = max(self.walk.room, room)
        if room > self.room and self.divisible:
            raise TooLarge

    def _carry_on(self, layer: Layer, results: Mapping[str, Files]) -> None:
        """Without an oracle, what a backend yields stands for what is right, so that later layers are judged."""
        for value in layer.outputs:
            known = [files[value] for files in results.values() if value in files]
            if known:
                self.right[value] = known[0]
        for files in results.values():
            for path in files.values():
                if path not in self.right.values():
                    remove(path)

    def _note_deltas(self, layer: Layer, states: Mapping[str, Files]) -> None:
        names = list(states)
        for index, first in enumerate(names):
            for second in names[index + 1 :]:
                deltas = self.walk.deltas.setdefault((first, second), {})
                for value in layer.outputs:
                    if value in states[first] and value in states[second]:
                        deltas[value] = deviation(state(states[first][value]), state(states[second][value]))

    def _drop(self, values: Sequence[str]) -> None:
        for held in (self.right, *self.own.values()):
            for value in values:
                path = held.pop(value, None)
                if path is not None and value not in self.inputs:
                    remove(path)

    def clear(self) -> None:
        """Drop all states."""
        self._drop([value for held in (self.right, *self.own.values()) for value in held])


def _states(files: Files) -> dict[str, State]:
    return {value: state(path) for value, path in files.items()}
