"""The outline of a file: its functions, its loops, and the expressions that they contain.

A loop contains what runs once per iteration: its body and the test of a `while`, but not what a `for` iterates over. A
comprehension is a loop. The body of a function belongs to the loops inside the function only.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from mlvet.core.location import Location
from mlvet.core.source import Source
from mlvet.ir.host import Span

Place = tuple[int | None, ...]
"""Cell, line, column, end line and end column."""
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
LoopNode = ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BY_TEXT = ("locals", "globals", "vars", "eval", "exec")
_MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
_WITHOUT_OPERANDS = (ast.Name, ast.Constant, *_MARKS)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of the file, or its top level. `loops` are the loops around a function that is defined in some."""

    name: str
    node: Scope
    outer: Function | None = None
    loops: tuple[Loop, ...] = ()

    @property
    def title(self) -> str:
        return getattr(self.node, "name", "")


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A loop of the host program; `around` are the loops of the same function that contain it, outermost first."""

    name: str
    node: LoopNode
    function: Function
    around: tuple[Loop, ...] = ()

    @property
    def targets(self) -> list[ast.expr]:
        if isinstance(self.node, ast.For | ast.AsyncFor):
            return [self.node.target]
        return [each.target for each in self.node.generators] if isinstance(self.node, COMPREHENSIONS) else []


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """An expression, the loops of its function that contain it, outermost first, and the statement it is a part of.

    `conditions` are the tests of `if` around it in its function.
    """

    name: str
    node: ast.expr
    function: Function
    loops: tuple[Loop, ...]
    statement: ast.stmt
    parent: Expression | None = None
    contexts: tuple[ast.expr, ...] = ()
    conditions: tuple[ast.expr, ...] = ()


@dataclass
class Outline:
    """A file taken apart; everything is in the order of the text."""

    source: Source
    tree: ast.Module
    functions: list[Function] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    expressions: list[Expression] = field(default_factory=list)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree but those that say what is done with names and which operators are meant."""
        found: list[ast.AST] = [self.tree]
        for node in found:
            if not isinstance(node, _WITHOUT_OPERANDS):
                found += (each for each in ast.iter_child_nodes(node) if not isinstance(each, _MARKS))
        return found

    @cached_property
    def of_node(self) -> dict[ast.AST, Expression]:
        return {each.node: each for each in self.expressions}

    @cached_property
    def deleted(self) -> frozenset[str]:
        """The names behind `del`."""
        names = (each.node for each in self.expressions if isinstance(each.node, ast.Name))
        return frozenset(each.id for each in names if isinstance(each.ctx, ast.Del))

    @cached_property
    def reads_by_text(self) -> bool:
        """Whether something can read names that no expression spells."""
        called = (each.node.func for each in self.expressions if isinstance(each.node, ast.Call))
        return any(isinstance(each, ast.Name) and each.id in _BY_TEXT for each in called)

    @cached_property
    def function_at(self) -> dict[Span, Function]:
        return {self.span(each.node): each for each in self.functions if not isinstance(each.node, ast.Module)}

    @cached_property
    def of_function(self) -> dict[Function, list[Expression]]:
        """The expressions of each function, in loops or not."""
        found: dict[Function, list[Expression]] = {each: [] for each in self.functions}
        for each in self.expressions:
            found[each.function].append(each)
        return found

    @cached_property
    def directly_in(self) -> dict[Loop | Function, list[Expression]]:
        """The expressions of each loop that are in none inside of it, and those of each function that are in none."""
        found: dict[Loop | Function, list[Expression]] = defaultdict(list)
        for each in self.expressions:
            found[each.loops[-1] if each.loops else each.function].append(each)
        return found

    @cached_property
    def loops_in(self) -> dict[Loop | Function, list[Loop]]:
        """The loops directly inside of each loop and each function."""
        found: dict[Loop | Function, list[Loop]] = defaultdict(list)
        for each in self.loops:
            found[each.around[-1] if each.around else each.function].append(each)
        return found

    def within(self, loop: Loop) -> Iterator[Expression]:
        """The expressions of a loop and of those inside of it."""
        yield from self.directly_in[loop]
        for each in self.loops_in[loop]:
            yield from self.within(each)

    @cached_property
    def places(self) -> dict[ast.expr, Place]:
        """Where each expression stands, as nodes of graphs tell their places."""
        found: dict[ast.expr, Place] = {}
        for each in self.expressions:
            node = each.node
            end_line = node.end_lineno or node.lineno
            column, end = self._column(node.lineno, node.col_offset), self._column(end_line, node.end_col_offset or 0)
            if self.source.cells:
                found[node] = place_of(self.location(node))
            else:
                found[node] = (None, node.lineno, column, end_line, end)
        return found

    @cached_property
    def at(self) -> dict[Place, Expression]:
        """The expression at each place, the innermost where several stand."""
        return {self.places[each.node]: each for each in self.expressions}

    @property
    def watched(self) -> frozenset[Span]:
        """The expressions whose values are to be told while the program is followed; those of calls always are."""
        return frozenset(self.span(each.node) for each in self.expressions if not isinstance(each.node, ast.Call))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        return (
            self.source.path, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0
        )  # fmt: skip

    def location(self, node: ast.expr | ast.stmt) -> Location:
        end_line = node.end_lineno or node.lineno
        return self.source.location(
            node.lineno, self._column(node.lineno, node.col_offset), end_line,
            self._column(end_line, node.end_col_offset or 0),
        )  # fmt: skip

    def head(self, node: LoopNode) -> Location:
        """The place of a loop without its body."""
        if isinstance(node, COMPREHENSIONS):
            return self.location(node)
        last = node.iter if isinstance(node, ast.For | ast.AsyncFor) else node.test
        end_line = last.end_lineno or last.lineno
        return self.source.location(
            node.lineno, self._column(node.lineno, node.col_offset), end_line,
            self._column(end_line, last.end_col_offset or 0),
        )  # fmt: skip

    def text(self, node: ast.expr | ast.stmt) -> str:
        """A piece of the file on one line."""
        if getattr(node, "end_lineno", None) is None:
            return " ".join(ast.unparse(node).split())
        lines = self.source.lines[node.lineno - 1 : node.end_lineno]
        lines[-1] = lines[-1].encode()[: node.end_col_offset].decode(errors="replace")
        lines[0] = lines[0].encode()[node.col_offset :].decode(errors="replace")
        return " ".join("\n".join(lines).split())

    @cached_property
    def _ascii(self) -> bool:
        return self.source.text.isascii()

    def _column(self, line: int, offset: int) -> int:
        lines = self.source.lines
        if self._ascii or line > len(lines) or lines[line - 1].isascii():
            return offset + 1
        return len(lines[line - 1].encode()[:offset].decode(errors="replace")) + 1


