"""A few examples through the model, one layer at a time, on all backends and the oracle in step.

Each layer runs twice on a backend: on what that backend itself had before, which shows how deviations spread, and on
what the oracle had, which shows what the layer adds. States are dropped when no later layer needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.agreement import QUANTISED, agreeing
from mlvet.analyses.compare.judging import Judge, Results, forget
from mlvet.analyses.compare.local_errors import LocalError
from mlvet.analyses.compare.localization import deviation
from mlvet.analyses.compare.oracle import Oracle
from mlvet.analyses.compare.runs import Files, Run
from mlvet.analyses.compare.states import mask_of, remove, remove_masks, rewrite, state, to_bfloat16
from mlvet.analyses.compare.subject import Layer, Subject, last_uses
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]


FAILS = ("crash", "death", "hang")
"""Failures that are a backend's own; what it does not support is none."""


class TooLarge(Exception):
    """The states need more room than they may have, and fewer examples would need less."""


@dataclass(frozen=True, slots=True)
class LayerFailure:
    """A layer that a backend cannot run alone."""

    layer: Layer
    backend: str
    failure: Failure


@dataclass(frozen=True, slots=True)
class Seen:
    """What entered a layer that is wrong or fails, what it should yield and what backends made of it.

    `masks` belong to some of what entered.
    """

    entering: Mapping[str, Array]
    exact: Mapping[str, Array]
    results: Mapping[str, Mapping[str, Array]]
    masks: Mapping[str, Array] = field(default_factory=dict)


@dataclass(slots=True)
class Walk:
    """What a walk has seen. `deltas` holds the mean deviation of each value for each pair of backends.

    `agreed` holds for layers without an oracle the pairs that yield the same on the same input.
    """

    errors: list[LocalError] = field(default_factory=list)
    failures: list[LayerFailure] = field(default_factory=list)
    deltas: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    judges: dict[str, str] = field(default_factory=dict)
    unjudged: dict[str, str] = field(default_factory=dict)
    agreed: dict[str, set[frozenset[str]]] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)
    room: int = 0
    quantised: bool = False

    def wrong(self) -> list[LocalError]:
        return [error for error in self.errors if error.wrong]

    def right(self, layer: Layer) -> tuple[str, ...]:
        """The backends that do a layer right."""
        return tuple(error.backend for error in self.errors if error.layer is layer and not error.wrong)

    def first_failures(self) -> list[LayerFailure]:
        """For each backend the first layer that it fails in by its own fault and another one does right."""
        own = [each for each in self.failures if each.failure.kind in FAILS and self.right(each.layer)]
        return list({each.backend: each for each in reversed(own)}.values())


