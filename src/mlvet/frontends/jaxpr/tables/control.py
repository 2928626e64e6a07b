"""Calls are inlined; branches, loops and scans become regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.frontends.jaxpr.context import Context, lowers
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.ir.graph import Region, Value

CALLS = ("pjit", "jit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr",
    "remat", "remat2", "checkpoint", "xla_call", "core_closed_call", "custom_jvp_call_jaxpr")  # fmt: skip


@lowers(*CALLS)
def call(context: Context) -> list[Value]:
    for name in ("jaxpr", "call_jaxpr", "fun_jaxpr"):
        jaxpr = context.param(name)
        if jaxpr is not None:
            return context.inline(jaxpr, context.operands)
    raise Unlowered("a call without a body")


def _branch(context: Context, jaxpr: Any, operands: Sequence[Value]) -> Region:
    """A branch that reads the operands from outside."""
    inner = _within(context, "branch")
    return inner.builder.close(inner.inline(jaxpr, operands))


def _within(context: Context, kind: str) -> Context:
    """A context for a region of the equation at hand."""
    return Context(
        context.builder.region(kind, context.name), context.sizes, context.origins, context.lower_jaxpr, context.prefix,
        dict(context.env), context.equation, context.location, context.stack, context.module,
    )  # fmt: skip


@lowers("cond")
def cond(context: Context) -> list[Value]:
    """Branches are numbered; of two, the second runs if the condition holds. More become a chain of choices."""
    which, *operands = context.operands
    branches = context.param("branches")
    if len(branches) == 1:
        return context.inline(branches[0], operands)
    return _choose(context, which, list(branches), operands, 0)


def _choose(context: Context, which: Value, branches: list[Any], operands: list[Value], first: int) -> list[Value]:
    outputs = [context.out(index) for index in range(len(context.equation.outvars))]
    if len(branches) == 2:
        if first == 0:
            condition = context.cast(which, dtypes.bool_)
        else:
            condition = context.add("greater", which, context.number(first, context.dtype(which)))
        regions = [_branch(context, branches[1], operands), _branch(context, branches[0], operands)]
    else:
        condition = context.add("less_or_equal", which, context.number(first, context.dtype(which)))
        inner = _within(context, "branch")
        rest = inner.builder.close(_choose(inner, which, branches[1:], operands, first + 1))
        regions = [_branch(context, branches[0], operands), rest]
    context.node("if", [condition], outputs, regions=regions)
    return outputs


def _loop(context: Context, jaxpr: Any, constants: Sequence[Value], entering: int) -> Region:
    """A region that `entering` values enter after the constants, which it reads from outside."""
    inner = _within(context, "loop")
    variables = (jaxpr.jaxpr if hasattr(jaxpr, "consts") else jaxpr).invars[len(constants) :]
    if len(variables) != entering:
        raise Unlowered("a body takes another number of operands than it is given")
    inputs = [inner.builder.input(f"{context.name}.{index}", inner.tensor(variable.aval))
        for index, variable in enumerate(variables)]  # fmt: skip
    return inner.builder.close(inner.inline(jaxpr, [*constants, *inputs]))


@lowers("while")
def while_loop(context: Context) -> list[Value]:
    operands = context.operands
    first, second = int(context.param("cond_nconsts")), int(context.param("body_nconsts"))
    carried = operands[first + second :]
    condition = _loop(context, context.param("cond_jaxpr"), operands[:first], len(carried))
    body = _loop(context, context.param("body_jaxpr"), operands[first : first + second], len(carried))
    outputs = [context.out(index) for index in range(len(context.equation.outvars))]
    context.node("while", carried, outputs, regions=[condition, body])
    return outputs


@lowers("scan")
def scan(context: Context) -> list[Value]:
    """States, then one slice of each scanned operand per step; without such operands a counter drives it."""
    operands = context.operands
    constants, states = int(context.param("num_consts")), int(context.param("num_carry"))
    length, reverse = int(context.param("length")), bool(context.param("reverse"))
    entering = operands[constants:]
    body, rows = context.param("jaxpr"), len(operands) - constants - states
    steps: list[Value] = []
    if rows == 0:
        steps = [context.builder.constant(f"{context.name}.steps", np.arange(length, dtype=np.int64))]
    region = _scan_body(context, body, operands[:constants], len(entering), with_step=bool(steps))
    count = max(rows, 1)
    attributes: dict[str, Any] = {"num_scan_inputs": count}
    if reverse:
        stacked = len(context.equation.outvars) - states
        attributes |= {"scan_input_directions": (1,) * count, "scan_output_directions": (1,) * stacked}
    outputs = [context.out(index) for index in range(len(context.equation.outvars))]
    context.node("scan", [*entering, *steps], outputs, regions=[region], attributes=attributes)
    return outputs


def _scan_body(context: Context, jaxpr: Any, constants: list[Value], entering: int, *, with_step: bool) -> Region:
    inner = _within(context, "loop")
    variables = (jaxpr.jaxpr if hasattr(jaxpr, "consts") else jaxpr).invars[len(constants) :]
    inputs = [inner.builder.input(f"{context.name}.{index}", inner.tensor(variable.aval))
        for index, variable in enumerate(variables)]  # fmt: skip
    if len(inputs) != entering:
        raise Unlowered("a body takes another number of operands than it is given")
    if with_step:
        inner.builder.input(f"{context.name}.step", Tensor(dtypes.i64, ()))
    return inner.builder.close(inner.inline(jaxpr, [*constants, *inputs]))
