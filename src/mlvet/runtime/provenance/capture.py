"""Where a program's source gives up a value: inputs get their places, outputs and values between are kept.

The source is changed at the named places only. A variable becomes an input as it is assigned, an element of a container
(`ranks[key] = 1 / n`, `graph[a][b] = w`, `edges.append((a, b, w))`) as it is stored.
"""

from __future__ import annotations

import ast
import difflib
import os
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from mlvet.core.errors import UsageError
from mlvet.runtime.provenance.specification import MODULE, Specification

INPUT, STORED, APPENDED, KEPT = "__mlvet_input__", "__mlvet_stored__", "__mlvet_appended__", "__mlvet_kept__"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_HARMLESS = frozenset("int str float len abs min max tuple strip lstrip rstrip lower upper split get index".split())
"""Calls that may stand in a key that is looked at twice."""


@dataclass(slots=True)
class Captures:
    """What is asked for, and which of it the modules seen so far have."""

    inputs: Sequence[Specification]
    outputs: Sequence[Specification]
    found: set[str] = field(default_factory=set)
    met: set[str] = field(default_factory=set)
    """Those whose function there is."""
    functions: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    assigned: dict[str, set[int]] = field(default_factory=dict)
    names: dict[str, set[str]] = field(default_factory=dict)
    """The names that a function binds, of those that are asked for."""

    def applied(self, tree: ast.Module, module: str, path: str) -> ast.Module:
        """The tree with the named places changed."""
        if module == "__main__":
            module = os.path.splitext(os.path.basename(path))[0]
        self.modules.add(module)
        self._scope(tree, module, MODULE, tree.body)
        _Functions(self, module).visit(tree)
        return ast.fix_missing_locations(tree)

    def _scope(self, node: ast.AST, module: str, qualified: str, body: list[ast.stmt]) -> None:
        self.functions.add(qualified)
        for number, each in enumerate(self.inputs):
            if each.matches(module, qualified):
                self.met.add(each.text)
                self._named(node, body, each, _Input(number, each.name))
        for number, each in enumerate(self.outputs):
            if not each.matches(module, qualified):
                continue
            self.met.add(each.text)
            if each.name == "return":
                _Returns(number).visit_body(body)
                self.found.add(each.text)
            else:
                self._named(node, body, each, _Kept(number, each.name))

    def _named(self, scope: ast.AST, body: list[ast.stmt], wanted: Specification, change: _Change) -> None:
        parameters = _parameters(scope)
        if wanted.line is None and wanted.name.partition(".")[0] in parameters:
            at = 1 if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else 0
            body[at:at] = change.after(body[0])
            self.found.add(wanted.text)
            return
        stored = {each.id for each in ast.walk(scope) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        self.names.setdefault(wanted.function, set()).update(parameters, stored)
        places = _Places(wanted)
        places.block(body, change)
        self.assigned.setdefault(f"{wanted.name}@{wanted.function}", set()).update(places.lines)
        if places.changed:
            self.found.add(wanted.text)

    def complain(self) -> None:
        """Say which of the names the program does not have, and what comes near."""
        for each in (*self.inputs, *self.outputs):
            if each.text in self.found:
                continue
            simple = sorted({name.rpartition(".")[2] for name in self.functions} | self.functions)
            last = each.function.rpartition(".")[2]
            if last in simple and each.text not in self.met:
                alike = " or ".join(sorted(name for name in self.functions if name.rpartition(".")[2] == last)[:3])
                raise UsageError(f"{each.text}: the program has no function `{each.function}`; did you mean {alike}?")
            if each.function in self.modules and last not in simple:
                line = "" if each.line is None else f":{each.line}"
                meant = f"{each.name}@{each.function}.{MODULE}{line}"
                raise UsageError(f"{each.text}: `{each.function}` is a module; a variable of it is {meant}")
            if last not in simple:
                near = difflib.get_close_matches(last, simple, 3, 0.4)
                hint = f"; did you mean {' or '.join(near)}?" if near else f"; it has {', '.join(simple[:12])}"
                raise UsageError(f"{each.text}: the program has no function `{each.function}`{hint}")
            lines = sorted(self.assigned.get(f"{each.name}@{each.function}", ()))
            where = f"; it is assigned in line {', '.join(map(str, lines[:8]))}" if lines else ""
            bound = sorted(self.names.get(each.function, ()))
            if each.line is not None and each.name in bound:
                where = where or f"; it is a parameter: {each.name}@{each.function}"
            elif not lines and (near := difflib.get_close_matches(each.name, bound, 3, 0.4)):
                where = f"; did you mean {' or '.join(near)}?"
            raise UsageError(f"{each.text}: `{each.function}` does not assign `{each.name}` there{where}")


class _Functions(ast.NodeVisitor):
    """Visits functions with their qualified names."""

    def __init__(self, captures: Captures, module: str) -> None:
        self.captures, self.module = captures, module
        self.names: list[str] = []

    def visit(self, node: ast.AST) -> None:
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            self.generic_visit(node)
            return
        self.names.append(node.name)
        self.captures._scope(node, self.module, ".".join(self.names), node.body)
        self.generic_visit(node)
        self.names.pop()


@dataclass(frozen=True, slots=True)
class _Change:
    number: int
    name: str

    def after(self, node: ast.stmt) -> list[ast.stmt]:
        """What stands behind a statement that binds the name."""
        raise NotImplementedError

    def stored(self, node: ast.Assign, target: ast.Subscript, keys: list[ast.expr]) -> list[ast.stmt]:
        """What takes the place of a statement that stores an element of the name; `keys` lead to its container."""
        raise NotImplementedError

    def appended(self, node: ast.Expr, call: ast.Call, keys: list[ast.expr]) -> list[ast.stmt]:
        """The same of a statement that appends to a list."""
        raise NotImplementedError


class _Input(_Change):
    def after(self, node: ast.stmt) -> list[ast.stmt]:
        return _parsed(f"{self.name} = {INPUT}({self.number}, {self.name!r}, {self.name})", node)

    def stored(self, node: ast.Assign, target: ast.Subscript, keys: list[ast.expr]) -> list[ast.stmt]:
        container = ast.copy_location(target.value, target)
        return self._calling(STORED, node, [node.value, container, _key(target.slice), *map(deepcopy, keys)])

    def appended(self, node: ast.Expr, call: ast.Call, keys: list[ast.expr]) -> list[ast.stmt]:
        assert isinstance(call.func, ast.Attribute)
        return self._calling(APPENDED, node, [call.func.value, call.args[0], *map(deepcopy, keys)])

    def _calling(self, function: str, node: ast.stmt, given: list[ast.expr]) -> list[ast.stmt]:
        made = _parsed(f"{function}({self.number}, {self.name!r})", node)
        made[0].value.args[2:] = given  # type: ignore[attr-defined]
        return made


class _Kept(_Change):
    def after(self, node: ast.stmt) -> list[ast.stmt]:
        return _parsed(f"{KEPT}({self.number}, {self.name})", node)

    def stored(self, node: ast.Assign, target: ast.Subscript, keys: list[ast.expr]) -> list[ast.stmt]:
        del target, keys
        return [node, *self.after(node)]

    def appended(self, node: ast.Expr, call: ast.Call, keys: list[ast.expr]) -> list[ast.stmt]:
        del call, keys
        return [node, *self.after(node)]


class _Places:
    """Finds the statements that bind a name in one function, not in the functions inside it."""

    def __init__(self, wanted: Specification) -> None:
        self.wanted = wanted
        self.lines: set[int] = set()
        self.changed = False

    def block(self, body: list[ast.stmt], change: _Change) -> None:
        made: list[ast.stmt] = []
        for each in body:
            made += self._statement(each, change)
        body[:] = made

    def _statement(self, node: ast.stmt, change: _Change) -> list[ast.stmt]:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            return [node]
        for each in ast.walk(node) if not _blocks(node) else ():
            if isinstance(each, ast.NamedExpr) and each.target.id == self.wanted.name and self._is_here(node):
                return [node, *change.after(node)]
        for block in _blocks(node):
            self.block(block, change)
        if isinstance(node, ast.For | ast.AsyncFor) and self.wanted.name in _bound(node.target):
            if self._is_here(node, node.iter.end_lineno):
                node.body[:0] = change.after(node.body[0])
            return [node]
        if isinstance(node, ast.With | ast.AsyncWith):
            names = [name for item in node.items if item.optional_vars for name in _bound(item.optional_vars)]
            if self.wanted.name in names and self._is_here(node, node.items[-1].context_expr.end_lineno):
                node.body[:0] = change.after(node.body[0])
            return [node]
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AugAssign | ast.AnnAssign)
            else []
        )
        for target in targets:
            if self.wanted.name in _bound(target) and self._is_here(node):
                return [node, *change.after(node)]
            keys = _leading(target.value, self.wanted.name) if isinstance(target, ast.Subscript) else None
            if keys is not None and self._is_here(node):
                assert isinstance(target, ast.Subscript)
                if isinstance(node, ast.Assign) and len(targets) == 1:
                    return change.stored(node, target, keys)
                return [node, *change.after(node)]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _appends(node.value):
            assert isinstance(node.value.func, ast.Attribute)
            keys = _leading(node.value.func.value, self.wanted.name)
            if keys is not None and self._is_here(node):
                return change.appended(node, node.value, keys)
        return [node]

    def _is_here(self, node: ast.stmt, end: int | None = None) -> bool:
        self.lines.add(node.lineno)
        if self.wanted.line is None:
            if self.changed:
                return False
        elif not node.lineno <= self.wanted.line <= (end or node.end_lineno or node.lineno):
            return False
        self.changed = True
        return True


