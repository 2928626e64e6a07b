"""Higher-order operators: branches, loops, scans, and wrappers that are inlined."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mlvet.domains import dtypes
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.frontends.torch_export.record import Body, Ref
from mlvet.ir.graph import Value


def _values(context: Context, argument: Any) -> list[Value]:
    """Operands of a body; numbers become constants."""
    found: list[Value] = []
    for each in argument or []:
        value = context.number(each) if isinstance(each, bool | int | float) else each
        if not isinstance(value, Value):
            raise Unlowered("an operand of a body that is no tensor")
        found.append(value)
    return found


@lowers("higher_order.cond")
def cond(context: Context) -> list[Value]:
    condition = context.value("0")
    operands = _values(context, context.raw("3"))
    branches = [context.region("branch", context.call.args[place], operands) for place in ("1", "2")]
    return context.region_node("if", [context.cast(condition, dtypes.bool_)], branches)


@lowers("higher_order.while_loop")
def while_loop(context: Context) -> list[Value]:
    """What the bodies read besides the carried values is carried along unchanged."""
    carried = _values(context, context.raw("2"))
    extra = _values(context, context.raw("3", default=[]))
    condition = _with_constants(context, context.call.args["0"], len(carried), extra)
    body = _with_constants(context, context.call.args["1"], len(carried), extra)
    return context.region_node("while", carried, [condition, body])


def _with_constants(context: Context, body: Any, carried: int, extra: list[Value]) -> Any:
    """A loop region whose operands beyond the carried ones are captured from outside."""
    if not isinstance(body, Body):
        raise Unlowered("a body is missing")
    if len(body.inputs) != carried + len(extra):
        raise Unlowered("a body takes another number of operands than it is given")
    bound = dict(zip(body.inputs[carried:], extra, strict=True))
    return context.region("loop", replace(body, inputs=body.inputs[:carried], bound=bound))


@lowers("higher_order.scan")
def scan(context: Context) -> list[Value]:
    body, states, rows = context.call.args["0"], _values(context, context.raw("1")), _values(context, context.raw("2"))
    extra = _values(context, context.raw("3", "additional_inputs", default=[]))
    region = _with_constants(context, body, len(states) + len(rows), extra)
    return context.region_node("scan", [*states, *rows], [region], num_scan_inputs=len(rows))


@lowers("higher_order.map_impl")
def map_rows(context: Context) -> list[Value]:
    """A scan without states."""
    rows, extra = _values(context, context.raw("1")), _values(context, context.raw("2", default=[]))
    region = _with_constants(context, context.call.args["0"], len(rows), extra)
    return context.region_node("scan", rows, [region], num_scan_inputs=len(rows))


@lowers("higher_order.wrap_with_set_grad_enabled", "higher_order.wrap_with_autocast", "higher_order.invoke_subgraph",
    "higher_order.wrap", "higher_order.hints_wrapper", "higher_order.tag_activation_checkpoint",
    "higher_order.wrap_activation_checkpoint")  # fmt: skip
def inline(context: Context) -> list[Value]:
    """The body in place of the call; the operands follow it."""
    places = sorted(int(place) for place in context.call.args if place.isdigit())
    at = next((place for place in places if isinstance(context.call.args[str(place)], Body)), None)
    if at is None:
        raise Unlowered("no body")
    rest: list[Any] = []
    for place in places:
        argument = context.call.args[str(place)]
        if place > at and isinstance(argument, Ref | list):
            resolved = context.raw(str(place))
            rest.extend(resolved if isinstance(resolved, list) else [resolved])
    made = context.region("inline", context.call.args[str(at)], _values(context, rest))
    return list(made)
