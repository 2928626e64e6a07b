"""Sequences that the host encodes item by item: written into rows of an array, and padded one after the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mlvet.analyses.efficiency.host.elements import flattened
from mlvet.analyses.efficiency.host.facts import HostProgram
from mlvet.analyses.efficiency.host.outline import Loop
from mlvet.ir.facts import Fact

SCHEMA = {
    "row_fill/4": "loop over the items of a sequence, array that it writes each into, copy lookup or one-hot, sequence",
    "row_fill_uses/2": "such a loop, expression that it evaluates in every iteration",
    "pads_item/3": "expression that pads an item to a common length, item, list array or tensor",
}
"""Every predicate of encodings with its number of arguments, and what the arguments are."""

_PAD_CALLS = {
    "numpy.pad": "array", "numpy.concatenate": "array", "numpy.append": "array", "numpy.hstack": "array",
    "torch.nn.functional.pad": "tensor", "torch.cat": "tensor", "torch.concat": "tensor", "torch.hstack": "tensor",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RowFill:
    """`for position, item in enumerate(sequence)` around one statement that writes at the position of the item.

    A `copy` writes the item, a `lookup` what it stands for, and `one-hot` a number at a column that it stands for.
    """

    loop: Loop
    statement: ast.Assign
    target: ast.Subscript
    kind: str
    position: str
    item: str
    sequence: ast.expr

    @property
    def array(self) -> ast.expr:
        return flattened(self.target)[0]

    @property
    def indices(self) -> list[ast.expr]:
        return flattened(self.target)[1]


def row_fills(program: HostProgram) -> Iterator[RowFill]:
    """Every loop that writes the items of a sequence one by one."""
    for loop in program.outline.loops:
        match loop.node:
            case ast.For(
                target=ast.Tuple(elts=[ast.Name(id=position), ast.Name(id=item)]),
                iter=ast.Call(func=ast.Name(id="enumerate"), args=[sequence], keywords=[]),
                body=[ast.Assign(targets=[ast.Subscript() as target], value=value) as statement],
                orelse=[],
            ):
                found = RowFill(loop, statement, target, "", position, item, sequence)
                kind = _kind(found, value)
                if kind and not _mentions(found.array, position, item) and not _shares(found.array, sequence):
                    yield RowFill(loop, statement, target, kind, position, item, sequence)


def _kind(found: RowFill, value: ast.expr) -> str:
    *before, last = found.indices
    if isinstance(last, ast.Name) and last.id == found.position:
        if any(_mentions(each, found.position, found.item) for each in before) or _mentions(value, found.position):
            return ""
        plain = isinstance(value, ast.Name) and value.id == found.item
        return "copy" if plain else "lookup" if _is_lookup(value, found.item) else ""
    places = [_is_name(each, found.position) for each in before]
    others = [each for each, is_place in zip(before, places, strict=True) if not is_place]
    steady = not any(_mentions(each, found.position, found.item) for each in others)
    column = _mentions(last, found.item) and not _mentions(last, found.position)
    return "one-hot" if places.count(True) == 1 and steady and column and isinstance(value, ast.Constant) else ""


def _is_lookup(node: ast.expr, item: str) -> bool:
    """Whether an expression looks an item up in a table."""
    match node:
        case ast.Subscript(value=ast.Name() | ast.Attribute(), slice=ast.Name(id=name)):
            return name == item
        case ast.Call(func=ast.Attribute(attr="get", value=ast.Name() | ast.Attribute()), args=[ast.Name(id=name), *_]):
            return name == item
    return False


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _shares(array: ast.expr, sequence: ast.expr) -> bool:
    """Whether what is gone through is a part of what is written."""
    return _mentions(sequence, *(each.id for each in ast.walk(array) if isinstance(each, ast.Name)))


def _mentions(node: ast.expr, *names: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))


def padded(program: HostProgram, node: ast.expr) -> tuple[ast.expr, ast.expr, str] | None:
    """The item, the length and the kind of what an expression pads at its end; None if it pads nothing."""
    match node:
        case ast.BinOp(left=item, op=ast.Add(), right=ast.BinOp(left=ast.List(elts=[_]), op=ast.Mult(), right=missing)):
            kind = "list"
        case ast.BinOp(left=item, op=ast.Add(), right=ast.BinOp(left=missing, op=ast.Mult(), right=ast.List(elts=[_]))):
            kind = "list"
        case (
            ast.Call(args=[ast.List(elts=[item, ast.Call(args=[missing, *_])]), *_])
            | ast.Call(args=[ast.Tuple(elts=[item, ast.Call(args=[missing, *_])]), *_])
        ):
            kind = _PAD_CALLS.get(program.dotted(node.func), "") if isinstance(node, ast.Call) else ""
        case ast.Call(args=[item, ast.Tuple(elts=[ast.Constant(value=0), missing]), *_]):
            kind = _PAD_CALLS.get(program.dotted(node.func), "")
        case _:
            return None
    match missing:
        case ast.BinOp(left=length, op=ast.Sub(), right=ast.Call(func=ast.Name(id="len"), args=[measured])):
            same = ast.unparse(measured) == ast.unparse(item)
            return (item, length, kind) if kind and same and isinstance(item, ast.Name) else None
    return None


def encoding_facts(program: HostProgram) -> Iterator[Fact]:
    """All facts about encodings."""
    of_node = program.outline.of_node
    for found in row_fills(program):
        name = found.loop.name
        yield Fact(
            "row_fill", (name, of_node[found.array].name, found.kind, of_node[found.sequence].name)
        )  # fmt: skip
        for node in ast.walk(found.statement):
            if isinstance(node, ast.expr) and node in of_node:
                yield Fact("row_fill_uses", (name, of_node[node].name))
    for expression in program.outline.expressions:
        read = padded(program, expression.node)
        if read is not None:
            yield Fact("pads_item", (expression.name, of_node[read[0]].name, read[2]))
