"""Concatenation: the parts stay apart as cells, and each part's relations stay with its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mlvet.analyses.numerics.values.abstract import Abstract, regrid_box, shape_of, uniform
from mlvet.domains import forms, grids
from mlvet.domains.boxes import Box
from mlvet.domains.forms import Form, Symbol
from mlvet.domains.grids import Cuts
from mlvet.domains.intervals import EMPTY
from mlvet.domains.tensors import Tensor

if TYPE_CHECKING:
    from mlvet.analyses.numerics.values.transfer import Transfer


def concatenated(run: Transfer, parts: Sequence[Abstract], axis: int, out: Tensor) -> Abstract:
    """The parts one after the other along an axis."""
    _, dims = shape_of(out)
    assert dims is not None
    parts = [part for part in parts if part.dims is not None and part.dims[axis] != 0] or parts
    sizes = [part.dims[axis] for part in parts if part.dims is not None]
    lengths = [size for size in sizes if isinstance(size, int)]
    hull = EMPTY
    for part in parts:
        hull = hull.join(part.interval)
    if len(lengths) < len(parts) or not isinstance(dims[axis], int) or run.most == 1:
        return uniform(out, hull, run.fresh())
    starts = [sum(lengths[:index]) for index in range(len(parts))]
    cuts = _together(parts, axis, starts, dims)
    if grids.cell_count(cuts) > run.most:
        return uniform(out, hull, run.fresh())
    grids_of = [tuple(part.cuts[axis] if index == axis else cut for index, cut in enumerate(cuts)) for part in parts]
    placed = [regrid_box(part.box, part.cuts, own) for part, own in zip(parts, grids_of, strict=True)]
    full = [_spread(box, grids.cells(own)) for box, own in zip(placed, grids_of, strict=True)]
    box = Box(
        np.concatenate([part.low for part in full], axis=axis),
        np.concatenate([part.high for part in full], axis=axis),
        np.concatenate([part.nan for part in full], axis=axis),
    )
    result = run.made(out, cuts, box)
    if not run.relational:
        return result
    form = _form(run, parts, grids_of, axis, starts, cuts, dims)
    return result if form is None else replace(result, form=form)


def _spread(box: Box, shape: tuple[int, ...]) -> Box:
    return box.map(lambda array: np.broadcast_to(array, shape))


def _together(parts: Sequence[Abstract], axis: int, starts: Sequence[int], dims: Sequence[object]) -> Cuts:
    cuts: list[tuple[int, ...]] = []
    for index, size in enumerate(dims):
        found: tuple[int, ...] = ()
        if index == axis:
            for part, start in zip(parts, starts, strict=True):
                found += ((start,) if start else ()) + tuple(start + cut for cut in part.cuts[axis])
        elif isinstance(size, int):
            for part in parts:
                if part.dims is not None and part.dims[index] == size:
                    found = grids.union(found, part.cuts[index])
        cuts.append(found)
    return tuple(cuts)


def _form(
    run: Transfer, parts: Sequence[Abstract], grids_of: Sequence[Cuts], axis: int, starts: Sequence[int], cuts: Cuts,
    dims: Sequence[object],
) -> Form | None:  # fmt: skip
    """Each cell has the form of its part; the symbols of a part are put at its place."""
    shape = grids.cells(cuts)
    rank = len(cuts)
    terms: dict[Symbol, forms.Array] = {}
    constant, error = np.zeros(shape), np.zeros(shape)
    at = 0
    for part, own, start in zip(parts, grids_of, starts, strict=True):
        found = run.form_of(part)
        form = None if found is None else forms.regridded(found, part.cuts, own)
        if form is None or part.dims is None:
            return None
        many = len(own[axis]) + 1
        here = tuple(slice(at, at + many) if index == axis else slice(None) for index in range(rank))
        at += many
        constant[here] = form.constant
        error[here] = form.error
        length = part.dims[axis]
        assert isinstance(length, int)
        for symbol, coefficient in form.terms.items():
            key = ("joined", axis, start, dims[axis])
            if key not in symbol.moves:
                low = np.broadcast_to(symbol.box.low.min(axis=axis, keepdims=True), symbol.box.low.shape)
                high = np.broadcast_to(symbol.box.high.max(axis=axis, keepdims=True), symbol.box.high.shape)
                flat = tuple(() if index == axis else cut for index, cut in enumerate(symbol.cuts))
                first = tuple(slice(0, 1) if index == axis else slice(None) for index in range(rank))
                hull = Box(low[first], high[first], np.zeros(low[first].shape, bool))
                symbol.moves[key] = Symbol(hull, flat, joined=(symbol, axis, start, length))
            placed = symbol.moves[key]
            array = terms.setdefault(placed, np.zeros(shape))
            array[here] = coefficient
    return Form(terms, constant, error) if len(terms) <= forms.TERMS else None
