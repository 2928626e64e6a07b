"""Turn an exported program into a graph, one call after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mlvet.domains.tensors import Tensor, unknown
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export import tables as tables
from mlvet.frontends.torch_export.context import RULES, Context
from mlvet.frontends.torch_export.mutation import VIEWS, rebind
from mlvet.frontends.torch_export.record import Body, Call, Entry, Program, Ref
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Graph, Region, Value

DROPPED = frozenset(
    (
        "_assert_scalar", "_assert_async", "_assert_tensor_metadata", "_functional_assert_async", "_make_dep_token",
        "sym_constrain_range", "sym_constrain_range_for_size", "_functional_assert_scalar", "_print",
        "_functional_sym_constrain_range", "_functional_sym_constrain_range_for_size",
    )
)  # fmt: skip
"""Checks that the exporter adds; they compute nothing."""


def lower(program: Program, *, name: str, path: str = "", format: str = "", notes: Sequence[str] = ()) -> Graph:
    """The graph of a program."""
    builder = Builder("graph", name)
    found: list[str] = [*program.notes]
    context = _context(builder, program.body, found, (*program.body.outputs, *program.outputs))
    for entry in program.entries:
        if entry.role != "unused" and entry.name:
            context.env[entry.name] = _enter(context, entry)
    _run(context, program.body)
    outputs = [value for result in program.outputs if (value := _leave(context, result)) is not None]
    return builder.graph(outputs, path=path, format=format, producer=program.producer, notes=[*found, *notes])


def _context(builder: Builder, body: Body, notes: list[str], outputs: Iterable[Any]) -> Context:
    """A context that knows of every name the place of its last use."""
    used = {name: place for place, call in enumerate(body.calls) for name in _refs(list(call.args.values()))}
    used |= dict.fromkeys(_refs(list(outputs)), len(body.calls))
    return Context(builder, body.metas, used, _lower_body, _lower_call, notes)


def _refs(argument: Any) -> Iterable[str]:
    if isinstance(argument, Ref):
        yield argument.name
    elif isinstance(argument, list | tuple):
        for each in argument:
            yield from _refs(each)


def _enter(context: Context, entry: Entry) -> Any:
    declared = context.metas.get(entry.name) or (
        Tensor(entry.data.dtype, entry.data.shape) if entry.data is not None else unknown(entry.name)
    )
    match entry.role:
        case "literal":
            return entry.literal
        case "input":
            return context.builder.input(entry.name, declared)
        case "constant" if entry.data is not None:
            return context.builder.constant(entry.target or entry.name, entry.data)
    module = entry.target.rpartition(".")[0]
    trainable = entry.role == "parameter"
    return context.builder.parameter(entry.target, declared, module=module, data=entry.data, trainable=trainable)


def _leave(context: Context, result: Any) -> Value | None:
    if isinstance(result, Ref):
        result = context.env.get(result.name)
    if isinstance(result, bool | int | float):
        result = context.number(result)
    return result if isinstance(result, Value) else None


def _run(context: Context, body: Body) -> None:
    for context.position, call in enumerate(body.calls):
        context.call = call
        _lower_call(context, call)


def _lower_call(context: Context, call: Call) -> None:
    key = call.packet if call.target.startswith("aten.") else ".".join(call.target.split(".")[:2])
    if key in DROPPED:
        note = "run-time checks added by the exporter are left out"
        if note not in context.notes:
            context.notes.append(note)
        return
    in_place = key not in RULES and key.endswith("_") and not key.endswith("__") and key[:-1] in RULES
    context.key = key[:-1] if in_place else key
    mark = context.builder.mark()
    rule = RULES.get(context.key)
    try:
        if rule is None:
            raise Unlowered(call.target)
        made = rule(context)
    except Unlowered:
        context.builder.back_to(mark)
        made = _opaque(context, call)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        context.builder.back_to(mark)
        context.notes.append(f"{call.name}: {call.target} is called in a way that mlvet does not know ({error})")
        made = _opaque(context, call)
    values = [made] if isinstance(made, Value) or made is None else list(made)
    for name, value in zip(call.outputs, values, strict=False):
        if name is not None and value is not None:
            context.env[name] = value
    _follow(context, call, in_place, values)


def _follow(context: Context, call: Call, in_place: bool, values: list[Value | None]) -> None:
    """Remember what shares memory with what, and carry a change in place back to where it shows."""
    source = next(iter(call.args.values()), None)
    base = context.env.get(source.name) if isinstance(source, Ref) else None
    if not isinstance(base, Value):
        return
    if in_place and isinstance(values[0], Value):
        rebind(context, base, values[0])
    elif context.key in VIEWS:
        for value in values:
            if value is not None and value is not base:
                context.views[value] = (base, call)


def _opaque(context: Context, call: Call) -> list[Value]:
    """The call as a node that no table knows, with its tensors as operands."""
    operands: list[Value | None] = []
    for name in _refs(list(call.args.values())):
        value = context.env.get(name)
        if isinstance(value, Value):
            operands.append(value)
    outputs = [context.out(index) for index in range(len(call.outputs))]
    context.opaque(call.target, operands, outputs)
    return outputs


def _lower_body(outer: Context, body: Body, kind: str, operands: Sequence[Value] | None) -> Region | list[Value]:
    """A body within: inlined into the outer region for the kind `inline`, else a region of its own."""
    builder = outer.builder if kind == "inline" else outer.builder.region(kind, outer.call.name)
    context = _context(builder, body, outer.notes, body.outputs)
    context.call = outer.call
    if operands is None:
        entering: Sequence[Value] = [builder.input(name, body.metas.get(name)) for name in body.inputs]
    else:
        entering = operands
    if len(entering) != len(body.inputs):
        raise Unlowered("a body takes another number of operands than it is given")
    context.env.update(zip(body.inputs, entering, strict=True))
    context.env.update(body.bound)
    _run(context, body)
    outputs = [value for result in body.outputs if (value := _leave(context, result)) is not None]
    return outputs if kind == "inline" else builder.close(outputs)
