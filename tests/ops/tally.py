"""How many operators and examples each facet was tried with."""

from __future__ import annotations

from collections import Counter, defaultdict

examples: Counter[str] = Counter()
operators: dict[str, set[str]] = defaultdict(set)


def count(facet: str, operator: str) -> None:
    """One more example of a facet of an operator."""
    examples[facet] += 1
    operators[facet].add(operator)
