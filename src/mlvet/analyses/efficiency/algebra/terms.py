"""Terms of matrix algebra, and what one iteration of a loop costs that computes them.

What does not change costs once, so that it counts as a share of an iteration. A term is equal to another if it is
written alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mlvet.analyses.efficiency.costs import Cost

PRODUCT, SUM, DIFFERENCE, SCALED, FLIPPED, LEAF = "Mul", "Add", "Sub", "Scale", "Tr", "Leaf"


@dataclass(frozen=True, slots=True)
class Term:
    """A leaf by number, or an operator with its operands; `scalar` is the number of the factor of a scaled term."""

    op: str
    parts: tuple[Term, ...] = ()
    leaf: int = -1
    scalar: int = -1

    def below(self) -> Iterator[Term]:
        """The term and all that it is made of."""
        yield self
        for each in self.parts:
            yield from each.below()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A matrix that the loop has: its size, whether an iteration changes it, and its text."""

    rows: int
    columns: int
    varies: bool
    text: str
    atomic: bool = True


@dataclass(frozen=True, slots=True)
class Scalar:
    """A factor, or a divisor if it is `under`; its text is empty for -1."""

    varies: bool
    text: str
    under: bool = False


@dataclass(frozen=True, slots=True)
class Formula:
    """A term with what its leaves and factors are."""

    term: Term
    leaves: tuple[Leaf, ...]
    scalars: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class Priced:
    """A term with its size, whether it varies, and what it costs: once before the loop, and in each iteration."""

    term: Term
    rows: int
    columns: int
    varies: bool
    once: float
    each: float

    def per_iteration(self, trips: int) -> float:
        return self.each + self.once / trips


def priced(formula: Formula, term: Term) -> Priced:
    """The price of a term in which everything that does not vary is computed once, and alike parts of that are one."""
    parts = [priced(formula, each) for each in term.parts]
    whole = combined(formula, term, parts)
    once = sum(_alone(formula, each) for each in set(steady_parts(formula, term)))
    return Priced(term, whole.rows, whole.columns, whole.varies, once, whole.each)


def combined(formula: Formula, term: Term, parts: list[Priced]) -> Priced:
    """The price of a term from the prices of its operands."""
    if term.op == LEAF:
        leaf = formula.leaves[term.leaf]
        return Priced(term, leaf.rows, leaf.columns, leaf.varies, 0.0, 0.0)
    first = parts[0]
    rows, columns = first.rows, first.columns
    varies = any(each.varies for each in parts)
    if term.op == FLIPPED:
        rows, columns = columns, rows
        own = 0.0
    elif term.op == PRODUCT:
        columns = parts[1].columns
        moved = 4.0 * (rows * first.columns + first.columns * columns + rows * columns)
        own = Cost(2.0 * rows * first.columns * columns, moved, 1).seconds
    else:
        varies = varies or (term.op == SCALED and formula.scalars[term.scalar].varies)
        own = Cost(1.0 * rows * columns, 4.0 * (len(parts) + 1) * rows * columns, 1).seconds
    once, each = sum(part.once for part in parts), sum(part.each for part in parts)
    return Priced(term, rows, columns, varies, once + (0 if varies else own), each + (own if varies else 0))


def steady_parts(formula: Formula, term: Term) -> Iterator[Term]:
    """The largest parts of a term that do not vary and take work."""
    if not _varies(formula, term):
        if any(each.op not in (LEAF, FLIPPED) for each in term.below()):
            yield term
        return
    for each in term.parts:
        yield from steady_parts(formula, each)


def _varies(formula: Formula, term: Term) -> bool:
    if term.op == LEAF:
        return formula.leaves[term.leaf].varies
    if term.op == SCALED and formula.scalars[term.scalar].varies:
        return True
    return any(_varies(formula, each) for each in term.parts)


def products(formula: Formula, term: Term) -> float:
    """What the products take that each iteration computes."""
    own = 0.0
    if term.op == PRODUCT and _varies(formula, term):
        own = _tree(formula, term).each - sum(_tree(formula, each).each for each in term.parts)
    return own + sum(products(formula, each) for each in term.parts)


def _alone(formula: Formula, term: Term) -> float:
    """What a term costs that is computed once."""
    return combined(formula, term, [_tree(formula, each) for each in term.parts]).once


def _tree(formula: Formula, term: Term) -> Priced:
    return combined(formula, term, [_tree(formula, each) for each in term.parts])
