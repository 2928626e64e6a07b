"""Reductions, cumulative operators, sorting."""

from __future__ import annotations

from collections.abc import Callable

from mlvet.domains import dtypes
from mlvet.frontends.jaxpr.context import RULES, Context, lowers
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.ir.graph import Value

REDUCTIONS = {"reduce_sum": "reduce_sum", "reduce_max": "reduce_max", "reduce_min": "reduce_min",
    "reduce_prod": "reduce_prod", "reduce_and": "reduce_all", "reduce_or": "reduce_any"}  # fmt: skip
CUMULATIVE = {"cumsum": "cum_sum", "cumprod": "cum_prod", "cummax": "cum_max", "cummin": "cum_min",
    "cumlogsumexp": "log_cum_sum_exp"}  # fmt: skip


def _reduction(op: str) -> Callable[[Context], Value]:
    def rule(context: Context) -> Value:
        (x,) = context.operands
        axes = list(context.param("axes"))
        if op in ("reduce_all", "reduce_any") and context.dtype(x) is not dtypes.bool_:
            raise Unlowered("bits of integers")
        if not axes:
            return context.result("identity", x)
        return context.result(op, x, context.vector(axes), keepdims=0)

    return rule


for _name, _op in REDUCTIONS.items():
    RULES[_name] = _reduction(_op)


@lowers("argmax", "argmin")
def arg_extreme(context: Context) -> Value:
    (x,) = context.operands
    (axis,) = context.param("axes")
    op, to = ("arg_max" if context.name == "argmax" else "arg_min"), context.declared().dtype
    if to is dtypes.i64:
        return context.result(op, x, axis=int(axis), keepdims=0)
    return context.result("cast", context.add(op, x, axis=int(axis), keepdims=0), to=to)


def _cumulative(op: str) -> Callable[[Context], Value]:
    def rule(context: Context) -> Value:
        """From the end on it runs over the flipped operand."""
        (x,) = context.operands
        axis = int(context.param("axis"))
        if not context.param("reverse", False):
            return context.result(op, x, context.number(axis))
        made = context.add(op, context.add("flip", x, axes=(axis,)), context.number(axis))
        return context.result("flip", made, axes=(axis,))

    return rule


for _name, _op in CUMULATIVE.items():
    RULES[_name] = _cumulative(_op)


@lowers("sort")
def sort(context: Context) -> list[Value]:
    """Operands beyond the first key follow its order."""
    operands = context.operands
    axis = int(context.param("dimension"))
    if int(context.param("num_keys")) != 1:
        raise Unlowered("several keys")
    made = [context.result("sort", operands[0], axis=axis)]
    if len(operands) > 1:
        order = context.add("argsort", operands[0], axis=axis)
        for index, operand in enumerate(operands[1:], 1):
            made.append(context.result("gather_elements", operand, order, axis=axis, index=index))
    return made


@lowers("top_k")
def top_k(context: Context) -> list[Value]:
    (x,) = context.operands
    axis = int(context.param("axis", context.rank(x) - 1))
    values = context.out(0)
    positions = context.builder.value(f"{context.name}.positions")
    operands = [x, context.shape([context.param("k")])]
    context.node("top_k", operands, [values, positions], attributes={"axis": axis, "largest": 1, "sorted": 1})
    return [values, context.result("cast", positions, to=context.declared(1).dtype, index=1)]
