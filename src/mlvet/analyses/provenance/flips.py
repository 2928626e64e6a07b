"""Unstable comparisons: those that a small change of an input would turn [LAMP 4.1].

A comparison with margin v is unstable for an input x if |dv/dx| * delta >= |v|; to first order it turns when x moves by
-v / (dv/dx). One backward sweep from the margin gives that distance for all inputs.
"""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from mlvet.analyses.provenance.influence import scales
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.core.explanation import Flip
from mlvet.runtime.provenance.inputs import Inputs
from mlvet.runtime.provenance.predicates import Place, Predicate

_T = TypeVar("_T")
_SWEPT = 48
"""Comparisons for which derivatives are computed: those with the smallest margins, of each line in turn."""
_INPUTS = 3
"""Inputs that are told for one comparison, nearest first."""


@dataclass(frozen=True, slots=True)
class Unstable:
    """A comparison that one input turns when it moves by `change`."""

    predicate: Predicate
    input: int
    change: float

    @property
    def place(self) -> Place:
        return self.predicate.place


def unstable(
    predicates: Sequence[Predicate], sweeps: Sweeps, inputs: Inputs, delta: float, max_derivative: float | None,
    *, relative: bool = False,
) -> list[Unstable]:  # fmt: skip
    """The unstable comparisons with the inputs that turn them; `relative` to the inputs' magnitudes.

    The nearest of each line of the program come first, then the second of each: a line that sorts equal numbers does
    not hide the others.
    """
    places = inputs.all_places()
    reach = delta * scales(inputs.all_values(), inputs) if relative else np.full(len(places), delta)
    found: list[Unstable] = []
    near = [each for each in predicates if each.parents]
    if max_derivative is not None:
        near = [each for each in near if each.closeness <= delta * max_derivative]
    for predicate in _in_turn(near, [(each.place[0], each.place[1]) for each in near])[:_SWEPT]:
        slopes = sweeps.backward(predicate.parents)[places]
        with np.errstate(divide="ignore", invalid="ignore"):
            changes = np.where(slopes == 0, np.inf, -predicate.margin / slopes)
        distances = np.abs(changes)
        order = np.argsort(distances / np.where(reach > 0, reach, 1.0))[:_INPUTS]
        found += [
            Unstable(predicate, int(each), float(changes[each])) for each in order if distances[each] <= reach[each]
        ]
    nearest = sorted(_nearest(found), key=lambda each: abs(each.change))
    return _in_turn(nearest, [(each.place[0], each.place[1]) for each in nearest])


def _in_turn(ordered: Sequence[_T], lines: Sequence[tuple[str, int]]) -> list[_T]:
    """The first of each line, then the second of each, and so on, without changing the order otherwise."""
    met: Counter[tuple[str, int]] = Counter()
    turns = []
    for line in lines:
        turns.append(met[line])
        met[line] += 1
    return [ordered[index] for index in sorted(range(len(ordered)), key=lambda index: turns[index])]


def _nearest(found: list[Unstable]) -> list[Unstable]:
    """Of each line of the program and each input the nearest comparison."""
    kept: dict[tuple[str, int, int], Unstable] = {}
    for each in sorted(found, key=lambda each: abs(each.change)):
        kept.setdefault((each.place[0], each.place[1], each.input), each)
    return list(kept.values())


def flip(each: Unstable, inputs: Inputs) -> Flip:
    """As it is told, before it is tried."""
    path, line, _ = each.place
    side = 1 if each.change > 0 else -1
    text = linecache.getline(path, line).strip()
    return Flip(inputs.name(each.input), abs(each.change), side, None, path, line, False, text)
