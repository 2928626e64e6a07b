"""Reshapes to other sizes: the target of one that fails, and data brought into the shape that it is fed for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from math import prod

from mlvet.analyses.shapes.remedies import forms
from mlvet.analyses.shapes.remedies.places import Operand, Place
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.domains.dims import Dim, equal

_RESHAPES = frozenset(("reshape", "view"))
_TARGET = "it keeps the number of elements; perhaps another size is what is wrong"
_ONE_HOT = "it takes the labels for class numbers; perhaps the placeholder is what should change"
_FED = "it brings the data into the shape that is asked for; perhaps their axes are in another order"


def targets(place: Place) -> Proposals:
    """A reshape that fails, with one of its sizes left to the library, or with as many features as there are."""
    call = place.node
    if not isinstance(call, ast.Call) or place.called not in _RESHAPES or not place.operands:
        return
    operand = place.operands[0]
    sizes = _sizes(call, operand)
    free = [size for size in sizes if _is_free(size)]
    for position, size in enumerate(sizes):
        if _is_free(size) or (position == 0 and len(sizes) > 1 and not free and _is_batch(place, size, operand)):
            continue
        if not free:
            title = f"write -1 in place of {place.text.of(size)}"
            yield Proposal(Kind.NUMBER, position, title, (place.text.replaced(size, "-1"),), _TARGET)
        elif position == len(sizes) - 1 and len(sizes) == 2:
            for count in _features(operand.dims):
                title = f"write {count} in place of {place.text.of(size)}"
                edit = place.text.replaced(size, str(count))
                yield Proposal(Kind.NUMBER, (position, count), title, (edit,), _TARGET)


def in_place_of_saying(place: Place) -> Proposals:
    """A reshape where a tensor of as many elements is said to have another shape."""
    call = place.node
    match call:
        case ast.Call(func=ast.Attribute(attr="set_shape", value=ast.Name(id=name)), args=[shape]):
            statement = place.text.parents.get(call)
        case _:
            return
    library = forms.module(place.text, "tensorflow")
    if isinstance(statement, ast.Expr) and library:
        edit = place.text.replaced(call, f"{name} = {library}.reshape({name}, {place.text.of(shape)})")
        yield Proposal(Kind.FLAT, "said", f"reshape `{name}` in place of saying its shape", (edit,), _TARGET)


def _sizes(call: ast.Call, operand: Operand) -> Sequence[ast.expr]:
    """The sizes that a call is given, one by one or as a sequence."""
    given = call.args
    if given and given[0] is operand.node:
        given = given[1:]
    named = [each.value for each in call.keywords if each.arg in ("shape", "newshape")]
    given = given or named
    if len(given) == 1 and isinstance(given[0], ast.List | ast.Tuple):
        return given[0].elts
    return given


def _is_free(size: ast.expr) -> bool:
    return isinstance(size, ast.UnaryOp) and isinstance(size.op, ast.USub)


def _is_batch(place: Place, size: ast.expr, operand: Operand) -> bool:
    """Whether a size is surely meant to be the first of the tensor: it is its number, or is read off it."""
    if isinstance(size, ast.Constant):
        return size.value == operand.dims[0]
    return "size(0)" in place.text.of(size) or "shape[0]" in place.text.of(size) or isinstance(size, ast.Name)


def _features(dims: Sequence[Dim]) -> list[int]:
    """How many numbers there are for each example, and along the last axis."""
    if any(not isinstance(size, int) for size in dims[1:]):
        return []
    counts = [
        prod(size for size in dims[1:] if isinstance(size, int)),
        *(size for size in dims[-1:] if isinstance(size, int)),
    ]
    return list(dict.fromkeys(counts))


def fed(place: Place) -> Proposals:
    """Each array that is fed for a placeholder of other sizes, brought into its shape."""
    for wanted, given in _pairs(place):
        if given.library not in ("numpy", "torch") or not wanted.rank or _fits(wanted.dims, given.dims):
            continue
        yield from _one_hot(place, wanted, given)
        sizes = wanted.dims[1:]
        if not all(isinstance(size, int) for size in (*sizes, *given.dims[1:])):
            continue
        whole = prod(size for size in sizes if isinstance(size, int))
        if whole != prod(size for size in given.dims[1:] if isinstance(size, int)):
            continue
        target = ", ".join(("-1", *map(str, sizes)))
        edits = place.text.suffixed(given.node, f".reshape({target})")
        title = f"reshape {place.words(given)} to ({target})"
        yield Proposal(Kind.FLAT, ("fed", place.text.of(wanted.node)), title, edits, _FED)


def _one_hot(place: Place, wanted: Operand, given: Operand) -> Proposals:
    """Class numbers, where one column for each class is wanted, as rows with a one in the column of the class."""
    dtype, numpy = given.tensor.dtype, forms.module(place.text, "numpy")
    numbered = dtype is not None and dtype.is_integer and given.library == "numpy" and given.rank == 1
    if numbered and numpy and wanted.rank == 2 and isinstance(wanted.dims[1], int):
        edits = place.text.wrapped(given.node, f"{numpy}.eye({int(wanted.dims[1])})[", "]")
        title = f"feed {place.words(given)} one-hot"
        yield Proposal(Kind.FLAT, ("one-hot", place.text.of(wanted.node)), title, edits, _ONE_HOT)


def _fits(wanted: Sequence[Dim], given: Sequence[Dim]) -> bool:
    return len(wanted) == len(given) and not any(equal(a, b) is False for a, b in zip(wanted, given, strict=True))


def _pairs(place: Place) -> Iterator[tuple[Operand, Operand]]:
    """Placeholders with what is fed for them."""
    by_node = {each.node: each for each in (*place.operands, *place.keys)}
    call = place.node
    dictionaries = [each for each in ast.walk(call) if isinstance(each, ast.Dict)] if isinstance(call, ast.Call) else []
    for found in dictionaries:
        for key, value in zip(found.keys, found.values, strict=True):
            if key in by_node and value in by_node:
                yield by_node[key], by_node[value]
