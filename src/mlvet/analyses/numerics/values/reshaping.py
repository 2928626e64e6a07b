"""Reshapes: axes that keep their size keep their cells; groups of axes keep those whose boundaries survive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mlvet.analyses.numerics.values.abstract import Abstract, Attained, Norm, regridded, shape_of, uniform
from mlvet.domains import forms, grids
from mlvet.domains.dims import Dim
from mlvet.domains.forms import Form
from mlvet.domains.grids import Cuts
from mlvet.domains.tensors import Tensor

if TYPE_CHECKING:
    from mlvet.analyses.numerics.values.transfer import Transfer


def reshaped(run: Transfer, source: Abstract, out: Tensor) -> Abstract:
    """The elements of a tensor of known rank in their order, in other dims."""
    dtype, dims = shape_of(out)
    assert dims is not None
    assert source.dims is not None
    groups = _groups(source.dims, dims)
    if groups is None:
        return replace(uniform(out, source.interval, run.fresh()), exact=None)
    kept: list[tuple[int, ...]] = [()] * source.rank
    cuts: list[tuple[int, ...]] = [()] * len(dims)
    for old, new in groups:
        mapping = _survivors(
            [source.cuts[axis] for axis in old], [source.dims[axis] for axis in old], [dims[axis] for axis in new]
        )
        for axis, cut in zip(old, mapping[0], strict=True):
            kept[axis] = cut
        for axis, cut in zip(new, mapping[1], strict=True):
            cuts[axis] = cut
    coarse, fine = tuple(kept), tuple(cuts)
    shape = grids.cells(fine)
    box = regridded(source, coarse).map(lambda array: array.reshape(shape))
    result = run.made(out, fine, box)
    attained = tuple(fact for fact in (_attained(each, groups) for each in source.attained) if fact is not None)
    same = [dim for dim in source.dims if dim != 1] == [dim for dim in dims if dim != 1]
    result = replace(
        result,
        attained=attained,
        extremes=source.extremes if same else (),
        dtype=dtype,
        away=source.away,
        norm=_norm(source, groups),
    )
    form = run.form_of(source) if run.relational and coarse == source.cuts else None
    held = None if form is None else _form(form, source, dims, fine, shape)
    return result if held is None else replace(result, form=held)


def _form(form: Form, source: Abstract, dims: Any, cuts: Cuts, shape: tuple[int, ...]) -> Form | None:
    if any(symbol.cuts != source.cuts and symbol.box.low.size > 1 for symbol in form.terms):
        return None
    key = ("reshape", dims)
    terms = {}

    def move(array: forms.Array) -> forms.Array:
        return array.reshape((1,) * len(shape)) if array.size == 1 else _cells(array, source, shape)

    for symbol, coefficient in form.terms.items():
        moved = symbol.moved(key, grids.uncut(len(shape)) if symbol.box.low.size == 1 else cuts, move)
        moved.moves.setdefault(("reshape", source.dims), symbol)
        terms[moved] = _cells(coefficient, source, shape)
    return Form(terms, _cells(form.constant, source, shape), _cells(form.error, source, shape))


def _cells(array: forms.Array, source: Abstract, shape: tuple[int, ...]) -> forms.Array:
    return array if array.ndim == 0 else np.broadcast_to(array, grids.cells(source.cuts)).reshape(shape)


def _attained(fact: Attained, groups: Sequence[tuple[list[int], list[int]]]) -> Attained | None:
    """A fact stays where its axes stay."""
    found: set[int] = set()
    for axis in fact.axes:
        place = next((new for old, new in groups if old == [axis] and len(new) == 1), None)
        if place is None:
            return None
        found.update(place)
    return Attained(frozenset(found), fact.interval)


def _norm(source: Abstract, groups: Sequence[tuple[list[int], list[int]]]) -> Norm | None:
    """The norm along an axis that stays."""
    if source.norm is None:
        return None
    for old, new in groups:
        if old == [source.norm.axis] and len(new) == 1:
            return replace(source.norm, axis=new[0])
    return None


def _groups(old: Sequence[Dim], new: Sequence[Dim]) -> list[tuple[list[int], list[int]]] | None:
    """Runs of axes of the old and the new dims that hold the same elements; None if sizes do not tell."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and old[i] == new[j]:
            groups.append(([i], [j]))
            i, j = i + 1, j + 1
            continue
        left: list[int] = []
        right: list[int] = []
        a = b = 1
        if i < len(old) and old[i] == 1:
            groups.append(([i], []))
            i += 1
            continue
        if j < len(new) and new[j] == 1:
            groups.append(([], [j]))
            j += 1
            continue
        while a != b or not left or not right:
            if (a <= b and i < len(old)) or j >= len(new):
                if i >= len(old):
                    return None
                size, side = old[i], left
                if not isinstance(size, int):
                    return _rest(old, new, groups)
                a *= size
                side.append(i)
                i += 1
            else:
                size = new[j]
                if not isinstance(size, int):
                    return _rest(old, new, groups)
                b *= size
                right.append(j)
                j += 1
            if a == 0 or b == 0:
                return None
        groups.append((left, right))
    return groups


def _rest(
    old: Sequence[Dim], new: Sequence[Dim], groups: list[tuple[list[int], list[int]]]
) -> list[tuple[list[int], list[int]]]:
    """The axes before an unknown size stay as they are; from there on they are one group, except equal last ones."""
    i = sum(len(left) for left, _ in groups)
    j = sum(len(right) for _, right in groups)
    tail: list[tuple[list[int], list[int]]] = []
    last_old, last_new = len(old), len(new)
    while last_old > i and last_new > j and isinstance(old[last_old - 1], int):
        if old[last_old - 1] != new[last_new - 1]:
            break
        last_old, last_new = last_old - 1, last_new - 1
        tail.append(([last_old], [last_new]))
    return [*groups, (list(range(i, last_old)), list(range(j, last_new))), *reversed(tail)]


def _survivors(
    cuts: list[tuple[int, ...]], old: list[Dim], new: list[Dim]
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The cuts that can be kept of a group of axes, and what they are in the new axes."""
    none: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = ([()] * len(old), [()] * len(new))
    if not any(cuts):
        return none
    if len(old) == len(new) == 1:
        return cuts, list(cuts)
    old_sizes, new_sizes = ([size for size in sizes if isinstance(size, int)] for sizes in (old, new))
    if len(old_sizes) < len(old) or len(new_sizes) < len(new):
        return none
    if all(len(cut) == size - 1 for cut, size in zip(cuts, old_sizes, strict=True)):
        return cuts, [grids.everywhere(size) for size in new_sizes]
    axis = next(index for index, size in enumerate(old_sizes) if size > 1)
    place = next(index for index, size in enumerate(new_sizes) if size > 1)
    inner, outer = int(np.prod(old_sizes[axis + 1 :])), int(np.prod(new_sizes[place + 1 :]))
    fitting = [cut for cut in cuts[axis] if cut * inner % outer == 0]
    kept = [tuple(fitting) if index == axis else () for index in range(len(old))]
    return kept, [tuple(cut * inner // outer for cut in fitting) if index == place else () for index in range(len(new))]
