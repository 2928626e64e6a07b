"""Sizes of dimensions: integers, or expressions over symbols in a cheap normal form.

An expression is a polynomial with integer coefficients whose atoms are symbols and applications of `//`, `%`, `max`
and `min`. Equal polynomials are equal objects, `(h//2)//2` is `h//4`, and `(5*h + 7)//2` is `2*h + 3 + (h + 1)//2`, so
that most comparisons need neither bounds nor a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from math import gcd, inf
from operator import add as _add
from operator import mul as _mul
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named size that is not known. Symbols of one name are one symbol; `low` and `high` bound it, if it has them."""

    name: str
    low: float = 0
    high: float = inf

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator that polynomials do not have, on two expressions in normal form."""

    function: str
    left: Dim
    right: Dim

    def __str__(self) -> str:
        if self.function in ("max", "min"):
            return f"{self.function}({self.left}, {self.right})"
        return f"{_grouped(self.left)}{self.function}{_grouped(self.right)}"


Atom: TypeAlias = Symbol | Apply
Monomial: TypeAlias = tuple[Atom, ...]
Bounds: TypeAlias = tuple[float, float]


class Expr:
    """A sum of monomials with integer coefficients, never a plain integer. Made by arithmetic, `symbol` and `apply`."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms
        self._hash = hash(terms)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expr) and self.terms == other.terms

    def __add__(self, other: Dim) -> Dim:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Expr | int):
            return NotImplemented
        sums = dict(self.terms)
        for monomial, count in _terms(other):
            sums[monomial] = sums.get(monomial, 0) + count
        return _polynomial(sums)

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return Expr(tuple((monomial, -count) for monomial, count in self.terms))

    def __sub__(self, other: Dim) -> Dim:
        return self + (-other)

    def __rsub__(self, other: Dim) -> Dim:
        return -self + other

    def __mul__(self, other: Dim) -> Dim:
        if not isinstance(other, Expr | int):
            return NotImplemented
        products: dict[Monomial, int] = {}
        for left, count in self.terms:
            for right, factor in _terms(other):
                monomial = tuple(sorted(left + right, key=str))
                products[monomial] = products.get(monomial, 0) + count * factor
        return _polynomial(products)

    __rmul__ = __mul__

    def __floordiv__(self, other: Dim) -> Dim:
        return floor_div(self, other)

    def __rfloordiv__(self, other: Dim) -> Dim:
        return floor_div(other, self)

    def __mod__(self, other: Dim) -> Dim:
        return modulo(self, other)

    def __rmod__(self, other: Dim) -> Dim:
        return modulo(other, self)

    def __str__(self) -> str:
        text = ""
        for monomial, count in self.terms:
            alone = len(monomial) == 1 and abs(count) == 1
            factors = [str(atom) if alone else _grouped_atom(atom) for atom in monomial]
            if not monomial or abs(count) != 1:
                factors.insert(0, str(abs(count)))
            sign = (" - " if count < 0 else " + ") if text else ("-" if count < 0 else "")
            text += sign + "*".join(factors)
        return text

    __repr__ = __str__

    def __bool__(self) -> bool:
        raise TypeError(f"the truth of the unknown size {self} was asked")


Dim: TypeAlias = int | Expr


def symbol(name: str, low: float = 0, high: float = inf) -> Expr:
    """A size known by name only."""
    return Expr((((Symbol(name, low, high),), 1),))


def floor_div(left: Dim, right: Dim) -> Dim:
    """left // right; defined where right is not 0."""
    if isinstance(left, int) and isinstance(right, int):
        return left // right if right else _apply("//", left, right)
    if right == 1:
        return left
    if isinstance(right, int) and right > 0:
        return _floor_div_by(left, right)
    if (exact := _exact_quotient(left, right)) is not None:
        return exact
    return _apply("//", left, right)


