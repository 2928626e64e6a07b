"""How large a program may be; of a larger one nothing is suggested, and the user is told so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mlvet.ir.facts import Fact

MOST_FACTS = 600_000
"""About twice as many as of 10,000 operators in a loop."""


class TooLarge(Exception):
    """There are more facts about a program than rules can be run over in a few seconds."""

    def __init__(self) -> None:
        super().__init__(f"too large for suggestions on efficiency, with more than {MOST_FACTS:,} facts")


def limited(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Some facts, unless they are too many."""
    for number, each in enumerate(facts):
        check(number)
        yield each


def check(number: int) -> None:
    """Give up on a program with so many facts of one kind, or in all."""
    if number >= MOST_FACTS:
        raise TooLarge
