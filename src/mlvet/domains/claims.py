"""Claims about sizes, and what can be decided about a set of them without a solver.

A claim holds under branch outcomes. Equal symbols are merged and known ones replaced; then bounds and normal forms
decide most claims, and a few guesses find most models.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from mlvet.domains.dims import Dim, Expr, Symbol, at_least, equal, evaluate, modulo, substitute, symbol, symbols

Outcome: TypeAlias = tuple[str, bool]
"""A condition by name, and whether it holds."""


class Relation(Enum):
    """How two sizes stand to each other."""

    EQUAL = "=="
    DIFFERENT = "!="
    AT_LEAST = ">="
    DIVISIBLE = "is divisible by"
    BROADCAST = "broadcasts with"


@dataclass(frozen=True, slots=True)
class Claim:
    """A relation of two sizes that holds whenever all outcomes of `under` do; `origin` says where it comes from."""

    relation: Relation
    left: Dim
    right: Dim
    origin: Hashable
    under: tuple[Outcome, ...] = ()

    def __str__(self) -> str:
        return f"{self.left} {self.relation.value} {self.right}"


def decide(relation: Relation, left: Dim, right: Dim) -> bool | None:
    """Whether a relation holds for all, for no, or for some values of the symbols as far as one can see (None)."""
    match relation:
        case Relation.EQUAL:
            return equal(left, right)
        case Relation.DIFFERENT:
            same = equal(left, right)
            return None if same is None else not same
        case Relation.AT_LEAST:
            return at_least(left, right)
        case Relation.DIVISIBLE:
            return None if equal(right, 0) is not False else equal(modulo(left, right), 0)
        case Relation.BROADCAST:
            answers = (equal(left, right), equal(left, 1), equal(right, 1))
            return True if True in answers else None if None in answers else False


@dataclass(slots=True)
class _Class:
    """Symbols that are equal, what they all are, and the claims that say so."""

    size: Dim
    members: list[str]
    reasons: set[int]


class Merged:
    """The consequences of equalities between symbols and numbers, each with the claims it rests on."""

    def __init__(self) -> None:
        self._classes: dict[str, _Class] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._classes

    def __getitem__(self, name: str) -> Dim:
        return self._classes[name].size

    def apply(self, dim: Dim) -> Dim:
        """The size with what is known put in."""
        if isinstance(dim, int) or not self._classes:
            return dim
        known = {name: self._classes[name].size for name in _names(dim) if name in self._classes}
        return substitute(dim, known) if known else dim

    def reasons_for(self, *dims: Dim) -> set[int]:
        """The claims on which the replacement of the symbols of sizes rests."""
        found = (self._classes[name].reasons for name in _names(*dims) if name in self._classes)
        return set[int]().union(*found)

    def learn(self, claim: Claim, index: int) -> bool | None:
        """Take in an equality: True if something new was learnt, False if it cannot hold, None if it is no use."""
        left, right = self.apply(claim.left), self.apply(claim.right)
        if (decided := equal(left, right)) is not None:
            return None if decided else False
        lone_left, lone_right = _lone(left), _lone(right)
        size: Dim
        if lone_left is not None and lone_right is not None:
            low, high = max(lone_left.low, lone_right.low), min(lone_left.high, lone_right.high)
            if low > high:
                return False
            names, size = [lone_left.name, lone_right.name], symbol(lone_left.name, low, high)
        else:
            lone, size = (lone_left, right) if lone_left is not None else (lone_right, left)
            if lone is None or not isinstance(size, int):
                return None
            if not lone.low <= size <= lone.high:
                return False
            names = [lone.name]
        self._merge(names, size, claim, index)
        return True

    def _merge(self, names: list[str], size: Dim, claim: Claim, index: int) -> None:
        classes = [self._classes.setdefault(name, _Class(size, [name], set())) for name in names]
        large = max(classes, key=lambda found: len(found.members))
        large.size = size
        for other in _names(claim.left, claim.right):
            if (found := self._classes.get(other)) is not None and found is not large:
                large.reasons |= found.reasons
        large.reasons.add(index)
        for found in classes:
            if found is not large:
                large.members += found.members
                for name in found.members:
                    self._classes[name] = large


def conflict(claims: Sequence[Claim]) -> list[int] | None:
    """The positions of claims that cannot hold together, if that can be seen; outcomes are not looked at."""
    merged = Merged()
    pending = [index for index, claim in enumerate(claims) if claim.relation is Relation.EQUAL]
    progress = True
    while progress and pending:
        progress, waiting = False, []
        for index in pending:
            claim = claims[index]
            learnt = merged.learn(claim, index)
            if learnt is False:
                return sorted(merged.reasons_for(claim.left, claim.right) | {index})
            progress = progress or learnt is True
            if learnt is None:
                waiting.append(index)
        pending = waiting
    for index, claim in enumerate(claims):
        if decide(claim.relation, merged.apply(claim.left), merged.apply(claim.right)) is False:
            return sorted(merged.reasons_for(claim.left, claim.right) | {index})
    return None


def guess(claims: Sequence[Claim], preferred: Mapping[str, int]) -> dict[str, int] | None:
    """A model of claims found by trying a few assignments, the preferred and small ones first."""
    return next((each for each in guesses(claims, preferred) if are_met(claims, each)), None)


def guesses(claims: Sequence[Claim], preferred: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Assignments that are worth trying: all of them give equal symbols equal values."""
    yield from _candidates(sorted(mentioned(claims), key=lambda found: found.name), learnt(claims), preferred)


