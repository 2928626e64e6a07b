"""Which mutant is changed next, and how: as LEMON chooses, by what has raised the deviation so far [LEMON 3.2]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mlvet.analyses.compare.mutation.breed import Mutant
from mlvet.analyses.compare.walk import Walk

_MOST_PARENTS = 40


@dataclass(slots=True, eq=False)
class Parent:
    """A mutant that may be changed further, its deviation, and how often it was."""

    mutant: Mutant
    deviation: float
    chosen: int = 0


@dataclass(slots=True)
class Guidance:
    """Parents by roulette, those least used first; operators by Metropolis and Hastings over their success."""

    operators: Sequence[str]
    random: np.random.Generator
    parents: list[Parent] = field(default_factory=list)
    tried: dict[str, int] = field(default_factory=dict)
    raised: dict[str, int] = field(default_factory=dict)
    _last: str = ""

    def parent(self) -> Parent:
        weights = np.array([1.0 / (each.chosen + 1) for each in self.parents])
        found = self.parents[int(self.random.choice(len(self.parents), p=weights / weights.sum()))]
        found.chosen += 1
        return found

    def operator(self) -> str:
        ranked = sorted(self.operators, key=self._success, reverse=True)
        now = ranked.index(self._last) if self._last else int(self.random.integers(len(ranked)))
        keep = 1.0 - 1.0 / len(ranked)
        while True:
            proposed = int(self.random.integers(len(ranked)))
            if self.random.random() < keep ** (proposed - now):
                self._last = ranked[proposed]
                return self._last

    def learn(self, operator: str, parent: Parent, child: Mutant | None, deviation: float) -> None:
        """A child that deviates at least as much as its parent becomes a parent."""
        self.tried[operator] = self.tried.get(operator, 0) + 1
        if child is None or deviation < parent.deviation:
            return
        if deviation > parent.deviation:
            self.raised[operator] = self.raised.get(operator, 0) + 1
        self.parents.append(Parent(child, deviation))
        if len(self.parents) > _MOST_PARENTS:
            self.parents.remove(max(self.parents[:-1], key=lambda each: each.chosen))

    def _success(self, operator: str) -> float:
        return self.raised.get(operator, 0) / self.tried[operator] if operator in self.tried else 1.0


def deviation(walk: Walk) -> float:
    """How far backends deviate in layers that are not wrong: the greatest error of each backend in times its noise."""
    greatest: dict[str, float] = {}
    for error in walk.errors:
        if not error.wrong and np.isfinite(error.times):
            greatest[error.backend] = max(greatest.get(error.backend, 0.0), error.times)
    return sum(greatest.values())
