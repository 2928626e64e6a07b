"""Shares of influence: which inputs moved an output, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.provenance.hidden import roundings
from mlvet.core.explanation import Influence
from mlvet.runtime.provenance.inputs import Inputs


@dataclass(frozen=True, slots=True)
class Influences:
    """Every input's derivative of one output, and its share of the influence of all.

    The influence of an input is |derivative| times the magnitude of its value, so that inputs of different units can be
    compared; an input that is 0 is reckoned with the mean magnitude of the variable that it belongs to, or with 1.
    """

    value: float
    values: NDArray[np.float64]
    derivatives: NDArray[np.float64]
    shares: NDArray[np.float64]
    visible: bool = True
    """Whether small changes of inputs show these derivatives: nothing was rounded on the way."""

    def order(self, top: int = 0) -> NDArray[np.int64]:
        """The inputs by share, then by derivative; ties in the order of the program. 0 orders all of them."""
        if not 0 < top < len(self.shares):
            return np.lexsort((-np.abs(self.derivatives), -self.shares))
        least = -np.partition(-self.shares, top - 1)[top - 1]
        among = np.flatnonzero(self.shares >= least)
        order = np.lexsort((-np.abs(self.derivatives[among]), -self.shares[among]))
        return among[order][:top]

    def elasticity(self, index: int) -> float:
        if self.value == 0:
            return math.nan
        return float(self.derivatives[index] * self.values[index] / self.value)


def influences(value: float, adjoint: NDArray[np.float64], inputs: Inputs) -> Influences:
    """Shares of all inputs, of the derivatives of an output by every place.

    An output that is NaN is what it is because of the inputs that are NaN, if there are any that it hangs on.
    """
    values = inputs.all_values()
    derivatives = adjoint[inputs.all_places()]
    weight = np.abs(derivatives) * scales(values, inputs)
    weight[~np.isfinite(weight)] = 0.0
    lost = np.isnan(values) & (derivatives != 0)
    if math.isnan(value) and lost.any():
        weight = lost.astype(np.float64)
    total = weight.sum()
    shares = weight / total if total > 0 else weight
    return Influences(value, values, derivatives, shares, not roundings(adjoint))


def scales(values: NDArray[np.float64], inputs: Inputs) -> NDArray[np.float64]:
    """The magnitude by which each input's derivative is weighed."""
    return inputs.array("scales", lambda: _scales(values, inputs))


def _scales(values: NDArray[np.float64], inputs: Inputs) -> NDArray[np.float64]:
    magnitude = np.abs(values)
    if np.isfinite(magnitude).all() and magnitude.all():
        return magnitude
    for _, indices in inputs.groups():
        group = magnitude[indices]
        none = (group == 0) | ~np.isfinite(group)
        if none.any():
            mean = group[~none].mean() if not none.all() else 1.0
            group[none] = mean
            magnitude[indices] = group
    return magnitude


def first(found: Influences, inputs: Inputs, top: int) -> tuple[tuple[Influence, ...], float]:
    """The first inputs by share that have influence, and the share of all others; 0 lists every input there is."""
    order = found.order(top)
    if top:
        order = order[found.derivatives[order] != 0]
    listed = tuple(
        Influence(
            inputs.name(index), float(found.values[index]), float(found.derivatives[index]), found.elasticity(index),
            float(found.shares[index]),
        )
        for index in order.tolist()
    )  # fmt: skip
    return listed, max(0.0, float(found.shares.sum()) - sum(each.share for each in listed))


def histogram(shares: NDArray[np.float64]) -> tuple[tuple[float, int], ...]:
    """How many inputs have a share of each power of ten."""
    positive = shares[shares > 0]
    if not len(positive):
        return ()
    powers, counts = np.unique(np.floor(np.log10(positive)).astype(int), return_counts=True)
    return tuple((10.0 ** int(power), int(count)) for power, count in zip(powers, counts, strict=True))
