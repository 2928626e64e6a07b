"""How operators move elements, so that partitions and relations between elements can follow them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Elementwise:
    """Result element i depends on element i of each operand, after broadcasting, and on nothing else."""


@dataclass(frozen=True, slots=True)
class Moves:
    """Every result element is one element of the operands listed (all, if None), or a fill.

    Which one depends on shapes, attributes and the other operands only. Running the reference on arrays of element
    numbers therefore yields the map itself.
    """

    operands: tuple[int, ...] | None = (0,)


@dataclass(frozen=True, slots=True)
class Reduces:
    """Result element i depends on the elements of operand 0 whose index agrees with i outside the reduced axes."""


@dataclass(frozen=True, slots=True)
class AlongAxis:
    """Of the shape of operand 0; result element i depends on the elements that differ from i along the axes only."""


IndexMap: TypeAlias = Elementwise | Moves | Reduces | AlongAxis
