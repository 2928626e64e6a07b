"""Localization maps as data: for a pair of backends every layer with its deviation, its rate and its own errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlvet.analyses.compare.comparison import Comparison
from mlvet.analyses.compare.local_errors import LocalError
from mlvet.analyses.compare.localization import Place, localization_map, looked_at
from mlvet.analyses.compare.pairs import Pair
from mlvet.analyses.compare.subject import Layer


def map_of(found: Comparison, pair: Pair) -> tuple[Place, ...]:
    """The localization map of a pair."""
    deltas = found.walk.deltas.get((pair.first, pair.second), {})
    return localization_map(found.subject.layers, deltas)


def maps(found: Comparison, *, all_pairs: bool = False) -> list[dict[str, Any]]:
    """The maps of pairs that are inconsistent or have a layer that is wrong, the furthest apart first.

    `shown` are those that a person needs: one for each backend that is wrong, or for each pair that nobody explains.
    """
    errors = {(error.layer.name, error.backend): error for error in found.walk.errors}
    guilty = {error.backend for error in errors.values() if error.wrong}
    wanted = [pair for pair in found.pairs if all_pairs or pair.inconsistent or guilty & {pair.first, pair.second}]
    wanted.sort(key=lambda pair: (-pair.inconsistent, -pair.difference))
    told: set[frozenset[str]] = set()
    drawn = []
    for pair in wanted:
        places = map_of(found, pair)
        if places:
            cause = frozenset(guilty & {pair.first, pair.second}) or frozenset((pair.first, pair.second))
            drawn.append({**_map(found, pair, places, errors), "shown": all_pairs or not cause <= _all(told)})
            told.add(cause)
    return drawn


def _all(sets: set[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


def _map(
    found: Comparison, pair: Pair, places: Sequence[Place], errors: Mapping[tuple[str, str], LocalError]
) -> dict[str, Any]:
    makers = {value: layer for layer in found.subject.layers for value in layer.outputs}
    known = {place.layer.name for place in places}
    layers = [_layer(place, pair, makers, known, errors) for place in places]
    without, red = looked_at(places)
    return {
        "backends": [pair.first, pair.second],
        "inconsistent": pair.inconsistent,
        "example": pair.example,
        "layers_to_look_at": {
            "without_map": without, "with_map": red, "with_local_errors": sum(bool(each["wrong"]) for each in layers),
        },
        "layers": layers,
    }  # fmt: skip


def _layer(
    place: Place, pair: Pair, makers: Mapping[str, Layer], known: set[str],
    errors: Mapping[tuple[str, str], LocalError],
) -> dict[str, Any]:  # fmt: skip
    layer = place.layer
    before = dict.fromkeys(makers[value].name for value in layer.inputs if value in makers)
    own = [errors[layer.name, name] for name in (pair.first, pair.second) if (layer.name, name) in errors]
    return {
        "layer": layer.name,
        "kind": layer.kind,
        "inputs": list(layer.inputs),
        "after": [name for name in before if name in known],
        "delta": number(place.delta),
        "rate": number(place.rate),
        "red": place.red,
        "times_noise": {error.backend: number(error.times) for error in own},
        "wrong": [error.backend for error in own if error.wrong],
    }


def number(value: float) -> float | str:
    """A number as JSON can hold it."""
    return value if np.isfinite(value) else str(value)
