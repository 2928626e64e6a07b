"""Pairs of backends: how far their outputs are apart, and which pairs are inconsistent [CRADLE III-B]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.distances import (
    MAD_EDGES,
    Thresholds,
    class_distances,
    class_edges,
    inconsistent,
    mad_distances,
    one_hot,
    pattern,
    top_accuracy,
    triggering,
)

Array = NDArray[Any]
_FLOOR = 1e-4
"""Outputs that differ by less than this share of their magnitude do not differ."""
_UNJUDGED = 10.0
"""So many times the floor where nothing tells what is right: rounding then adds up through the whole model."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two backends on all examples. `distances` are those of the metric, `apart` the greatest differences of outputs,
    `triggers` the examples on which the pair is inconsistent, `example` the one that is furthest apart.

    `classes` tells whether they part in the classes of the first output, whatever becomes of further ones.
    """

    first: str
    second: str
    metric: str
    distances: Array
    apart: Array
    inconsistent: bool
    triggers: NDArray[np.bool_]
    pattern: tuple[int, ...]
    example: int
    accuracy: float | None
    deviation: float | None
    shapes: bool = True
    classes: bool = False

    @property
    def triggering(self) -> int:
        return int(np.sum(self.triggers))

    @property
    def difference(self) -> float:
        return float(np.max(self.apart))

    def to_json(self) -> dict[str, Any]:
        return {
            "backends": [self.first, self.second],
            "metric": self.metric,
            "inconsistent": self.inconsistent,
            "examples": len(self.distances),
            "triggering": self.triggering,
            "greatest_distance": float(np.max(self.distances, initial=0.0)),
            "greatest_difference": self.difference,
            "pattern": list(self.pattern),
            "example": self.example,
            "top_k_accuracy_difference": self.accuracy,
            "mad_distance": self.deviation,
        }


@dataclass(frozen=True, slots=True)
class Truth:
    """What is right: labels of classes, else outputs; by the user or by an oracle."""

    by: str
    labels: NDArray[np.int64] | None = None
    outputs: Sequence[Array] = ()


def pairs(outputs: Mapping[str, Sequence[Array]], truth: Truth, thresholds: Thresholds) -> list[Pair]:
    """Every two backends that have outputs."""
    return [_pair(first, second, outputs, truth, thresholds) for first, second in combinations(outputs, 2)]


def unique(found: Sequence[Pair]) -> list[list[Pair]]:
    """Inconsistent pairs, those with the same distribution of distances together."""
    groups: dict[tuple[str, tuple[int, ...]], list[Pair]] = {}
    for pair in found:
        if pair.inconsistent:
            groups.setdefault((pair.metric, pair.pattern), []).append(pair)
    return list(groups.values())


def classifies(output: Array) -> bool:
    """Whether an output looks like confidences of classes: rows from 0 to 1 that sum up to 1."""
    if output.ndim != 2 or output.shape[1] < 2 or output.dtype.kind != "f":
        return False
    sums = output.sum(axis=1, dtype=np.float64)
    return bool(np.all(output >= 0) and np.allclose(sums, 1.0, atol=1e-3))


def truth_of(labels: Array | None, exact: tuple[str, Sequence[Array]] | None, sample: Sequence[Array]) -> Truth:
    """Labels of the user where there are any, else what the oracle yields, read as the user's would be."""
    if labels is not None:
        if labels.dtype.kind in "iub" and labels.ndim == 1 and sample[0].ndim == 2 and sample[0].shape[1] > 1:
            return Truth("labels", labels.astype(np.int64))
        if labels.ndim == 2 and labels.shape == sample[0].shape and classifies(labels.astype(np.float64)):
            return Truth("labels", labels.argmax(axis=1))
        return Truth("labels", outputs=[labels.reshape(len(labels), -1)])
    if exact is None:
        return Truth("none")
    by, outputs = exact
    if classifies(outputs[0]):
        return Truth(by, outputs[0].argmax(axis=1).astype(np.int64), outputs)
    return Truth(by, outputs=outputs)


