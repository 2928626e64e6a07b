"""Which names the program of a case names, and which of them it puts to use.

A name is put to use where it is called, decorates, is a base class, is passed on to a call, is what isinstance asks
for, or has an attribute that is read. To compare it with None, or to ask whether it is callable, is to name it only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from library_cases import SIZES

QUESTIONS = frozenset(("callable", "getattr", "hasattr", "id", "isinstance", "issubclass", "repr", "str", "type"))
"""Builtin functions that ask something about what they are given, and do not call it."""


def used_names(program: str) -> set[str]:
    """The dotted names that a program uses, with the modules that its own names stand for written out."""
    tree = ast.parse(program)
    modules = _modules(tree)
    _follow_assignments(tree, modules)
    found = set()
    for node in ast.walk(tree):
        if dotted := _dotted(node, modules):
            found.add(dotted)
        if isinstance(node, ast.Attribute):
            found.add(f"builtins.*.{node.attr}")
    return found | set(modules.values())


def names_put_to_use(program: str) -> set[str]:
    """The dotted names that a program does more with than to name them."""
    tree: ast.Module = _Reached().visit(ast.parse(program))
    modules = _modules(tree)
    _follow_assignments(tree, modules)
    found = set()
    for node in _put_to_use(tree):
        if dotted := _dotted(node, modules):
            found.add(dotted)
        if isinstance(node, ast.Attribute):
            found.add(f"builtins.*.{node.attr}")
    return found


class _Reached(ast.NodeTransformer):
    """Drops what no size lets a case come to."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        match node.test:
            case ast.Compare(ast.Name(size), [ast.Gt()], [ast.Constant(int(least))]) if size in SIZES and least >= 5:
                return self.visit(node.orelse)  # type: ignore[no-any-return]
        return self.generic_visit(node)


def _put_to_use(tree: ast.Module) -> Iterator[ast.expr]:
    used = list(_used_directly(tree))
    variables = {node.id for node in used if isinstance(node, ast.Name)}
    yield from used
    for node in ast.walk(tree):
        match node:
            case ast.comprehension(target, made) | ast.For(target, made) | ast.Assign([target], made):
                if variables & {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}:
                    yield from _choices(made)


def _used_directly(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name("isinstance") as called, [_, kind]):
                yield called
                yield from _choices(kind)
            case ast.Call(ast.Name(name) as called) if name in QUESTIONS:
                yield called
            case ast.Call(called, arguments, keywords):
                yield called
                for each in (*arguments, *(keyword.value for keyword in keywords)):
                    yield from _choices(each)
            case ast.Attribute(value, name) if not name.startswith("__"):
                yield value
            case ast.ClassDef(bases=bases):
                yield from (each.value if isinstance(each, ast.Subscript) else each for each in bases)
            case ast.withitem(context):
                yield context
        yield from getattr(node, "decorator_list", ())


def _choices(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions that a display of several puts together, or the expression itself."""
    match node:
        case ast.Tuple(items) | ast.List(items) | ast.Set(items) | ast.Dict(values=items):
            for each in items:
                yield from _choices(each)
        case ast.Starred(value):
            yield from _choices(value)
        case ast.IfExp(_, first, second):
            yield from _choices(first)
            yield from _choices(second)
        case _:
            yield node


def _modules(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                for each in names:
                    top = each.name.partition(".")[0]
                    found[each.asname or top] = each.name if each.asname else top
            case ast.ImportFrom(module=str(module), names=names):
                found |= {each.asname or each.name: f"{module}.{each.name}" for each in names}
    return found


def _follow_assignments(tree: ast.Module, modules: dict[str, str]) -> None:
    """Let a variable stand for the dotted name that is assigned to it."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], ast.Name() | ast.Attribute() as value):
                dotted = _dotted(value, modules)
                if dotted.partition(".")[0] != "builtins":
                    modules.setdefault(name, dotted)


def _dotted(node: ast.AST, modules: dict[str, str]) -> str:
    match node:
        case ast.Name(name):
            return modules.get(name, f"builtins.{name}")
        case ast.Attribute(value, name):
            before = _dotted(value, modules)
            return f"{before}.{name}" if before else ""
    return ""
