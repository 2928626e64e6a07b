"""Sizes of dimensions: integers, or expressions over symbols in a cheap normal form.

An expression is a polynomial with integer coefficients whose atoms are symbols and applications of `//`, `%`, `max`
and `min`. Equal polynomials are equal objects, `(h//2)//2` is `h//4`, and `(5*h + 7)//2` is `(h + 1)//2 + 2*h + 3`, so
that most comparisons need neither bounds nor a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import reduce
from math import gcd, inf
from operator import add as _add
from operator import mul as _mul
from typing import TypeAlias

from mlvet.domains.atoms import Apply, Atom, Monomial, Symbol, spelled
from mlvet.domains.bounds import INFINITE, bounds, tight_bounds

__all__ = [
    "Apply", "Atom", "Dim", "Expr", "Symbol", "at_least", "bounds", "ceil_div", "equal", "evaluate", "floor_div",
    "inhabited", "maximum", "may_be_empty", "minimum", "modulo", "product", "spelled", "substitute", "symbol",
    "symbols", "total",
]  # fmt: skip


class Expr:
    """A sum of monomials with integer coefficients, never a plain integer. Made by `symbol` and arithmetic."""

    __slots__ = ("_hash", "_symbols", "_text", "terms")

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms
        self._hash = hash(terms)
        self._text = ""
        self._symbols: frozenset[Symbol] | None = None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Expr) and self._hash == other._hash and self.terms == other.terms

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols that it depends on."""
        if self._symbols is None:
            found: set[Symbol] = set()
            for monomial, _ in self.terms:
                for atom in monomial:
                    if isinstance(atom, Symbol):
                        found.add(atom)
                    else:
                        found |= symbols(atom.left) | symbols(atom.right)
            self._symbols = frozenset(found)
        return self._symbols

    def __add__(self, other: Dim) -> Dim:
        if isinstance(other, int):
            return self._raised(other) if other else self
        if not isinstance(other, Expr):
            return NotImplemented
        sums = dict(self.terms)
        for monomial, count in other.terms:
            sums[monomial] = sums.get(monomial, 0) + count
        return _polynomial(sums)

    def _raised(self, number: int) -> Expr:
        """The sum with an integer, which is the last term."""
        *others, (monomial, count) = self.terms
        if monomial:
            return Expr((*self.terms, ((), 0 + number)))
        return Expr((*others, ((), count + number)) if count + number else tuple(others))

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return Expr(tuple((monomial, -count) for monomial, count in self.terms))

    def __sub__(self, other: Dim) -> Dim:
        return self + (-other)

    def __rsub__(self, other: Dim) -> Dim:
        return -self + other

    def __mul__(self, other: Dim) -> Dim:
        if isinstance(other, int):
            return self._times(other) if other else 0
        if not isinstance(other, Expr):
            return NotImplemented
        products: dict[Monomial, int] = {}
        for left, count in self.terms:
            for right, factor in other.terms:
                monomial = _joined(left, right)
                products[monomial] = products.get(monomial, 0) + count * factor
        return _polynomial(products)

    def _times(self, number: int) -> Expr:
        return self if number == 1 else Expr(tuple((monomial, count * number) for monomial, count in self.terms))

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
        if not self._text:
            self._text = spelled(self, str)
        return self._text

    __repr__ = __str__

    def __bool__(self) -> bool:
        raise TypeError(f"the truth of the unknown size {self} was asked")


Dim: TypeAlias = int | Expr

_LONGEST_DIVISION = 64


def symbol(name: str, low: float = 0, high: float = inf, *, counted: bool = False) -> Expr:
    """A size known by name only."""
    return Expr((((Symbol(name, low, high, counted),), 1),))


def may_be_empty(dim: Dim) -> bool:
    """Whether elements decide a size such that it may be 0; other sizes not known are taken to be at least 1."""
    if isinstance(dim, int):
        return dim == 0
    return any(each.counted for each in symbols(dim)) and bounds(inhabited(dim))[0] <= 0


def inhabited(dim: Dim, names: Container[str] | None = None) -> Dim:
    """The size where every size that elements do not decide is at least 1, or those of some names."""
    named = [] if isinstance(dim, int) else [each for each in symbols(dim) if not each.counted]
    named = named if names is None else [each for each in named if each.name in names]
    return substitute(dim, {each.name: symbol(each.name, max(each.low, 1), each.high) for each in named})


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
    return 0 if _within(left, right) else _apply("//", left, right)


