"""Quotients of symbolic integers, so that `int(h / 2)` is `h // 2` and `math.ceil(n / batch)` is known."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any

from mlvet.domains.dims import Dim, Expr, at_least, ceil_div, equal, floor_div, modulo
from mlvet.frontends.python.values.numbers import Scalar

_LARGEST_DENOMINATOR = 1024
_FEWEST = 1e15


class Ratio(Scalar):
    """The float `numerator / denominator`, at least one of them symbolic. The denominator is taken to be positive.

    Arithmetic keeps what floats keep too: scaling by powers of two, sums over one denominator, a last division.
    What floats may round away is a float of unknown value.
    """

    __slots__ = ("denominator", "numerator")
    numerator: Dim
    denominator: Dim

    def __init__(self, numerator: Dim, denominator: Dim = 1) -> None:
        Scalar.__init__(self, float)
        if isinstance(denominator, int) and denominator < 0:
            numerator, denominator = -numerator, -denominator
        if modulo(numerator, denominator) == 0:
            numerator, denominator = floor_div(numerator, denominator), 1
        object.__setattr__(self, "numerator", numerator)
        object.__setattr__(self, "denominator", denominator)

    def __repr__(self) -> str:
        return f"({self.numerator})/({self.denominator})"

    def __neg__(self) -> Ratio:
        return Ratio(-self.numerator, self.denominator)

    def __pos__(self) -> Ratio:
        return self

    def __add__(self, other: Any) -> Any:
        right = ratio_of(other)
        if right is None:
            return Scalar(float)
        if self.denominator == right.denominator:
            return Ratio(self.numerator + right.numerator, self.denominator)
        if right.denominator == 1:
            return Ratio(self.numerator + right.numerator * self.denominator, self.denominator)
        if self.denominator == 1:
            return Ratio(self.numerator * right.denominator + right.numerator, right.denominator)
        if _is_power_of_two(self.denominator) and _is_power_of_two(right.denominator):
            return Ratio(
                self.numerator * right.denominator + right.numerator * self.denominator,
                self.denominator * right.denominator,
            )
        return Scalar(float)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        right = ratio_of(other)
        return Scalar(float) if right is None else self + (-right)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        right = ratio_of(other)
        if right is None:
            return Scalar(float)
        exact = _is_power_of_two(self.denominator) and _is_power_of_two(right.denominator)
        if not exact and not (right.denominator == 1 and _is_power_of_two(right.numerator)):
            return Scalar(float)
        return Ratio(self.numerator * right.numerator, self.denominator * right.denominator)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        right = ratio_of(other)
        if right is None or right.numerator == 0 or not _is_power_of_two(self.denominator):
            return Scalar(float)
        return Ratio(self.numerator * right.denominator, self.denominator * right.numerator)

    def __rtruediv__(self, other: Any) -> Any:
        left = ratio_of(other)
        return Scalar(float) if left is None else left / self

    def __floordiv__(self, other: Any) -> Any:
        quotient = self / other
        return Ratio(floor(quotient)) if isinstance(quotient, Ratio) else quotient

    def __rfloordiv__(self, other: Any) -> Any:
        left = ratio_of(other)
        return Scalar(float) if left is None else left // self


def ratio_of(value: Any) -> Ratio | None:
    """A number as a quotient of integers; None if it is not known, or a float whose products floats round."""
    match value:
        case Ratio():
            return value
        case int() | Expr():
            return Ratio(value)
        case float() if abs(value) < _FEWEST:
            exact = Fraction(value)
            if exact.denominator <= _LARGEST_DENOMINATOR:
                return Ratio(exact.numerator, exact.denominator)
    return None


def divided(left: Dim | Ratio | float, right: Dim | Ratio | float) -> Any:
    """Python's true division where an operand is symbolic."""
    over = ratio_of(left)
    return Scalar(float) if over is None else over / right


def floor(ratio: Ratio) -> Dim:
    return floor_div(ratio.numerator, ratio.denominator)


def ceil(ratio: Ratio) -> Dim:
    return ceil_div(ratio.numerator, ratio.denominator)


def truncated(ratio: Ratio) -> Dim:
    """What `int` makes of it; sizes that may be negative are taken not to be."""
    return ceil(ratio) if at_least(-ratio.numerator, 1) is True else floor(ratio)


def rounded(ratio: Ratio) -> Dim | None:
    """The nearest integer; None where a tie may go either way."""
    if ratio.denominator == 1:
        return ratio.numerator
    if modulo(ratio.denominator, 2) == 1:
        return floor_div(2 * ratio.numerator + ratio.denominator, 2 * ratio.denominator)
    return None


def same(left: Ratio, right: Ratio) -> bool | None:
    """Whether two quotients are equal for all, no or some values of the symbols."""
    return equal(left.numerator * right.denominator, right.numerator * left.denominator)


def not_below(left: Ratio, right: Ratio) -> bool | None:
    """Whether left >= right for all, no or some values of the symbols."""
    return at_least(left.numerator * right.denominator, right.numerator * left.denominator)


def square_root(dim: Dim) -> Dim | None:
    """The integer whose square a size is, None if it is no square as polynomials are."""
    if isinstance(dim, int):
        return isqrt(dim) if dim >= 0 and isqrt(dim) ** 2 == dim else None
    if len(dim.terms) != 1:
        return None
    (atoms, count), *_ = dim.terms
    factor = square_root(count)
    if not isinstance(factor, int) or atoms[::2] != atoms[1::2]:
        return None
    return factor * Expr(((atoms[::2], 1),))


def _is_power_of_two(dim: Dim) -> bool:
    return isinstance(dim, int) and dim > 0 and dim & (dim - 1) == 0
