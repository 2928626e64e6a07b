"""A term as a line of the program, in the names and with the calls that the program uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mlvet.analyses.efficiency.algebra.terms import DIFFERENCE, FLIPPED, LEAF, PRODUCT, SCALED, SUM, Formula, Term

_SUM, _PRODUCT, _ATOM = range(3)
"""How tightly the text of a term holds together."""


class Writer:
    """Writes terms of a formula; `named` has the names of parts that are computed before."""

    def __init__(self, formula: Formula, flips: Mapping[int, str], call: str, flip: Callable[[str], str]) -> None:
        self._formula = formula
        self._flips = flips
        self._call = call
        self._flip = flip
        self.named: dict[Term, str] = {}

    def text(self, term: Term) -> str:
        return self._written(term)[0]

    def _written(self, term: Term) -> tuple[str, int]:
        if term in self.named:
            return self.named[term], _ATOM
        if term.op == LEAF:
            return self._formula.leaves[term.leaf].text, _ATOM
        if term.op == FLIPPED:
            inner = term.parts[0]
            if inner.op == LEAF and inner.leaf in self._flips:
                return self._flips[inner.leaf], _ATOM
            return self._flip(self._held(inner, _ATOM)), _ATOM
        if term.op == PRODUCT:
            first, second = term.parts
            if self._call:
                return f"{self._call}({self.text(first)}, {self.text(second)})", _ATOM
            return f"{self._held(first, _PRODUCT)} @ {self._held(second, _ATOM)}", _PRODUCT
        if term.op == SCALED:
            return self._scaled(term)
        first, second = term.parts
        sign = {SUM: "+", DIFFERENCE: "-"}[term.op]
        return f"{self._held(first, _SUM)} {sign} {self._held(second, _PRODUCT)}", _SUM

    def _scaled(self, term: Term) -> tuple[str, int]:
        factor = self._formula.scalars[term.scalar]
        if not factor.text:
            return f"-{self._held(term.parts[0], _ATOM)}", _SUM
        if factor.under:
            return f"{self._held(term.parts[0], _PRODUCT)} / {factor.text}", _PRODUCT
        return f"{factor.text} * {self._held(term.parts[0], _ATOM)}", _PRODUCT

    def _held(self, term: Term, least: int) -> str:
        text, level = self._written(term)
        return text if level >= least else f"({text})"
