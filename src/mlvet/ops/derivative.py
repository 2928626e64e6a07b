"""How results change with the operands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Partials:
    """Elementwise: `of(*operands, **attributes)` yields one array of partial derivatives per operand, or None.

    The partials broadcast with the result. None marks an operand that is not differentiable, such as a condition.
    """

    of: Callable[..., tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class SameMap:
    """Linear in the operands listed (all, if None) together: the derivative is the operator on the directions."""

    operands: tuple[int, ...] | None = (0,)


@dataclass(frozen=True, slots=True)
class ProductRule:
    """Linear in each of the operands listed: the product rule gives the directional derivative."""

    operands: tuple[int, int] = (0, 1)


@dataclass(frozen=True, slots=True)
class Jvp:
    """`of(operands, directions, **attributes)` yields the directional derivative of the result.

    `directions` has one entry per operand, None where the operand stays fixed, as all must that are not among
    `operands` (None: any float operand may move).
    """

    of: Callable[..., Any]
    operands: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Zero:
    """The results do not change continuously with any operand: comparisons, rounding, integer results."""


Derivative: TypeAlias = Partials | SameMap | ProductRule | Jvp | Zero