def ceil_div(left: Dim, right: Dim) -> Dim:
    """The smallest integer not below left / right, for right above 0."""
    return floor_div(left + right - 1, right)


def modulo(left: Dim, right: Dim) -> Dim:
    """left % right with the sign of right, as in Python."""
    if isinstance(left, int) and isinstance(right, int):
        return left % right if right else _apply("%", left, right)
    if isinstance(right, int) and right > 0:
        return _modulo_by(left, right)
    if _exact_quotient(left, right) is not None:
        return 0
    return left if _within(left, right) else _apply("%", left, right)


def maximum(*dims: Dim) -> Dim:
    return _extreme("max", dims)


def minimum(*dims: Dim) -> Dim:
    return _extreme("min", dims)


def product(dims: Iterable[Dim]) -> Dim:
    return reduce(_mul, dims, 1)


def total(dims: Iterable[Dim]) -> Dim:
    return reduce(_add, dims, 0)


def equal(left: Dim, right: Dim) -> bool | None:
    """Whether two sizes are equal for all, for no, or for some values of the symbols (None)."""
    if left == right:
        return True
    if isinstance(left, int) and isinstance(right, int):
        return False
    difference = left - right
    low, high = tight_bounds(difference)
    if low > 0 or high < 0 or _never_zero(difference):
        return False
    return True if low == high == 0 else None


def at_least(left: Dim, right: Dim) -> bool | None:
    """Whether left >= right for all, for no, or for some values of the symbols (None)."""
    if isinstance(left, int) and isinstance(right, int):
        return left >= right
    difference = left - right
    low, high = bounds(difference)
    if low < 0 <= high:
        low, high = tight_bounds(difference)
    if low >= 0:
        return True
    return False if high < 0 else None


_NONE: frozenset[Symbol] = frozenset()


def symbols(dim: Dim) -> frozenset[Symbol]:
    """The symbols that a size depends on."""
    return _NONE if isinstance(dim, int) else dim.symbols


def substitute(dim: Dim, known: Mapping[str, Dim]) -> Dim:
    """The size with the named symbols replaced."""
    if isinstance(dim, int):
        return dim
    return total(count * product(_substitute_atom(atom, known) for atom in monomial) for monomial, count in dim.terms)


