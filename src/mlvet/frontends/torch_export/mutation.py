"""Changes in place: exported programs before functionalisation still have them, graphs do not."""

from __future__ import annotations

from mlvet.domains.tensors import Tensor
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import LAST, Context
from mlvet.frontends.torch_export.record import Call
from mlvet.ir.graph import Value

SAME = frozenset({"detach", "alias", "contiguous", "to", "type_as", "lift_fresh", "positive"})
RESHAPED = frozenset({"view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "view_as", "_unsafe_view"})
MOVED = frozenset({"transpose", "permute", "t", "movedim", "swapaxes", "numpy_T"})
VIEWS = SAME | RESHAPED | MOVED | {"slice", "select", "narrow", "split", "chunk", "unbind", "expand", "diagonal",
    "expand_as", "split_with_sizes", "unfold", "real", "imag"}  # fmt: skip
"""Operators whose result can share memory with their first operand."""


def rebind(context: Context, old: Value, new: Value) -> None:
    """Let every name of a changed value mean its new contents.

    The change is carried up to what the value is a view of, and views of changed memory are taken anew.
    """
    for name, value in context.env.items():
        if value is old:
            context.env[name] = new
    if old in context.views:
        base, call = context.views.pop(old)
        whole = _write_back(context, base, call, new)
        rebind(context, base, whole)
        context.views[new] = (whole, call)
    _refresh(context, old)


def _refresh(context: Context, base: Value) -> None:
    for value, (source, call) in list(context.views.items()):
        if source is not base or value not in context.views:
            continue
        del context.views[value]
        names = [name for name, bound in context.env.items() if bound is value]
        made = next((name for name in call.outputs if name in names), None)
        if made is not None and any(context.lives(name) for name in names):
            context.again(call)
            context.env.update(dict.fromkeys(names, context.env[made]))
        _refresh(context, value)


def _write_back(context: Context, base: Value, view: Call, new: Value) -> Value:
    """The base with the part that a view shows replaced."""
    mark = context.builder.mark()
    try:
        made = _written(context, base, view, new)
    except Unlowered:
        context.builder.back_to(mark)
        made = None
    if made is None:
        made = context.builder.value(base.name, base.declared)
        context.opaque("change of a view", [base, new], [made])
    return made


def _written(context: Context, base: Value, view: Call, new: Value) -> Value | None:
    like = base.declared.without_value()
    if view.packet in SAME and new.declared.dtype == base.declared.dtype:
        return new
    if view.packet in RESHAPED:
        return context.add("reshape", new, context.shape(base), like=like, allowzero=1)
    if view.packet in ("transpose", "t") and context.rank(base) >= 2:
        first, second = (view.args.get("dim0", 0), view.args.get("dim1", 1))
        perm = list(range(context.rank(base)))
        perm[first], perm[second] = perm[second], perm[first]
        return context.add("transpose", new, perm=tuple(perm), like=like)
    if view.packet == "permute":
        order = [context.axis(base, axis) for axis in view.args["dims"]]
        return context.add("transpose", new, perm=tuple(order.index(axis) for axis in range(len(order))), like=like)
    if view.packet == "select" and isinstance(index := view.args.get("index"), int):
        axis = context.axis(base, view.args.get("dim", 0))
        part = context.add("unsqueeze", new, context.vector([axis]))
        return replace_slice(context, base, part, axis, index, index + 1 if index != -1 else LAST)
    if view.packet == "slice" and view.args.get("step", 1) == 1:
        start, end = view.args.get("start") or 0, view.args.get("end", LAST)
        if isinstance(start, int) and isinstance(end, int | None):
            return replace_slice(context, base, new, context.axis(base, view.args.get("dim", 0)), start, end or LAST)
    return None


def replace_slice(
    context: Context, base: Value, part: Value, axis: int, start: int, end: int, *, final: bool = False
) -> Value:
    """The base with `base[start:end]` along an axis replaced: what is before, the part, what is after."""
    dim = context.dims(base)[axis]
    pieces: list[Value] = []
    if start != 0 and not (isinstance(dim, int) and start <= -dim):
        pieces.append(_piece(context, base, axis, 0, start))
    pieces.append(part)
    if end < LAST and not (isinstance(dim, int) and end >= dim):
        pieces.append(_piece(context, base, axis, end, LAST))
    if final:
        return context.result("concat", *pieces, axis=axis)
    like = Tensor(base.declared.dtype, base.declared.shape)
    return context.add("concat", *pieces, axis=axis, like=like) if len(pieces) > 1 else part


def _piece(context: Context, base: Value, axis: int, start: int, end: int) -> Value:
    vector = context.vector
    return context.add("slice", base, vector([start]), vector([end]), vector([axis]), vector([1]))
