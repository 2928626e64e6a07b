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

from mlvet.analyses.compare.subject import Layer

Array = NDArray[Any]
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
    exact: Mapping[str, Array],
    results: Mapping[str, Mapping[str, Array]],
    noises: Iterable[Mapping[str, Array]],
    summing: float = 0.0,
) -> list[LocalError]:
    """The error of each backend in a layer, over all that it yields. `noises` are results off by rounding only.

    By `summing` roundings of the result may they be off because of the order in which they sum.
    """
    off = list(noises)
    told = {value: _rms_of([each[value] for each in off if value in each], exact[value]) for value in exact}
    found = []
    for backend, own in results.items():
        worst: LocalError | None = None
        for value, right in exact.items():
            others = [each[value] for name, each in results.items() if name != backend and value in each]
            error = _error(layer, backend, own.get(value), right, told[value], others, summing)
            if worst is None or error.wrong_shape or error.times > worst.times:
                worst = error
        if worst is not None:
            found.append(worst)
    return found


def _error(
    layer: Layer,
    backend: str,
    own: Array | None,
    right: Array,
    told: float,
    others: Sequence[Array],
    summing: float = 0.0,
) -> LocalError:
    if own is None or own.shape != right.shape:
        return LocalError(layer, backend, float("inf"), float("inf"), 0.0, 0.0, 0.0, wrong_shape=True)
    errors = _differences(own, right)
    scale = _rms(right[np.isfinite(right)].astype(np.float64))
    least = max(_LEAST_ULPS / SUSPICIOUS, summing) * _ROUNDING.get(own.dtype.name, _SINGLE) * scale
    noise = max(told, least)
    shown = sorted(_rms_of([each], right) for each in others if each.shape == right.shape)
    if len(shown) > 1:
        noise = max(noise, min(shown[len(shown) // 2], _TRUSTED * noise))
    return LocalError(
        layer, backend, _rms(errors), float(np.max(np.abs(errors), initial=0.0)), noise, scale,
        float(np.mean(errors)) if errors.size else 0.0,
    )  # fmt: skip


def _differences(own: Array, right: Array) -> Array:
    """Elementwise errors; a value that should be finite and is not counts as infinitely wrong, and so the other way."""
    one, other = own.astype(np.float64), right.astype(np.float64)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore", over="ignore"):
        errors = np.where(same, 0.0, one - other)
    return np.where(np.isnan(errors), np.inf, errors)


def _rms_of(results: Sequence[Array], right: Array) -> float:
    return max((_rms(_differences(each, right)) for each in results if each.shape == right.shape), default=0.0)


def _rms(errors: Array) -> float:
    if not errors.size:
        return 0.0
    greatest = float(np.max(np.abs(errors)))
    if greatest == 0.0 or not np.isfinite(greatest):
        return greatest
    return greatest * float(np.sqrt(np.mean(np.square(errors / greatest))))
