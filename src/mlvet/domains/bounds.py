"""The least and greatest value of a size, by interval arithmetic on its terms."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, reduce
from math import ceil, inf
from typing import TYPE_CHECKING, TypeAlias

from mlvet.domains.atoms import Apply, Atom, Monomial, Symbol

if TYPE_CHECKING:
    from mlvet.domains.dims import Dim

Bounds: TypeAlias = tuple[float, float]

INFINITE = (inf, -inf)
_MOST_QUOTIENTS = 32


def bounds(dim: Dim) -> Bounds:
    """The least and greatest value that the bounds of the symbols allow, infinite where there is no such bound."""
    if isinstance(dim, int):
        return dim, dim
    low: float = 0
    high: float = 0
    for monomial, count in dim.terms:
        exact: Bounds = (count, count)
        least, most = reduce(_times, (_bounds_of(atom) for atom in monomial), exact)
        low = _plus(low, least)
        high = _plus(high, most)
    return low, high


@lru_cache(maxsize=4096)
def tight_bounds(dim: Dim) -> Bounds:
    """Bounds that see quotients together: x//c lies between (x - c + 1)/c and x/c, so that what they share cancels."""
    low, high = bounds(dim)
    if isinstance(dim, int) or low > 0 or high < 0 or not any(map(_is_quotient, dim.terms)):
        return low, high
    return max(low, _least(dim)), min(high, -_least(-dim))


def _is_quotient(term: tuple[Monomial, int]) -> bool:
    return len(term[0]) == 1 and isinstance(term[0][0], Apply) and _divisor(term[0][0]) > 0


def _divisor(atom: Apply) -> int:
    return atom.right if atom.function == "//" and isinstance(atom.right, int) else 0


def _least(dim: Dim) -> float:
    """A value that an integer cannot fall below, from one linear bound for each quotient, outermost first."""
    sums: dict[Monomial, Fraction] = {}
    pending: list[tuple[Dim, Fraction]] = [(dim, Fraction(1))]
    for _ in range(_MOST_QUOTIENTS):
        if not pending:
            break
        part, factor = pending.pop()
        for monomial, count in (((), part),) if isinstance(part, int) else part.terms:
            weight = factor * count
            atom = monomial[0] if len(monomial) == 1 else None
            if isinstance(atom, Apply) and (divisor := _divisor(atom)) > 0:
                pending.append((atom.left - (divisor - 1) if weight > 0 else atom.left, weight / divisor))
            else:
                sums[monomial] = sums.get(monomial, Fraction(0)) + weight
    if pending:
        return -inf
    total = Fraction(0)
    for monomial, weight in sums.items():
        exact: Bounds = (1, 1)
        low, high = reduce(_times, map(_bounds_of, monomial), exact)
        end = low if weight > 0 else high
        if weight and end in INFINITE:
            return -inf
        total += weight * Fraction(end) if weight else 0
    return ceil(total)


def _bounds_of(atom: Atom) -> Bounds:
    if isinstance(atom, Symbol):
        return atom.low, atom.high
    left, right = bounds(atom.left), bounds(atom.right)
    match atom.function:
        case "max":
            return max(left[0], right[0]), max(left[1], right[1])
        case "min":
            return min(left[0], right[0]), min(left[1], right[1])
        case _ if right[0] <= 0:
            return -inf, inf
        case "//":
            corners = [_quotient(a, b) for a in left for b in right]
            return min(corners), max(corners)
        case _:
            return 0, min(right[1] - 1, left[1]) if left[0] >= 0 else right[1] - 1


def _quotient(left: float, right: float) -> float:
    if right == inf:
        return 0 if left >= 0 else -1
    return left if left in INFINITE else left // right


def _times(left: Bounds, right: Bounds) -> Bounds:
    corners = [_multiplied(a, b) for a in left for b in right]
    return min(corners), max(corners)


def _multiplied(left: float, right: float) -> float:
    if not left or not right:
        return 0
    if left in INFINITE or right in INFINITE:
        return inf if (left > 0) == (right > 0) else -inf
    return left * right


def _plus(left: float, right: float) -> float:
    if left in INFINITE:
        return left
    return right if right in INFINITE else left + right
