"""What a layer of a backend does wrong by itself: its error on the very input that the oracle had.

The error is measured in units of the layer's own noise: what rounding in the model's precision costs. The reference
shows it in that precision, small changes of the input show it in double precision, and the other backends show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.states import Difference, State, difference, root_mean_square
from mlvet.analyses.compare.subject import Layer

Array = NDArray[Any]
Value = Array | State
SUSPICIOUS = 4.0
"""So many times the noise are no noise."""
_ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float64": 2.0**-53}
_SINGLE = 2.0**-24
_LEAST_ULPS = 4.0
_TRUSTED = 32.0
"""Other backends may raise the noise to so many times what the oracle tells of it, not more."""


@dataclass(frozen=True, slots=True)
class LocalError:
    """What a backend's layer yields beside the oracle: root mean square and greatest error, and times its noise."""

    layer: Layer
    backend: str
    rms: float
    greatest: float
    noise: float
    scale: float
    bias: float
    wrong_shape: bool = False
    wrong_mask: bool = False

    @property
    def times(self) -> float:
        return self.rms / self.noise if self.noise else float("inf") if self.rms else 0.0

    @property
    def wrong(self) -> bool:
        return self.wrong_shape or self.wrong_mask or self.times >= SUSPICIOUS

    @property
    def sign(self) -> str:
        """Whether the results are too large, too small or both."""
        if self.wrong_shape or abs(self.bias) < self.rms / 2:
            return "both"
        return "too large" if self.bias > 0 else "too small"


def local_errors(
    layer: Layer,
    exact: Mapping[str, Value],
    results: Mapping[str, Mapping[str, Value]],
    noises: Iterable[Mapping[str, Value]],
    roundings: float = 0.0,
    magnitude: float = 0.0,
    noise: Mapping[str, float] | None = None,
    *,
    numbers: bool = False,
) -> list[LocalError]:
    """The error of each backend in a layer, over all that it yields. `noises` are results off by rounding only.

    So many `roundings` of the result, or of numbers of a `magnitude` on the way to it, count as noise in any case;
    `noise` is what is known of it already. `numbers` leaves out what is none.
    """
    told = louder(noise or {}, noise_of(exact, noises))
    worst: dict[str, LocalError] = {}
    for value, right in exact.items():
        for found in _errors(layer, right, _of(value, results), told.get(value, 0.0), roundings, magnitude, numbers):
            if found.backend not in worst or found.wrong_shape or found.times > worst[found.backend].times:
                worst[found.backend] = found
    return list(worst.values())


def rounding(precision: str) -> float:
    """What one rounding costs at most, as a share of the number."""
    return _ROUNDING.get(precision, _SINGLE)


def noise_of(exact: Mapping[str, Value], noises: Iterable[Mapping[str, Value]]) -> dict[str, float]:
    """The root mean square of what results are off that are off by rounding only, for each value."""
    found: dict[str, float] = {}
    for each in noises:
        found = louder(
            found,
            {
                value: difference(each[value], right).rms
                for value, right in exact.items()
                if value in each and each[value].shape == right.shape
            },
        )
    return found


def louder(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    """The greater of two noises, for each value."""
    return {value: max(one.get(value, 0.0), other.get(value, 0.0)) for value in {**one, **other}}


def _of(value: str, results: Mapping[str, Mapping[str, Value]]) -> dict[str, Value | None]:
    return {backend: each.get(value) for backend, each in results.items()}


def _errors(
    layer: Layer,
    right: Value,
    results: Mapping[str, Value | None],
    told: float,
    roundings: float,
    magnitude: float,
    numbers: bool,
) -> Iterable[LocalError]:
    scale = root_mean_square(right)
    alike = {name: each for name, each in results.items() if each is not None and each.shape == right.shape}
    apart = {name: difference(each, right, held_in=each.dtype, numbers=numbers) for name, each in alike.items()}
    for backend in results:
        if backend not in alike:
            yield _error(layer, backend, _NO_SUCH_SHAPE, 0.0, 0.0, wrong_shape=True)
            continue
        dtype = alike[backend].dtype
        one = rounding(layer.precision or dtype.name)
        least = one * max(max(_LEAST_ULPS / SUSPICIOUS, roundings) * scale, magnitude)
        others = sorted(each.rms for name, each in apart.items() if name != backend)
        yield _error(layer, backend, apart[backend], _noise(max(told, least, _smallest(dtype)), others), scale)


_NO_SUCH_SHAPE = Difference(float("inf"), float("inf"), 0.0, float("inf"))


def _error(
    layer: Layer, backend: str, found: Difference, noise: float, scale: float, *, wrong_shape: bool = False
) -> LocalError:
    return LocalError(layer, backend, found.rms, found.greatest, noise, scale, found.bias, wrong_shape)


def _noise(told: float, others: Sequence[float]) -> float:
    """What the oracle tells of the noise, or what most other backends show, up to a limit."""
    return max(told, min(others[len(others) // 2], _TRUSTED * told)) if len(others) > 1 else told


def _smallest(dtype: np.dtype[Any]) -> float:
    """The number below which a backend may take zero instead."""
    return float(np.finfo(dtype).smallest_normal) if dtype.kind == "f" else 0.0
