"""Axes exchanged in place of a reshape that lets examples run into one another."""

from __future__ import annotations

import ast

from mlvet.analyses.shapes.remedies import forms
from mlvet.analyses.shapes.remedies.places import Operand, Place
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.domains.tensors import Dims

_METHODS = {"torch": "permute", "numpy": "transpose", "jax": "transpose"}
_REASON = "elements move to other places than before; perhaps the sizes are given in the wrong order"


def exchanged(place: Place, after: Dims) -> Proposals:
    """The axes in the order of the new sizes, or the first two exchanged before they are put together."""
    call = place.node
    if not isinstance(call, ast.Call) or not place.operands:
        return
    operand = place.operands[0]
    axes = _order(operand.dims, after)
    if axes is not None:
        yield from _permuted(place, call, operand, axes)
    elif len(after) == 2 and operand.rank >= 3:
        yield from _before(place, call, operand)


def _order(before: Dims, after: Dims) -> tuple[int, ...] | None:
    """Which axis each new one was, None if sizes are equal or missing."""
    if len(before) != len(after) or len(set(before)) < len(before) or set(before) != set(after):
        return None
    return tuple(before.index(size) for size in after)


def _permuted(place: Place, call: ast.Call, operand: Operand, axes: tuple[int, ...]) -> Proposals:
    listed = ", ".join(map(str, axes))
    given = place.text.of(operand.node)
    name = forms.module(place.text, "tensorflow")
    if operand.library in _METHODS and isinstance(operand.node, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        written = f"{given}.{_METHODS[operand.library]}({listed})"
    elif operand.library == "tensorflow" and name:
        written = f"{name}.transpose({given}, [{listed}])"
    else:
        return
    edit = place.text.replaced(call, written)
    yield Proposal(Kind.SLIP, axes, f"reorder the axes to ({listed}) in place of the reshape", (edit,), _REASON)


def _before(place: Place, call: ast.Call, operand: Operand) -> Proposals:
    axes = (1, 0, *range(2, operand.rank))
    edits = list(forms.reordered(place.text, operand, axes))
    if isinstance(call.func, ast.Attribute) and call.func.attr == "view" and call.func.value is operand.node:
        written = place.text.of(operand.node)
        edits = [place.text.replaced(call.func, f"{written}.transpose(0, 1).reshape")]
    if edits:
        yield Proposal(Kind.SLIP, axes, "exchange the first two axes before the reshape", tuple(edits), _REASON)