def ceil_div(left: Dim, right: Dim) -> Dim:
    """The smallest integer not below left / right, for right above 0."""
    return floor_div(left + right - 1, right)


def modulo(left: Dim, right: Dim) -> Dim:
    """left % right with the sign of right, as in Python."""
    if isinstance(left, int) and isinstance(right, int):
        return left % right if right else _apply("%", left, right)
    if isinstance(right, int) and right > 0:
        left = _polynomial({monomial: count % right for monomial, count in _terms(left)})
        low, high = bounds(left)
        if isinstance(left, int) or (low >= 0 and high < right):
            return left
    elif _exact_quotient(left, right) is not None:
        return 0
    return _apply("%", left, right)


def maximum(*dims: Dim) -> Dim:
    return reduce(_larger, dims)


def minimum(*dims: Dim) -> Dim:
    return reduce(_smaller, dims)


def product(dims: Iterable[Dim]) -> Dim:
    return reduce(_mul, dims, 1)


def total(dims: Iterable[Dim]) -> Dim:
    return reduce(_add, dims, 0)


def bounds(dim: Dim) -> Bounds:
    """The least and greatest value that the bounds of the symbols allow, infinite where there is no such bound."""
    if isinstance(dim, int):
        return dim, dim
    low: float = 0
    high: float = 0
    for monomial, count in dim.terms:
        exact: Bounds = (count, count)
        least, most = reduce(_times, (_bounds_of(atom) for atom in monomial), exact)
        low += least
        high += most
    return low, high


def equal(left: Dim, right: Dim) -> bool | None:
    """Whether two sizes are equal for all, for no, or for some values of the symbols (None)."""
    if left == right:
        return True
    if isinstance(left, int) and isinstance(right, int):
        return False
    low, high = bounds(left - right)
    if low > 0 or high < 0 or _never_zero(left - right):
        return False
    return None


def at_least(left: Dim, right: Dim) -> bool | None:
    """Whether left >= right for all, for no, or for some values of the symbols (None)."""
    low, high = bounds(left - right)
    if low >= 0:
        return True
    return False if high < 0 else None


def symbols(dim: Dim) -> frozenset[Symbol]:
    """The symbols that a size depends on."""
    if isinstance(dim, int):
        return frozenset()
    found: set[Symbol] = set()
    for monomial, _ in dim.terms:
        for atom in monomial:
            if isinstance(atom, Symbol):
                found.add(atom)
            else:
                found |= symbols(atom.left) | symbols(atom.right)
    return frozenset(found)


def substitute(dim: Dim, known: Mapping[str, Dim]) -> Dim:
    """The size with the named symbols replaced."""
    if isinstance(dim, int):
        return dim
    return total(count * product(_substitute_atom(atom, known) for atom in monomial) for monomial, count in dim.terms)


def evaluate(dim: Dim, known: Mapping[str, int]) -> int:
    """The number that a size is when every symbol is known."""
    value = substitute(dim, known)
    if not isinstance(value, int):
        raise TypeError(f"{value} still has symbols")
    return value


def _terms(dim: Dim) -> tuple[tuple[Monomial, int], ...]:
    return dim.terms if isinstance(dim, Expr) else (((), dim),)


def _polynomial(counts: Mapping[Monomial, int]) -> Dim:
    terms = [(monomial, count) for monomial, count in counts.items() if count]
    if not terms:
        return 0
    if len(terms) == 1 and not terms[0][0]:
        return terms[0][1]
    terms.sort(key=_rank)
    return Expr(tuple(terms))


def _rank(term: tuple[Monomial, int]) -> tuple[int, list[str]]:
    return -len(term[0]), [str(atom) for atom in term[0]]


