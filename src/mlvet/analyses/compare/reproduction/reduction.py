"""Delta debugging of a case: every change that makes it simpler and leaves the defect is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.local_errors import SUSPICIOUS
from mlvet.analyses.compare.walk import FAILS, Walk

Array = NDArray[Any]
C = TypeVar("C", bound="Case")
_PLAIN_TO_SEE = 1000.0
"""An error of so many times the noise may shrink to that, and smaller ones not by much."""
_MAY_SHRINK = 4.0


class Case(Protocol):
    """A small model with its inputs, and what could be simpler in it."""

    @property
    def inputs(self) -> Mapping[str, Array]: ...

    def given(self, inputs: Mapping[str, Array]) -> Self:
        """The same model on other inputs."""
        ...

    def simpler(self) -> Sequence[Callable[[Self], Iterator[Self]]]:
        """Ways to make the model simpler, each of which yields candidates, the simplest first."""
        ...


class Holding(Case, Protocol):
    """A case that stores arrays beside what it is given."""

    @property
    def weights(self) -> Mapping[str, Array]: ...

    def holding(self, inputs: Mapping[str, Array], weights: Mapping[str, Array]) -> Self:
        """The same model on other inputs and with other arrays."""
        ...


H = TypeVar("H", bound=Holding)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a case shows: the error of the wrong backend in times the noise, what it yields and what is right.

    A backend that fails yields nothing.
    """

    times: float
    wrong: tuple[Array, ...]
    right: tuple[Array, ...]

    @property
    def manner(self) -> str:
        """A backend fails, yields another shape, or other values."""
        if not self.wrong:
            return "failure"
        alike = all(one.shape == other.shape for one, other in zip(self.wrong, self.right, strict=False))
        return "values" if alike else "shape"


def evidence(walk: Walk, layer: str, wrong: str, right: str) -> Shown | None:
    """What a walk shows of a layer that one backend does right: that the other one is wrong, or that it fails."""
    seen = walk.seen.get(layer)
    errors = {error.backend: error for error in walk.errors if error.layer.name == layer}
    if seen is None or right not in errors or errors[right].wrong:
        return None
    exact = tuple(seen.exact.values())
    if any(each.backend == wrong and each.layer.name == layer and each.failure.kind in FAILS for each in walk.failures):
        return Shown(float("inf"), (), exact)
    if wrong not in errors or not errors[wrong].wrong:
        return None
    return Shown(errors[wrong].times, tuple(seen.results[wrong].values()), exact)


@dataclass(frozen=True, slots=True)
class Budget:
    """Tries and seconds for one reduction."""

    tries: int = 160
    seconds: float = 90.0


def reduced(start: C, shows: Callable[[C], tuple[C, Shown] | None], budget: Budget) -> tuple[C, Shown] | None:
    """The simplest case found that shows the defect; None if not even the first one does.

    `shows` tells whether a case has the defect, and the case as it was run.
    """
    first = shows(start)
    if first is None:
        return None
    best, shown = first
    least = max(SUSPICIOUS, min(shown.times / _MAY_SHRINK, _PLAIN_TO_SEE))
    end, left = time.monotonic() + budget.seconds, budget.tries
    progress = True
    while progress:
        progress = False
        ways: list[Callable[[C], Iterator[C]]] = [_fewer_examples, *best.simpler(), _smaller_arrays, _plainer_numbers]
        for way in ways:
            again = True
            while again:
                again = False
                for candidate in way(best):
                    if left <= 0 or time.monotonic() > end:
                        return best, shown
                    left -= 1
                    found = shows(candidate)
                    if found is None or found[1].manner != shown.manner:
                        continue
                    if found[1].times >= least:
                        (best, shown), again, progress = found, True, True
                        break
    return best, shown


def _fewer_examples(case: C) -> Iterator[C]:
    counts = {len(array) for array in case.inputs.values() if array.ndim}
    if len(counts) == 1 and (count := counts.pop()) > 1:
        for index in range(min(count, 8)):
            yield case.given({name: array[index : index + 1] for name, array in case.inputs.items()})


