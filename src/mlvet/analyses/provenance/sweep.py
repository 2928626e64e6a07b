"""Sweeps over a tape: derivatives of one number by all others, or of all by one, in one pass over the rows.

With g the derivatives of an output by each place, a place's row adds `partial * g[place]` to g of each parent; places
are visited from the last to the first, so each g is complete when its row is read [LAMP 4.2, the chain rule backwards].
Stored in reverse, this is the product of a sparse matrix with a vector that is the result at the same time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mlvet.runtime.provenance.open_rows import swept
from mlvet.runtime.provenance.tape import Numbers, Pullback, Rows, Step


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows of the places from `first` up to `last`, in reverse: `ends` has one entry more than there are rows."""

    first: int
    last: int
    ends: NDArray[np.int32]
    parents: NDArray[np.int32]
    partials: Numbers


@dataclass(slots=True)
class Sweeps:
    """A tape made ready for sweeps. `size` counts its places, with the one that stands for constants."""

    size: int
    parts: list[Segment | Step] = field(default_factory=list)

    @classmethod
    def of(cls, parts: Sequence[Rows | Step], size: int) -> Sweeps:
        made = cls(size)
        run: list[Rows] = []
        for part in parts:
            if isinstance(part, Rows):
                run.append(part)
            else:
                made._joined(run)
                made.parts.append(part)
        made._joined(run)
        return made

    def _joined(self, run: list[Rows]) -> None:
        if not run:
            return
        first = run[0].first
        last = run[-1].first + run[-1].count
        offsets = np.cumsum([0, *(len(each.parents) for each in run)])
        ends = np.concatenate([[0], *(each.ends + offset for each, offset in zip(run, offsets, strict=False))])
        parents = np.concatenate([each.parents for each in run])
        partials = np.concatenate([each.partials for each in run])
        run.clear()
        start = 0
        for row in _endless(partials, ends):
            self._segment(first + start, first + row, ends[start : row + 1], parents, partials)
            self.parts.append(
                _alone(first + row, parents[ends[row] : ends[row + 1]], partials[ends[row] : ends[row + 1]])
            )
            start = row + 1
        self._segment(first + start, last, ends[start:], parents, partials)

    def _segment(
        self, first: int, last: int, ends: NDArray[np.int64], parents: NDArray[np.int32], partials: Numbers
    ) -> None:
        """The rows from one place up to another; `ends` counts entries from the first of all."""
        if first == last:
            return
        parents, partials = parents[ends[0] : ends[-1]], partials[ends[0] : ends[-1]]
        ends = ends - ends[0]
        total = int(ends[-1])
        reverse = np.ascontiguousarray((self.size - 1 - parents)[::-1], np.int32)
        self.parts.append(
            Segment(first, last, np.ascontiguousarray((total - ends)[::-1], np.int32), reverse, partials[::-1].copy())
        )

    @property
    def entries(self) -> int:
        return sum(len(each.parents) for each in self.parts if isinstance(each, Segment))

    def backward(self, seeds: Mapping[int, float] | Iterable[tuple[int, float]]) -> Numbers:
        """The derivatives by every place of the weighted sum of some places."""
        listed = list(seeds.items() if isinstance(seeds, Mapping) else seeds)
        reverse = np.zeros(self.size)
        top = 0
        for place, weight in listed:
            if place:
                reverse[self.size - 1 - place] += weight
                top = max(top, place)
        for part in reversed(self.parts):
            if part.first > top:
                continue
            if isinstance(part, Segment):
                self._rows(part, reverse, top)
            else:
                self._step(part, reverse)
        return reverse[::-1]

    def row_of(self, place: int) -> list[tuple[int, float]]:
        """The parents of a place with the partial derivatives by them."""
        for part in self.parts:
            if isinstance(part, Segment) and part.first <= place < part.last:
                row = part.last - 1 - place
                between = slice(part.ends[row], part.ends[row + 1])
                parents = self.size - 1 - part.parents[between]
                return list(zip(parents.tolist(), part.partials[between].tolist(), strict=True))
            if isinstance(part, Step) and part.first <= place < part.first + part.count:
                return self._row_of_step(part, place)
        return []

    def _row_of_step(self, part: Step, place: int) -> list[tuple[int, float]]:
        seed = np.zeros(part.count)
        seed[place - part.first] = 1.0
        found: list[tuple[int, float]] = []
        for places, by in zip(part.parents, part.pullback(seed), strict=True):
            if by is not None:
                flat, slopes = np.asarray(places).ravel(), np.asarray(by, np.float64).ravel()
                chosen = np.flatnonzero((flat > 0) & (slopes != 0))
                found += zip(flat[chosen].tolist(), slopes[chosen].tolist(), strict=True)
        return found

    def tainted(self, place: int) -> NDArray[np.bool_]:
        """Which places a place hangs on at all, whatever the derivative: tainting by program dependences."""
        ones = Sweeps(self.size)
        for part in self.parts:
            if isinstance(part, Segment):
                ones.parts.append(replace(part, partials=np.ones_like(part.partials)))
            else:
                ones.parts.append(replace(part, pullback=_all_of(part)))
        with np.errstate(over="ignore"):
            return ones.backward({place: 1.0} if place else {}) > 0

    def _rows(self, part: Segment, reverse: Numbers, top: int) -> None:
        begin = max(0, part.last - 1 - top)
        count = part.last - part.first - begin
        start = self.size - part.last + begin
        swept(part.ends[begin:], part.parents, part.partials, reverse[start : start + count], reverse)

    def _step(self, part: Step, reverse: Numbers) -> None:
        given = reverse[self.size - part.first - part.count : self.size - part.first][::-1]
        if not given.any():
            return
        for places, by in zip(part.parents, part.pullback(given.copy()), strict=True):
            if by is not None:
                flat = np.asarray(places).ravel()
                hangs = flat > 0
                np.add.at(reverse, self.size - 1 - flat[hangs], np.asarray(by, np.float64).ravel()[hangs])


def _endless(partials: Numbers, ends: NDArray[np.int64]) -> list[int]:
    """The rows with a partial derivative that is infinite or NaN."""
    entries = np.flatnonzero(~np.isfinite(partials))
    return np.unique(np.searchsorted(ends, entries, side="right") - 1).tolist() if len(entries) else []


def _alone(place: int, parents: NDArray[np.int32], partials: Numbers) -> Step:
    """A row as a step of its own: where nothing hangs on its place, infinity times 0 must not become NaN."""
    return Step(place, 1, (parents.astype(np.int64),), lambda given: [partials * given[0]], "row")


def _all_of(part: Step) -> Pullback:
    """Every element of a step hangs on every element of its arrays."""
    return lambda given: [np.full(np.shape(places), float(given.any())) for places in part.parents]
