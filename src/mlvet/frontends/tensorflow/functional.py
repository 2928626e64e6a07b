"""Operators that call functions of the library: calls, conditionals and loops, each with the functions as regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mlvet.domains import dtypes
from mlvet.frontends.protobuf.wire import Record
from mlvet.frontends.tensorflow.site import Site
from mlvet.frontends.tensorflow.structure import DEEPEST
from mlvet.frontends.tensorflow.tensors import declared
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Frame, Region, Value

if TYPE_CHECKING:
    from mlvet.frontends.tensorflow.translate import Scope, Translator

_CALLS = {
    "PartitionedCall": "f",
    "StatefulPartitionedCall": "f",
    "RemoteCall": "f",
    "TPUPartitionedCall": "f",
    "XlaLaunch": "function",
}
_CONDITIONALS = frozenset({"If", "StatelessIf", "_If"})
_LOOPS = frozenset({"While", "StatelessWhile", "_While"})
_CASES = frozenset({"Case", "StatelessCase", "_Case"})
CALLING = frozenset(_CALLS) | _CONDITIONALS | _LOOPS | _CASES
"""The operators whose functions are written out."""
_MOST_CASES = 16


def emit(translator: Translator, scope: Scope, site: Site) -> Sequence[Value] | None:
    """The results of a step that calls functions; None for any other step, and for one that cannot be followed."""
    op = site.step.op
    wanted: list[tuple[str, Mapping[str, Record]]]
    if op in _CALLS or op in translator.library:
        reference = site.attributes.function(_CALLS[op]) if op in _CALLS else None
        wanted = [_named(reference)] if reference is not None else [(op, site.attributes.resolved())]
        if reference is None and op in _CALLS:
            return None
    elif op in _CONDITIONALS:
        wanted = _pair(site, "then_branch", "else_branch")
    elif op in _LOOPS:
        wanted = _pair(site, "cond", "body")
    elif op in _CASES:
        wanted = [_named(item) for item in site.attributes.functions("branches")]
    else:
        return None
    taken = site.inputs if op not in _CONDITIONALS and op not in _CASES else site.inputs[1:]
    if not wanted or not all(_can_follow(translator, scope, site, name, len(taken)) for name, _ in wanted):
        return None
    if op in _CONDITIONALS:
        return _conditional(translator, scope, site, wanted)
    if op in _LOOPS:
        return _loop(translator, scope, site, wanted)
    if op in _CASES:
        return _case(translator, scope, site, wanted)
    return _call(translator, scope, site, wanted[0])


def _named(reference: Record) -> tuple[str, Mapping[str, Record]]:
    return reference.name, reference.attr


def _pair(site: Site, first: str, second: str) -> list[tuple[str, Mapping[str, Record]]]:
    references = [site.attributes.function(name) for name in (first, second)]
    return [_named(reference) for reference in references if reference is not None] if all(references) else []


def _can_follow(translator: Translator, scope: Scope, site: Site, name: str, arguments: int) -> bool:
    if name not in translator.library:
        translator.note(f"`{site.step.name}` calls the function `{name}`, which the file does not have")
        return False
    if name in scope.functions:
        translator.note(f"the function `{name}` calls itself; the inner call is left opaque")
        return False
    if scope.depth >= DEEPEST:
        translator.note(f"calls are nested deeper than {DEEPEST}; the innermost are left opaque")
        return False
    flow, _ = translator.function(name)
    if len(flow.arguments) != arguments:
        translator.note(
            f"`{site.step.name}` gives {arguments} arguments to `{name}`, which takes {len(flow.arguments)}"
        )
        return False
    return True


def _enter(
    translator: Translator, scope: Scope, site: Site, builder: Builder, wanted: tuple[str, Mapping[str, Record]]
) -> Scope:
    from mlvet.frontends.tensorflow.translate import Scope

    name, attributes = wanted
    flow, arrangement = translator.function(name)
    frame = Frame(name, site.location)
    return Scope(
        builder,
        flow,
        arrangement,
        None,
        attributes,
        (*scope.stack, frame),
        (*scope.functions, name),
        scope.depth + 1,
    )


def _results(translator: Translator, inner: Scope) -> list[Value]:
    translator.block(inner, inner.arrangement.block)
    return [translator.operand(inner, port) for port in inner.flow.results]


def argument(translator: Translator, inner: Scope, position: int) -> Value:
    """A new value that enters the region of a function, with what the file declares of it."""
    function = translator.library[inner.flow.name]
    definition = function.signature.input_arg[position]
    attached = function.arg_attr.get(position)
    shapes = attached.attr.get("_output_shapes") if attached is not None else None
    listed = shapes.list.shape if shapes is not None and shapes.list is not None else []
    kind = inner.calling[definition.type_attr].type if definition.type_attr in inner.calling else definition.type
    tensor = declared(kind, listed[0] if len(listed) == 1 else None, definition.name)
    return inner.builder.input(definition.name, tensor)


def _call(
    translator: Translator, scope: Scope, site: Site, wanted: tuple[str, Mapping[str, Record]]
) -> Sequence[Value]:
    """A call with a region; variables are used by the region where they are, not handed in."""
    inner = _enter(translator, scope, site, scope.builder.region("call", wanted[0]), wanted)
    handed = []
    for position, value in enumerate(site.inputs):
        step = inner.flow.arguments[position]
        if value in translator.handles:
            inner.values[step, 0] = value
            continue
        entering = argument(translator, inner, position)
        inner.values[step, 0] = entering
        handed.append(value)
        if value in translator.known:
            translator.known[entering] = translator.known[value]
    outputs = _results(translator, inner)
    region = inner.builder.close(outputs)
    results = site.emit("call", handed, regions=[region], outputs=len(outputs))
    return _with_handles(translator, results, outputs)


def _with_handles(translator: Translator, results: Sequence[Value], inside: Sequence[Value]) -> list[Value]:
    """Results, where a variable that a region passes on is the variable itself."""
    return [origin if origin in translator.handles else result for result, origin in zip(results, inside, strict=False)]


def _side(
    translator: Translator, scope: Scope, site: Site, builder: Builder, wanted: tuple[str, Mapping[str, Record]]
) -> list[Value]:
    inner = _enter(translator, scope, site, builder, wanted)
    for step, value in zip(inner.flow.arguments, site.inputs[1:], strict=True):
        inner.values[step, 0] = value
    return _results(translator, inner)


def _conditional(
    translator: Translator, scope: Scope, site: Site, wanted: Sequence[tuple[str, Mapping[str, Record]]]
) -> Sequence[Value] | None:
    regions = []
    for function in wanted:
        builder = scope.builder.region("branch", function[0])
        regions.append(builder.close(_side(translator, scope, site, builder, function)))
    counts = {len(region.outputs) for region in regions}
    if len(counts) != 1:
        translator.note(f"the sides of `{site.step.name}` yield different numbers of values")
        return None
    results = site.emit("if", [_truth(site)], regions=regions, outputs=counts.pop())
    same = [
        left if left is right else None for left, right in zip(*(region.outputs for region in regions), strict=True)
    ]
    return [
        origin if origin is not None and origin in translator.handles else result
        for result, origin in zip(results, same, strict=True)
    ]


def _truth(site: Site) -> Value:
    """The condition as a truth value: any number but 0 counts as true."""
    condition = site.inputs[0]
    dtype = site.attributes.dtype("Tcond")
    if dtype is not None and dtype.is_number:
        return site.extra("cast", condition, to=dtypes.bool_)
    return condition


def _loop(
    translator: Translator, scope: Scope, site: Site, wanted: Sequence[tuple[str, Mapping[str, Record]]]
) -> Sequence[Value] | None:
    carried = [index for index, value in enumerate(site.inputs) if value not in translator.handles]
    regions: list[Region] = []
    for name, function in zip(("condition", "body"), wanted, strict=True):
        inner = _enter(translator, scope, site, scope.builder.region("loop", name), function)
        for index, value in enumerate(site.inputs):
            entering = argument(translator, inner, index) if index in carried else value
            inner.values[inner.flow.arguments[index], 0] = entering
        outputs = _results(translator, inner)
        if name == "body":
            if len(outputs) != len(site.inputs):
                translator.note(f"the body of `{site.step.name}` yields {len(outputs)} of {len(site.inputs)} values")
                return None
            outputs = [outputs[index] for index in carried]
        regions.append(inner.builder.close(outputs[:1] if name == "condition" else outputs))
    if not regions[0].outputs:
        return None
    declared_types = site.declared
    site.declared = [declared_types[index] for index in carried if index < len(declared_types)]
    results = site.emit("while", [site.inputs[index] for index in carried], regions=regions, outputs=len(carried))
    found = list(site.inputs)
    for index, result in zip(carried, results, strict=True):
        found[index] = result
    return found


def _case(
    translator: Translator, scope: Scope, site: Site, wanted: Sequence[tuple[str, Mapping[str, Record]]]
) -> Sequence[Value] | None:
    """One conditional within the other; an index out of range means the last case."""
    if len(wanted) > _MOST_CASES or len(wanted) < 2:
        translator.note(f"`{site.step.name}` has {len(wanted)} cases and is left opaque")
        return None
    index = site.inputs[0]
    builders = [scope.builder]
    for position in range(len(wanted) - 2):
        builders.append(builders[-1].region("branch", f"{site.step.name}/from_{position + 1}"))
    last = builders[-1].region("branch", wanted[-1][0])
    other = last.close(_side(translator, scope, site, last, wanted[-1]))
    results: list[Value] = []
    for position in range(len(wanted) - 2, -1, -1):
        builder = builders[position]
        taken = builder.region("branch", wanted[position][0])
        region = taken.close(_side(translator, scope, site, taken, wanted[position]))
        if len(region.outputs) != len(other.outputs):
            translator.note(f"the cases of `{site.step.name}` yield different numbers of values")
            return None
        site.builder = builder
        number = site.constant(position, f"case_{position}")
        wide = site.extra("cast", index, to=dtypes.i64)
        test = site.extra("equal", wide, number)
        results = site.emit("if", [test], regions=[region, other], outputs=len(region.outputs))
        other = builder.close(results) if position else other
    return results
