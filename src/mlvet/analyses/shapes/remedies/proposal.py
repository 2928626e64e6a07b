"""A proposal: edits that may cure a finding, not tried yet."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from mlvet.core.fix import Edit


class Kind(IntEnum):
    """What is changed, in the order in which it is tried: what leaves all sizes as they are written comes first."""

    ELEMENTS = 1
    LOSS = 2
    LAYOUT = 3
    AXIS = 4
    NEEDLESS = 5
    FLAT = 6
    ORDER = 7
    ONES = 8
    NUMBER = 9
    SLIP = 10


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits with what they do in words, and why they may be wrong.

    Those of one kind and `meaning` are different ways to write the same. Those of a higher `risk` are tried only if no
    other of their kind is a cure.
    """

    kind: Kind
    meaning: Hashable
    title: str
    edits: tuple[Edit, ...]
    reason: str
    risk: int = 0

    def is_like(self, other: Proposal) -> bool:
        """Whether it does at one place what another does at another."""
        return (self.kind, self.meaning, self.risk) == (other.kind, other.meaning, other.risk)


Proposals = Iterator[Proposal]
