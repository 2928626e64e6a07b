"""The text of one file beside its tree: which expression stands at a place, and edits of it."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from functools import cached_property

from mlvet.core.fix import Edit
from mlvet.core.location import Location
from mlvet.core.source import split_lines
from mlvet.ir.host import Span

_BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Tuple)
Position = tuple[int, int]


class Text:
    """A file as it is shown, with its tree. Columns of trees count bytes, those of edits characters."""

    def __init__(self, path: str, text: str, tree: ast.Module | None = None) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text) if tree is None else tree
        self._lines = split_lines(text)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def _by_span(self) -> dict[Span, ast.AST]:
        """The outermost node of each span, but expressions rather than the statements that they are."""
        found: dict[Span, ast.AST] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr):
                found.setdefault(self.span(node), node)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt):
                found.setdefault(self.span(node), node)
        return found

    def at(self, location: Location) -> ast.AST | None:
        """The expression or statement at a place of the file."""
        if location.path != self.path or location.cell is not None or None in (location.line, location.end_column):
            return None
        line = location.line or 1
        end_line = location.end_line or line
        start, end = self._offset(line, location.column or 1), self._offset(end_line, location.end_column or 1)
        return self._by_span.get((self.path, line, start, end_line, end))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        return self.path, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        (line, column), (end_line, end_column) = self.start(node), self.end(node)
        if line == end_line:
            return self._lines[line - 1][column - 1 : end_column - 1]
        first, *middle, last = self._lines[line - 1 : end_line]
        return "".join((first[column - 1 :], *middle, last[: end_column - 1]))

    def start(self, node: ast.expr | ast.stmt | ast.alias) -> Position:
        return node.lineno, self._column(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.alias | ast.arg) -> Position:
        line = node.end_lineno or node.lineno
        return line, self._column(line, node.end_col_offset or 0)

    def _column(self, line: int, offset: int) -> int:
        return len(self._lines[line - 1].encode()[:offset].decode(errors="replace")) + 1

    def _offset(self, line: int, column: int) -> int:
        return len(self._lines[line - 1][: column - 1].encode()) if line <= len(self._lines) else column - 1

    def place(self, node: ast.expr | ast.stmt) -> Location:
        return Location(self.path, *self.start(node), *self.end(node))

    def replaced(self, node: ast.expr | ast.stmt, content: str) -> Edit:
        return Edit(self.place(node), content)

    def removed(self, start: Position, end: Position) -> Edit:
        return Edit(Location(self.path, *start, *end), "")

    def inserted(self, place: Position, content: str) -> Edit:
        return Edit(Location(self.path, *place, *place), content)

    def suffixed(self, node: ast.expr, suffix: str) -> tuple[Edit, ...]:
        """A suffix such as a method call put behind an expression, in parentheses where it needs them."""
        if isinstance(node, _ATOMS) or self._is_parenthesised(node):
            return (self.inserted(self._after_parentheses(node), suffix),)
        return self.inserted(self.start(node), "("), self.inserted(self.end(node), f"){suffix}")

    def wrapped(self, node: ast.expr, prefix: str, suffix: str) -> tuple[Edit, ...]:
        return self.inserted(self.start(node), prefix), self.inserted(self.end(node), suffix)

    def _is_parenthesised(self, node: ast.expr) -> bool:
        return self._after_parentheses(node) != self.end(node)

    def _after_parentheses(self, node: ast.expr) -> Position:
        """Behind the parenthesis around an expression that is an operand, on the same line."""
        parent = self.parents.get(node)
        line, column = self.end(node)
        first, before = self.start(node)
        opened = self._lines[first - 1][: before - 1].rstrip().endswith("(")
        closed = self._lines[line - 1][column - 1 :].lstrip().startswith(")")
        if isinstance(parent, ast.Call) or not (opened and closed):
            return line, column
        return line, self._lines[line - 1].index(")", column - 1) + 2

    def line(self, number: int) -> str:
        return self._lines[number - 1]

    def indentation(self, statement: ast.stmt) -> str:
        """What stands before a statement on its line, None of it if something other than space does."""
        before = self._lines[statement.lineno - 1][: self.start(statement)[1] - 1]
        return before if not before.strip() else ""

    def begins_line(self, statement: ast.stmt) -> bool:
        return not self._lines[statement.lineno - 1][: self.start(statement)[1] - 1].strip()

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that a node is part of."""
        found: ast.AST | None = node
        while found is not None and not isinstance(found, ast.stmt):
            found = self.parents.get(found)
        return found

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node is part of, inner before outer."""
        found = self.parents.get(node)
        while found is not None:
            yield found
            found = self.parents.get(found)

    def function(self, node: ast.AST) -> ast.FunctionDef | None:
        return next((each for each in self.around(node) if isinstance(each, ast.FunctionDef)), None)

    def calls(self) -> Iterator[ast.Call]:
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.Call))

    @cached_property
    def imports(self) -> dict[str, str]:
        """The names that the file gives to modules and what it takes out of them, by what they are."""
        found: dict[str, str] = {}
        for node in statements(self.tree):
            if isinstance(node, ast.Import):
                for each in node.names:
                    whole = each.name if each.asname else each.name.partition(".")[0]
                    found.setdefault(whole, each.asname or whole)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for each in node.names:
                    found.setdefault(f"{node.module}.{each.name}", each.asname or each.name)
        return found

    @cached_property
    def _imported(self) -> dict[str, str]:
        """What the names of imports are, the first that each is given to."""
        return {known: whole for whole, known in reversed(self.imports.items())}

    def reference(self, *names: str) -> str:
        """How the file can refer to the first of some dotted names that its imports reach; empty if to none."""
        for name in names:
            parts = name.split(".")
            for count in range(len(parts), 0, -1):
                known = self.imports.get(".".join(parts[:count]))
                if known is not None:
                    return ".".join((known, *parts[count:]))
        return ""

    def name_of(self, node: ast.expr) -> str:
        """The dotted name of a function or class in its library, as far as imports tell; empty if they do not."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        whole = self._imported.get(node.id)
        return "" if whole is None else ".".join((whole, *reversed(parts)))


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node, with handlers and cases, in the order of `ast.walk`; nothing of expressions."""
    pending = deque(directly_below(tree))
    while pending:
        each = pending.popleft()
        yield each
        pending += directly_below(each)


def directly_below(node: ast.AST) -> Iterator[ast.AST]:
    """The statements of the blocks of a statement, and its handlers and cases."""
    for name in _BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield from block


def last_name(node: ast.expr) -> str:
    """The last part of a dotted name, or of the function that a call calls."""
    if isinstance(node, ast.Call):
        node = node.func
    match node:
        case ast.Attribute():
            return node.attr
        case ast.Name():
            return node.id
    return ""
