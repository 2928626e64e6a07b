"""Which numbers of which output a script shows: a few, those that are furthest off among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.reproduction.reduction import Shown

Array = NDArray[Any]
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Place:
    """An output, the places in it that are shown (none for all of them), and what should be there."""

    output: int
    places: tuple[int, ...]
    expected: str
    shape: bool = False

    def seen(self, array: str) -> str:
        """An expression of what is shown of an array."""
        if self.shape:
            return f"{array}.shape"
        return f"{array}.ravel()[{list(self.places)}]" if self.places else f"{array}.ravel()"


def place_of(shown: Shown) -> Place:
    """The output that is furthest off, and where; of a backend that fails, what it should yield first."""
    if not shown.wrong:
        first = shown.right[0]
        some = tuple(range(_SHOWN)) if first.size > _SHOWN else ()
        return Place(0, some, str(first.ravel()[: len(some) or None].astype(_single(first))).replace("\n", ""))
    off = [_off(wrong, right) for wrong, right in zip(shown.wrong, shown.right, strict=False)]
    output = max(range(len(off)), key=lambda index: float(np.max(off[index], initial=0.0)))
    wrong, right = shown.wrong[output], shown.right[output]
    if wrong.shape != right.shape:
        return Place(output, (), str(right.shape), shape=True)
    places: tuple[int, ...] = ()
    if right.size > _SHOWN:
        places = tuple(sorted(int(each) for each in np.argsort(-off[output].ravel(), kind="stable")[:_SHOWN]))
    values = right.ravel()[list(places)] if places else right.ravel()
    if values.dtype.kind == "f":
        values = values.astype(wrong.dtype)
    return Place(output, places, str(values).replace("\n", ""))


def _single(array: Array) -> np.dtype[Any]:
    return np.dtype(np.float32) if array.dtype == np.float64 else array.dtype


def _off(wrong: Array, right: Array) -> Array:
    if wrong.shape != right.shape:
        return np.full(1, np.inf)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.abs(wrong.astype(np.float64) - right.astype(np.float64)), nan=np.inf)
