"""Moves in which each result axis runs through indices of one operand axis: slices, transposes, gathers, repeats.

The map is found by running the operator's reference on the coordinates of the operand, so no move is written twice.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.values import relations
from mlvet.analyses.numerics.values.abstract import Abstract, Attained, Extreme, Norm, shape_of
from mlvet.analyses.numerics.values.refusals import REFUSED
from mlvet.domains import forms, grids
from mlvet.domains.forms import Form, Symbol
from mlvet.domains.grids import Cuts
from mlvet.domains.tensors import Tensor
from mlvet.ops import Op

if TYPE_CHECKING:
    from mlvet.analyses.numerics.values.transfer import Transfer

_STAND_IN = 3
_LARGEST = 1 << 22


@dataclass(frozen=True, slots=True)
class Axes:
    """Per result axis the operand axis it runs through and the indices on the way; None for a repeated element.

    `dropped` has the operand axes of which the result sees one index only. With `vague` that stands for indices that
    are not known, and the operand has one cell along their axis.
    """

    runs: tuple[tuple[int, NDArray[np.int64]] | None, ...]
    dropped: tuple[tuple[int, int], ...]
    vague: bool = False

    def cuts(self, old: Cuts, sizes: Sequence[Any]) -> Cuts:
        """Where the result has to be cut to keep the cells of the operand apart."""
        found: list[tuple[int, ...]] = []
        for run, size in zip(self.runs, sizes, strict=True):
            if run is None or not old[run[0]] or not isinstance(size, int):
                found.append(())
                continue
            axis, indices = run
            cell = np.searchsorted(np.array(old[axis]), indices, side="right")
            found.append(tuple((np.flatnonzero(cell[1:] != cell[:-1]) + 1).tolist()))
        return tuple(found)

    def cells(self, array: NDArray[Any], old: Cuts, new: Cuts) -> NDArray[Any]:
        """An array over the operand's cells read on those of the result."""
        for axis, index in self.dropped:
            cell = int(np.searchsorted(np.array(old[axis], dtype=np.int64), index, side="right"))
            array = array.take([cell if array.shape[axis] > 1 else 0], axis=axis)
        order = []
        for position, run in enumerate(self.runs):
            if run is None:
                continue
            axis, indices = run
            order.append(axis)
            if array.shape[axis] > 1:
                starts = indices[np.array((0, *new[position]))]
                array = array.take(np.searchsorted(np.array(old[axis]), starts, side="right"), axis=axis)
        gone = tuple(axis for axis, _ in self.dropped)
        array = array.transpose((*order, *gone)).reshape([array.shape[axis] for axis in order])
        new_axes = tuple(position for position, run in enumerate(self.runs) if run is None)
        return np.expand_dims(array, new_axes) if new_axes else array

    def axis_of(self, axis: int, size: Any) -> int | None:
        """The result axis that runs through all of an operand axis."""
        for position, run in enumerate(self.runs):
            if run is not None and run[0] == axis and len(np.unique(run[1])) == size:
                return position
        return None


def traced(
    op: Op, source: Abstract, operands: Sequence[Abstract | None], attributes: Any, outs: Sequence[Tensor]
) -> list[Axes] | None:
    """The map of each result; None if it hangs on what is not known."""
    assert source.dims is not None
    assert op.reference is not None
    others = []
    vague = False
    for other in operands[1:]:
        known = None if other is None else other.exact
        if other is not None and known is None:
            if op.name != "gather" or other.dims is None or source.cuts[source.axis(attributes.get("axis", 0))]:
                return None
            known, vague = np.zeros([dim if isinstance(dim, int) else _STAND_IN for dim in other.dims], np.int64), True
        others.append(known)
    sizes = tuple(dim if isinstance(dim, int) else _STAND_IN for dim in source.dims)
    if not source.rank or np.prod(sizes, dtype=np.float64) > _LARGEST or 0 in sizes:
        return None
    maps: list[dict[int, tuple[int, NDArray[np.int64]]]] = [{} for _ in outs]
    dropped: list[dict[int, int]] = [{} for _ in outs]
    for axis, size in enumerate(sizes):
        shape = [1] * len(sizes)
        shape[axis] = size
        coordinates = np.broadcast_to(np.arange(size).reshape(shape), sizes)
        try:
            found = op.reference(coordinates, *others, **attributes)
        except REFUSED:
            return None
        results = found if isinstance(found, tuple | list) else (found,)
        if len(results) < len(outs):
            return None
        for index, (result, out) in enumerate(zip(results, outs, strict=False)):
            if not _fits(np.shape(result), out):
                return None
            placed = _line(np.asarray(result))
            if placed is None:
                return None
            position, line = placed
            if position is None:
                dropped[index][axis] = int(line[0])
            elif position in maps[index]:
                return None
            else:
                maps[index][position] = (axis, line)
    return [
        Axes(
            tuple(maps[index].get(at) for at in range(len(shape_of(out)[1] or ()))),
            tuple(sorted(dropped[index].items())),
            vague,
        )
        for index, out in enumerate(outs)
    ]


