"""Gradients of one step of training, by the same principle as layers: each alone, beside runs in double precision.

The loss is a sum of the outputs with random weights. Every layer is given the input that the oracle had, moved a
little so that nothing stands just where a derivative jumps (equal values under a maximum, zeros under a rectifier), and
weights for what it yields; its gradients by inputs and parameters are compared with those that two backends agree on in
double precision. What is wrong there has to be wrong on the input itself too, because one that is moved may not be what
the layer takes, such as a symmetric matrix. The gradients of the whole model are compared as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.local_errors import LocalError, local_errors
from mlvet.analyses.compare.runs import Crew, Files, Run, stored
from mlvet.analyses.compare.states import MASK, difference, remove, root_mean_square, state
from mlvet.analyses.compare.subject import Layer, Subject, last_uses
from mlvet.runtime.backends.catalogue import Backend
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]
Gradients = dict[str, Array]
BACKENDS = ("jax", "torch", "tensorflow")
SUSPICIOUS = 64.0
"""So many times the noise are no noise; sums over a batch lose more than the values of a layer do."""
FELT = 1e-3
"""The share of a gradient's magnitude below which an error of the whole model is not told."""
_JITTER = 1e-3
_AGREE = 1e-6
_MOVES = (1, 2, 3)
_VANISHING = 1e-6
"""A gradient of this share of the layer's largest one is rounding alone, such as that of a bias under a softmax."""
_CANCELLED = 1e-2
"""Smaller gradients are sums of terms of this share of the largest one at least."""


@dataclass(frozen=True, slots=True)
class GradientError:
    """What a backend's gradient by one parameter or input is off by; of the whole model if there is no layer."""

    layer: Layer | None
    by: str
    error: LocalError
    judges: tuple[str, ...]

    @property
    def backend(self) -> str:
        return self.error.backend

    @property
    def wrong(self) -> bool:
        felt = self.layer is not None or not self.error.rms < FELT * self.error.scale
        return self.error.wrong_shape or (self.error.times >= SUSPICIOUS and felt)


@dataclass(slots=True)
class GradientWalk:
    """What is known of the gradients."""

    errors: list[GradientError] = field(default_factory=list)
    unjudged: dict[str, str] = field(default_factory=dict)
    refusals: dict[str, Failure] = field(default_factory=dict)

    def wrong(self) -> list[GradientError]:
        """The worst error of each layer that is wrong; of the whole model where no layer explains it."""
        found: dict[tuple[str, str], GradientError] = {}
        for each in self.errors:
            key = (each.backend, each.layer.name if each.layer else "")
            if each.wrong and (key not in found or each.error.times > found[key].error.times):
                found[key] = each
        explained = {each.backend for each in found.values() if each.layer is not None}
        return [each for each in found.values() if each.layer is not None or each.backend not in explained]


