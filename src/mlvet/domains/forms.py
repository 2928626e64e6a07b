"""Affine forms: what a tensor is, element by element, in terms of other tensors.

A symbol stands for all elements of one tensor; two forms that share it agree at every index, which is how `center`
disappears from (center + offset) - (center - offset). Coefficients are arrays over the cells of the tensor that has
the form, or single numbers. `error` bounds what rounding has added to the real sum. Products and relu of a symbol are
symbols that remember what they come from: relu(a) - relu(-a) is a, and x*x - 2x + 1 is a parabola.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.boxes import Box
from mlvet.domains.grids import Cuts, regrid

Array: TypeAlias = NDArray[np.float64]

TERMS = 12
"""Forms of more terms than this are given up."""


@dataclass(slots=True, eq=False)
class Symbol:
    """The elements of one tensor, cut and bounded as that tensor is.

    `square_of` is the symbol it is the square of, up to a relative `rounding`. `joined` is the symbol it is along a
    piece of an axis, with axis, start and length of the piece; elsewhere no form uses it.
    """

    box: Box
    cuts: Cuts
    square_of: Symbol | None = None
    rounding: float = 0.0
    joined: tuple[Symbol, int, int, int] | None = None
    serial: int = field(default_factory=count().__next__)
    moves: dict[Hashable, Symbol] = field(default_factory=dict)

    def moved(self, key: Hashable, cuts: Cuts, move: Callable[[Array], Array]) -> Symbol:
        """The same elements in another layout; `key` says which, so that two equal moves yield one symbol."""
        if key not in self.moves:
            square = None if self.square_of is None else self.square_of.moved(key, cuts, move)
            self.moves[key] = Symbol(self.box.map(move), cuts, square, self.rounding)
        return self.moves[key]


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """The sum of coefficient times symbol over `terms`, plus `constant`, up to `error`."""

    terms: dict[Symbol, Array]
    constant: Array
    error: Array

    @property
    def single(self) -> Symbol | None:
        """The symbol that the form is, if it is no more than that."""
        if len(self.terms) != 1 or self.constant.any() or self.error.any():
            return None
        ((symbol, coefficient),) = self.terms.items()
        return symbol if bool(np.all(coefficient == 1.0)) else None


ZERO = np.zeros(())
ONE = np.ones(())


def of_symbol(symbol: Symbol) -> Form:
    return Form({symbol: ONE}, ZERO, ZERO)


def of_constant(values: Array) -> Form:
    return Form({}, values, ZERO)


@np.errstate(over="ignore", invalid="ignore")
def combined(parts: Iterable[tuple[Array | float, Form]], constant: float = 0.0) -> Form | None:
    """The sum of coefficient times form; None if it has too many terms or numbers too large to trust."""
    terms: dict[Symbol, Array] = {}
    total: Array = np.asarray(constant, dtype=np.float64)
    error: Array = ZERO
    for coefficient, form in parts:
        factor = np.asarray(coefficient, dtype=np.float64)
        for symbol, held in form.terms.items():
            terms[symbol] = terms[symbol] + factor * held if symbol in terms else factor * held
        total = total + factor * form.constant
        error = error + np.abs(factor) * form.error
    terms = {symbol: held for symbol, held in terms.items() if held.any()}
    if len(terms) > TERMS:
        return None
    finite = np.isfinite(total).all() and np.isfinite(error).all()
    return Form(terms, total, error) if finite and all(np.isfinite(held).all() for held in terms.values()) else None


def with_error(form: Form, error: Array) -> Form:
    return Form(form.terms, form.constant, form.error + error)


def regridded(form: Form, old: Cuts, new: Cuts) -> Form | None:
    """The form on other cells; None if cells with different coefficients would have to be merged."""
    if old == new:
        return form

    def moved(array: Array) -> Array | None:
        if array.ndim == 0:
            return array
        low, high = regrid(array, old, new, np.minimum), regrid(array, old, new, np.maximum)
        return low if np.array_equal(low, high) else None

    terms: dict[Symbol, Array] = {}
    for symbol, held in form.terms.items():
        found = moved(held)
        if found is None:
            return None
        terms[symbol] = found
    constant = moved(form.constant)
    if constant is None:
        return None
    error = form.error if form.error.ndim == 0 else regrid(form.error, old, new, np.maximum)
    return Form(terms, constant, error)


def laid_out(
    form: Form, key: Hashable, cuts: Cuts, on_symbols: Callable[[Symbol], Callable[[Array], Array]],
    on_cells: Callable[[Array], Array], cuts_of: Callable[[Symbol], Cuts],
) -> Form:  # fmt: skip
    """The form after a move of elements: symbols move, and so do the cells of the coefficients."""
    terms = {symbol.moved(key, cuts_of(symbol), on_symbols(symbol)): _on(held, on_cells) for symbol, held in form.terms.items()}
    return Form(terms, _on(form.constant, on_cells), _on(form.error, on_cells))


def _on(array: Array, move: Callable[[Array], Array]) -> Array:
    return array if array.ndim == 0 else move(array)


@np.errstate(over="ignore", invalid="ignore")
def bounds(form: Form, cuts: Cuts, *, exactly: bool = False) -> tuple[Array, Array]:
    """The least and greatest sum on each cell; `exactly` leaves rounding out."""
    low = high = form.constant
    size = np.abs(form.constant)
    below: Array = form.error
    rounding: Array = form.error
    left = dict(form.terms)
    for symbol in list(left):
        root = symbol.square_of
        if root is not None and root in left and symbol in left:
            steepness = left.pop(symbol)
            slope = left.pop(root)
            least, most = _parabola(steepness, slope, root, cuts)
            low, high, size = low + least, high + most, size + np.maximum(np.abs(least), np.abs(most))
            wrong = symbol.rounding * np.abs(steepness) * _magnitude(root, cuts) ** 2
            below, rounding = below + np.where(_turns_at_a_power(steepness, slope), 0.0, wrong), rounding + wrong
    for symbol, coefficient in left.items():
        ends = _ends(symbol, cuts)
        first, second = coefficient * ends[0], coefficient * ends[1]
        low, high = low + np.minimum(first, second), high + np.maximum(first, second)
        size = size + np.maximum(np.abs(first), np.abs(second))
    slack = 4e-16 * (len(form.terms) + 1) * size
    return (low - slack, high + slack) if exactly else (low - slack - below, high + slack + rounding)


def _ends(symbol: Symbol, cuts: Cuts) -> tuple[Array, Array]:
    box = symbol.box
    if symbol.cuts == cuts or box.low.size == 1:
        return box.low, box.high
    return regrid(box.low, symbol.cuts, cuts, np.minimum), regrid(box.high, symbol.cuts, cuts, np.maximum)


def _turns_at_a_power(a: Array, b: Array) -> NDArray[np.bool_]:
    """Whether t² + b t is least at a power of two, or at 0.

    The square is rounded to a float q, and q >= 2kt - k² because that number is a float for t near k = 2^n, and
    (t - k)² outweighs the rounding for any other t. So -k² bounds q + b t from below exactly.
    """
    with np.errstate(all="ignore"):
        mantissa, _ = np.frexp(-b / 2)
    return (a == 1.0) & np.isin(np.abs(mantissa), (0.5, 0.0))


def _magnitude(symbol: Symbol, cuts: Cuts) -> Array:
    low, high = _ends(symbol, cuts)
    return np.maximum(np.abs(low), np.abs(high))


def _parabola(a: Array, b: Array, root: Symbol, cuts: Cuts) -> tuple[Array, Array]:
    """The range of a t² + b t where t is within the bounds of the root."""
    least, most = _ends(root, cuts)
    with np.errstate(all="ignore"):
        turn = np.where(a != 0, -b / np.where(a != 0, 2 * a, 1.0), least)
        turn = np.clip(turn, least, most)
        values = [t * (a * t + b) for t in (least, most, turn)]
    return np.minimum.reduce(values), np.maximum.reduce(values)


def relu_of(form: Form, make: Callable[[Form], Symbol], known: dict[Any, Symbol]) -> Form | None:
    """relu of a form, as a symbol that relu of the negated form shares: relu(f) = relu(-f) + f."""
    if form.error.any() or not form.terms:
        return None
    leading = next(iter(sorted(form.terms.items(), key=lambda item: item[0].serial)))[1]
    negative = float(leading.flat[0]) < 0
    upright = _negated(form) if negative else form
    key = _key(upright)
    if key not in known:
        known[key] = make(upright)
    symbol = of_symbol(known[key])
    return combined([(1.0, symbol), (1.0, form)]) if negative else symbol


def _negated(form: Form) -> Form:
    return Form({symbol: 0.0 - held for symbol, held in form.terms.items()}, 0.0 - form.constant, form.error)


def _key(form: Form) -> Any:
    ordered: Sequence[tuple[Symbol, Array]] = sorted(form.terms.items(), key=lambda item: item[0].serial)
    parts = tuple((symbol.serial, held.shape, held.tobytes()) for symbol, held in ordered)
    return parts, form.constant.shape, form.constant.tobytes()
