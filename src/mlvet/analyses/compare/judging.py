"""Single layers judged: what is right, how much of an error is rounding, and who says so."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mlvet.analyses.compare.accuracies import accuracy
from mlvet.analyses.compare.interpolation import placing
from mlvet.analyses.compare.local_errors import LocalError, local_errors, louder, noise_of
from mlvet.analyses.compare.masks import other_masks
from mlvet.analyses.compare.oracle import REFERENCE, Oracle
from mlvet.analyses.compare.runs import Files
from mlvet.analyses.compare.states import State, holds_nan, remove, rewrite, state
from mlvet.analyses.compare.subject import Layer
from mlvet.analyses.compare.terms import summing

Results = Mapping[str, Files]
"""What each backend yields, in files by the names of the values."""
_DOUBTFUL = 64.0
"""An error of less than so many times the noise is judged by more samples of the noise."""
_DRAWS = 8
_NEIGHBOURS = 0.25
"""The share of the inputs that a draw takes a neighbour of: in the mean they move by half a step."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a layer should yield, the errors of backends beside it, and who says so."""

    exact: dict[str, Path]
    errors: list[LocalError]
    by: str


class Judge:
    """Oracles that are asked about one layer after the other."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self._asked = 0

    def judged(self, layer: Layer, entering: Files, results: Results) -> Judgement | None:
        """The errors of backends in a layer; None if no oracle can tell.

        A reference that all backends contradict beyond the noise has to convince the second oracle. The noise that it
        tells of counts either way: it is the difference of its own two precisions.
        """
        self._asked += 1
        held = {name: states(files) for name, files in results.items()}
        roundings, magnitude = accuracy(layer)
        shapes = [state(entering[value]).shape for value in layer.inputs]
        ordered = max(roundings, summing(layer, shapes), placing(layer, shapes))
        numbers = any(holds_nan(state(entering[value])) for value in layer.inputs)
        case = _Case(layer, entering, held, ordered, magnitude, numbers)
        noise: dict[str, float] = {}
        exact = self.oracle.exact(layer, entering)
        if exact is not None:
            errors, noise = self._errors(case, exact, REFERENCE, noise)
            if not errors or not all(error.wrong for error in errors):
                if self.oracle.masks(layer, entering, exact):
                    errors = other_masks(exact, results, errors)
                return Judgement(exact, errors, REFERENCE)
            forget(exact)
        second = self.oracle.second
        other = self.oracle.exact(layer, entering, by=second) if second else None
        if other is None or second is None:
            return None
        errors = self._errors(case, other, second, noise)[0]
        return Judgement(other, other_masks(other, results, errors) if layer.masked else errors, second)

    def _errors(
        self, case: _Case, exact: Files, by: str, known: Mapping[str, float]
    ) -> tuple[list[LocalError], dict[str, float]]:
        """Errors beside an oracle, and the noise that they were measured by."""
        right = states(exact)
        noise = louder(known, self._heard(right, self._noises(case, by)))
        errors = local_errors(
            case.layer, right, case.held, (), case.roundings, case.magnitude, noise, numbers=case.numbers
        )
        if any(error.wrong and error.times < _DOUBTFUL for error in errors):
            noise = louder(noise, self._heard(right, self._more_noises(case, by)))
            errors = local_errors(
                case.layer, right, case.held, (), case.roundings, case.magnitude, noise, numbers=case.numbers
            )
        return errors, noise

    def _heard(self, right: Mapping[str, State], noises: Iterator[Files]) -> dict[str, float]:
        found: dict[str, float] = {}
        for each in noises:
            found = louder(found, noise_of(right, [states(each)]))
            forget(each)
        return found

    def _noises(self, case: _Case, by: str) -> Iterator[Files]:
        """What rounding alone makes of the layer: in the model's precision, and on inputs that are a rounding off."""
        rounded = self.oracle.rounded(case.layer, case.entering) if by == REFERENCE else None
        if rounded is not None:
            yield rounded
        yield from self._moved_results(case, by, seed=0)

    def _more_noises(self, case: _Case, by: str) -> Iterator[Files]:
        """What rounding makes of a layer is a matter of luck where there are few numbers: more throws of the dice."""
        for seed in range(1, _DRAWS + 1):
            yield from self._moved_results(case, by, seed)
            if by == REFERENCE:
                with self._moved(case, seed, neighbours=True) as moved:
                    found = self.oracle.rounded(case.layer, moved)
                if found is not None:
                    yield found

    def _moved_results(self, case: _Case, by: str, seed: int) -> Iterator[Files]:
        with self._moved(case, seed) as moved:
            found = self.oracle.exact(case.layer, moved, by=by)
        if found is not None:
            yield found

    @contextlib.contextmanager
    def _moved(self, case: _Case, seed: int, *, neighbours: bool = False) -> Iterator[dict[str, Path]]:
        """What enters a layer, each number off by a rounding at most: in between numbers, or some as neighbours."""
        random = np.random.default_rng((self._asked, seed))

        def between(block: Any) -> Any:
            return block.astype(np.float64) * (1 + 2.0**-24 * random.uniform(-1, 1, block.shape))

        def neighbour(block: Any) -> Any:
            towards = random.choice([-np.inf, np.inf], block.shape).astype(block.dtype)
            return np.where(random.random(block.shape) < _NEIGHBOURS, np.nextafter(block, towards), block)

        moved = {value: case.entering[value] for value in case.layer.inputs}
        for value, path in moved.items():
            kind = state(path).dtype
            if kind.kind == "f":
                change, dtype = (neighbour, kind) if neighbours else (between, np.dtype(np.float64))
                moved[value] = rewrite(path, path.with_suffix(".moved.npy"), change, dtype)
        try:
            yield moved
        finally:
            forget({value: path for value, path in moved.items() if path != case.entering[value]})


@dataclass(frozen=True, slots=True)
class _Case:
    """A layer, what enters it, what backends make of that, and the roundings that it may cost in any case.

    `numbers` tells that NaN enters it, so that only numbers are compared.
    """

    layer: Layer
    entering: Files
    held: Mapping[str, Mapping[str, State]]
    roundings: float
    magnitude: float
    numbers: bool


def states(files: Files) -> dict[str, State]:
    """What files hold, without reading it."""
    return {value: state(path) for value, path in files.items()}


def forget(files: Files) -> None:
    """Drop what files hold."""
    for path in files.values():
        remove(path)
