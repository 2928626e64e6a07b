"""Successive halving over sampled configurations."""
from __future__ import annotations

import random

from . import objective, space


class SuccessiveHalving:
    """Keeps the better half of the configurations while doubling the budget."""

    def __init__(self, count: int, budget: int, seed: int = 0) -> None:
        self.count = count
        self.budget = budget
        self.rng = random.Random(seed)
        self.trace: list[tuple[int, int, float]] = []

    def sample(self) -> dict[str, float]:
        return {
            "width": space.integer(self.rng, 8, 64),
            "dropout": space.uniform(self.rng, 0.0, 0.5),
            "lr": space.loguniform(self.rng, 1e-4, 1e-1),
        }

    def rank(self, candidates: list[dict[str, float]], budget: int) -> list[dict[str, float]]:
        scored = sorted(candidates, key=lambda c: objective.evaluate(c, budget))
        self.trace.append((len(candidates), budget, objective.evaluate(scored[0], budget)))
        return scored

    def run(self) -> dict[str, float]:
        candidates = [self.sample() for _ in range(self.count)]
        budget = self.budget
        while len(candidates) > 1:
            candidates = self.rank(candidates, budget)[: max(1, len(candidates) // 2)]
            budget *= 2
        return candidates[0]

    def total_budget(self) -> int:
        """Evaluations spent so far, weighted by their budget."""
        return sum(count * budget for count, budget, _ in self.trace)
