"""What an operator makes of abstract tensors: one transfer per kind, chosen here.

Results are raw: they still hold the NaN and infinities that the operator can yield, which the caller judges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.settings import NumericAbstraction, Settings
from mlvet.analyses.numerics.values import elementwise, layout, linear, normalising, norms, reductions, relations
from mlvet.analyses.numerics.values.abstract import (
    CELLS,
    Abstract,
    Attained,
    Extreme,
    has_subnormals,
    of_array,
    shape_of,
    uniform,
)
from mlvet.analyses.numerics.values.refusals import REFUSED, NoRule
from mlvet.domains import boxes, dtypes, forms, grids
from mlvet.domains.boxes import Box
from mlvet.domains.boxes_rounding import fused
from mlvet.domains.dims import Dim, product, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.forms import Form, Symbol
from mlvet.domains.grids import Cuts
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import SMALL, Tensor, Unranked, exact, unknown
from mlvet.ops import REGISTRY, Effects, Op
from mlvet.ops import numeric as kinds
from mlvet.ops.require import Require

FOLDED = 1 << 20
"""Elements are computed where those of all operands are known and the result has no more than this."""


_KEPT = 128
"""The most cells that are enclosed one by one."""


UNKNOWN_SIZE = symbol("numerics.many")
"""The size of an axis of which nothing is known."""


class Transfer:
    """The transfers under one choice of abstractions, with the symbols that relate tensors to each other."""

    def __init__(self, settings: Settings, many: Dim = UNKNOWN_SIZE) -> None:
        self.settings = settings
        self.most = CELLS[settings.tensor]
        self.relational = settings.numeric is NumericAbstraction.AFFINE
        self.unflushed = False
        self.many = many
        self.relus: dict[Any, Symbol] = {}
        self.roots: dict[int, int] = {}
        self.traced: dict[Any, Any] = {}
        self._symbols: dict[int, Symbol] = {}
        self._numbers: dict[Any, int] = {}
        self._fresh = count()

    def fresh(self) -> int:
        """A number for a tensor that equals no other as far as we know."""
        return next(self._fresh)

    def number_of(self, array: NDArray[Any]) -> int:
        """A number for a stored tensor; small ones of the same elements have the same."""
        if array.size > SMALL:
            return self.fresh()
        return self._numbers.setdefault((array.dtype.str, array.shape, array.tobytes()), self.fresh())

    def results(
        self, op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], outs: Sequence[Tensor]
    ) -> list[Abstract]:
        """The raw results of an operator; raises NoRule."""
        folded = self._folded(op, operands, attributes, outs)
        if folded is not None:
            return folded
        found = self._by_kind(op, operands, attributes, outs)
        if op.effects is Effects.PURE:
            key = (op.name, _hashable(attributes), tuple(-1 if x is None else x.number for x in operands))
            found = [self._numbered(each, (key, index)) for index, each in enumerate(found)]
        if not self.relational:
            return found
        return norms.carried(self, op, operands, attributes, self._remembered(op, operands, attributes, found))

    def _remembered(
        self, op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], found: list[Abstract]
    ) -> list[Abstract]:
        """Facts about whole operators: what a square is the square of, and that a softmax sums to one."""
        first, second = (*operands, None, None)[:2]
        if first is None:
            return found
        if op.name == "square" or (second is not None and _squares(op, first, second)):
            self.roots[found[0].number] = first.number
        if op.name == "softmax" and first.dims is not None:
            axis = first.axis(int(attributes.get("axis", -1)))
            if 0 <= axis < first.rank and found[0].dims == first.dims:
                facts = reductions.attained_by_softmax(first, axis)
                certain = relations.saved(first, axis, -inf) and first.interval.high < inf
                box = replace(found[0].box, nan=np.zeros(found[0].box.nan.shape, bool)) if certain else found[0].box
                return [replace(found[0], box=box, attained=facts, shares=axis), *found[1:]]
        if op.name == "one_hot" and found[0].dims is not None:
            return [reductions.lit_by_one_hot(operands, attributes, found[0]), *found[1:]]
        if op.name == "top_k" and first is not None:
            return [reductions.kept_by_top_k(first, found[0], attributes), *found[1:]]
        return found

    def _by_kind(
        self, op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], outs: Sequence[Tensor]
    ) -> list[Abstract]:
        kind = op.numeric
        if op.name == "batch_normalization":
            known = normalising.batch(self, operands, attributes, outs)
            if known is not None:
                return known
        if isinstance(kind, kinds.ByMode):
            kind = kind.of(**attributes)
        if isinstance(kind, kinds.Composite):
            found = self._composite(kind, operands, attributes, outs)
            if op.name == "swiglu":
                found = [_rounded_otherwise(each) for each in found]
            return [_of_infinity(found[0], operands[0])] if op.name == "floor_div" else found
        if isinstance(kind, kinds.Enclosure):
            return self._enclosed(kind, operands, attributes, outs)
        rule = _RULES.get(type(kind))
        if rule is None:
            raise NoRule(op.name)
        found = rule(self, op, kind, operands, attributes, outs)
        return [*found, *(self.unknown(out) for out in outs[len(found) :])]

    def _enclosed(
        self, kind: kinds.Enclosure, operands: Sequence[Abstract | None], attributes: Mapping[str, Any],
        outs: Sequence[Tensor],
    ) -> list[Abstract]:  # fmt: skip
        tensors = [None if x is None else self.tensor(x) for x in operands]
        first = operands[0] if operands else None
        if kind.keeps and first is not None and 1 < first.box.low.size <= _KEPT and len(outs) == 1:
            return [self._cell_by_cell(kind, first, operands, tensors, attributes, outs[0])]
        intervals = [None if x is None else x.interval for x in operands]
        found = kind.of(intervals, tensors, **attributes)
        return [
            uniform(out, found[index], self.fresh()) if index < len(found) else self.unknown(out)
            for index, out in enumerate(outs)
        ]

    def _cell_by_cell(
        self, kind: kinds.Enclosure, first: Abstract, operands: Sequence[Abstract | None],
        tensors: Sequence[Tensor | None], attributes: Mapping[str, Any], out: Tensor,
    ) -> Abstract:  # fmt: skip
        """The enclosure of each cell of the first operand, whose elements stay where they are."""
        rest = [None if x is None else x.interval for x in operands[1:]]
        if shape_of(out)[1] != first.dims:
            return uniform(out, kind.of([first.interval, *rest], tensors, **attributes)[0], self.fresh())
        shape = first.box.low.shape
        low, high, nan = np.empty(shape), np.empty(shape), np.empty(shape, bool)
        for index in np.ndindex(shape):
            cell = Interval(float(first.box.low[index]), float(first.box.high[index]), bool(first.box.nan[index]))
            found = kind.of([cell, *rest], tensors, **attributes)[0]
            low[index], high[index], nan[index] = found.low, found.high, found.nan
        return self.made(out, first.cuts, Box(low, high, nan))

    def _composite(
        self, kind: kinds.Composite, operands: Sequence[Abstract | None], attributes: Mapping[str, Any],
        outs: Sequence[Tensor],
    ) -> list[Abstract]:  # fmt: skip
        found = kind.decompose(_Decomposition(self), *operands, **attributes)
        results = list(found) if isinstance(found, tuple | list) else [found]
        fitted = [
            replace(result, dtype=shape_of(out)[0]) if result.dims == shape_of(out)[1] else self._reshaped(result, out)
            for result, out in zip(results, outs, strict=False)
        ]
        return [*map(_rounded_once, fitted), *(self.unknown(out) for out in outs[len(fitted) :])]

    def _reshaped(self, result: Abstract, out: Tensor) -> Abstract:
        return uniform(out, result.interval, self.fresh())

    def _folded(
        self, op: Op, operands: Sequence[Abstract | None], attributes: Mapping[str, Any], outs: Sequence[Tensor]
    ) -> list[Abstract] | None:
        """The results themselves, where the elements of all operands are known and the results are not too large."""
        if op.reference is None or op.effects is not Effects.PURE or not operands:
            return None
        if any(operand is not None and operand.exact is None for operand in operands):
            return None
        known_operands = [operand for operand in operands if operand is not None]
        if any(x.exact is not None and has_subnormals(x.exact, x.dtype) for x in known_operands):
            return None
        for out in outs:
            size = None if isinstance(out.shape, Unranked) else product(out.shape)
            if not isinstance(size, int) or size > FOLDED or out.dtype is None:
                return None
        try:
            with np.errstate(all="ignore"):
                found = op.reference(*(None if x is None else x.exact for x in operands), **attributes)
        except REFUSED:
            return None
        arrays = found if isinstance(found, tuple) else (found,)
        if len(arrays) < len(outs):
            return None
        results = []
        for out, array in zip(outs, arrays, strict=False):
            dtype, dims = shape_of(out)
            known = np.asarray(array)
            if known.shape != dims or known.dtype == object:
                return None
            results.append(of_array(known.astype(dtype.numpy, copy=False), dtype, self.fresh(), self.most))
        return results

    def made(
        self, out: Tensor, cuts: Cuts, box: Box, attained: tuple[Attained, ...] = (), extremes: tuple[Extreme, ...] = ()
    ) -> Abstract:
        """A new tensor with a box over the cells of `cuts`, which may still have to be broadcast to them."""
        dtype, dims = shape_of(out)
        shape = grids.cells(cuts)
        if box.low.shape != shape:
            box = box.map(lambda array: np.broadcast_to(array, shape))
        return Abstract(dtype, dims, cuts, box, self.fresh(), attained=attained, extremes=extremes)

    def unknown(self, out: Tensor) -> Abstract:
        """A tensor that can hold anything finite of its element type."""
        dtype, _ = shape_of(out)
        return uniform(out, boxes.smashed(boxes.finite(dtype)), self.fresh())

    def form_of(self, tensor: Abstract) -> Form | None:
        """How the elements relate to symbols, if they are finite; a tensor without a form is a symbol of its own."""
        if not self.relational or tensor.dims is None or not self.is_finite(tensor):
            return None
        if tensor.form is not None:
            return tensor.form
        if _is_point(tensor.box):
            return forms.of_constant(tensor.box.low)
        if tensor.number not in self._symbols:
            self._symbols[tensor.number] = Symbol(tensor.box, tensor.cuts)
        symbol = self._symbols[tensor.number]
        return forms.of_symbol(symbol)

    def is_finite(self, tensor: Abstract) -> bool:
        box = tensor.box
        return bool(np.isfinite(box.low).all() and np.isfinite(box.high).all() and not box.nan.any())

    def with_form(self, result: Abstract, form: Form | None) -> Abstract:
        """The result with a form that holds exactly."""
        return result if form is None or not self.relational else self.related(result, form, exact=True)

    def related(self, result: Abstract, form: Form | None, *, exact: bool) -> Abstract:
        """The result of rounding a form, bounded by it; `exact` says that nothing is rounded."""
        if form is None or result.dims is None:
            return result
        low, high = forms.bounds(form, result.cuts)
        dtype = result.dtype
        if not dtype.is_float:
            if low.min() < dtype.least or high.max() > dtype.largest:
                return result
            return self._bounded(result, np.ceil(low), np.floor(high), form)
        if not exact:
            size = np.maximum(np.abs(low), np.abs(high))
            form = forms.with_error(form, size * (0.5 * dtype.epsilon) + dtype.smallest)
            low, high = -nearest_above(-low, dtype), nearest_above(high, dtype)
        if not (np.isfinite(low).all() and np.isfinite(high).all()) or max(-low.min(), high.max()) > dtype.largest:
            return result
        return self._bounded(result, low, high, form)

    def _bounded(self, result: Abstract, low: Any, high: Any, form: Form) -> Abstract:
        box = result.box
        shape = box.low.shape
        least = np.maximum(box.low, np.broadcast_to(low, shape))
        most = np.minimum(box.high, np.broadcast_to(high, shape))
        crossed = least > most
        if crossed.any():
            least, most = np.where(crossed, box.low, least), np.where(crossed, box.high, most)
        return replace(result, box=Box(least, most, np.zeros(shape, bool)), form=form)

    def tensor(self, abstract: Abstract) -> Tensor:
        """The tensor as shape rules see it."""
        if abstract.dims is None:
            return unknown(f"numerics.{abstract.number}", abstract.dtype)
        value = None
        if abstract.exact is not None and abstract.exact.size <= SMALL:
            value = exact(abstract.exact, abstract.dtype)
        return Tensor(abstract.dtype, abstract.dims, value)

    def _numbered(self, result: Abstract, key: Any) -> Abstract:
        try:
            number = self._numbers.setdefault(key, result.number)
        except TypeError:
            return result
        return result if number == result.number else replace(result, number=number)


def _rounded_otherwise(result: Abstract) -> Abstract:
    """A result that implementations round at other places than its parts say."""
    box = result.box
    return replace(result, box=boxes.fused(box.low, box.high, box.nan, result.dtype, steps=4), form=None)


def _of_infinity(result: Abstract, x: Abstract | None) -> Abstract:
    """The floor of a quotient of infinity, which libraries take from a remainder: NaN."""
    if (
        x is None
        or not x.dtype.is_float
        or x.interval.empty
        or (isfinite(x.interval.low) and isfinite(x.interval.high))
    ):
        return result
    return replace(result, box=replace(result.box, nan=np.ones(result.box.nan.shape, bool)))


class _Decomposition:
    """Builds the parts of a composite operator as abstract tensors."""

    def __init__(self, transfer: Transfer) -> None:
        self._transfer = transfer

    def add(self, name: str, *operands: Abstract | None, **attributes: Any) -> Any:
        op = REGISTRY[name]
        assert op.infer is not None
        tensors = [None if x is None else self._transfer.tensor(x) for x in operands]
        inferred = op.infer(*tensors, require=Require(name), **attributes)
        outs = inferred if isinstance(inferred, tuple) else (inferred,)
        results = self._transfer.results(op, operands, attributes, outs)
        return results[0] if len(results) == 1 or not isinstance(inferred, tuple) else tuple(results)

    def constant(self, _: str, value: Any, dtype: Any = None) -> Abstract:
        array = np.asarray(value)
        if array.dtype == np.float64 and dtype is None:
            array = array.astype(np.float32)
        known = dtype or dtypes.of(array.dtype)
        return of_array(array.astype(known.numpy), known, self._transfer.fresh(), self._transfer.most)


def _one(rule: Callable[..., Abstract]) -> Callable[..., list[Abstract]]:
    def run(
        transfer: Transfer, op: Op, kind: Any, operands: Sequence[Abstract | None], attributes: Any,
        outs: Sequence[Tensor],
    ) -> list[Abstract]:  # fmt: skip
        return [rule(transfer, op, kind, operands, attributes, outs[0])]

    return run


_RULES: dict[type, Callable[..., list[Abstract]]] = {
    kinds.Monotone: _one(elementwise.monotone),
    kinds.Piecewise: _one(elementwise.piecewise),
    kinds.Bounded: _one(elementwise.bounded),
    kinds.Affine: _one(elementwise.affine),
    kinds.Lattice: _one(elementwise.lattice),
    kinds.Product: _one(elementwise.product),
    kinds.Quotient: _one(elementwise.quotient),
    kinds.Power: _one(elementwise.power),
    kinds.Predicate: _one(elementwise.predicate),
    kinds.Selection: layout.selection,
    kinds.Reduction: _one(reductions.reduction),
    kinds.Bilinear: _one(linear.bilinear),
    kinds.Multilinear: _one(linear.multilinear),
    kinds.Convex: _one(linear.convex),
}


def nearest_above(values: Any, dtype: DType) -> Any:
    """The floats that upper bounds are rounded to, which stay bounds because rounding is monotone.

    Negative numbers that are not normal may become 0.
    """
    with np.errstate(all="ignore"):
        rounded = np.asarray(values).astype(dtype.numpy).astype(np.float64)
    return np.where((rounded < 0) & (rounded > -dtype.smallest), 0.0, rounded)


def _squares(op: Op, x: Abstract, y: Abstract) -> bool:
    """Whether an operator multiplies a tensor by itself."""
    return (op.name == "mul" and x.number == y.number) or (op.name == "pow" and y.interval == Interval(2.0, 2.0))


def _is_point(box: Box) -> bool:
    return bool(np.array_equal(box.low, box.high))


def _hashable(attributes: Mapping[str, Any]) -> Any:
    return tuple(sorted((key, repr(value)) for key, value in attributes.items()))


_ROUNDINGS = 4


def _rounded_once(result: Abstract) -> Abstract:
    """A narrow float that is computed in 32 bits is rounded once, where the steps of its decomposition round each."""
    if not result.dtype.is_float or result.dtype.bits >= 32:
        return result
    box = fused(result.box.low, result.box.high, result.box.nan, result.dtype, _ROUNDINGS)
    return replace(result, box=box, form=None)
