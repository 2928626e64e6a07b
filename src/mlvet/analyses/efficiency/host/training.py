"""What training does to tensors as logic atoms: which expressions compute with what is trained, and which change it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mlvet.analyses.efficiency.host.facts import HostProgram, steady_node
from mlvet.analyses.efficiency.host.outline import Expression, Function, Place, place_of
from mlvet.ir.facts import Fact
from mlvet.ir.graph import Node, Value
from mlvet.ir.program import Act, Demands

SCHEMA = {
    "uses_parameter/2": "expression, parameter or other trained tensor that it, or what it runs, computes with",
    "trains_parameter/2": "call, parameter or other tensor that it changes",
    "trains_unknown/1": "call that changes parameters of which not all are known",
    "derives/1": "call that computes gradients",
    "draws/1": "call within which something is drawn or a running mean is changed",
    "compiled/1": "function that a compiler takes as a whole",
}
"""Every predicate of training with its number of arguments, and what the arguments are."""

_CHANGES = (Act.STEPPED, Act.FITTED, Act.MADE)
_COMPILERS = frozenset(
    (
        "jax.jit", "jax.pmap", "jax.vmap", "jax.checkpoint", "jax.lax.scan", "jax.lax.fori_loop", "jax.lax.while_loop",
        "jax.lax.cond", "jax.lax.map", "jax.grad", "jax.value_and_grad", "flax.nnx.jit", "flax.linen.compact",
        "flax.linen.jit", "tensorflow.function", "torch.compile", "torch.jit.script", "torch.jit.trace", "numba.jit",
        "numba.njit", "torch.vmap", "torch.func.vmap", "tensorflow.while_loop", "tensorflow.scan", "tensorflow.map_fn",
    )
)  # fmt: skip
_METHODS = ("forward", "call", "__call__")


def training_facts(program: HostProgram, demanded: Demands) -> Iterator[Fact]:
    """All facts of training and of compilation."""
    calls = program.outline.at
    tracked = {each.value for each in program.graph.parameters} | set(_asking(program, calls))
    for event in demanded.events:
        if event.act in _CHANGES:
            tracked |= set(event.values)
    for expression, node in _under(program, calls, tracked):
        for value in node.inputs:
            if value in tracked and value is not None:
                yield Fact("uses_parameter", (expression.name, value.name))
        if not steady_node(node):
            yield Fact("draws", (expression.name,))
    for event in demanded.events:
        found = None if event.location is None else calls.get(place_of(event.location))
        if found is None:
            continue
        if event.act is Act.DERIVED:
            yield Fact("derives", (found.name,))
        if event.act in _CHANGES and (event.act is not Act.MADE or event.loops):
            for value in event.values:
                yield Fact("trains_parameter", (found.name, value.name))
            if not event.complete:
                yield Fact("trains_unknown", (found.name,))
    for function in compiled_functions(program):
        yield Fact("compiled", (function.name,))


def _under(
    program: HostProgram, calls: dict[Place, Expression], tracked: set[Value]
) -> Iterator[tuple[Expression, Node]]:
    """Expressions with the nodes that they, or the functions that they run, add to the graph and that train or draw."""
    path = program.outline.source.path
    done: set[tuple[Expression, str, tuple[Value | None, ...]]] = set()
    for node in program.graph.nodes():
        if any(each.index not in (None, 0) for each in node.loops):
            continue
        if steady_node(node) and tracked.isdisjoint(node.inputs):
            continue
        for place in (node.location, *(each.location for each in node.stack)):
            if place is None or place.path != path or (found := calls.get(place_of(place))) is None:
                continue
            key = (found, node.op, node.inputs)
            if key not in done:
                done.add(key)
                yield found, node


def _asking(program: HostProgram, calls: dict[Place, Expression]) -> Iterator[Value]:
    """The tensors that are made with a wish for gradients."""
    for place, nodes in program.nodes_at.items():
        found = calls.get(place)
        keywords = found.node.keywords if found is not None and isinstance(found.node, ast.Call) else []
        if any(each.arg == "requires_grad" for each in keywords):
            yield from (value for node in nodes for value in node.outputs)


def compiled_functions(program: HostProgram) -> Iterator[Function]:
    """The functions that are compiled: decorated, or passed to a compiler, or methods of a module that is."""
    titles: set[str] = set()
    for function in program.outline.functions:
        for each in getattr(function.node, "decorator_list", []):
            inner = [each, *(each.args if isinstance(each, ast.Call) else []), getattr(each, "func", each)]
            if any(_names(program, one) & _COMPILERS for one in inner):
                yield function
    for expression in program.outline.expressions:
        site = program.site(expression) if isinstance(expression.node, ast.Call) else None
        if site is None or not set(site.names) & _COMPILERS:
            continue
        assert isinstance(expression.node, ast.Call)
        for argument in [*expression.node.args, *(each.value for each in expression.node.keywords)]:
            seen = program.host.seen.get(program.outline.span(argument))
            titles |= {ast.unparse(argument).rpartition(".")[2]}
            titles |= set(_METHODS) if seen is not None and seen.kind == "object" else set()
            if isinstance(argument, ast.Lambda):
                yield program.outline.function_at[program.outline.span(argument)]
    yield from (each for each in program.outline.functions if each.title in titles)


def _names(program: HostProgram, node: ast.expr) -> set[str]:
    """The dotted names of what an expression in a decorator is."""
    seen = program.host.seen.get(program.outline.span(node))
    site = program.host.calls.get(program.outline.span(node))
    spelled = ast.unparse(node)
    known = {name for name in _COMPILERS if name.rpartition(".")[2] == spelled.rpartition(".")[2]}
    return {*(() if site is None else site.names), *(() if seen is None else (seen.type,)), *known}
