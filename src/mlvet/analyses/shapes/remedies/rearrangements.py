"""Operands in another order of axes, with an axis of one element more or less, or flattened."""

from __future__ import annotations

from math import prod

from mlvet.analyses.shapes.remedies import forms
from mlvet.analyses.shapes.remedies.places import Operand, Place
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.domains.dims import equal
from mlvet.domains.tensors import Dims

_ORDERS: dict[int, tuple[tuple[int, ...], ...]] = {
    2: ((1, 0),),
    3: ((0, 2, 1), (1, 0, 2)),
    4: ((0, 3, 1, 2), (0, 2, 3, 1), (0, 1, 3, 2), (0, 2, 1, 3)),
    5: ((0, 4, 1, 2, 3), (0, 2, 3, 4, 1)),
}
_MOST_AXES = 4
_ORDER = "it moves the axes of an operand so that the sizes fit; perhaps it is made in the wrong order before"
_ONES = "it gives the operands shapes that fit; perhaps another size is what is wrong"
_FLAT = "it flattens what the layer is given, as many features as it takes; perhaps pooling was meant"


def reordered(place: Place) -> Proposals:
    """Each operand with two axes exchanged, or its channels moved between first and last."""
    for operand in place.operands:
        for axes in _ORDERS.get(operand.rank, ()):
            moved = tuple(operand.dims[axis] for axis in axes)
            if moved == operand.dims or not (_has_both(place, operand) or _fits_others(place, operand, moved)):
                continue
            edits = forms.reordered(place.text, operand, axes)
            if edits:
                listed = ", ".join(map(str, axes))
                what = "transpose" if operand.rank == 2 else f"reorder the axes to ({listed}) of"
                title = f"{what} {place.words(operand)}"
                yield Proposal(Kind.ORDER, ("order", operand.position, axes), title, edits, _ORDER)


def _has_both(place: Place, operand: Operand) -> bool:
    """Whether a tensor has the size that is wanted on another axis than the one where it is missing."""
    return place.sides is None or all(side in operand.dims for side in place.sides)


def _fits_others(place: Place, operand: Operand, dims: Dims) -> bool:
    """Whether sizes that are stretched to one another, if they are 1, would fit those of the other operands."""
    others = [each.dims for each in place.operands if each is not operand]
    return bool(others) and all(
        equal(one, other) is not False or 1 in (one, other)
        for each in others
        for one, other in zip(reversed(dims), reversed(each), strict=False)
    )


def with_ones(place: Place) -> Proposals:
    """Each operand without an axis of one element, then each with one more, but for those that have most already."""
    if place.sides is not None and 1 not in place.sides and not _ranks_differ(place):
        return
    for operand in sorted(place.operands, key=lambda each: -each.rank):
        for axis, size in enumerate(operand.dims[:_MOST_AXES]):
            if size == 1 and (edits := forms.squeezed(place.text, operand, axis)):
                left = (*operand.dims[:axis], *operand.dims[axis + 1 :])
                title = f"take axis {axis} out of {place.words(operand)}, which has one element"
                yield Proposal(Kind.ONES, _meaning(place, operand, left), title, edits, _ONES)
    highest = max((operand.rank for operand in place.operands), default=0)
    for operand in place.operands:
        if operand.rank == highest and len(place.operands) > 1:
            continue
        for axis in range(min(operand.rank + 1, _MOST_AXES)):
            written = -1 if axis == operand.rank and axis else axis
            if edits := forms.expanded(place.text, operand, written):
                grown = (*operand.dims[:axis], 1, *operand.dims[axis:])
                title = f"give {place.words(operand)} an axis of one element at {written}"
                yield Proposal(Kind.ONES, _meaning(place, operand, grown), title, edits, _ONES, risk=1)


def _ranks_differ(place: Place) -> bool:
    return len({operand.rank for operand in place.operands}) > 1


def _meaning(place: Place, operand: Operand, dims: tuple[object, ...]) -> object:
    """Operands that come to have one shape are the same cure, whichever of them is changed."""
    others = [each for each in place.operands if each is not operand]
    if others and all(_alike(dims, each.dims) for each in others):
        return "one shape"
    return operand.position, tuple(map(str, dims))


def _alike(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all((a == 1) == (b == 1) for a, b in zip(one, other, strict=True))


def flattened(place: Place) -> Proposals:
    """Operands of several axes with one axis of features for each example."""
    for operand in place.operands:
        if operand.rank < 3 or (place.sides is not None and _features(operand) not in place.sides):
            continue
        if edits := forms.flattened(place.text, operand):
            title = f"flatten {place.words(operand)}"
            yield Proposal(Kind.FLAT, ("flat", operand.position), title, edits, _FLAT)


def _features(operand: Operand) -> int:
    """How many numbers a tensor has for each example, 0 if that is not known."""
    sizes = [size for size in operand.dims[1:] if isinstance(size, int)]
    return prod(sizes) if len(sizes) == operand.rank - 1 else 0
