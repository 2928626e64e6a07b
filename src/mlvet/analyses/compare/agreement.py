"""Layers that no oracle knows, on which backends agree: on one input they yield the same, up to rounding.

Numbers of 8 and 16 bits stand for quantised ones, which may be rounded to either side. What is made of them again is
the same if it differs by far less than one of their steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path

from mlvet.analyses.compare.local_errors import rounding
from mlvet.analyses.compare.runs import Files
from mlvet.analyses.compare.states import State, difference, root_mean_square, state

QUANTISED = ("int8", "uint8", "int16")
STEPS = 16 * 2.0**-8
"""The share of the magnitude that outputs of a quantised model may be apart by, because steps add up on the way."""
_ROUNDINGS = 8
_OF_STEPS = 1e-4
"""By how much numbers may differ: eight roundings of the magnitude, or a little of a step as a share of it."""


def agreeing(entering: Iterable[Path], results: Mapping[str, Files], precision: str = "") -> set[frozenset[str]]:
    """The pairs of backends that agree on what a layer yields; `precision` is that of the results if they are wider."""
    least = _OF_STEPS if any(state(path).dtype.name in QUANTISED for path in entering) else 0.0
    return {
        frozenset((first, second))
        for first, second in combinations(results, 2)
        if results[first].keys() == results[second].keys()
        and all(
            _alike(state(path), state(results[second][value]), least, precision)
            for value, path in results[first].items()
        )
    }


def _alike(one: State, other: State, least: float, precision: str) -> bool:
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    apart = difference(one, other)
    if one.dtype.kind == "f":
        share = max(least, _ROUNDINGS * rounding(precision or one.dtype.name))
        return apart.rms <= share * root_mean_square(other)
    return apart.greatest <= (1 if one.dtype.name in QUANTISED else 0)
