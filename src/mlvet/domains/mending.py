"""A model of claims got from values that are not quite one, by changing one symbol after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mlvet.domains.claims import Claim, Relation, are_met, decide, holds, learnt, mentioned
from mlvet.domains.dims import Dim, Symbol, substitute, symbols


def mended(claims: Sequence[Claim], start: Mapping[str, int]) -> dict[str, int] | None:
    """A model of the claims near values that all of their symbols have; None if none is found.

    Symbols that must be equal are changed together. Every change leaves fewer claims that do not hold, so there are no
    more changes than claims.
    """
    merged = learnt(claims)
    left = [replace(each, left=merged.apply(each.left), right=merged.apply(each.right)) for each in claims]
    distinct = {(each.relation, each.left, each.right): each for each in left}.values()
    about: dict[str, list[Claim]] = {}
    for claim in (each for each in distinct if decide(each.relation, each.left, each.right) is not True):
        for name in _names(claim):
            about.setdefault(name, []).append(claim)
    values = dict(start)
    while broken := [claim for claim in distinct if holds(claim, values) is not True]:
        change = _change(broken, values, about)
        if change is None:
            return None
        values |= change
    for found in mentioned(claims):
        if found.name in merged:
            size = substitute(merged[found.name], values)
            values[found.name] = size if isinstance(size, int) else values[found.name]
    return values if are_met(claims, values) else None


def _change(
    broken: Iterable[Claim], values: Mapping[str, int], about: Mapping[str, Sequence[Claim]]
) -> dict[str, int] | None:
    """The first value for one symbol with which fewer claims do not hold."""
    for claim in broken:
        for name in _names(claim):
            before = _refusing(about[name], values)
            bounds = [each for each in mentioned(about[name]) if each.name == name]
            for value in dict.fromkeys(_solutions(claim, name, values)):
                within = all(each.low <= value <= each.high for each in bounds)
                if within and _refusing(about[name], {**values, name: value}) < before:
                    return {name: value}
    return None


def _names(claim: Claim) -> list[str]:
    return sorted({each.name for each in symbols(claim.left) | symbols(claim.right)})


def _refusing(claims: Iterable[Claim], values: Mapping[str, int]) -> int:
    return sum(holds(claim, values) is not True for claim in claims)


def _solutions(claim: Claim, name: str, values: Mapping[str, int]) -> Iterator[int]:
    """Values of a symbol for which a claim may hold while the others stay as they are."""
    others = {other: value for other, value in values.items() if other != name}
    left, right = substitute(claim.left, others), substitute(claim.right, others)
    now = values[name]
    match claim.relation:
        case Relation.EQUAL:
            yield from _roots(left - right)
        case Relation.DIFFERENT:
            yield from (now + 1, now + 2, 2 * now)
        case Relation.AT_LEAST:
            yield from (*_roots(left - right), 2 * now)
        case Relation.DIVISIBLE:
            yield from _multiples(left, right, now)
        case Relation.BROADCAST:
            for difference in (left - right, left - 1, right - 1):
                yield from _roots(difference)


def _roots(difference: Dim) -> Iterator[int]:
    """Where a size that is linear in one symbol is 0, or the whole numbers beside it."""
    if (line := _line(difference)) is not None:
        slope, constant = line
        below = -constant // slope
        yield below
        if below * slope != -constant:
            yield below + 1


def _multiples(left: Dim, right: Dim, now: int) -> Iterator[int]:
    """The values of one symbol next to its own with which a size is a multiple of another."""
    line = _line(left)
    if isinstance(right, int) and right and line is not None and abs(line[0]) == 1:
        nearest = now - (line[0] * now + line[1]) % right * line[0]
        yield from (nearest, nearest + abs(right))
    yield from _roots(right - 1)


def _line(size: Dim) -> tuple[int, int] | None:
    """The slope and the constant of a size that is linear in one symbol; None if it is not."""
    if isinstance(size, int):
        return None
    slope = constant = 0
    for monomial, count in size.terms:
        if not monomial:
            constant = count
        elif len(monomial) == 1 and isinstance(monomial[0], Symbol):
            slope = count
        else:
            return None
    return slope, constant
