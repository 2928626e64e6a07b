"""Operators whose result elements depend on the operand elements at the same place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mlvet.analyses.numerics.values import relations
from mlvet.analyses.numerics.values.abstract import Abstract, Attained, regrid_box, shape_of
from mlvet.analyses.numerics.values.refusals import NoRule
from mlvet.domains import boxes, dtypes, forms, grids
from mlvet.domains.boxes import Box
from mlvet.domains.dtypes import DType
from mlvet.domains.forms import Form
from mlvet.domains.grids import Cuts
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Dims, Tensor
from mlvet.ops import Op
from mlvet.ops.numeric import Affine, Bounded, Lattice, Monotone, Piecewise, Power, Predicate, Product, Quotient, Range

if TYPE_CHECKING:
    from mlvet.analyses.numerics.values.transfer import Transfer

Boxwise: TypeAlias = Callable[..., Box]

EXACT = frozenset("relu relu6 abs sign floor ceil trunc round binarizer nan_to_num".split())
"""Functions whose values are not rounded."""


class Aligned:
    """Operands brought to one grid: their boxes broadcast with each other to the cells of `cuts`."""

    def __init__(self, operands: Sequence[Abstract], dims: Dims | None, most: int) -> None:
        self.dims = dims
        self.operands = operands
        if dims is None or any(operand.dims is None or len(operand.dims) > len(dims) for operand in operands):
            self.cuts: Cuts = grids.uncut(0 if dims is None else len(dims))
            self.targets: list[Cuts] | None = None
            self.boxes = [boxes.of_interval(operand.interval, grids.cells(self.cuts)) for operand in operands]
            return
        rank = len(dims)
        together: list[tuple[int, ...]] = [()] * rank
        for operand in operands:
            offset = rank - operand.rank
            for axis, cut in enumerate(operand.cuts):
                if cut and operand.dims is not None and operand.dims[axis] == dims[offset + axis]:
                    together[offset + axis] = grids.union(together[offset + axis], cut)
        self.cuts = grids.limited(tuple(together), most)
        self.targets = [self._target(operand) for operand in operands]
        self.boxes = [
            regrid_box(operand.box, operand.cuts, target)
            for operand, target in zip(operands, self.targets, strict=True)
        ]

    def _target(self, operand: Abstract) -> Cuts:
        assert self.dims is not None
        assert operand.dims is not None
        offset = len(self.dims) - operand.rank
        return tuple(
            self.cuts[offset + axis] if dim == self.dims[offset + axis] else () for axis, dim in enumerate(operand.dims)
        )

    def form(self, index: int, run: Transfer) -> Form | None:
        """The affine form of an operand on the common grid, if its elements are finite."""
        operand = self.operands[index]
        if self.targets is None or self.dims is None:
            return None
        form = run.form_of(operand)
        form = None if form is None else forms.regridded(form, operand.cuts, self.targets[index])
        if form is None or operand.dims == self.dims:
            return form
        lead = (1,) * (len(self.dims) - operand.rank)

        def pad(array: forms.Array) -> forms.Array:
            return array.reshape(lead + array.shape)

        return forms.laid_out(form, ("broadcast", self.dims), pad, lambda symbol: ((),) * len(lead) + symbol.cuts)

    def point(self, index: int) -> forms.Array | None:
        """The elements of an operand if each cell has only one."""
        box = self.boxes[index]
        if box.nan.any() or not np.array_equal(box.low, box.high) or not np.isfinite(box.low).all():
            return None
        assert self.dims is not None
        return box.low.reshape((1,) * (len(self.dims) - box.low.ndim) + box.low.shape)


def apply(run: Transfer, operands: Sequence[Abstract], out: Tensor, boxwise: Boxwise) -> Abstract:
    """An operator with a rule on boxes; elements that are attained along an axis stay so."""
    dtype, dims = shape_of(out)
    aligned = Aligned(operands, dims, run.most)
    box = boxwise(*aligned.boxes, dtype)
    return run.made(out, aligned.cuts, box, attained=attained(run, operands, dims, dtype, boxwise))


def attained(
    run: Transfer, operands: Sequence[Abstract], dims: Dims | None, dtype: DType, boxwise: Boxwise
) -> tuple[Attained, ...]:
    """What is attained by the result of an operand with attained elements and any elements of the others."""
    if not run.relational or not any(operand.attained for operand in operands):
        return ()
    found = []
    for index, operand in enumerate(operands):
        if operand.dims != dims:
            continue
        for fact in operand.attained:
            inputs = [
                boxes.of_interval(fact.interval if other == index else each.interval)
                for other, each in enumerate(operands)
            ]
            found.append(Attained(fact.axes, boxes.smashed(boxwise(*inputs, dtype))))
    return tuple(found[:2])


def monotone(
    run: Transfer, op: Op, kind: Monotone, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    x = operands[0]
    assert x is not None
    function = _function(op, operands, attributes)

    def boxwise(box: Box, dtype: DType) -> Box:
        wide = dtypes.f64 if run.unflushed else dtype
        found = boxes.monotone(
            function, box, wide, increasing=kind.increasing, domain=_ends(kind.domain), image=_closed(kind.image),
            steps=0 if op.name in EXACT else 4,
        )  # fmt: skip
        if run.unflushed:
            found = boxes.fused(found.low, found.high, found.nan, dtype, steps=4)
        return _loosened(found, kind, dtype)

    result = apply(run, [x], out, boxwise)
    if op.name == "sqrt" and run.relational:
        return replace(result, extremes=relations.of_root(run, x))
    if op.name == "rsqrt" and run.relational and x.dtype.is_float and x.interval.low > 16 * x.dtype.smallest:
        return replace(result, extremes=relations.inverted(relations.of_root(run, x)))
    if op.name == "relu":
        return run.with_form(result, _relu(run, x, result))
    return result


def piecewise(
    run: Transfer, op: Op, kind: Piecewise, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    x = operands[0]
    assert x is not None
    if op.name in ("cast", "cast_like"):
        return cast(run, x, out)
    if op.name == "square":
        return square(run, x, out)
    function = _function(op, operands, attributes)

    def boxwise(box: Box, dtype: DType) -> Box:
        found = boxes.piecewise(
            function, kind.turns, box, dtype, domain=_ends(kind.domain), image=_closed(kind.image),
            steps=0 if op.name in EXACT else 4,
        )  # fmt: skip
        return _loosened(found, kind, dtype)

    if op.name == "reciprocal":
        one = boxes.of_interval(Interval(1.0, 1.0))
        inverse = apply(run, [x], out, lambda box, dtype: _divided(one, box, dtype, x.away))
        return replace(inverse, extremes=relations.of_reciprocal(x)) if run.relational else inverse
    result = apply(run, [x], out, boxes.absolute if op.name == "abs" else boxwise)
    if op.name == "abs":
        relu = _relu(run, x, result)
        mine = run.form_of(x)
        twice = None if relu is None or mine is None else forms.combined([(2.0, relu), (-1.0, mine)])
        return run.with_form(result, twice)
    return result


def _loosened(box: Box, kind: Monotone | Piecewise, dtype: DType) -> Box:
    """What implementations add that take small results from differences of larger numbers; they keep the sign."""
    if not kind.absolute or not dtype.is_float:
        return box
    slack = kind.absolute * dtype.epsilon
    low = np.where(box.low >= 0, np.maximum(box.low - slack, 0.0), box.low - slack)
    high = np.where(box.high <= 0, np.minimum(box.high + slack, 0.0), box.high + slack)
    low = np.maximum(low, min(kind.image.low, float(box.low.min())))
    high = np.minimum(high, max(kind.image.high, float(box.high.max())))
    return boxes.fused(low, high, box.nan, dtype)


def bounded(
    run: Transfer, op: Op, kind: Bounded, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    dtype, dims = shape_of(out)
    cuts = grids.uncut(0 if dims is None else len(dims))
    image = _closed(kind.image)
    box = boxes.of_interval(Interval(image.low, image.high), grids.cells(cuts))
    known = boxes.whole(dtype, grids.cells(cuts))
    return run.made(out, cuts, boxes.meet(box, known) if not dtype.is_float else box)


def affine(
    run: Transfer, op: Op, kind: Affine, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    present = [operand for operand in operands if operand is not None]
    dtype, dims = shape_of(out)
    known = None
    if len(present) == 2 and kind.coefficients == (1.0, -1.0) and run.relational:
        if present[0].number == present[1].number and present[0].interval.finite:
            return run.made(out, grids.uncut(0 if dims is None else len(dims)), boxes.of_interval(Interval(0.0, 0.0)))
        known = _difference(run, present[0], present[1], out)

    def boxwise(*parts: Box) -> Box:
        *inputs, _ = parts
        total: Box | None = None
        for coefficient, box in zip(kind.coefficients, inputs, strict=False):
            if total is None:
                total = box if coefficient == 1 else boxes.neg(box, dtype)
            else:
                total = boxes.add(total, box, dtype) if coefficient == 1 else boxes.sub(total, box, dtype)
        assert total is not None
        return total

    if any(abs(coefficient) != 1 for coefficient in kind.coefficients) or kind.constant:
        return run.unknown(out)
    result = apply(run, present, out, boxwise) if known is None else known
    if not run.relational:
        return result
    aligned = Aligned(present, dims, run.most)
    parts = [aligned.form(index, run) for index in range(len(present))]
    if len(present) == 2 and kind.coefficients == (1.0, 1.0):
        result = replace(result, extremes=relations.of_sum(present, result))
    if any(part is None for part in parts):
        return result
    sum_of = forms.combined([(c, part) for c, part in zip(kind.coefficients, parts, strict=False) if part is not None])
    return run.related(result, sum_of, exact=len(present) == 1)


def _difference(run: Transfer, x: Abstract, y: Abstract, out: Tensor) -> Abstract | None:
    """x minus its own greatest or least element, or what bounds it."""
    dtype, dims = shape_of(out)
    known = relations.difference(x, y)
    if known is None:
        return None
    side, facts = known
    aligned = Aligned([x, y], dims, run.most)
    box = relations.clamped(boxes.sub(aligned.boxes[0], aligned.boxes[1], dtype), side)
    return run.made(out, aligned.cuts, box, attained=facts)


def product(
    run: Transfer, op: Op, kind: Product, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    x, y = (operand for operand in operands if operand is not None)
    if run.relational and x.number == y.number:
        return square(run, x, out)
    result = apply(run, [x, y], out, boxes.mul)
    if not run.relational or result.dims is None:
        return result
    known = relations.product(x, y)
    if known is not None:
        return run.made(out, result.cuts, relations.clamped(result.box, known), attained=result.attained)
    aligned = Aligned([x, y], result.dims, run.most)
    for mine, other in ((0, 1), (1, 0)):
        factor = aligned.point(other) if aligned.targets is not None else None
        form = None if factor is None else aligned.form(mine, run)
        if factor is not None and form is not None:
            powers = np.isin(np.abs(np.frexp(factor)[0]), (0.5, 0.0)) & ((factor == 0) | (np.abs(factor) >= 1.0))
            exact = bool(powers.all())
            return run.related(result, forms.combined([(factor, form)]), exact=exact)
    return result


def square(run: Transfer, x: Abstract, out: Tensor) -> Abstract:
    result = apply(run, [x], out, boxes.square)
    form = run.form_of(x)
    root = None if form is None else form.single
    if run.relational and root is not None and run.is_finite(result):
        symbol = forms.Symbol(result.box, result.cuts, root, result.dtype.epsilon if result.dtype.is_float else 0.0)
        return run.with_form(result, forms.of_symbol(symbol))
    return result


def quotient(
    run: Transfer, op: Op, kind: Quotient, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    x, y = (operand for operand in operands if operand is not None)
    dtype, dims = shape_of(out)
    if not run.relational or dims is None:
        return apply(run, [x, y], out, boxes.div)
    if x.number == y.number and 0 not in x.interval and x.interval.finite and dtype.is_float:
        return run.made(out, grids.uncut(len(dims)), boxes.of_interval(Interval(1.0, 1.0)))
    result = apply(run, [x, y], out, partial(_divided, away=y.away))
    known = relations.ratio(x, y)
    if known is not None:
        box = relations.clamped(result.box, known)
        if run.unflushed and y.interval.low > 0 and run.is_finite(x):
            box = replace(box, nan=np.zeros(box.nan.shape, bool))
        return run.made(out, result.cuts, box, attained=result.attained)
    if x.interval == Interval(1.0, 1.0) and y.dims == dims:
        return replace(result, extremes=relations.of_reciprocal(y))
    aligned = Aligned([x, y], dims, run.most)
    divisor = aligned.point(1) if aligned.targets is not None else None
    if divisor is not None and divisor.all() and dtype.is_float:
        form = aligned.form(0, run)
        if form is not None:
            return run.related(result, forms.combined([(1.0 / divisor, form)]), exact=False)
    return result


def _divided(x: Box, y: Box, dtype: DType, away: float) -> Box:
    """A quotient by numbers none of which is nearer to 0 than `away`."""
    if away <= 0 or not ((y.low < away) & (y.high > -away)).any():
        return boxes.div(x, y, dtype)
    low, high = np.minimum(y.low, -away), np.maximum(y.high, away)
    below, above = Box(low, np.full(low.shape, -away), y.nan), Box(np.full(high.shape, away), high, y.nan)
    return boxes.join(boxes.div(x, below, dtype), boxes.div(x, above, dtype))


def power(
    run: Transfer, op: Op, kind: Power, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    x, y = (operand for operand in operands if operand is not None)
    if y.interval == Interval(2.0, 2.0):
        return square(run, x, out)
    return apply(run, [x, y], out, boxes.power)


def lattice(
    run: Transfer, op: Op, kind: Lattice, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    present = [operand for operand in operands if operand is not None]
    choose = boxes.maximum if kind.maximum else boxes.minimum

    def boxwise(*parts: Box) -> Box:
        *inputs, _ = parts
        found = inputs[0]
        for box in inputs[1:]:
            found = choose(found, box)
        return found

    result = apply(run, present, out, boxwise)
    for part, other in zip(present, present[::-1], strict=True) if run.relational and len(present) == 2 else ():
        beaten = other.interval.high <= part.interval.low if kind.maximum else other.interval.low >= part.interval.high
        if beaten and part.dims == result.dims and not other.interval.nan:
            return part
    if run.relational:
        result = replace(result, extremes=relations.of_maximum(present, result, kind.maximum))
    if kind.maximum and len(present) == 2:
        for x, other in (present, present[::-1]):
            if other.interval == Interval(0.0, 0.0) and x.dims == result.dims:
                return run.with_form(result, _relu(run, x, result))
    return result


def cast(run: Transfer, x: Abstract, out: Tensor) -> Abstract:
    source = x.dtype
    result = apply(run, [x], out, lambda box, dtype: boxes.cast(box, source, dtype))
    if not run.relational or not (source.is_float and result.dtype.is_float) or result.dtype.bits < 16:
        return result
    return run.related(result, run.form_of(x), exact=source is result.dtype or source.bits < result.dtype.bits)


def predicate(
    run: Transfer, op: Op, kind: Predicate, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    present = [operand for operand in operands if operand is not None]
    decide = _DECIDED.get(kind.relation)

    def boxwise(*parts: Box) -> Box:
        *inputs, _ = parts
        shape = np.broadcast_shapes(*(box.low.shape for box in inputs))
        surely, possibly = (np.zeros(shape, bool), np.ones(shape, bool)) if decide is None else decide(*inputs)
        return Box(np.where(surely, 1.0, 0.0), np.where(possibly, 1.0, 0.0), np.zeros(np.shape(surely), bool))

    return apply(run, present, out, boxwise)


def _less(x: Box, y: Box) -> tuple[Any, Any]:
    certain = ~(x.nan | y.nan)
    return (x.high < y.low) & certain, x.low < y.high


def _at_most(x: Box, y: Box) -> tuple[Any, Any]:
    certain = ~(x.nan | y.nan)
    return (x.high <= y.low) & certain, x.low <= y.high


def _same(x: Box, y: Box) -> tuple[Any, Any]:
    point = (x.low == x.high) & (y.low == y.high) & (x.low == y.low) & ~(x.nan | y.nan)
    return point, (x.low <= y.high) & (y.low <= x.high)


def _differ(x: Box, y: Box) -> tuple[Any, Any]:
    surely, possibly = _same(x, y)
    return ~possibly, ~surely


_DECIDED: dict[str, Callable[..., tuple[Any, Any]]] = {
    "less": _less,
    "greater": lambda x, y: _less(y, x),
    "less_or_equal": _at_most,
    "greater_or_equal": lambda x, y: _at_most(y, x),
    "equal": _same,
    "not_equal": _differ,
    "and": lambda x, y: ((x.low > 0) & (y.low > 0), (x.high > 0) & (y.high > 0)),
    "or": lambda x, y: ((x.low > 0) | (y.low > 0), (x.high > 0) | (y.high > 0)),
    "not": lambda x: (x.high <= 0, x.low <= 0),
    "is_nan": lambda x: (x.nan & (x.low > x.high), x.nan),
    "is_finite": lambda x: (~x.nan & np.isfinite(x.low) & np.isfinite(x.high), x.low <= x.high),
}


def _relu(run: Transfer, x: Abstract, result: Abstract) -> Form | None:
    form = run.form_of(x)
    if not run.relational or form is None or x.cuts != result.cuts:
        return None

    def symbol(upright: Form) -> forms.Symbol:
        low, high = forms.bounds(upright, x.cuts)
        shape = grids.cells(x.cuts)
        least, most = (np.broadcast_to(np.maximum(end, 0.0), shape) for end in (low, high))
        return forms.Symbol(Box(least, most, np.zeros(shape, bool)), x.cuts)

    return forms.relu_of(form, symbol, run.relus)


def _function(op: Op, operands: Sequence[Abstract | None], attributes: Any) -> Callable[[Any], Any]:
    reference = op.reference
    assert reference is not None
    others = [None if operand is None else operand.exact for operand in operands[1:]]
    if any(operand is not None and known is None for operand, known in zip(operands[1:], others, strict=True)):
        raise NoRule(f"{op.name} with operands that are not known")
    return lambda x: np.asarray(reference(np.asarray(x, dtype=np.float64), *others, **attributes), dtype=np.float64)


def _ends(domain: Range) -> Interval:
    return Interval(domain.low, domain.high)


def _closed(image: Range) -> Interval:
    return Interval(image.low, image.high)