def _floor_div_by(left: Dim, right: int) -> Dim:
    shared = gcd(right, *(count for _, count in _terms(left)))
    left = _polynomial({monomial: count // shared for monomial, count in _terms(left)})
    right //= shared
    whole = {monomial: count // right for monomial, count in _terms(left)}
    rest = _polynomial({monomial: count % right for monomial, count in _terms(left)})
    if isinstance(rest, Expr):
        inner, offset = _single_quotient(rest)
        if inner is not None and isinstance(inner.right, int):
            rest = _floor_div_by(inner.left + offset * inner.right, right * inner.right)
        else:
            low, high = bounds(rest)
            below = low >= 0 and high < right
            rest = 0 if below else _apply("//", rest, right)
    else:
        rest //= right
    return _polynomial(whole) + rest


def _single_quotient(dim: Expr) -> tuple[Apply | None, int]:
    """The quotient q and the number n of a size of the form q + n."""
    atoms = [(monomial, count) for monomial, count in dim.terms if monomial]
    offset = sum(count for monomial, count in dim.terms if not monomial)
    if len(atoms) == 1 and atoms[0][1] == 1 and len(atoms[0][0]) == 1:
        atom = atoms[0][0][0]
        if isinstance(atom, Apply) and atom.function == "//" and isinstance(atom.right, int) and atom.right > 0:
            return atom, offset
    return None, 0


def _exact_quotient(left: Dim, right: Dim) -> Dim | None:
    """left / right where right is one monomial that divides every term of left."""
    divisor = _terms(right)
    if left == right:
        return 1
    if len(divisor) != 1:
        return None
    atoms, factor = divisor[0]
    quotient: dict[Monomial, int] = {}
    for monomial, count in _terms(left):
        rest = list(monomial)
        for atom in atoms:
            if atom not in rest:
                return None
            rest.remove(atom)
        if factor == 0 or count % factor:
            return None
        quotient[tuple(rest)] = count // factor
    return _polynomial(quotient)


def _never_zero(difference: Dim) -> bool:
    """Whether the coefficients have a common divisor that the constant lacks, so that the sum is never 0."""
    counts = [count for monomial, count in _terms(difference) if monomial]
    constant = sum(count for monomial, count in _terms(difference) if not monomial)
    return bool(counts) and constant % (gcd(*counts) or 1) != 0


def _apply(function: str, left: Dim, right: Dim) -> Expr:
    return Expr((((Apply(function, left, right),), 1),))


def _larger(left: Dim, right: Dim) -> Dim:
    if at_least(left, right):
        return left
    if at_least(right, left):
        return right
    return _apply("max", *sorted((left, right), key=str))


def _smaller(left: Dim, right: Dim) -> Dim:
    if at_least(left, right):
        return right
    if at_least(right, left):
        return left
    return _apply("min", *sorted((left, right), key=str))


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
            return 0, right[1] - 1


def _quotient(left: float, right: float) -> float:
    if right == inf:
        return 0 if left >= 0 else -1
    return left if left in (inf, -inf) else left // right


def _times(left: Bounds, right: Bounds) -> Bounds:
    corners = [a * b if a and b else 0 for a in left for b in right]
    return min(corners), max(corners)


def _substitute_atom(atom: Atom, known: Mapping[str, Dim]) -> Dim:
    if isinstance(atom, Symbol):
        return known[atom.name] if atom.name in known else Expr((((atom,), 1),))
    left, right = substitute(atom.left, known), substitute(atom.right, known)
    return _FUNCTIONS[atom.function](left, right)


_FUNCTIONS: dict[str, Callable[[Dim, Dim], Dim]] = {"//": floor_div, "%": modulo, "max": maximum, "min": minimum}


def _grouped(dim: Dim) -> str:
    simple = isinstance(dim, int) or (len(dim.terms) == 1 and dim.terms[0][1] == 1 and len(dim.terms[0][0]) == 1)
    return str(dim) if simple and not (isinstance(dim, Expr) and isinstance(dim.terms[0][0][0], Apply)) else f"({dim})"


def _grouped_atom(atom: Atom) -> str:
    return f"({atom})" if isinstance(atom, Apply) and atom.function in ("//", "%") else str(atom)
