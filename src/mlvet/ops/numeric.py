"""The mathematical kinds of operators; an analysis of values has one transfer per kind, not one per operator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

from mlvet.domains.intervals import Interval


@dataclass(frozen=True, slots=True)
class Range:
    """An interval of reals; `open_low` and `open_high` leave the end out."""

    low: float = -inf
    high: float = inf
    open_low: bool = False
    open_high: bool = False

    def __contains__(self, x: float) -> bool:
        above = x > self.low if self.open_low else x >= self.low
        return above and (x < self.high if self.open_high else x <= self.high)

    def __str__(self) -> str:
        return f"{'(' if self.open_low else '['}{self.low:g}, {self.high:g}{')' if self.open_high else ']'}"


REALS = Range()
POSITIVE = Range(low=0.0, open_low=True)
NONNEGATIVE = Range(low=0.0)


@dataclass(frozen=True, slots=True)
class Monotone:
    """Elementwise in one operand and monotone on `domain`; results lie in `image`.

    Implementations are off by a few values of the element type, and by `absolute` times its epsilon besides, where they
    take small results from differences of larger numbers. They keep the sign.
    """

    increasing: bool = True
    domain: Range = REALS
    image: Range = REALS
    absolute: float = 0.0


@dataclass(frozen=True, slots=True)
class Piecewise:
    """Elementwise in one operand and monotone between `turns`: cosh turns at 0. The rest is as in Monotone."""

    turns: tuple[float, ...]
    domain: Range = REALS
    image: Range = REALS
    absolute: float = 0.0


@dataclass(frozen=True, slots=True)
class Bounded:
    """Elementwise; of the results only `image` is known, whatever the operands."""

    image: Range = REALS


@dataclass(frozen=True, slots=True)
class Affine:
    """Elementwise and affine in all operands together: sum of `coefficients[i] * operand[i]`, plus `constant`."""

    coefficients: tuple[float, ...]
    constant: float = 0.0


@dataclass(frozen=True, slots=True)
class Lattice:
    """The elementwise maximum or minimum of the operands."""

    maximum: bool


@dataclass(frozen=True, slots=True)
class Product:
    """The elementwise product of the operands."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """The elementwise quotient of two operands."""


@dataclass(frozen=True, slots=True)
class Power:
    """Elementwise, the first operand to the power of the second."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Every element of the results is an element of the operands listed, or `fill` if that is given."""

    operands: tuple[int, ...] | None = None
    fill: float | None = None


@dataclass(frozen=True, slots=True)
class Reduction:
    """Elements along some axes combined by `how`: sum, mean, max, min, product, any, all, log_sum_exp."""

    how: str


@dataclass(frozen=True, slots=True)
class Bilinear:
    """Linear in each of the two operands listed: sums of products of an element of one and an element of the other.

    `terms(*operands, **attributes)`, on `Tensor`s, is the greatest number of products in one sum. Operand `plus`, where
    it is given and present, is added to the sums. The attributes named by `scale` and `plus_scale` multiply the two.
    """

    operands: tuple[int, int] = (0, 1)
    plus: int | None = None
    terms: Callable[..., Any] | None = None
    scale: str | None = None
    plus_scale: str | None = None


@dataclass(frozen=True, slots=True)
class Multilinear:
    """Sums of products of one element of each operand; operand `plus`, if present, is added. `terms` as in Bilinear."""

    plus: int | None = None
    terms: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True)
class Convex:
    """Every element of the result is a weighted mean of elements of operand `of`, weights summing to at most 1.

    `terms(*operands, **attributes)`, on `Tensor`s, is the greatest number of elements that are added up before the sum
    is divided, None where it is not known: the sum may leave the element type though the mean does not. Without
    `terms` the elements are weighed first, so that only roundings carry a mean beyond them.
    """

    of: int = 0
    terms: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True)
class Predicate:
    """Elementwise truth of a relation, so true or false: less, equal, and, is_nan ..."""

    relation: str


@dataclass(frozen=True, slots=True)
class Composite:
    """Not a primitive. `decompose(build, *operands, **attributes)` yields the results from primitives."""

    decompose: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class ByMode:
    """The kind hangs on the attributes: `of(**attributes)` yields it, or None where results can be anything."""

    of: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Enclosure:
    """The operator encloses its own results: `of(operands, tensors, **attributes)` yields one interval per result.

    `operands` are intervals, one per operand for all its elements together (of a complex operand for both parts), None
    where one is left out; `tensors` are the operands as `Tensor`. An interval without a number stands for text. With
    `keeps`, each element of the results hangs only on the element of operand 0 at its place and on the other operands,
    so that part of operand 0 may be enclosed by itself.
    """

    of: Callable[..., tuple[Interval, ...]]
    keeps: bool = False


Numeric: TypeAlias = (
    Monotone | Piecewise | Bounded | Affine | Lattice | Product | Quotient | Power | Selection | Reduction | Bilinear
    | Multilinear | Convex | Predicate | Composite | ByMode | Enclosure
)  # fmt: skip
