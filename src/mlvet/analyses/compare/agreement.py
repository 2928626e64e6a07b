"""Layers that no oracle knows, on which backends agree: on one input they yield the same, up to rounding.

Numbers of 8 and 16 bits stand for quantised ones, which may be rounded to either side. What is made of them again is
the same if it differs by far less than one of their steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path

from mlvet.analyses.compare.runs import Files
from mlvet.analyses.compare.states import State, difference, root_mean_square, state

_QUANTISED = ("int8", "uint8", "int16")
_UNITS = 4 * 2.0**-23
_OF_STEPS = 1e-4
"""Shares of the magnitude by which numbers may differ: four units of the last place, or a little of a step."""


def agreeing(entering: Iterable[Path], results: Mapping[str, Files]) -> set[frozenset[str]]:
    """The pairs of backends that agree on what a layer yields."""
    share = _OF_STEPS if any(state(path).dtype.name in _QUANTISED for path in entering) else _UNITS
    return {
        frozenset((first, second))
        for first, second in combinations(results, 2)
        if results[first].keys() == results[second].keys()
        and all(_alike(state(path), state(results[second][value]), share) for value, path in results[first].items())
    }


def _alike(one: State, other: State, share: float) -> bool:
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    apart = difference(one, other)
    if one.dtype.kind == "f":
        return apart.rms <= share * root_mean_square(other)
    return apart.greatest <= (1 if one.dtype.name in _QUANTISED else 0)