class _Returns(ast.NodeTransformer):
    """Keeps what a function returns."""

    def __init__(self, number: int) -> None:
        self.number = number

    def visit_body(self, body: list[ast.stmt]) -> None:
        body[:] = [self.visit(each) for each in body]

    def visit_Return(self, node: ast.Return) -> ast.Return:
        value = node.value or ast.Constant(None)
        node.value = ast.Call(ast.Name(KEPT, ast.Load()), [ast.Constant(self.number), value], [])
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node


def _appends(call: ast.Call) -> bool:
    plain = len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)
    return plain and isinstance(call.func, ast.Attribute) and call.func.attr == "append"


def _leading(container: ast.expr, name: str) -> list[ast.expr] | None:
    """The keys by which a container is found in a variable, as in `name[a]` and `name.setdefault(a, {})`.

    They are looked at twice, so none may do anything.
    """
    keys: list[ast.expr] = []
    while ast.unparse(container) != name:
        if isinstance(container, ast.Subscript):
            key, container = container.slice, container.value
        elif isinstance(container, ast.Call) and ast.unparse(container.func).endswith(".setdefault") and container.args:
            assert isinstance(container.func, ast.Attribute)
            key, container = container.args[0], container.func.value
        else:
            return None
        if not _quiet(key):
            return None
        keys.insert(0, key)
    return keys


