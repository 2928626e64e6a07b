"""What a layer of a backend does wrong by itself: its error on the very input that the oracle had.

The error is measured in units of the layer's own noise: what rounding in the model's precision costs. The reference
shows it in that precision, small changes of the input show it in double precision, and the other backends show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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

    @property
    def times(self) -> float:
        return self.rms / self.noise if self.noise else float("inf") if self.rms else 0.0

    @property
    def wrong(self) -> bool:
        return self.wrong_shape or self.times >= SUSPICIOUS

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
) -> list[LocalError]:
    """The error of each backend in a layer, over all that it yields. `noises` are results off by rounding only."""
    off = list(noises)
    worst: dict[str, LocalError] = {}
    for value, right in exact.items():
        told = _rms_of([each[value] for each in off if value in each], right)
        scale = root_mean_square(right)
        alike = {name: each[value] for name, each in results.items() if value in each}
        alike = {name: each for name, each in alike.items() if each.shape == right.shape}
        differences = {name: difference(each, right) for name, each in alike.items()}
        for backend in results:
            error = _WRONG_SHAPE
            if backend in alike:
                least = _LEAST_ULPS / SUSPICIOUS * _ROUNDING.get(alike[backend].dtype.name, _SINGLE) * scale
                others = sorted(each.rms for name, each in differences.items() if name != backend)
                error = (differences[backend], _noise(max(told, least), others), scale, False)
            found = LocalError(
                layer, backend, error[0].rms, error[0].greatest, error[1], error[2], error[0].bias, error[3]
            )
            if backend not in worst or found.wrong_shape or found.times > worst[backend].times:
                worst[backend] = found
    return list(worst.values())


_WRONG_SHAPE = (Difference(float("inf"), float("inf"), 0.0, float("inf")), 0.0, 0.0, True)


def _noise(told: float, others: Sequence[float]) -> float:
    """What the oracle tells of the noise, or what most other backends show, up to a limit."""
    return max(told, min(others[len(others) // 2], _TRUSTED * told)) if len(others) > 1 else told


def _rms_of(results: Sequence[Value], right: Value) -> float:
    return max((difference(each, right).rms for each in results if each.shape == right.shape), default=0.0)
