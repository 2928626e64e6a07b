"""The least and greatest value of a size, by interval arithmetic on its terms."""

from __future__ import annotations

from functools import reduce
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from mlvet.domains.atoms import Atom, Symbol

if TYPE_CHECKING:
    from mlvet.domains.dims import Dim

Bounds: TypeAlias = tuple[float, float]

INFINITE = (inf, -inf)


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