def _quiet(key: ast.expr) -> bool:
    """Whether an expression has no effects, as far as its words go."""
    loud = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Slice)
    calls = [ast.unparse(each.func).rpartition(".")[2] for each in ast.walk(key) if isinstance(each, ast.Call)]
    return not any(isinstance(each, loud) for each in ast.walk(key)) and _HARMLESS.issuperset(calls)


def _key(key: ast.expr) -> ast.expr:
    """A key as an expression: `1:n` is `slice(1, n, None)`."""
    if isinstance(key, ast.Slice):
        ends = [ast.Constant(None) if each is None else each for each in (key.lower, key.upper, key.step)]
        return ast.Call(ast.Name("slice", ast.Load()), ends, [])
    if isinstance(key, ast.Tuple):
        return ast.Tuple([_key(each) for each in key.elts], ast.Load())
    return key


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    found = []
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value:
            if isinstance(value[0], ast.stmt):
                found.append(value)
            elif isinstance(value[0], ast.excepthandler | ast.match_case):
                found += [each.body for each in value]
    return found


def _bound(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple | ast.List):
        return [name for each in target.elts for name in _bound(each)]
    if isinstance(target, ast.Starred):
        return _bound(target.value)
    return [ast.unparse(target)] if isinstance(target, ast.Name | ast.Attribute) else []


def parameters(script: str) -> list[str]:
    """What functions of a script can be given, as specifications; nothing if it cannot be read."""
    try:
        with open(script, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return []
    functions = [each for each in ast.walk(tree) if isinstance(each, _FUNCTIONS)]
    given = ((each.name, [*each.args.posonlyargs, *each.args.args, *each.args.kwonlyargs]) for each in functions)
    return [f"{each.arg}@{name}" for name, every in given for each in every if each.arg not in ("self", "cls")]


def _parameters(scope: ast.AST) -> set[str]:
    if not isinstance(scope, _FUNCTIONS):
        return set()
    given = scope.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    return {each.arg for each in named}


def _parsed(text: str, node: ast.stmt) -> list[ast.stmt]:
    body = ast.parse(text).body
    for each in body:
        for inner in ast.walk(each):
            if hasattr(inner, "lineno"):
                ast.copy_location(inner, node)
    return body