def learnt(claims: Sequence[Claim]) -> Merged:
    """What the equalities among claims say, each looked at once."""
    merged = Merged()
    for index, claim in enumerate(claims):
        if claim.relation is Relation.EQUAL:
            merged.learn(claim, index)
    return merged


def are_met(claims: Sequence[Claim], model: Mapping[str, int]) -> bool:
    """Whether a model gives every symbol a value within its bounds and every claim holds."""
    within = all(found.low <= model[found.name] <= found.high for found in mentioned(claims))
    return within and all(holds(claim, model) is True for claim in claims)


def holds(claim: Claim, model: Mapping[str, int]) -> bool | None:
    """Whether a claim holds in a model; None where it divides by zero."""
    try:
        return decide(claim.relation, evaluate(claim.left, model), evaluate(claim.right, model))
    except ZeroDivisionError:
        return None


def _candidates(ordered: Iterable[Symbol], merged: Merged, preferred: Mapping[str, int]) -> Iterator[dict[str, int]]:
    found = list(ordered)
    for shift in range(4):
        free: dict[str, int] = {}
        for index, entry in enumerate(found):
            lone = _lone(merged[entry.name]) if entry.name in merged else entry
            if lone is None:
                continue
            small = int(max(lone.low, 1))
            wanted = preferred.get(lone.name, preferred.get(entry.name, small))
            step = (0, 1, index + 1, 7 * (index + 1))[shift]
            free.setdefault(lone.name, wanted if not shift else small + step)
        model = {}
        for entry in found:
            size = substitute(merged[entry.name], free) if entry.name in merged else free[entry.name]
            if not isinstance(size, int):
                return
            model[entry.name] = size
        yield model


def extend(claims: Sequence[Claim], model: Mapping[str, int], preferred: Mapping[str, int]) -> dict[str, int] | None:
    """A model of more claims than it was found for, with small values for their own symbols, if it is one."""
    found = dict(model)
    for claim in claims:
        for entry in symbols(claim.left) | symbols(claim.right):
            value = found.setdefault(entry.name, preferred.get(entry.name, int(max(entry.low, 1))))
            if not _allows(entry, value):
                return None
        if holds(claim, found) is not True:
            return None
    return found


def mentioned(claims: Iterable[Claim]) -> set[Symbol]:
    """The symbols of claims."""
    return {found for claim in claims for dim in (claim.left, claim.right) for found in symbols(dim)}


def _names(*dims: Dim) -> set[str]:
    return {found.name for dim in dims for found in symbols(dim)}


def _allows(found: Symbol, value: int) -> bool:
    return found.low <= value <= found.high


def _lone(dim: Dim) -> Symbol | None:
    if isinstance(dim, Expr) and len(dim.terms) == 1:
        monomial, count = dim.terms[0]
        if count == 1 and len(monomial) == 1 and isinstance(monomial[0], Symbol):
            return monomial[0]
    return None