class Walker:
    """The states that are alive while a walk goes on. What a layer saw is kept if it is wrong, or of all layers."""

    def __init__(
        self, subject: Subject, runs: Sequence[Run], oracle: Oracle, inputs: Files, tell: Callable[[int, int], None],
        *, room: float = float("inf"), divisible: bool = False, keep_wrong: bool = False, keep_all: bool = False,
    ) -> None:  # fmt: skip
        self.subject = subject
        self.runs = list(runs)
        self.tell = tell
        self.right: dict[str, Path] = dict(inputs)
        self.own: dict[str, dict[str, Path]] = {str(run): dict(inputs) for run in runs}
        self.inputs = {*inputs}
        self.room = room
        self.divisible = divisible
        self.keep_wrong = keep_wrong
        self.keep_all = keep_all
        self.walk = Walk()
        self._judge = Judge(oracle)

    def go(self) -> Walk:
        """All layers, in an order in which they can run."""
        dead = last_uses(self.subject.layers, ())
        for number, layer in enumerate(self.subject.layers):
            self.tell(number, len(self.subject.layers))
            self._layer(layer)
            self._drop(dead[number])
        return self.walk

    def _layer(self, layer: Layer) -> None:
        own = self._own_states(layer)
        self.walk.quantised |= any(
            state(path).dtype.name in QUANTISED for each in own.values() for path in each.values()
        )
        self._note_deltas(layer, own)
        if not all(value in self.right for value in layer.inputs):
            self.walk.unjudged[layer.name] = "what enters it is not known exactly"
            return
        results = self._local_states(layer)
        unmasked = {value for run in self.runs for value in run.unmasked if str(run) in results}
        self.judge(layer, results)
        remove_masks(self.right[value] for value in unmasked)

    def judge(self, layer: Layer, results: Results) -> None:
        """Compare what backends make of the oracle's input with what is right, and keep the latter for later layers."""
        judged = self._judge.judged(layer, self.right, results)
        if judged is None:
            self.walk.unjudged[layer.name] = "no oracle knows such a layer"
            self.walk.agreed[layer.name] = agreeing(
                [self.right[value] for value in layer.inputs], results, layer.precision
            )
            self._carry_on(layer, results)
            return
        self.walk.judges[layer.name] = judged.by
        self.walk.errors += judged.errors
        failed = any(failure.layer is layer for failure in self.walk.failures)
        if self.keep_all or (self.keep_wrong and (failed or any(error.wrong for error in judged.errors))):
            entering = {value: self.right[value] for value in layer.inputs}
            seen = {name: _arrays(files) for name, files in results.items()}
            masks = {value: place for value in entering if (place := mask_of(entering[value])).exists()}
            self.walk.seen[layer.name] = Seen(_arrays(entering), _arrays(judged.exact), seen, _arrays(masks))
        self._measure([*results.values(), judged.exact])
        self._settle(layer, judged.exact, results)
        for files in results.values():
            forget(files)

    def _own_states(self, layer: Layer) -> dict[str, dict[str, Path]]:
        found: dict[str, dict[str, Path]] = {}
        for run in self.runs:
            values = self.own[str(run)]
            if all(value in values for value in layer.inputs):
                stepped = self._step(run, layer, values)
                if stepped is not None:
                    found[str(run)] = stepped
                    remove_masks(values[value] for value in run.unmasked)
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

    def _settle(self, layer: Layer, exact: Files, results: Results) -> None:
        """Keep what is right as the next layers are given it: in the precision that the backends have there."""
        for value, path in exact.items():
            kinds = {state(files[value]).dtype for files in results.values() if value in files}
            dtype = next(iter(kinds)) if len(kinds) == 1 else np.dtype(np.float32)
            if state(path).dtype.kind == "f" and dtype.kind == "f":
                rewrite(path, path, to_bfloat16 if layer.precision == "bfloat16" else lambda block: block, dtype)
            self.right[value] = path

    def _measure(self, others: Sequence[Files]) -> None:
        """Note how much room the states take that are held at this moment."""
        paths = {path for files in (*others, self.right, *self.own.values()) for path in files.values()}
        room = sum(path.stat().st_size for path in paths if path.exists())
        self.walk.room = max(self.walk.room, room)
        if room > self.room and self.divisible:
            raise TooLarge

    def _carry_on(self, layer: Layer, results: Results) -> None:
        """Without an oracle, what a backend yields stands for what is right, so that later layers are judged."""
        for value in layer.outputs:
            known = [files[value] for files in results.values() if value in files]
            if known:
                self.right[value] = known[0]
        for files in results.values():
            forget({value: path for value, path in files.items() if path not in self.right.values()})

    def _note_deltas(self, layer: Layer, found: Results) -> None:
        names = list(found)
        for index, first in enumerate(names):
            for second in names[index + 1 :]:
                deltas = self.walk.deltas.setdefault((first, second), {})
                for value in layer.outputs:
                    if value in found[first] and value in found[second]:
                        deltas[value] = deviation(state(found[first][value]), state(found[second][value]))

    def _drop(self, values: Sequence[str]) -> None:
        for held in (self.right, *self.own.values()):
            for value in values:
                path = held.pop(value, None)
                if path is not None and value not in self.inputs:
                    remove(path)

    def clear(self) -> None:
        """Drop all states."""
        self._drop([value for held in (self.right, *self.own.values()) for value in held])


def _arrays(files: Files) -> dict[str, Array]:
    return {value: np.load(path) for value, path in files.items()}
