"""The axis that a call works on, where another one fits."""

from __future__ import annotations

import ast

from mlvet.analyses.shapes.remedies.places import Place
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals

_JOINS = {"cat": "dim", "concat": "axis", "concatenate": "axis"}
"""Functions that join tensors, with the name of their axis."""
_CHOICES = frozenset(("argmax", "argmin"))
_WORDS = frozenset(("dim", "axis"))
_SECOND = frozenset((
    "cat", "concat", "concatenate", "stack", "softmax", "log_softmax", "argmax", "argmin", "squeeze", "unsqueeze",
    "expand_dims", "sum", "mean", "max", "min", "reduce_sum", "reduce_mean", "split", "chunk",
))  # fmt: skip
"""Functions whose second argument, or first of a method, is an axis."""
_REASON = "it is the one axis along which the sizes fit; perhaps a size is what is wrong"


def axis_of(call: ast.Call, method: bool) -> ast.expr | None:
    """The number that a call gives for its axis."""
    for keyword in call.keywords:
        if keyword.arg in _WORDS:
            return keyword.value if axis_number(keyword.value) is not None else None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    place = 0 if method else 1
    if name in _SECOND and len(call.args) > place and axis_number(call.args[place]) is not None:
        return call.args[place]
    return None


def other_axes(place: Place) -> Proposals:
    """The call with each other axis that the operands have."""
    call = place.node
    if not isinstance(call, ast.Call) or not place.operands:
        return
    rank = max(operand.rank for operand in place.operands)
    method = isinstance(call.func, ast.Attribute) and any(each.node is call.func.value for each in place.operands)
    written = axis_of(call, method)
    if written is not None:
        now = axis_number(written)
        for axis in range(rank):
            if now is not None and axis not in (now, now + rank):
                title = f"work along axis {axis} in place of {now}"
                yield Proposal(Kind.AXIS, axis, title, (place.text.replaced(written, str(axis)),), _REASON)
    elif place.called in _JOINS and len(call.args) == 1 and not call.keywords:
        word = _JOINS[place.called]
        for axis in range(1, rank):
            edit = place.text.inserted(place.text.end(call.args[0]), f", {word}={axis}")
            yield Proposal(Kind.AXIS, axis, f"join along axis {axis}", (edit,), _REASON)
    elif place.called in _CHOICES and len(call.args) == (0 if method else 1) and not call.keywords:
        word = "dim" if place.operands[0].library == "torch" else "axis"
        line, column = place.text.end(call)
        for axis in range(rank):
            edit = place.text.inserted((line, column - 1), f"{', ' if call.args else ''}{word}={axis}")
            yield Proposal(Kind.AXIS, axis, f"look for it along axis {axis}", (edit,), _REASON)


def axis_number(node: ast.expr) -> int | None:
    """The number that an expression writes, with its sign."""
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
    return None
