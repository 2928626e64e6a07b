"""Deviations that vanish when the layers are run one by one: the backend joins layers, and is wrong where it does.

The plain model is cut at ever earlier values until it agrees with the layers run alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.agreement import QUANTISED, STEPS
from mlvet.analyses.compare.local_errors import rounding
from mlvet.analyses.compare.runs import Files, Run
from mlvet.analyses.compare.states import remove, remove_masks, state
from mlvet.analyses.compare.subject import Layer, Subject, last_uses
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]
_APART = 1e-3
"""The share of the magnitude by which two ways to run one backend may differ."""
_JOINED = 16
"""So many roundings of half precision may be left out, or made besides, where a backend joins layers."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A backend whose plain model differs from its own layers, from this layer on.

    Or in all of them, where it computes plain models in less precision and does not differ without that.
    """

    backend: str
    layer: Layer | None
    difference: float
    precision: str = ""


def fusion_dependent(run: Run, subject: Subject, inputs: Files, batch: int) -> Fused | None:
    """Where the plain model on a backend leaves its own layers, if it does."""
    try:
        last = [layer for layer in subject.layers if {*layer.outputs} & {*subject.outputs}]
        if not last:
            return None
        difference = _parts(run, subject, inputs, batch)
        if difference is None:
            return None
        if run.precision and _parts(run, subject, inputs, batch, precise=True) is None:
            return Fused(str(run), None, difference, run.precision)
        states, limit = _chain(run, subject, inputs, [value for layer in subject.layers for value in layer.outputs])
        reached = _first(run, subject, inputs, batch, states, limit)
        _forget(states, inputs)
    except (Failure, KeyError):
        return None
    if reached is None:
        return None
    layer, difference = reached
    return Fused(str(run), layer, difference)


def _first(
    run: Run, subject: Subject, inputs: Files, batch: int, states: dict[str, Path], limit: float
) -> tuple[Layer, float] | None:
    """The first layer at which the model, cut there, still differs: by halving."""
    layers = [layer for layer in subject.layers if layer.outputs and layer.outputs[0] in states]
    low, high = 0, len(layers) - 1
    found: tuple[Layer, float] | None = None
    while low <= high:
        middle = (low + high) // 2
        value = layers[middle].outputs[0]
        plain = run.whole(inputs, batch, subject.until(value))
        if _differs(plain, [states[value]], limit):
            found = layers[middle], _greatest(plain[0], np.load(states[value]))
            high = middle - 1
        else:
            low = middle + 1
    return found


def _parts(run: Run, subject: Subject, inputs: Files, batch: int, *, precise: bool = False) -> float | None:
    """By how much the outputs of the plain model leave those of its layers, if they do."""
    states, limit = _chain(run, subject, inputs, subject.outputs)
    plain, layered = run.whole(inputs, batch, precise=precise), [states[value] for value in subject.outputs]
    found = None
    if _differs(plain, layered, limit):
        pairs = [(one, np.load(other)) for one, other in zip(plain, layered, strict=False)]
        found = max(_greatest(*pair) if pair[0].shape == pair[1].shape else np.inf for pair in pairs)
    _forget(states, inputs)
    return found


def _chain(run: Run, subject: Subject, inputs: Files, kept: Sequence[str]) -> tuple[dict[str, Path], float]:
    """All layers one after the other; states that are neither wanted nor needed any more are dropped.

    And the share of the magnitude by which outputs may differ if a backend joins layers rightly: it is more where some
    are in half precision or quantised.
    """
    states = dict(inputs)
    quantised = False
    for layer, dead in zip(subject.layers, last_uses(subject.layers, kept), strict=True):
        made = run.step(subject, layer, states)
        remove_masks(states[value] for value in run.unmasked)
        quantised |= any(state(path).dtype.name in QUANTISED for path in made.values())
        states.update(made)
        _forget({value: states.pop(value) for value in dead if value in states}, inputs)
    roundings = [_JOINED * rounding(layer.precision) for layer in subject.layers]
    return states, max([_APART, STEPS if quantised else 0.0, *roundings])


def _forget(states: Files, inputs: Files) -> None:
    for value, path in states.items():
        if value not in inputs:
            remove(path)


def _differs(plain: list[Array], states: list[Path], limit: float) -> bool:
    for one, path in zip(plain, states, strict=False):
        other = np.load(path)
        if one.shape != other.shape:
            return True
        scale = float(np.max(np.abs(other[np.isfinite(other)]), initial=0.0)) if other.dtype.kind == "f" else 0.0
        if _greatest(one, other) > limit * scale:
            return True
    return False


def _greatest(one: Array, other: Array) -> float:
    first, second = one.astype(np.float64), other.astype(np.float64)
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    with np.errstate(invalid="ignore"):
        return float(np.max(np.nan_to_num(np.where(same, 0.0, np.abs(first - second)), nan=np.inf), initial=0.0))
