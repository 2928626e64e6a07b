"""Ways to change the weights of a layer [LEMON 3.1]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Random = np.random.Generator
_SHARE = 0.3


def _gaussian(weights: Array, random: Random) -> Array:
    """Some weights get noise of their own spread."""
    spread = float(np.std(weights)) or 0.1
    noise = random.normal(0.0, spread, weights.shape) * (random.random(weights.shape) < _SHARE)
    return (weights + noise).astype(weights.dtype)


def _shuffle(weights: Array, random: Random) -> Array:
    """The weights of some outputs in another order."""
    rows = weights.reshape(-1, weights.shape[-1]).copy()
    for column in range(rows.shape[1]):
        if random.random() < _SHARE or column == 0:
            rows[:, column] = random.permutation(rows[:, column])
    return rows.reshape(weights.shape)


def _block(weights: Array, random: Random) -> Array:
    """One output gets nothing."""
    found = weights.copy()
    found[..., int(random.integers(weights.shape[-1]))] = 0
    return found


def _sign(weights: Array, random: Random) -> Array:
    """One output with the opposite sign."""
    found = weights.copy()
    found[..., int(random.integers(weights.shape[-1]))] *= -1
    return found


WEIGHT_CHANGES: Mapping[str, Callable[[Array, Random], Array]] = {
    "gaussian noise": _gaussian,
    "shuffled": _shuffle,
    "blocked": _block,
    "sign inverted": _sign,
}
