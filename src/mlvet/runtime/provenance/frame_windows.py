"""Places of what pandas makes of windows of rows: rolling, expanding and exponentially weighted ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mlvet.runtime.provenance.array_values import Places, split, with_places
from mlvet.runtime.provenance.arrays_functions import grouped
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.frame_groups import group_places
from mlvet.runtime.provenance.frames import TracedColumn
from mlvet.runtime.provenance.plain_numpy import np

_KNOWN = frozenset("sum mean min max median std var".split())
_WEIGHTED = frozenset(("sum", "mean"))
_LONGEST = 1000
"""Rows up to which weights are found by giving a window one unit after the other."""


def windowed(real: Any) -> Any:
    """The method that hands a column's array to a function over windows; what it makes carries places."""

    @functools.wraps(real)
    def apply(self: Any, func: Any, name: str, *arguments: Any, **options: Any) -> Any:
        def followed(values: Any, start: Any, end: Any, *rest: Any) -> Any:
            numbers, places = split(values)
            data = func(numbers, start, end, *rest)
            if places is None or name == "count":
                return data
            if type(self).__name__.startswith("ExponentialMoving"):
                found = _by_units(name, lambda unit: func(unit, start, end, *rest), numbers, places, data)
            else:
                found = _by_windows(name, numbers, places, start, end, data)
            return data if found is None else TracedColumn(with_places(data, found))

        return real(self, followed, name, *arguments, **options)

    return apply


def _by_windows(name: str, numbers: Any, places: Places, start: Any, end: Any, data: Any) -> Places | None:
    """Each window is a group of rows; a row may belong to several."""
    if name not in _KNOWN:
        broken(f"pandas rolling {name}")
        return None
    told = np.where(np.isnan(data), 0, end - start)
    groups = np.repeat(np.arange(len(data)), told)
    rows = np.arange(len(groups)) - np.repeat(np.cumsum(told) - told, told) + np.repeat(start, told)
    power = {"std": 2, "var": 1}.get(name)
    options = {} if power is None else {"ddof": _ddof(groups, numbers[rows], data**power)}
    found: Places | None = group_places(name, numbers[rows], np.asarray(places)[rows], groups, data, options)
    return found


def _ddof(groups: Any, numbers: Any, variances: Any) -> int:
    """What was taken off the number of rows, by the window that varies most."""
    known = ~np.isnan(numbers)
    groups, numbers = groups[known], numbers[known]
    sizes = np.bincount(groups, minlength=len(variances))
    with np.errstate(all="ignore"):
        means = np.bincount(groups, numbers, len(variances)) / sizes
        squares = np.bincount(groups, (numbers - means[groups]) ** 2, len(variances))
        at = int(np.argmax(squares))
        taken = sizes[at] - squares[at] / variances[at]
    return round(float(taken)) if np.isfinite(taken) else 1


def _by_units(name: str, weigh: Callable[[Any], Any], numbers: Any, places: Places, data: Any) -> Places | None:
    """Weighted sums: the weights of a row are what the function makes of one there and nothing elsewhere."""
    if name not in _WEIGHTED or len(numbers) > _LONGEST:
        broken(f"pandas ewm {name}")
        return None
    hanging = np.flatnonzero(np.asarray(places))
    weights = []
    for row in hanging.tolist():
        unit = np.where(np.isnan(numbers), np.nan, 0.0)
        unit[row] = 1.0
        weights.append(np.nan_to_num(weigh(unit)))
    table = np.array(weights).reshape(len(hanging), len(data))
    sources, groups = np.nonzero(table)
    found: Places | None = grouped(groups, np.asarray(places)[hanging[sources]], table[sources, groups], len(data))
    return found
