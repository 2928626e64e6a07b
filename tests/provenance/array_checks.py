"""Derivatives on the tape, by a plain reverse sweep, beside those by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlvet.runtime.provenance.arrays import TracedArray, split, wrap_array
from mlvet.runtime.provenance.breaks import BREAKS
from mlvet.runtime.provenance.predicates import PREDICATES
from mlvet.runtime.provenance.scalars import ANY_TRACED
from mlvet.runtime.provenance.tape import TAPE, Rows


def clear() -> None:
    TAPE.close()
    TAPE.parts.clear()
    TAPE.open.closed = 1
    PREDICATES.sites.clear()
    PREDICATES.by_code.clear()
    BREAKS.clear()


def slopes(seed: dict[int, float]) -> np.ndarray:
    """The derivatives of a weighted sum of places by all places."""
    TAPE.close()
    result = np.zeros(TAPE.open.closed)
    for place, weight in seed.items():
        result[place] += weight
    for part in reversed(TAPE.parts):
        if isinstance(part, Rows):
            start = np.concatenate(([0], part.ends[:-1]))
            for row in range(part.count - 1, -1, -1):
                slope = result[part.first + row]
                if slope:
                    entries = slice(start[row], part.ends[row])
                    assert (part.parents[entries] < part.first + row).all()
                    np.add.at(result, part.parents[entries], slope * part.partials[entries])
        else:
            found = part.pullback(result[part.first : part.first + part.count])
            for places, each in zip(part.parents, found, strict=True):
                assert (places < part.first).all()
                np.add.at(result, places, each)
        result[0] = 0
    return result


def flat_parts(result: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Data and places of every number in a result."""
    if isinstance(result, (list, tuple)):
        return [part for each in result for part in flat_parts(each)]
    data, places = split(result)
    data = np.asarray(data)
    return [(data, np.zeros(data.shape, np.int64) if places is None else places)]


def same(found: Any, expected: Any) -> None:
    """A result of a replay is that of the plain program: kind, type of elements, shape and every bit."""
    if isinstance(expected, (list, tuple)):
        assert type(found) is type(expected)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    if isinstance(expected, np.ndarray):
        assert isinstance(found, np.ndarray)
    elif expected is not None:
        assert isinstance(found, type(expected)), (type(found), type(expected))
    if type(found) in ANY_TRACED:
        found = found.v
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes(), (found, expected)


def check(function: Callable[[Any], Any], inputs: np.ndarray, tolerance: float = 2e-6, make: Any = None) -> None:
    """The values of a function are those of plain arrays, and its derivatives those by differences."""
    clear()
    expected = function(inputs.copy())
    array = wrap_array(inputs.copy()) if make is None else make(inputs.copy())
    first = 1
    result = function(array)
    same(result, expected)
    assert not BREAKS, BREAKS
    generator = np.random.default_rng(7)
    parts = flat_parts(result)
    weights = [generator.normal(size=data.shape) for data, _ in parts]
    seed: dict[int, float] = {}
    for (_, places), weight in zip(parts, weights, strict=True):
        for place, each in zip(places.reshape(-1).tolist(), weight.reshape(-1).tolist(), strict=True):
            if place:
                seed[place] = seed.get(place, 0.0) + each
    found = slopes(seed)[first : first + inputs.size]

    def weighted(values: np.ndarray) -> float:
        return float(sum((np.asarray(data, np.float64) * weight).sum()
                         for (data, _), weight in zip(flat_parts(function(values)), weights, strict=True)))  # fmt: skip

    by_differences = np.zeros(inputs.size)
    for index in range(inputs.size):
        step = 1e-6 * max(1.0, abs(inputs.reshape(-1)[index]))
        up, down = inputs.copy(), inputs.copy()
        up.reshape(-1)[index] += step
        down.reshape(-1)[index] -= step
        by_differences[index] = (weighted(up) - weighted(down)) / (2 * step)
    np.testing.assert_allclose(
        found, by_differences, rtol=tolerance, atol=tolerance * max(1.0, abs(by_differences).max())
    )


__all__ = ["TracedArray", "check", "clear", "same", "slopes"]
