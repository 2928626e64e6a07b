"""Sweeps over a tape: derivatives of one number by all others, or of all by one, in one pass over the rows.

With g the derivatives of an output by each place, a place's row adds `partial * g[place]` to g of each parent; places
are visited from the last to the first, so each g is complete when its row is read [LAMP 4.2, the chain rule backwards].
Turns of loops are swept as they are, without being written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mlvet.runtime.provenance.open_rows import swept
from mlvet.runtime.provenance.tape_parts import (
    NONE_ODD,
    Groups,
    Numbers,
    Odd,
    Part,
    Pullback,
    Rows,
    Step,
    Turn,
    part_of,
)  # fmt: skip

_SMALL = 1 << 15
"""Entries below which following rows are joined."""


@dataclass(slots=True)
class Sweeps:
    """A tape made ready for sweeps. `size` counts its places, with the one that stands for constants.

    Rows of places in `stops` count as empty.
    """

    size: int
    parts: list[Part] = field(default_factory=list)
    stops: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, parts: Sequence[Part], size: int) -> Sweeps:
        made = cls(size)
        small: list[Rows] = []
        for part in parts:
            if isinstance(part, Rows) and part.entries < _SMALL:
                small.append(part)
                continue
            made._joined(small)
            if isinstance(part, Rows):
                made._split(part)
            else:
                made.parts.append(part)
        made._joined(small)
        return made

    def _joined(self, run: list[Rows]) -> None:
        if not run:
            return
        offsets = np.cumsum([0, *(each.entries for each in run)])
        ends = [each.ends + offset for each, offset in zip(run, offsets, strict=False)]
        made = Rows(
            run[0].first, np.concatenate(ends).astype(np.int32), np.concatenate([each.parents for each in run]),
            np.concatenate([each.partials for each in run]),
        )  # fmt: skip
        run.clear()
        self._split(made)

    def _split(self, rows: Rows) -> None:
        """Rows with a partial derivative that is infinite or NaN become steps between the others."""
        start = 0
        for row in _endless(rows):
            if start < row:
                self.parts.append(part_of(rows, start, row))
            alone = part_of(rows, row, row + 1)
            self.parts.append(_alone(alone.first, alone.parents, alone.partials))
            start = row + 1
        if start < rows.count:
            self.parts.append(part_of(rows, start, rows.count) if start else rows)

    @property
    def entries(self) -> int:
        return sum(each.entries for each in self.parts if not isinstance(each, Step))

    def backward(self, seeds: Mapping[int, float] | Iterable[tuple[int, float]]) -> Numbers:
        """The derivatives by every place of the weighted sum of some places."""
        listed = list(seeds.items() if isinstance(seeds, Mapping) else seeds)
        reverse = np.zeros(self.size)
        top = 0
        for place, weight in listed:
            if place:
                reverse[self.size - 1 - place] += weight
                top = max(top, place)
        tables = _Tables()
        for part in reversed(self.parts):
            if part.first > top:
                continue
            if isinstance(part, Step):
                self._step(part, reverse)
            elif isinstance(part, Rows):
                self._rows(part.first, part.ends, part.parents, None, part.partials, NONE_ODD, reverse)
            else:
                index, table = tables.of(part)
                self._rows(part.first, part.pattern.ends, part.pattern.parents, index, table, part.odd, reverse)
        return reverse[::-1]

    def row_of(self, place: int) -> list[tuple[int, float]]:
        """The parents of a place with the partial derivatives by them."""
        for part in self.parts:
            if part.first <= place < part.first + part.count:
                if isinstance(part, Step):
                    return self._row_of_step(part, place)
                row = part_of(part.plain(), place - part.first, place - part.first + 1)
                return list(zip(row.parents.tolist()[::-1], row.partials.tolist()[::-1], strict=True))
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

    def tainted(self, places: int | Iterable[int]) -> NDArray[np.bool_]:
        """Which places some places hang on at all, whatever the derivatives: tainting by program dependences."""
        listed = [places] if isinstance(places, int) else places
        with np.errstate(over="ignore"):
            return self._of_ones().backward({place: 1.0 for place in listed if place}) > 0

    def _of_ones(self) -> Sweeps:
        """The same dependences with partial derivatives of 1."""
        ones = np.ones(max((part.entries for part in self.parts if not isinstance(part, Step)), default=0))
        made = Sweeps(self.size)
        for part in self.parts:
            if isinstance(part, Step):
                made.parts.append(replace(part, pullback=_all_of(part)))
            elif isinstance(part, Rows):
                made.parts.append(replace(part, partials=ones[: part.entries]))
            else:
                odd = replace(part.odd, partials=ones[: len(part.odd.at)])
                made.parts.append(replace(part, groups=None, partials=ones[: part.entries], odd=odd))
        return made

    def _rows(
        self, first: int, ends: NDArray[np.int32], parents: NDArray[np.int32], index: NDArray[np.int32] | None,
        partials: Numbers, odd: Odd, reverse: Numbers,
    ) -> None:  # fmt: skip
        swept(first, ends, parents, index, partials, odd.at, odd.parents, odd.partials, self.stops, reverse)

    def _step(self, part: Step, reverse: Numbers) -> None:
        given = reverse[self.size - part.first - part.count : self.size - part.first][::-1]
        if not given.any():
            return
        for places, by in zip(part.parents, part.pullback(given.copy()), strict=True):
            if by is not None:
                flat = np.asarray(places).ravel()
                hangs = flat > 0
                np.add.at(reverse, self.size - 1 - flat[hangs], np.asarray(by, np.float64).ravel()[hangs])


class _Tables:
    """The partial derivatives of turns, one after the other; what turns of the same groups share is copied once."""

    def __init__(self) -> None:
        self._groups: Groups | None = None
        self._table: Numbers = np.zeros(0)

    def of(self, turn: Turn) -> tuple[NDArray[np.int32] | None, Numbers]:
        if turn.groups is None:
            return None, turn.partials
        if turn.groups is not self._groups:
            self._groups, self._table = turn.groups, turn.table()
        else:
            self._table[: len(turn.partials)] = turn.partials
        return turn.groups.index, self._table


def _endless(rows: Rows) -> list[int]:
    """The rows with a partial derivative that is infinite or NaN."""
    entries = np.flatnonzero(~np.isfinite(rows.partials))
    return np.unique(np.searchsorted(rows.ends, entries, side="right")).tolist() if len(entries) else []


def _alone(place: int, parents: NDArray[np.int32], partials: Numbers) -> Step:
    """A row as a step of its own: where nothing hangs on its place, infinity times 0 must not become NaN."""
    return Step(place, 1, (parents.astype(np.int64),), lambda given: [partials * given[0]], "row")


def _all_of(part: Step) -> Pullback:
    """Every element of a step hangs on every element of its arrays."""
    return lambda given: [np.full(np.shape(places), float(given.any())) for places in part.parents]
