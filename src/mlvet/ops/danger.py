"""Where an operator is unsafe: operands that make a NaN or an infinity of finite ones, forward or in the gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mlvet.ops.numeric import Range


@dataclass(frozen=True, slots=True)
class Outside:
    """The result is NaN or infinite where operand `operand` leaves `safe`."""

    safe: Range
    rule: str
    operand: int = 0


@dataclass(frozen=True, slots=True)
class Near:
    """The result is NaN or infinite where operand `operand` is `point`, or so near that the dtype cannot tell."""

    point: float
    rule: str
    operand: int = 1


@dataclass(frozen=True, slots=True)
class Overflow:
    """The result leaves the dtype when finite operands are large: powers, sums, products, exponentials.

    `beyond_log_max` says that operands above log(max of dtype) do so, as exp's.
    """

    rule: str
    operand: int = 0
    beyond_log_max: bool = False


OVERFLOW = Overflow("arithmetic-overflow")
"""That of every operator that adds, multiplies or divides elements."""


@dataclass(frozen=True, slots=True)
class GradientAt:
    """The result is finite but its derivative is NaN or infinite where operand `operand` is `point`.

    `below` is an operand and a number that it has to be below, as the exponent of a power has to be below 1.
    """

    point: float
    rule: str
    operand: int = 0
    below: tuple[int, float] | None = None


@dataclass(frozen=True, slots=True)
class AllAt:
    """The result, or with `gradient` its derivative, is NaN where all elements that meet in it are `point`.

    So softmax of a row of -inf, and the gradient of the norm of zeros.
    """

    point: float
    rule: str
    operand: int = 0
    gradient: bool = False


Danger: TypeAlias = Outside | Near | Overflow | GradientAt | AllAt
