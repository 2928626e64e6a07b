"""Which expressions set, read and change which names, and which values are carried from one iteration to the next.

A name is written as its function and itself, `f2.x`; names that a function does not set belong to the function around
it, in the end to the file. Attributes are known by their name alone, `.weights`, whatever object they are of: a write
of one is taken for a write of all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mlvet.analyses.efficiency.host.changes import Imported, changed_by
from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Function, Loop, Outline
from mlvet.analyses.text import directly_below

_PARTS = ("data", "weight", "bias")
"""Attributes that are what an object computes with: who changes one changes the object."""
_HANDS_ON = ("list", "tuple", "reversed", "zip", "enumerate", "iter")


@dataclass(frozen=True, slots=True)
class Setting:
    """A target that sets a name to what an expression yields, or to a part of it; `conditions` decide whether it does.

    The target of a `loop` holds another item of the expression in each of its iterations.
    """

    target: Expression
    name: str
    value: Expression | None
    conditions: tuple[Expression, ...] = ()
    loop: Loop | None = None


@dataclass(slots=True)
class Bindings:
    """The settings, reads and changes of a file."""

    settings: list[Setting] = field(default_factory=list)
    reads: list[tuple[Expression, str]] = field(default_factory=list)
    attributes: list[tuple[Expression, str]] = field(default_factory=list)
    written: list[tuple[Expression, str]] = field(default_factory=list)
    mutations: list[tuple[Expression, str]] = field(default_factory=list)
    carried: list[tuple[str, Loop]] = field(default_factory=list)


def bindings(outline: Outline) -> Bindings:
    """All that the expressions of a file do to its names."""
    return _Binder(outline).bound()


class _Binder:
    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._locals = {each: _locals(each, outline.of_function[each]) for each in outline.functions}
        self._loops = {each.node: each for each in outline.loops}
        self._found = Bindings()
        imports = [each for each in outline.nodes if isinstance(each, ast.Import | ast.ImportFrom)]
        self._imported = {
            alias.asname or alias.name.partition(".")[0]: isinstance(each, ast.Import)
            for each in imports
            for alias in each.names
        }

    def bound(self) -> Bindings:
        for statement, conditions in _statements(self._outline.tree, ()):
            self._statement(statement, conditions)
        for expression in self._outline.expressions:
            self._expression(expression)
        for loop in self._outline.loops:
            if not isinstance(loop.node, COMPREHENSIONS):
                body = _Order(self._outline, self.name)
                body.run(loop.node.body, set())
                self._found.carried += ((name, loop) for name in body.early & body.set)
        return self._found

    def name(self, function: Function, name: str) -> str:
        """A name with the function that it belongs to."""
        owner: Function | None = function
        while owner is not None and name not in self._locals[owner]:
            owner = owner.outer
        return f"{(owner or self._outline.functions[0]).name}.{name}"

    def _statement(self, node: ast.stmt, conditions: tuple[ast.expr, ...]) -> None:
        match node:
            case ast.Assign():
                for target in node.targets:
                    self._set(target, node.value, conditions)
            case ast.AnnAssign() if node.value is not None:
                self._set(node.target, node.value, conditions)
            case ast.AugAssign():
                self._set(node.target, node.value, conditions, changed=True)
            case ast.For() | ast.AsyncFor():
                self._set(node.target, node.iter, conditions, loop=self._loops[node])
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    if item.optional_vars is not None:
                        self._set(item.optional_vars, item.context_expr, conditions)

    def _set(
        self, target: ast.expr, value: ast.expr | None, conditions: tuple[ast.expr, ...], *, loop: Loop | None = None,
        changed: bool = False,
    ) -> None:  # fmt: skip
        of_node = self._outline.of_node
        match target:
            case ast.Name():
                place = of_node[target]
                name = self.name(place.function, target.id)
                source = None if value is None else of_node.get(value)
                tests = tuple(of_node[each] for each in conditions if each in of_node)
                self._found.settings.append(Setting(place, name, source, tests, loop))
                if changed:
                    self._found.mutations.append((place, name))
            case ast.Tuple() | ast.List():
                parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
                alike = len(parts) == len(target.elts) and not loop
                for index, each in enumerate(target.elts):
                    inner = each.value if isinstance(each, ast.Starred) else each
                    self._set(inner, parts[index] if alike else value, conditions, loop=loop, changed=changed)
            case ast.Attribute():
                self._found.written.append((of_node[target], f".{target.attr}"))
                if target.attr in _PARTS:
                    self._mutated(target.value, of_node[target])
            case ast.Subscript():
                self._mutated(target.value, of_node[target])

    def _mutated(self, node: ast.expr, by: Expression) -> None:
        """Note that what an expression holds is changed, whatever of it: `a.b[0] = x` changes `.b` and `a`."""
        match node:
            case ast.Name():
                self._found.mutations.append((by, self.name(by.function, node.id)))
            case ast.Attribute():
                self._found.written.append((by, f".{node.attr}"))
                if node.attr in _PARTS:
                    self._mutated(node.value, by)
            case ast.Subscript() | ast.Starred():
                self._mutated(node.value, by)
            case ast.Call(func=ast.Attribute(value=inner)):
                self._mutated(inner, by)
            case ast.Call(func=ast.Name(id=name), args=items) if name in _HANDS_ON:
                for each in items:
                    self._mutated(each, by)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                for each in items:
                    self._mutated(each, by)

    def _expression(self, found: Expression) -> None:
        node = found.node
        match node:
            case ast.Name(ctx=ast.Load()):
                self._found.reads.append((found, self.name(found.function, node.id)))
            case ast.Attribute(ctx=ast.Load()):
                self._found.attributes.append((found, f".{node.attr}"))
            case ast.NamedExpr():
                self._set(node.target, node.value, ())
            case ast.Call():
                for changed in changed_by(node, self._imports):
                    self._mutated(changed, found)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                loop = self._loops[node]
                for each in node.generators:
                    self._set(each.target, each.iter, (), loop=loop)

    def _imports(self, node: ast.expr) -> Imported:
        """What is known of an expression by the imports of the file."""
        while isinstance(node, ast.Attribute):
            node = node.value
        name = node.id if isinstance(node, ast.Name) else ""
        if name not in self._imported:
            return Imported.NOT
        return Imported.MODULE if self._imported[name] else Imported.PERHAPS_MODULE


def _statements(node: ast.AST, conditions: tuple[ast.expr, ...]) -> Iterator[tuple[ast.stmt, tuple[ast.expr, ...]]]:
    """All statements below a node, with the tests that decide in their function whether they run."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.expr):
            continue
        inside = conditions
        if isinstance(each, ast.stmt):
            yield each, conditions
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inside = ()
            elif isinstance(each, ast.If | ast.While):
                inside = (*conditions, each.test)
        yield from _statements(each, inside)