def repeated(source: Abstract, dims: Sequence[Any]) -> Axes:
    """The map of broadcasting to dims."""
    assert source.dims is not None
    lead = len(dims) - source.rank
    runs: list[tuple[int, NDArray[np.int64]] | None] = [None] * lead
    dropped = []
    for axis, dim in enumerate(source.dims):
        if dim == dims[lead + axis] and dim != 1:
            runs.append((axis, np.arange(dim if isinstance(dim, int) else _STAND_IN)))
        else:
            runs.append(None)
            dropped.append((axis, 0))
    return Axes(tuple(runs), tuple(dropped))


def _fits(shape: tuple[int, ...], out: Tensor) -> bool:
    dims = shape_of(out)[1]
    if dims is None or len(dims) != len(shape) or 0 in shape:
        return False
    return all(not isinstance(dim, int) or dim == size for dim, size in zip(dims, shape, strict=True))


def _line(result: NDArray[Any]) -> tuple[int | None, NDArray[np.int64]] | None:
    """The one result axis along which a coordinate changes and its course there; None if there are several."""
    varying = []
    for axis in range(result.ndim):
        first = result.take([0], axis=axis)
        if result.shape[axis] > 1 and (result != first).any():
            varying.append(axis)
    if len(varying) > 1:
        return None
    if not varying:
        return None, result.reshape(-1)[:1].astype(np.int64)
    axis = varying[0]
    where = tuple(slice(None) if index == axis else 0 for index in range(result.ndim))
    return axis, result[where].astype(np.int64)


def moved(run: Transfer, source: Abstract, axes: Axes, key: Hashable, out: Tensor) -> Abstract:
    """The operand's cells, relations and facts after the move."""
    _, dims = shape_of(out)
    assert dims is not None
    assert source.dims is not None
    cuts = axes.cuts(source.cuts, dims)
    box = source.box.map(lambda array: axes.cells(array, source.cuts, cuts))
    kept = grids.limited(cuts, run.most)
    result = run.made(out, cuts, box)
    if kept != cuts:
        from mlvet.analyses.numerics.values.abstract import regridded

        return run.made(out, kept, regridded(result, kept))
    form = source.form if source.form is not None else run.form_of(source)
    attained = tuple(fact for fact in (_attained(each, axes, source) for each in source.attained) if fact is not None)
    result = replace(
        result,
        attained=attained,
        extremes=_extremes(source, dims) if _is_in_place(axes, source) else (),
        away=source.away,
        shares=_kept_axis(axes, source, source.shares),
        norm=_norm(axes, source),
    )
    if not run.relational or form is None:
        return result
    held = _form(form, axes, source, cuts, dims, key)
    return result if held is None else replace(result, form=held)


def _form(form: Form, axes: Axes, source: Abstract, cuts: Cuts, dims: Sequence[Any], key: Hashable) -> Form | None:
    if axes.vague and any(symbol.cuts[axis] for symbol in form.terms for axis, _ in axes.dropped):
        return None
    piece = None if axes.vague else _piece(axes, source, dims)

    def cells(array: forms.Array) -> forms.Array:
        return array if array.ndim == 0 else axes.cells(array, source.cuts, cuts)

    terms: dict[Symbol, forms.Array] = {}
    for symbol, coefficient in form.terms.items():
        moved_coefficient = cells(coefficient)
        if not moved_coefficient.any():
            continue
        found = _symbol(symbol, axes, source, cuts, key, piece)
        if found is None:
            return None
        terms[found] = terms[found] + moved_coefficient if found in terms else moved_coefficient
    return Form(terms, cells(form.constant), cells(form.error))