def place_of(location: Location) -> Place:
    return location.cell, location.line, location.column, location.end_line, location.end_column


def outline(source: Source, tree: ast.Module) -> Outline:
    """Take a file apart."""
    found = Outline(source, tree)
    _Reader(found).read()
    return found


class _Reader:
    def __init__(self, found: Outline) -> None:
        self._found = found

    def read(self) -> None:
        main = Function("f0", self._found.tree)
        self._found.functions.append(main)
        self._statements(self._found.tree.body, _Place(main, (), ast.Pass(), (), ()))

    def _statements(self, body: list[ast.stmt], around: _Place) -> None:
        for each in body:
            self._statement(each, replace(around, statement=each))

    def _statement(self, node: ast.stmt, here: _Place) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._definition(node, here)
            case ast.ClassDef():
                self._several([*node.decorator_list, *node.bases, *(each.value for each in node.keywords)], here)
                self._statements(node.body, here)
            case ast.For() | ast.AsyncFor():
                self._expression(node.iter, here)
                inner = here.within(self._loop(node, here))
                self._expression(node.target, inner)
                self._statements(node.body, inner)
                self._statements(node.orelse, here)
            case ast.While():
                inner = here.within(self._loop(node, here))
                self._expression(node.test, inner)
                self._statements(node.body, inner)
                self._statements(node.orelse, here)
            case ast.If():
                self._expression(node.test, here)
                decided = replace(here, conditions=(*here.conditions, node.test))
                self._statements(node.body, decided)
                self._statements(node.orelse, decided)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self._expression(item.context_expr, here)
                    if item.optional_vars is not None:
                        self._expression(item.optional_vars, here)
                within = (*here.contexts, *(item.context_expr for item in node.items))
                self._statements(node.body, replace(here, contexts=within))
            case _:
                for part in ast.iter_child_nodes(node):
                    self._part(part, here)

    def _part(self, node: ast.AST, here: _Place) -> None:
        """A part of a statement: an expression, a statement of a block, or what holds some of them."""
        if isinstance(node, ast.expr):
            self._expression(node, here)
        elif isinstance(node, ast.stmt):
            self._statement(node, replace(here, statement=node))
        else:
            for part in ast.iter_child_nodes(node):
                self._part(part, here)

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef, here: _Place) -> None:
        arguments = node.args
        outside = [*node.decorator_list, *arguments.defaults, *filter(None, arguments.kw_defaults)]
        self._several(outside, here)
        self._statements(node.body, _Place(self._function(node, here), (), node, (), ()))

    def _several(self, nodes: list[ast.expr], here: _Place) -> None:
        for each in nodes:
            self._expression(each, here)

    def _function(self, node: Scope, here: _Place) -> Function:
        made = Function(f"f{len(self._found.functions)}", node, here.function, here.loops)
        self._found.functions.append(made)
        return made

    def _loop(self, node: LoopNode, here: _Place) -> Loop:
        made = Loop(f"l{len(self._found.loops)}", node, here.function, here.loops)
        self._found.loops.append(made)
        return made

    def _expression(self, node: ast.expr, here: _Place, parent: Expression | None = None) -> None:
        found = self._found.expressions
        made = Expression(
            f"e{len(found)}", node, here.function, here.loops, here.statement, parent, here.contexts, here.conditions
        )
        found.append(made)
        if isinstance(node, ast.Lambda):
            self._several([*node.args.defaults, *filter(None, node.args.kw_defaults)], here)
            self._expression(node.body, _Place(self._function(node, here), (), here.statement, (), ()))
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node, here, made)
        else:
            for part in operands(node):
                self._expression(part, here, made)

    def _comprehension(self, node: ast.expr, here: _Place, made: Expression) -> None:
        assert isinstance(node, COMPREHENSIONS)
        self._expression(node.generators[0].iter, here, made)
        inner = here.within(self._loop(node, here))
        for number, each in enumerate(node.generators):
            if number:
                self._expression(each.iter, inner, made)
            self._expression(each.target, inner, made)
            for test in each.ifs:
                self._expression(test, inner, made)
        for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self._expression(part, inner, made)


@dataclass(frozen=True, slots=True)
class _Place:
    function: Function
    loops: tuple[Loop, ...]
    statement: ast.stmt
    contexts: tuple[ast.expr, ...]
    conditions: tuple[ast.expr, ...]

    def within(self, loop: Loop) -> _Place:
        return replace(self, loops=(*self.loops, loop))


def operands(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions directly below an expression, through keywords and slices."""
    if isinstance(node, _WITHOUT_OPERANDS):
        return
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            yield part
        else:
            yield from operands(part)