class GradientWalker:
    """The backends that differentiate, and the judges that do it in double precision."""

    def __init__(
        self, crew: Crew, subject: Subject, runs: Sequence[Run], opening: Mapping[str, Any],
        tell: Callable[[int, int], None],
    ) -> None:  # fmt: skip
        self.crew = crew
        self.subject = subject
        self.runs = [run for run in runs if run.backend.name in BACKENDS]
        self.opening = opening
        self.tell = tell
        self.judges: list[Run] = []
        self.candidates = list(BACKENDS)
        self.random = np.random.default_rng(0)
        self.walk = GradientWalk()

    def go(self, inputs: Files) -> GradientWalk:
        """All layers in order, then the whole model."""
        if not self.runs:
            return self.walk
        while len(self.judges) < 2 and self._one_more():
            pass
        if not self.judges:
            self.walk.unjudged[""] = "no backend runs the model in double precision"
            return self.walk
        right: dict[str, Path] = dict(inputs)
        dead = last_uses(self.subject.layers, self.subject.outputs)
        steps = len(self.subject.layers) + 1
        for number, layer in enumerate(self.subject.layers):
            self.tell(number, steps)
            if all(value in right for value in layer.inputs):
                self._layer(layer, right)
            else:
                self.walk.unjudged[layer.name] = "what enters it is not known exactly"
            for value in dead[number]:
                if value in right and value not in inputs:
                    _remove([right.pop(value)])
        self.tell(steps - 1, steps)
        if all(value in right for value in self.subject.outputs):
            self.walk.errors += self._judged(None, inputs, [right[value] for value in self.subject.outputs])
        return self.walk

    def _layer(self, layer: Layer, right: dict[str, Path]) -> None:
        try:
            yielded = self.judges[0].step(self.subject, layer, right)
        except Failure as failure:
            self.walk.unjudged[layer.name] = failure.words
            return
        right.update(yielded)
        outputs = [yielded[value] for value in layer.outputs if value in yielded]
        moved = self._near({value: right[value] for value in layer.inputs}, _JITTER)
        errors = self._judged(layer, moved, outputs)
        if any(error.wrong for error in errors):
            exactly = self._near({value: right[value] for value in layer.inputs}, 0.0)
            errors = _in_both(errors, self._judged(layer, exactly, outputs))
            _remove(exactly.values())
        _remove(moved.values())
        self.walk.errors += errors

    def _judged(self, layer: Layer | None, given: Files, outputs: Sequence[Path]) -> list[GradientError]:
        weights = self._weights(outputs)
        terms = sum(state(path).size for path in weights)
        name = layer.name if layer else ""
        try:
            exact, judges = self._exact(layer, given, weights)
            if exact is None:
                self.walk.unjudged[name] = "runs in double precision do not agree"
                return []
            noises = [self._moved(judges[0], layer, given, weights, seed) for seed in _MOVES]
        except Failure as failure:
            self.walk.unjudged[name] = failure.words
            return []
        results: dict[str, Gradients] = {}
        for run in self.runs:
            try:
                results[str(run)] = run.gradients(given, weights, layer)
            except Failure as failure:
                self.walk.refusals.setdefault(str(run), failure)
        _remove(weights)
        told = tuple(str(judge) for judge in judges)
        found = []
        largest = _largest(exact)
        for by, right in exact.items():
            scale = root_mean_square(right)
            if scale <= _VANISHING * largest:
                continue
            own = {backend: {by: found[by]} for backend, found in results.items() if by in found}
            off = [{by: each[by]} for each in noises]
            off.append({by: right + _summing(terms / max(1, right.size)) * max(scale, _CANCELLED * largest)})
            errors = local_errors(layer or _WHOLE, {by: right}, own, off)
            found += [GradientError(layer, by, error, told) for error in errors]
        return found

    def _exact(self, layer: Layer | None, given: Files, weights: Sequence[Path]) -> tuple[Gradients | None, list[Run]]:
        """What two judges agree on, a third one asked where the first two do not; one alone if there is no other."""
        found: list[tuple[Run, Gradients]] = []
        refused: Failure | None = None
        number = 0
        while number < len(self.judges) or self._one_more():
            judge = self.judges[number]
            number += 1
            try:
                own = judge.gradients(given, weights, layer)
            except Failure as failure:
                refused = failure
                continue
            if not all(np.isfinite(each).all() for each in own.values()):
                continue
            for other, theirs in found:
                if _agree(own, theirs):
                    return own, [other, judge]
            found.append((judge, own))
        if not found:
            raise refused or Failure("unsupported", "there is no finite gradient")
        return (found[0][1], [found[0][0]]) if len(found) == 1 else (None, [])

    def _moved(self, judge: Run, layer: Layer | None, given: Files, weights: Sequence[Path], seed: int) -> Gradients:
        random = np.random.default_rng(seed)
        moved = {}
        for value, path in given.items():
            array = np.load(path)
            if array.dtype.kind == "f":
                array = _off(array, 2.0**-24, random)
            moved[value] = _beside(path, array, f"off{seed}")
        found = judge.gradients(moved, weights, layer, seed)
        _remove(moved.values())
        return found

    def _near(self, given: Files, by: float) -> dict[str, Path]:
        """Inputs in single precision, moved by a share of their magnitude; the same for everybody."""
        found = {}
        for value, path in given.items():
            array = np.load(path)
            if array.dtype.kind == "f":
                array = _off(array, by, self.random).astype(np.float32)
            found[value] = _beside(path, array, "near" if by else "at")
        return found

    def _weights(self, outputs: Sequence[Path]) -> list[Path]:
        arrays = {}
        for index, path in enumerate(outputs):
            shape = state(path).shape if state(path).dtype.kind == "f" else (0,)
            arrays[str(index)] = self.random.normal(size=shape).astype(np.float32)
        return list(stored(self.crew.folder, "weights", arrays).values())

    def _one_more(self) -> bool:
        """Whether a further judge could be opened."""
        while self.candidates:
            backend = Backend(self.candidates.pop(0), self.subject.format, double=True)
            opened = self.crew.open([backend], self.opening)[backend]
            if isinstance(opened, Run):
                self.judges.append(opened)
                return True
        return False


_WHOLE = Layer("", "Model", (), ())


def _in_both(near: Sequence[GradientError], exactly: Sequence[GradientError]) -> list[GradientError]:
    """The lesser error of each gradient; those that are not known at both places are not known."""
    others = {(each.backend, each.by): each for each in exactly}
    pairs = [(each, others[each.backend, each.by]) for each in near if (each.backend, each.by) in others]
    return [min(pair, key=lambda each: (each.wrong, each.error.times)) for pair in pairs]


def _summing(terms: float) -> float:
    """The share of a sum of so many terms of either sign that is lost in single precision."""
    return float(2.0**-24 * np.sqrt(max(1.0, terms)))


def _agree(one: Gradients, other: Gradients) -> bool:
    least = _VANISHING * _largest(one)
    return one.keys() == other.keys() and all(
        array.shape == other[name].shape
        and difference(array, other[name]).greatest <= _AGREE * max(float(np.max(np.abs(array), initial=0.0)), least)
        for name, array in one.items()
    )


def _largest(gradients: Gradients) -> float:
    return max((root_mean_square(each) for each in gradients.values()), default=0.0)


def _off(array: Array, by: float, random: np.random.Generator) -> Array:
    """An array that is off by a share of each value and of their magnitude."""
    exact = array.astype(np.float64)
    return np.asarray(exact + by * random.uniform(-1, 1, exact.shape) * (np.abs(exact) + root_mean_square(exact)))


def _beside(path: Path, array: Array, name: str) -> Path:
    """An array in a file beside that of another, with the mask of that one."""
    new = path.with_suffix(f".{name}.npy")
    np.save(new, array)
    mask = Path(f"{path}{MASK}")
    if mask.exists():
        Path(f"{new}{MASK}").write_bytes(mask.read_bytes())
    return new


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        remove(path)