def _locals(function: Function, expressions: list[Expression]) -> frozenset[str]:
    """The names that a function sets itself."""
    node = function.node
    targets = (each.node for each in expressions if isinstance(getattr(each.node, "ctx", None), ast.Store))
    found = {each.id for each in targets if isinstance(each, ast.Name)}
    if not isinstance(node, ast.Module):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        found |= {each.arg for each in every if each is not None}
    outer: set[str] = set()
    pending: list[ast.AST] = [] if isinstance(node, ast.Lambda) else list(node.body)
    while pending:
        each = pending.pop()
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(each.name)
            pending += each.body if isinstance(each, ast.ClassDef) else ()
            continue
        if isinstance(each, ast.Global | ast.Nonlocal):
            outer |= set(each.names)
        elif isinstance(each, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in each.names}
        elif isinstance(each, ast.ExceptHandler) and each.name:
            found.add(each.name)
        pending += directly_below(each)
    return frozenset(found - outer)


class _Order:
    """Which names an iteration reads before it has surely set them, and which it sets at all."""

    def __init__(self, outline: Outline, name: Callable[[Function, str], str]) -> None:
        self._outline = outline
        self._name = name
        self.early: set[str] = set()
        self.set: set[str] = set()

    def run(self, body: list[ast.stmt], surely: set[str]) -> set[str]:
        """Follow statements; the names that are surely set after them, which `surely` becomes."""
        for each in body:
            surely = self._statement(each, surely)
        return surely

    def _statement(self, node: ast.stmt, surely: set[str]) -> set[str]:
        match node:
            case ast.If():
                self._reads(node.test, surely)
                return self.run(node.body, set(surely)) & self.run(node.orelse, set(surely))
            case ast.For() | ast.AsyncFor():
                self._reads(node.iter, surely)
                self.run(node.body, surely | self._targets(node.target, surely))
                return self.run(node.orelse, set(surely))
            case ast.While():
                self._reads(node.test, surely)
                self.run(node.body, set(surely))
                return self.run(node.orelse, set(surely))
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self._reads(item.context_expr, surely)
                    if item.optional_vars is not None:
                        surely |= self._targets(item.optional_vars, surely)
                return self.run(node.body, set(surely))
            case ast.Try():
                after = self.run(node.body, set(surely))
                for handler in node.handlers:
                    after &= self.run(handler.body, set(surely))
                return self.run(node.finalbody, self.run(node.orelse, after))
            case ast.Assign():
                self._reads(node.value, surely)
                for target in node.targets:
                    surely |= self._targets(target, surely)
                return surely
            case ast.AnnAssign():
                if node.value is None:
                    return surely
                self._reads(node.value, surely)
                surely |= self._targets(node.target, surely)
                return surely
            case ast.AugAssign():
                self._reads(node.value, surely)
                self._reads(node.target, surely)
                surely |= self._targets(node.target, surely)
                return surely
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return surely
            case _:
                for part in ast.iter_child_nodes(node):
                    if isinstance(part, ast.expr):
                        self._reads(part, surely)
                return surely

    def _targets(self, node: ast.expr, surely: set[str]) -> set[str]:
        found: set[str] = set()
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                found.add(self._key(each))
        if not isinstance(node, ast.Name):
            for each in ast.walk(node):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
                    self._reads(each, surely)
        self.set |= found
        return found

    def _reads(self, node: ast.expr, surely: set[str]) -> None:
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and each in self._outline.of_node:
                key = self._key(each)
                if key not in surely:
                    self.early.add(key)

    def _key(self, node: ast.Name) -> str:
        place = self._outline.of_node[node]
        return self._name(place.function, node.id)
