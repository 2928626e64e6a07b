"""Einstein's summation: letters name the dims of the operands, and letters that the result lacks are summed away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim, product
from mlvet.domains.tensors import Tensor
from mlvet.ops.contraction import contraction
from mlvet.ops.multilinear import product_rule
from mlvet.ops.numeric import Multilinear
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

DOTS = "..."


@dataclass(frozen=True, slots=True)
class Equation:
    """The letters of each operand and of the result; an ellipsis is one entry, `...`."""

    operands: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]


def parse(equation: str) -> Equation | None:
    """The equation, its result made explicit, or None if it is malformed."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = [_letters(term) for term in left.split(",")]
    operands = [term for term in terms if term is not None]
    if len(operands) != len(terms):
        return None
    if not arrow:
        every = [letter for term in operands for letter in term]
        once = sorted(letter for letter in set(every) if letter != DOTS and every.count(letter) == 1)
        return Equation(tuple(operands), (DOTS, *once) if DOTS in every else tuple(once))
    result = _letters(right)
    named = {letter for term in operands for letter in term} | {DOTS}
    if result is None or len(set(result)) != len(result) or not named.issuperset(result):
        return None
    return Equation(tuple(operands), result)


def _letters(term: str) -> tuple[str, ...] | None:
    before, dots, after = term.partition(DOTS)
    if not (before + after).isalpha() and before + after:
        return None
    return (*before, *([DOTS] if dots else []), *after)


def infer_einsum(*operands: Tensor, require: Require, equation: str) -> Tensor:
    """Dims of one letter are equal or 1; those under an ellipsis broadcast from the right."""
    dtype = require.same_dtype(*operands)
    parsed = parse(equation)
    if parsed is None or len(parsed.operands) != len(operands):
        require.holds(False, f"{equation!r} is no equation of {len(operands)} operands", rule="illegal-argument")
        return require.unknown_tensor(dtype)
    sizes = _sizes(parsed, operands, require)
    if sizes is None:
        return require.unknown_tensor(dtype)
    dots, letters = sizes
    result: list[Dim] = []
    for letter in parsed.result:
        result.extend(dots if letter == DOTS else [letters[letter]])
    return Tensor(dtype, tuple(result))


def _sizes(
    equation: Equation, operands: tuple[Tensor, ...], require: Require
) -> tuple[tuple[Dim, ...], dict[str, Dim]] | None:
    """The dims under the ellipsis and the dim of each letter."""
    letters: dict[str, Dim] = {}
    dots: tuple[Dim, ...] = ()
    for term, operand in zip(equation.operands, operands, strict=True):
        named = len(term) - (DOTS in term)
        fits = operand.rank >= named if DOTS in term else operand.rank == named
        text = "".join(term)
        if not require.holds(fits, f"{text!r} does not fit an operand {operand}", rule="illegal-argument"):
            return None
        place = term.index(DOTS) if DOTS in term else named
        hidden = operand.dims[place : place + operand.rank - named]
        dots = require.broadcast(dots, hidden)
        dims = operand.dims[:place] + operand.dims[place + len(hidden) :]
        for letter, dim in zip((letter for letter in term if letter != DOTS), dims, strict=True):
            letters[letter] = require.broadcast((letters.get(letter, 1),), (dim,))[0]
    return dots, letters


def einsum_reference(*operands: NDArray[Any], equation: str) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return narrow(np.einsum(equation, *map(wide, operands)), operands[0])


def _terms(*operands: Tensor, equation: str) -> Dim:
    parsed = parse(equation)
    sizes = _sizes(parsed, operands, Require()) if parsed else None
    if parsed is None or sizes is None:
        return 0
    dots, letters = sizes
    summed = [dim for letter, dim in letters.items() if letter not in parsed.result]
    return product([*summed, *(dots if DOTS not in parsed.result else ())])


def sample_einsum(draw: Draw) -> Sample:
    equation = draw.choice(
        [
            "ij->ji",
            "ii->i",
            "ii",
            "ij,jk",
            "bij,bjk->bik",
            "...ij,...jk->...ik",
            "i,j->ij",
            "bi,oij,bj->bo",
            "bhqd,bhkd->bhqk",
            "...ii->...i",
            " i j -> ",
        ]
    )
    sizes = {letter: draw.integer(1, 4) for letter in "bhijkoqd"}
    dots = draw.shape(0, 2)
    parsed = parse(equation)
    assert parsed is not None
    shapes = []
    for term in parsed.operands:
        shape: list[int] = []
        for letter in term:
            shape.extend(draw.broadcastable(dots) if letter == DOTS else [sizes[letter]])
        shapes.append(shape)
    return Sample(tuple(draw.array(shape) for shape in shapes), {"equation": equation})


einsum = contraction(
    "einsum",
    infer_einsum,
    einsum_reference,
    sample_einsum,
    numeric=Multilinear(terms=_terms),
    derivative=product_rule(einsum_reference, None),
)
