"""What sizes are made of besides integers: symbols, and operators that polynomials lack; how both are spelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mlvet.domains.dims import Dim


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named size that is not known. Symbols of one name are one symbol; `low` and `high` bound it, if it has them.

    A `counted` one is how many elements of a tensor have some property, so that it may well be 0.
    """

    name: str
    low: float = 0
    high: float = inf
    counted: bool = field(default=False, compare=False)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator that polynomials do not have, on two expressions in normal form."""

    function: str
    left: Dim
    right: Dim
    _text: str = field(default="", init=False, compare=False, repr=False)

    def __str__(self) -> str:
        if not self._text:
            object.__setattr__(self, "_text", _spelled_atom(self, str))
        return self._text


Atom: TypeAlias = Symbol | Apply
Monomial: TypeAlias = tuple[Atom, ...]


def spelled(dim: Dim, naming: Callable[[Symbol], str]) -> str:
    """The size as a Python expression in which `naming` spells the symbols."""
    if isinstance(dim, int):
        return str(dim)
    text = ""
    for monomial, count in dim.terms:
        alone = len(monomial) == 1 and (count == 1 or (count == -1 and text != ""))
        factors = [_spelled_atom(atom, naming, not alone) for atom in monomial]
        if not monomial or abs(count) != 1:
            factors.insert(0, str(abs(count)))
        sign = (" - " if count < 0 else " + ") if text else ("-" if count < 0 else "")
        text += sign + "*".join(factors)
    return text


def _spelled_atom(atom: Atom, naming: Callable[[Symbol], str], grouped: bool = False) -> str:
    if isinstance(atom, Symbol):
        return naming(atom)
    left, right = spelled(atom.left, naming), spelled(atom.right, naming)
    if atom.function in ("max", "min"):
        return f"{atom.function}({left}, {right})"
    text = "".join((_bracketed(atom.left, left), atom.function, _bracketed(atom.right, right)))
    return f"({text})" if grouped else text


def _bracketed(dim: Dim, text: str) -> str:
    plain = isinstance(dim, int) or (
        len(dim.terms) == 1 and dim.terms[0][1] == 1 and len(dim.terms[0][0]) == 1
        and isinstance(dim.terms[0][0][0], Symbol)
    )  # fmt: skip
    return text if plain else f"({text})"
