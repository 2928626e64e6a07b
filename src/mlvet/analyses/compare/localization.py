"""Where a deviation comes from: hidden states of two backends, layer by layer [CRADLE III-C].

delta = mean |s - s'| of a layer's two states; R = (delta - d) / (d + 1e-7), with d the greatest delta of the layers
that it reads. Layers whose R is above the third quartile of all are highlighted, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.states import State, difference
from mlvet.analyses.compare.subject import Layer

Array = NDArray[Any]
SMOOTHING = 1e-7
QUARTILE = 0.75


@dataclass(frozen=True, slots=True)
class Place:
    """A layer of the map."""

    layer: Layer
    delta: float
    rate: float
    red: bool


def deviation(first: Array | State, second: Array | State) -> float:
    """The mean absolute deviation of two states; infinite where they cannot be compared."""
    return difference(first, second).deviation if first.shape == second.shape else float("inf")


def localization_map(layers: Sequence[Layer], deltas: Mapping[str, float]) -> tuple[Place, ...]:
    """The map of layers whose values have a deviation; those of the inputs are 0."""
    known = [layer for layer in layers if layer.outputs and layer.outputs[0] in deltas]
    rates = {layer.name: rate(layer, deltas) for layer in known}
    usual = float(np.quantile(list(rates.values()), QUARTILE)) if rates else 0.0
    return tuple(
        Place(layer, max(deltas[value] for value in layer.outputs if value in deltas), rates[layer.name],
              rates[layer.name] > usual)
        for layer in known
    )  # fmt: skip


def rate(layer: Layer, deltas: Mapping[str, float]) -> float:
    """The inconsistency introduction rate of a layer."""
    own = max(deltas[value] for value in layer.outputs if value in deltas)
    before = max((deltas.get(value, 0.0) for value in layer.inputs), default=0.0)
    if not np.isfinite(before):
        return 0.0
    return (own - before) / (before + SMOOTHING)


def looked_at(places: Sequence[Place]) -> tuple[int, int]:
    """How many layers a person looks at, without the map and with it: the red ones."""
    return len(places), sum(place.red for place in places)
