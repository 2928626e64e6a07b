"""Places of what pandas makes of groups of rows."""

from __future__ import annotations

from typing import Any

from mlvet.runtime.provenance.array_values import Places
from mlvet.runtime.provenance.arrays_functions import grouped
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.ufuncs import _chained


def group_places(how: str, values: Any, places: Places, ids: Any, data: Any, options: dict[str, Any]) -> Any:
    """Places of one number for each group, or for each row where the function accumulates."""
    known = (ids >= 0) & ~np.isnan(values)
    rows = np.flatnonzero(known)
    groups, numbers, sources = ids[rows], values[rows], places[rows]
    count = len(data)
    if how in ("cumsum", "cumprod"):
        return _accumulated(how, values, places, ids, data)
    sizes = np.bincount(groups, minlength=count).astype(np.float64)
    with np.errstate(all="ignore"):
        if how == "sum":
            return grouped(groups, sources, 1.0, count)
        if how == "mean":
            return grouped(groups, sources, 1.0 / sizes[groups], count)
        if how == "prod":
            return grouped(groups, sources, _other_factors(groups, numbers), count)
        if how in ("var", "std", "sem"):
            return _spread(how, groups, numbers, sources, sizes, data, options.get("ddof", 1))
    if how in ("min", "max", "first", "last", "median"):
        return _chosen(how, groups, numbers, sources, count)
    if how not in ("rank", "any", "all", "count", "idxmin", "idxmax", "ohlc"):
        broken(f"pandas groupby {how}")
    return None


def _spread(how: str, groups: Any, numbers: Any, sources: Places, sizes: Any, data: Any, ddof: int) -> Any:
    count = len(data)
    means = np.bincount(groups, numbers, count) / sizes
    slopes = 2.0 * (numbers - means[groups]) / (sizes[groups] - ddof)
    if how == "std":
        slopes = slopes / (2.0 * data[groups])
    elif how == "sem":
        slopes = slopes / (2.0 * data[groups] * sizes[groups])
    return grouped(groups, sources, slopes, count)


def _other_factors(groups: Any, numbers: Any) -> Any:
    """The product of the other numbers of each number's group."""
    result = np.ones(len(numbers))
    for group in np.unique(groups):
        at = np.flatnonzero(groups == group)
        own = numbers[at]
        before = np.concatenate(([1.0], np.cumprod(own)[:-1]))
        after = np.concatenate((np.cumprod(own[::-1])[::-1][1:], [1.0]))
        result[at] = before * after
    return result


def _chosen(how: str, groups: Any, numbers: Any, sources: Places, count: int) -> Any:
    """Places where each group passes on one of its numbers, or the mean of two."""
    by = np.arange(len(numbers)) if how in ("first", "last") else numbers
    order = np.lexsort((by, groups))
    sizes = np.bincount(groups, minlength=count)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    filled = sizes > 0
    result = np.zeros(count, np.int64)
    if how == "median":
        low, high = starts + (sizes - 1) // 2, starts + sizes // 2
        chosen = np.stack((order[low[filled]], order[high[filled]]), axis=1).reshape(-1)
        at = np.repeat(np.flatnonzero(filled), 2)
        return grouped(at, sources[chosen], 0.5, count)
    at_end = how in ("max", "last")
    positions = starts + sizes - 1 if at_end else starts
    result[filled] = sources[order[positions[filled]]]
    return result


def _accumulated(how: str, values: Any, places: Places, ids: Any, data: Any) -> Any:
    result = np.zeros(len(values), np.int64)
    for group in np.unique(ids[ids >= 0]):
        at = np.flatnonzero((ids == group) & ~np.isnan(values))
        if len(at):
            function = np.add if how == "cumsum" else np.multiply
            result[at] = _chained(function, values[at], places[at], np.asarray(data, np.float64)[at])
    return result