def _smaller_arrays(case: C) -> Iterator[C]:
    """Inputs cut short: all axes of one size at once, then one axis, alike in all inputs that have it."""
    axes = {(axis, size) for array in case.inputs.values() for axis, size in enumerate(array.shape) if axis}
    sizes = sorted({size for _, size in axes}, reverse=True)
    together = [(size, {axis for axis, has in axes if has == size}) for size in sizes]
    alone = [(size, {axis}) for size, group in together for axis in sorted(group) if len(group) > 1]
    for size, group in (*together, *alone):
        for shorter in dict.fromkeys((1, 2, size // 2, size - 1)):
            for start in (0, size - shorter):
                if 0 < shorter < size:
                    kept = range(start, start + shorter)
                    yield case.given({name: _cut(array, group, size, kept) for name, array in case.inputs.items()})


def _plainer_numbers(case: C) -> Iterator[C]:
    for plain in (_counted, _whole, _tenths):
        changed = {name: plain(array) for name, array in case.inputs.items()}
        if not all(np.array_equal(changed[name], case.inputs[name]) for name in changed) and not any(
            np.array_equal(_counted(array), array) for array in case.inputs.values()
        ):
            yield case.given(changed)


def _counted(array: Array) -> Array:
    """1, 2, 3 and so on."""
    if array.dtype.kind != "f":
        return array
    return (1 + np.arange(array.size)).reshape(array.shape).astype(array.dtype)


def _whole(array: Array) -> Array:
    """Whole numbers of one digit."""
    if array.dtype.kind != "f" or np.array_equal(array, np.round(array)):
        return array
    greatest = float(np.max(np.abs(array), initial=0.0))
    return np.round(array * (9.0 / greatest)).astype(array.dtype) if greatest and np.isfinite(greatest) else array


def _tenths(array: Array) -> Array:
    return np.round(array, 1).astype(array.dtype) if array.dtype.kind == "f" else array


def plainer_weights(array: Array) -> Iterator[Array]:
    """Weights that are easier to write down than those given, the easiest first."""
    if array.dtype.kind != "f":
        return
    seen = [array]
    for plain in (np.zeros_like(array), np.ones_like(array), _counted(array), _whole(array), _tenths(array)):
        if any(np.array_equal(plain, each) for each in seen[:1]):
            return
        seen.append(plain)
        yield plain


def smaller_together(case: H) -> Iterator[H]:
    """Every axis of one size cut short, in inputs and stored values alike."""
    sizes = {size for array in case.weights.values() if array.dtype.kind == "f" for size in array.shape}
    for size in sorted(sizes, reverse=True):
        for shorter in dict.fromkeys((1, 2, size // 2)):
            if 0 < shorter < size:
                inputs, weights = (
                    {
                        name: _cut(array, range(array.ndim), size, range(shorter)) if array.dtype.kind == "f" else array
                        for name, array in each.items()
                    }
                    for each in (case.inputs, case.weights)
                )
                yield case.holding(inputs, weights)


def plainer_stored(case: H) -> Iterator[H]:
    """One stored array after the other made easier to write down."""
    for name, array in case.weights.items():
        for plain in plainer_weights(array):
            yield case.holding(case.inputs, {**case.weights, name: plain})


def smaller_numbers(value: Any) -> Iterator[Any]:
    """Counts that are less than those given: in a number, or in each place of a list."""
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield from (each for each in dict.fromkeys((1, 2, value // 2, value - 1)) if 0 < each < value)
    elif isinstance(value, list | tuple) and value and all(isinstance(each, int) for each in value):
        if len({*value}) == 1:
            yield from ([each] * len(value) for each in smaller_numbers(value[0]))
        for index, each in enumerate(value):
            yield from ([*value[:index], smaller, *value[index + 1 :]] for smaller in smaller_numbers(each))


def _cut(array: Array, axes: Iterable[int], size: int, kept: range) -> Array:
    for axis in axes:
        if axis < array.ndim and array.shape[axis] == size:
            array = np.take(array, kept, axis=axis)
    return array
