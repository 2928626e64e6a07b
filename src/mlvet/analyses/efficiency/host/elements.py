"""Loops over the elements of arrays: nests of `for` over ranges with one statement inside, and the items it touches."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mlvet.analyses.efficiency.host.facts import HostProgram
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.ir.facts import Fact

SCHEMA = {
    "element_loop/2": "loop over elements with one statement inside, map or reduce",
    "element_nest/2": "such a loop, one directly around it with nothing else inside",
    "element_write/2": "such a loop, item or name that it writes",
    "element_read/2": "such a loop, item that it reads",
    "element_uses/2": "such a loop, expression that it evaluates in every iteration",
    "item_of/2": "item, expression that it is an item of",
    "same_item/2": "item that is written, item of the same text that is read",
    "same_array/2": "item that is written, item of the same array that is read",
}
"""Every predicate of loops over elements with its number of arguments, and what the arguments are."""


@dataclass(frozen=True, slots=True)
class Nest:
    """Loops over ranges, outermost first, around one statement that writes `target`.

    One that `reduces` adds `value` to what the target holds, or `subtracts` it; `functional` is an update of JAX, which
    rebinds the whole array.
    """

    loops: tuple[Loop, ...]
    statement: ast.stmt
    target: ast.expr
    value: ast.expr
    reduces: bool = False
    functional: bool = False
    subtracts: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        targets = [each.node.target for each in self.loops if isinstance(each.node, ast.For)]
        return tuple(each.id for each in targets if isinstance(each, ast.Name))


def nests(program: HostProgram) -> Iterator[Nest]:
    """Every loop over elements with all such loops directly inside of it."""
    of_node: dict[ast.AST, Loop] = {each.node: each for each in program.outline.loops}
    for loop in program.outline.loops:
        inner = _chain(of_node, loop)
        if inner is None:
            continue
        body = inner[-1].node.body[0] if isinstance(inner[-1].node, ast.For) else None
        match body:
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                yield Nest(inner, body, target, value)
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Attribute(
                        attr="set" | "add" as how,
                        value=ast.Subscript(value=ast.Attribute(attr="at", value=ast.Name(id=base))) as target,
                    ),
                    args=[value],
                ),
            ) if name == base:
                yield Nest(inner, body, target, value, how == "add", functional=True)
            case ast.AugAssign(
                target=ast.Subscript() | ast.Name() as target, op=ast.Add() | ast.Sub() as sign, value=value
            ):
                yield Nest(inner, body, target, value, reduces=True, subtracts=isinstance(sign, ast.Sub))
            case ast.Assign(
                targets=[ast.Name() as target],
                value=ast.BinOp(left=ast.Name() as left, op=ast.Add() | ast.Sub() as sign, right=value),
            ) if left.id == target.id:
                yield Nest(inner, body, target, value, reduces=True, subtracts=isinstance(sign, ast.Sub))


def _chain(of_node: dict[ast.AST, Loop], loop: Loop) -> tuple[Loop, ...] | None:
    """A loop over a range and those inside of it, where each contains nothing but the next one."""
    found: list[Loop] = []
    node: ast.stmt | None = loop.node if isinstance(loop.node, ast.For) else None
    while isinstance(node, ast.For):
        if not _is_range(node) or node.orelse or len(node.body) != 1:
            return None
        found.append(of_node[node])
        node = node.body[0]
    return tuple(found) if found else None


def _is_range(node: ast.For) -> bool:
    call = node.iter
    named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("range", "xrange")
    return named and isinstance(node.target, ast.Name) and isinstance(call, ast.Call) and len(call.args) in (1, 2)


def items(node: ast.AST) -> list[ast.Subscript]:
    """The outermost items below a node; `x[i][j]` is one, and what stands in its index is another."""
    found: list[ast.Subscript] = []
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, ast.Subscript):
            found.append(each)
            base, indices = flattened(each)
            pending += [base, *indices]
        else:
            pending += ast.iter_child_nodes(each)
    return found


def flattened(node: ast.Subscript) -> tuple[ast.expr, list[ast.expr]]:
    """The array and all indices of an item, `x[i][j]` as `x[i, j]`."""
    inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if isinstance(node.value, ast.Subscript):
        base, outer = flattened(node.value)
        return base, [*outer, *inner]
    base = node.value
    if isinstance(base, ast.Attribute) and base.attr == "at":
        base = base.value
    return base, inner


def element_facts(program: HostProgram) -> Iterator[Fact]:
    """All facts about loops over elements."""
    of_node = program.outline.of_node
    for nest in nests(program):
        name = nest.loops[0].name
        yield Fact("element_loop", (name, "reduce" if nest.reduces else "map"))
        for inner in nest.loops[1:]:
            yield Fact("element_nest", (inner.name, name))
        yield Fact("element_write", (name, of_node[nest.target].name))
        for each in _evaluated(program, nest):
            yield Fact("element_uses", (name, each.name))
        for item in items(nest.value):
            yield Fact("element_read", (name, of_node[item].name))
            yield from _items(program, nest, item)
        if isinstance(nest.target, ast.Subscript):
            yield Fact("item_of", (of_node[nest.target].name, of_node[flattened(nest.target)[0]].name))
            for index in nest.target.slice.elts if isinstance(nest.target.slice, ast.Tuple) else [nest.target.slice]:
                for item in items(index):
                    yield Fact("element_read", (name, of_node[item].name))
                    yield from _items(program, nest, item)


def _items(program: HostProgram, nest: Nest, item: ast.Subscript) -> Iterator[Fact]:
    of_node = program.outline.of_node
    base, indices = flattened(item)
    yield Fact("item_of", (of_node[item].name, of_node[base].name))
    if isinstance(nest.target, ast.Subscript):
        written, at = flattened(nest.target)
        if _text(written) == _text(base):
            yield Fact("same_array", (of_node[nest.target].name, of_node[item].name))
            if list(map(_text, indices)) == list(map(_text, at)):
                yield Fact("same_item", (of_node[nest.target].name, of_node[item].name))


def _evaluated(program: HostProgram, nest: Nest) -> Iterator[Expression]:
    for node in ast.walk(nest.statement):
        if isinstance(node, ast.expr) and node in program.outline.of_node:
            yield program.outline.of_node[node]


def _text(node: ast.expr) -> str:
    return ast.unparse(node)