def _pair(
    first: str, second: str, outputs: Mapping[str, Sequence[Array]], truth: Truth, thresholds: Thresholds
) -> Pair:
    one, other = outputs[first], outputs[second]
    alike = len(one) == len(other) and all(a.shape == b.shape for a, b in zip(one, other, strict=True))
    if not alike:
        infinite, every = np.full(1, np.inf), np.ones(1, bool)
        return Pair(first, second, "shape", np.ones(1), infinite, True, every, (), 0, None, None, shapes=False)
    if len({len(each) if each.ndim else 1 for each in one}) > 1:
        one, other = _as_one_example(one), _as_one_example(other)
        truth = Truth(truth.by, outputs=_as_one_example(truth.outputs))
    metric, distances, classes = _distances(one, other, truth, thresholds)
    distances = np.where(_broken(one, other), 2.0 ** (thresholds.k - 1) if metric == "class" else 1.0, distances)
    threshold = thresholds.classes if metric == "class" else thresholds.deviation
    edges = class_edges(thresholds.k) if metric == "class" else MAD_EDGES
    apart = _apart(one, other)
    return Pair(
        first, second, metric, distances, apart, inconsistent(distances, threshold, thresholds.share),
        triggering(distances, threshold), pattern(distances, edges), int(np.lexsort((apart, distances))[-1]),
        *_baselines(one, other, truth, thresholds.k),
        classes=classes,
    )  # fmt: skip


def _as_one_example(outputs: Sequence[Array]) -> list[Array]:
    """Outputs that count no examples, each as a whole."""
    return [each.reshape(1, -1) for each in outputs]


def _distances(
    one: Sequence[Array], other: Sequence[Array], truth: Truth, thresholds: Thresholds
) -> tuple[str, Array, bool]:
    """Classes by the first output; further outputs that are inconsistent count as the greatest distance.

    And whether the classes are inconsistent by themselves.
    """
    if truth.labels is not None and one[0].ndim == 2:
        distances = class_distances(one[0], other[0], truth.labels, thresholds.k, _floor(one[0], other[0]))
        classes = inconsistent(distances, thresholds.classes, thresholds.share)
        for a, b, right in zip(one[1:], other[1:], truth.outputs[1:], strict=False):
            apart = mad_distances(a, b, right, _floor(a, b)) >= thresholds.deviation
            distances = np.where(apart, 2.0 ** (thresholds.k - 1), distances)
        return "class", distances, classes
    if truth.outputs:
        known = [
            mad_distances(a, b, right, _floor(a, b)) for a, b, right in zip(one, other, truth.outputs, strict=False)
        ]
        return "mad", np.max(known, axis=0), False
    between = [mad_distances(a, b, a, _UNJUDGED * _floor(a, b)) for a, b in zip(one, other, strict=True)]
    return "mad", np.max(between, axis=0), False


def _baselines(one: Sequence[Array], other: Sequence[Array], truth: Truth, k: int) -> tuple[float | None, float | None]:
    """What top-k accuracy and the MAD distance would say of a classifier."""
    if truth.labels is None or one[0].ndim != 2:
        return None, None
    accuracy = abs(top_accuracy(one[0], truth.labels, k) - top_accuracy(other[0], truth.labels, k))
    right = one_hot(truth.labels, one[0].shape[1])
    return accuracy, float(np.max(mad_distances(one[0], other[0], right, _floor(one[0], other[0]))))


def _apart(one: Sequence[Array], other: Sequence[Array]) -> Array:
    """The greatest difference of the outputs of each example."""
    found = []
    for a, b in zip(one, other, strict=True):
        first, second = a.astype(np.float64), b.astype(np.float64)
        same = (first == second) | (np.isnan(first) & np.isnan(second))
        with np.errstate(invalid="ignore"):
            differences = np.nan_to_num(np.where(same, 0.0, np.abs(first - second)), nan=np.inf)
        found.append(differences.reshape(len(a), -1).max(axis=1, initial=0.0) if a.ndim else differences.reshape(1))
    return np.asarray(np.max(found, axis=0))


def _broken(one: Sequence[Array], other: Sequence[Array]) -> NDArray[np.bool_]:
    """The examples for which one backend yields numbers and the other none."""
    found = [
        (np.isfinite(a) != np.isfinite(b)).reshape(len(a), -1).any(axis=1)
        for a, b in zip(one, other, strict=True)
        if a.dtype.kind == b.dtype.kind == "f" and a.ndim
    ]
    return np.any(found, axis=0) if found else np.zeros(1, bool)


def _floor(one: Array, other: Array) -> float:
    finite = [np.abs(each[np.isfinite(each)]) for each in (one, other)]
    return _FLOOR * max((float(each.max()) for each in finite if each.size), default=0.0)