def evaluate(dim: Dim, known: Mapping[str, int]) -> int:
    """The number that a size is when every symbol is known. Raises ZeroDivisionError where it has none."""
    value = substitute(dim, known)
    if not isinstance(value, int):
        if not symbols(value):
            raise ZeroDivisionError(f"{value} divides by 0")
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
    if len(terms) > 1:
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
    if isinstance(rest, int):
        return _polynomial(whole) + rest // right
    if (quotient := _single_quotient(rest)) is not None and isinstance(quotient.right, int):
        others = (rest - Expr((((quotient,), 1),))) * quotient.right
        return _polynomial(whole) + _floor_div_by(quotient.left + others, right * quotient.right)
    if (shared := _shared_factor(rest, right)) > 1:
        smaller = _polynomial({monomial: count // shared for monomial, count in rest.terms})
        return _polynomial(whole) + floor_div(smaller, right // shared)
    low, high = bounds(rest)
    if low not in INFINITE and high not in INFINITE and low // right == high // right:
        return _polynomial(whole) + int(low // right)
    return _polynomial(whole) + _apply("//", rest, right)


def _modulo_by(left: Dim, right: int) -> Dim:
    rest = _polynomial({monomial: count % right for monomial, count in _terms(left)})
    if isinstance(rest, int):
        return rest
    low, high = bounds(rest)
    if low >= 0 and high < right:
        return rest
    if (shared := _shared_factor(rest, right)) > 1:
        constant = sum(count for monomial, count in rest.terms if not monomial)
        smaller = _polynomial({monomial: count // shared for monomial, count in rest.terms})
        return modulo(smaller, right // shared) * shared + constant % shared
    return _apply("%", rest, right)


def _shared_factor(dim: Expr, right: int) -> int:
    """The greatest common divisor of right and of every coefficient but the constant's."""
    return gcd(right, *(count for monomial, count in dim.terms if monomial))


def _within(left: Dim, right: Dim) -> bool:
    """Whether 0 <= left < right for all values of the symbols."""
    return at_least(left, 0) is True and at_least(right - left, 1) is True


def _single_quotient(dim: Expr) -> Apply | None:
    """The quotient q = a//b of a sum q + p that has no other: (a//b + p)//c is (a + b*p)//(b*c)."""
    found = [
        (monomial[0], count if len(monomial) == 1 else 0)
        for monomial, count in dim.terms
        for atom in monomial
        if isinstance(atom, Apply) and atom.function == "//"
    ]
    if len(found) != 1 or found[0][1] != 1:
        return None
    atom = found[0][0]
    return atom if isinstance(atom, Apply) and isinstance(atom.right, int) and atom.right > 0 else None


def _exact_quotient(left: Dim, right: Dim) -> Dim | None:
    """left / right where right divides left as polynomials do, by long division."""
    if left == right:
        return 1
    (atoms, factor), *others = _terms(right)
    if factor == 0:
        return None
    quotient: dict[Monomial, int] = {}
    pending = {monomial: count for monomial, count in _terms(left) if count}
    for _ in range(_LONGEST_DIVISION):
        if not pending:
            return _polynomial(quotient)
        monomial, count = min(pending.items(), key=_rank) if others else next(iter(pending.items()))
        rest = _without(monomial, atoms)
        if rest is None or count % factor:
            return None
        quotient[rest] = count // factor
        del pending[monomial]
        for other, weight in others:
            target = _joined(rest, other)
            pending[target] = pending.get(target, 0) - quotient[rest] * weight
            if not pending[target]:
                del pending[target]
    return None


def _without(monomial: Monomial, atoms: Monomial) -> Monomial | None:
    """What is left of a product after division by some atoms, None if they are not all in it."""
    rest = list(monomial)
    for atom in atoms:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _joined(left: Monomial, right: Monomial) -> Monomial:
    return tuple(sorted(left + right, key=str)) if left and right else left or right


def _never_zero(difference: Dim) -> bool:
    """Whether the coefficients have a common divisor that the constant lacks, so that the sum is never 0."""
    counts = [count for monomial, count in _terms(difference) if monomial]
    constant = sum(count for monomial, count in _terms(difference) if not monomial)
    return bool(counts) and constant % (gcd(*counts) or 1) != 0


def _apply(function: str, left: Dim, right: Dim) -> Expr:
    return Expr((((Apply(function, left, right),), 1),))


def _extreme(function: str, dims: Iterable[Dim]) -> Dim:
    """The max or min of sizes: nested ones are flattened, and operands that another one covers are dropped."""
    kept: list[Dim] = []
    for dim in dims:
        for operand in _operands(function, dim):
            if not any(_covers(function, other, operand) for other in kept):
                kept = [other for other in kept if not _covers(function, operand, other)]
                kept.append(operand)
    if len(kept) > 1:
        kept.sort(key=str)
    return reduce(lambda left, right: _apply(function, left, right), kept)


def _operands(function: str, dim: Dim) -> list[Dim]:
    found: list[Dim] = []
    while isinstance(dim, Expr) and len(dim.terms) == 1 and dim.terms[0][1] == 1 and len(dim.terms[0][0]) == 1:
        atom = dim.terms[0][0][0]
        if not isinstance(atom, Apply) or atom.function != function:
            break
        found.append(atom.right)
        dim = atom.left
    return [dim, *reversed(found)]


def _covers(function: str, left: Dim, right: Dim) -> bool:
    """Whether left makes right superfluous in a max or min."""
    return bool(left == right or (at_least(left, right) if function == "max" else at_least(right, left)))


def _substitute_atom(atom: Atom, known: Mapping[str, Dim]) -> Dim:
    if isinstance(atom, Symbol):
        return known[atom.name] if atom.name in known else Expr((((atom,), 1),))
    left, right = substitute(atom.left, known), substitute(atom.right, known)
    return _FUNCTIONS[atom.function](left, right)


_FUNCTIONS: dict[str, Callable[[Dim, Dim], Dim]] = {"//": floor_div, "%": modulo, "max": maximum, "min": minimum}
