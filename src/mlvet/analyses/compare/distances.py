"""How far two backends are apart on each input, measured by what the right answer is [CRADLE III-B].

Class distance: a label of rank r among the k best scores 2^(k - r), any other 0; the distance is the difference of the
two scores. MAD distance: with d(y, o) the mean absolute deviation of an output from the right one,
|d(y, o) - d(y', o)| / (d(y, o) + d(y', o)). Both say nothing of outputs that differ by no more than `floor`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which distance on an input is inconsistent, and which share of the inputs makes a pair of backends so.

    A share of 0 asks for one input at least.
    """

    k: int = 5
    classes: float = 8.0
    deviation: float = 0.2
    share: float = 0.0


def scores(outputs: Array, labels: NDArray[np.int64], k: int) -> Array:
    """2^(k - rank of the label) for labels among the k best, else 0; equal outputs share the better rank."""
    own = np.take_along_axis(outputs, labels[:, None], axis=1)
    rank = 1 + np.sum(outputs > own, axis=1)
    return np.where(rank <= k, 2.0 ** (k - rank), 0.0)


def class_distances(first: Array, second: Array, labels: NDArray[np.int64], k: int, floor: float = 0.0) -> Array:
    """One distance from 0 to 2^(k - 1) for each input."""
    apart = np.abs(scores(first, labels, k) - scores(second, labels, k))
    return np.where(_differs(first, second, floor), apart, 0.0)


def deviations(outputs: Array, right: Array) -> Array:
    """The mean absolute deviation from the right output, for each input."""
    return np.asarray(np.mean(np.abs(_rows(outputs) - _rows(right)), axis=1))


def mad_distances(first: Array, second: Array, right: Array, floor: float = 0.0) -> Array:
    """One distance from 0 to 1 for each input."""
    one, other = deviations(first, right), deviations(second, right)
    total = one + other
    apart = np.divide(np.abs(one - other), total, out=np.zeros_like(total), where=total > 0)
    return np.where(_differs(first, second, floor), apart, 0.0)


def top_accuracy(outputs: Array, labels: NDArray[np.int64], k: int) -> float:
    """The share of inputs whose label is among the k best."""
    return float(np.mean(scores(outputs, labels, k) > 0))


def triggering(distances: Array, threshold: float) -> NDArray[np.bool_]:
    """The inputs whose distance reaches the threshold."""
    return np.asarray((distances >= threshold) & (distances > 0))


def inconsistent(distances: Array, threshold: float, share: float) -> bool:
    """Whether enough inputs reach the threshold."""
    hit = int(np.sum(triggering(distances, threshold)))
    return hit > 0 and hit >= share * len(distances)


def one_hot(labels: NDArray[np.int64], count: int) -> Array:
    """The output of a classifier that is sure and right."""
    return np.eye(count)[labels]


def pattern(distances: Array, edges: Sequence[float]) -> tuple[int, ...]:
    """How many inputs have a distance in each bin: what tells one inconsistency from another."""
    counts, _ = np.histogram(distances, bins=np.asarray(edges))
    return tuple(int(count) for count in counts)


def class_edges(k: int) -> tuple[float, ...]:
    """Bins of the class distance: none, then one for each power of two."""
    return (0.0, 0.5, *(2.0**power for power in range(k)), 2.0**k)


MAD_EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def _differs(first: Array, second: Array, floor: float) -> NDArray[np.bool_]:
    return np.asarray(np.max(np.abs(_rows(first) - _rows(second)), axis=1, initial=0.0) > floor)


def _rows(array: Array) -> Array:
    return np.asarray(array, np.float64).reshape(len(array), -1)
