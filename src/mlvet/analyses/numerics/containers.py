"""Lists, sequences and stores of tensors: one interval for all that was ever put into one.

A list that operators hand on is its content. A store that they change by a handle has its content in the run; the
handle, and the number that orders what is done with the store, remember which stores they can mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from mlvet.analyses.numerics.values.abstract import Abstract, uniform
from mlvet.domains import dtypes
from mlvet.domains.intervals import EMPTY, Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Node

if TYPE_CHECKING:
    from mlvet.analyses.numerics.analysis import Run

Operands: TypeAlias = Sequence[Abstract | None]
Rule: TypeAlias = Callable[["Run", Node, Operands, Sequence[Tensor]], list[Abstract]]


def _holding(run: Run, content: Interval, like: Abstract | None, out: Tensor) -> Abstract:
    """A list with this content, of the element type of what was put into it."""
    dtype = like.dtype if like is not None else out.dtype or dtypes.f32
    return uniform(replace(out, dtype=dtype), content, run.transfer.fresh())


def _empty(run: Run, _node: Node, _operands: Operands, outs: Sequence[Tensor]) -> list[Abstract]:
    return [_holding(run, EMPTY, None, outs[0])]


def _gathered(run: Run, node: Node, operands: Operands, outs: Sequence[Tensor]) -> list[Abstract]:
    """A list of the operands, or one with an operand more."""
    present = [operand for operand in operands if operand is not None]
    if node.op in ("sequence_insert", "list_push"):
        present = present[:2]
    elif node.op in ("split_to_sequence", "sequence_erase", "optional"):
        present = present[:1]
    content = EMPTY
    for operand in present:
        content = content.join(operand.interval)
    return [_holding(run, content, present[-1] if present else None, outs[0])]


def _taken(run: Run, node: Node, operands: Operands, outs: Sequence[Tensor]) -> list[Abstract]:
    """Elements of a list; what an empty one yields can be anything."""
    items = operands[0]
    if items is None or items.interval.empty:
        return [run.transfer.unknown(out) for out in outs]
    if node.op == "list_pop":
        return [replace(items, number=run.transfer.fresh()), *(_elements(run, items.interval, out) for out in outs[1:])]
    return [_elements(run, items.interval, out) for out in outs[:1]]


def _elements(run: Run, content: Interval, out: Tensor) -> Abstract:
    return uniform(out, content, run.transfer.fresh())


def _new_store(run: Run, node: Node, _operands: Operands, outs: Sequence[Tensor]) -> list[Abstract]:
    store = frozenset({node.name})
    return [replace(run.transfer.unknown(out), holds=store) for out in outs]


def _put(run: Run, node: Node, operands: Operands, outs: Sequence[Tensor]) -> list[Abstract]:
    """Whatever is no handle, no order and no index goes into the store."""
    handle = operands[0]
    stores = frozenset() if handle is None else handle.holds
    values = [operand for operand in operands[1:] if operand is not None and not operand.holds]
    floats = [value for value in values if value.dtype.is_float]
    for store in stores:
        for value in floats or values:
            run.contents[store] = run.contents.get(store, EMPTY).join(value.interval)
    if node.op == "store_push" and values:
        return [values[0]]
    return [replace(run.transfer.unknown(out), holds=stores) for out in outs]


def _from_store(run: Run, _node: Node, operands: Operands, outs: Sequence[Tensor]) -> list[Abstract]:
    handle = operands[0]
    stores = frozenset() if handle is None else handle.holds
    content = EMPTY
    for store in stores:
        content = content.join(run.contents.get(store, EMPTY))
    if content.empty:
        return [run.transfer.unknown(out) for out in outs]
    return [_elements(run, content, outs[0]), *(run.transfer.unknown(out) for out in outs[1:])]


RULES: dict[str, Rule] = {
    **dict.fromkeys(("sequence_empty", "list_new"), _empty),
    **dict.fromkeys(
        ("sequence_construct", "sequence_insert", "sequence_erase", "split_to_sequence", "list_push", "optional"),
        _gathered,
    ),
    **dict.fromkeys(("sequence_at", "concat_from_sequence", "optional_get_element", "list_pop", "list_take"), _taken),
    "store_new": _new_store,
    **dict.fromkeys(("store_put", "store_push"), _put),
    **dict.fromkeys(("store_take", "store_stacked", "store_joined"), _from_store),
}
