"""Comparisons of whole arrays: the nearest of them are kept, as those of single numbers are."""

from __future__ import annotations

import sys
from typing import Any

from numpy.typing import NDArray

from mlvet.runtime.provenance.breaks import is_machinery
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.predicates import _KEPT, PREDICATES, Site
from mlvet.runtime.provenance.tape import Places


def _site() -> Site:
    """The place of the program, or of the library it calls, that compares."""
    frame: Any = sys._getframe(2)
    while frame.f_back is not None and is_machinery(frame.f_code.co_filename):
        frame = frame.f_back
    return PREDICATES.site_of(frame)


def compared(
    outcomes: Any, margins: Any, left: Places | None, right: Places | None, by_left: float = 1.0, by_right: float = -1.0
) -> Any:
    """The outcomes to go on with, of an array of comparisons; the partial derivatives are those of the margins."""
    site = _site()
    margins = np.asarray(margins, np.float64)
    shape = np.shape(margins)
    before, site.count = site.count, site.count + margins.size
    flat = margins.reshape(-1)
    lefts = _flat(left, shape)
    rights = _flat(right, shape)
    if site.forced:
        return _forced(site, before, outcomes, flat, shape)
    with np.errstate(invalid="ignore"):
        near = np.flatnonzero((np.abs(flat) < site.reach) & ((lefts > 0) | (rights > 0)))
    if len(near) > _KEPT:
        near = near[np.argpartition(np.abs(flat[near]), _KEPT)[:_KEPT]]
    after = site.count
    results = np.broadcast_to(np.asarray(outcomes), shape).reshape(-1)
    for index in near.tolist():
        site.count = before + index + 1
        parents = ((int(lefts[index]), by_left), (int(rights[index]), by_right))
        PREDICATES.near(site, bool(results[index]), float(flat[index]), parents)
    site.count = after
    return outcomes


def _flat(places: Places | None, shape: tuple[int, ...]) -> Places:
    return np.broadcast_to(np.int64(0) if places is None else places, shape).reshape(-1)


def _forced(site: Site, before: int, outcomes: Any, margins: Any, shape: tuple[int, ...]) -> Any:
    """Outcomes where another run decides some of them."""
    results: NDArray[np.bool_] = np.array(np.broadcast_to(outcomes, shape), np.bool_)
    flat = results.reshape(-1)
    for ordinal, decide in site.forced.items():
        index = ordinal - before - 1
        if 0 <= index < flat.size:
            flat[index] = decide(bool(flat[index]), float(margins[index]))
    return results if isinstance(outcomes, np.ndarray) else results[()]