def _symbol(
    symbol: Symbol, axes: Axes, source: Abstract, cuts: Cuts, key: Hashable, piece: tuple[int, int, int] | None
) -> Symbol | None:
    if piece is not None and symbol.joined is not None:
        axis, start, stop = piece
        original, along, offset, length = symbol.joined
        if axis == along and offset <= start and stop <= offset + length:
            if stop - start == length:
                return original
            key, piece = ("piece", axis, start - offset, stop - offset), None
            inner = Axes(
                tuple(
                    (run[0], np.arange(start - offset, stop - offset)) if run is not None and run[0] == axis else run
                    for run in axes.runs
                ),
                axes.dropped,
            )
            new = inner.cuts(original.cuts, [len(run[1]) if run else 1 for run in inner.runs])
            return original.moved(key, new, lambda array: inner.cells(array, original.cuts, new))
    if piece is not None:
        key = ("piece", *piece)
    finer = tuple(grids.union(mine, theirs) for mine, theirs in zip(symbol.cuts, source.cuts, strict=True))
    if finer != source.cuts and symbol.box.low.size > 1:
        new = axes.cuts(symbol.cuts, [len(run[1]) if run else 1 for run in axes.runs])
        return symbol.moved(key, new, lambda array: axes.cells(array, symbol.cuts, new))
    own = symbol.cuts

    def move(array: forms.Array) -> forms.Array:
        for axis, cut in enumerate(own):
            if cut != source.cuts[axis] and array.shape[axis] > 1:
                array = grids.refine(array, axis, cut, source.cuts[axis])
        return axes.cells(array, source.cuts, cuts)

    shape = tuple(() if symbol.box.low.size == 1 else cut for cut in cuts)
    return symbol.moved(key, shape if symbol.box.low.size == 1 else cuts, move)


def _piece(axes: Axes, source: Abstract, dims: Sequence[Any]) -> tuple[int, int, int] | None:
    """Axis, start and stop if the move only takes a run of indices along one axis."""
    assert source.dims is not None
    changed = None
    kept = [run for run in axes.runs if run is not None]
    if len(axes.runs) != source.rank:
        return None
    present = {run[0] for run in kept}
    for position, run in enumerate(axes.runs):
        if run is None:
            if position in present or not any(axis == position for axis, _ in axes.dropped):
                return None
            index = dict(axes.dropped)[position]
            size = source.dims[position]
            if size == 1:
                continue
            if changed is not None or not isinstance(size, int):
                return None
            changed = (position, index, index + 1)
            continue
        axis, indices = run
        if axis != position or not np.array_equal(np.diff(indices), np.ones(len(indices) - 1)):
            return None
        if indices[0] == 0 and dims[position] == source.dims[axis]:
            continue
        if changed is not None or not isinstance(source.dims[axis], int):
            return None
        changed = (axis, int(indices[0]), int(indices[-1]) + 1)
    return changed


def _attained(fact: Attained, axes: Axes, source: Abstract) -> Attained | None:
    """A fact stays where the result runs through whole axes of it."""
    assert source.dims is not None
    found = set()
    for axis in fact.axes:
        position = axes.axis_of(axis, source.dims[axis])
        if position is None:
            return None
        found.add(position)
    return Attained(frozenset(found), fact.interval)


def _extremes(source: Abstract, dims: Any) -> tuple[Extreme, ...]:
    """A bound stays one where its tensor has kept its shape, or is repeated along the axes that it bounds."""
    return source.extremes if source.dims == dims else relations.broadcast(source, dims)


def _is_in_place(axes: Axes, source: Abstract) -> bool:
    """Whether every element stays where it is, or is repeated along an axis where it is the only one."""
    if axes.vague or source.dims is None or len(axes.runs) != source.rank:
        return False
    return all(
        source.dims[position] == 1
        if run is None
        else run[0] == position and (source.dims[position] == 1 or bool((run[1] == np.arange(len(run[1]))).all()))
        for position, run in enumerate(axes.runs)
    )


def _kept_axis(axes: Axes, source: Abstract, axis: int | None) -> int | None:
    if axis is None or source.dims is None:
        return None
    return axes.axis_of(axis, source.dims[axis])


def _norm(axes: Axes, source: Abstract) -> Norm | None:
    """A part of a vector has no larger norm, as long as no element of it is repeated."""
    norm = source.norm
    if norm is None:
        return None
    for position, run in enumerate(axes.runs):
        if run is not None and run[0] == norm.axis:
            whole = len(run[1]) <= len(norm.scale) and len(np.unique(run[1])) == len(run[1])
            return Norm(position, norm.bound, norm.scale[run[1]]) if whole else None
    return None
