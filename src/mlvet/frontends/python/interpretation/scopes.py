"""Where names live, and which file they are written in."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from mlvet.core.location import Location
from mlvet.core.source import Source
from mlvet.frontends.python.active import store
from mlvet.frontends.python.trail import MISSING, Cells
from mlvet.ir.host import Span


@dataclass(slots=True, eq=False)
class File:
    """A file of the program: its text, its tree, and which of its statements were reached."""

    source: Source
    tree: ast.Module
    reached: set[int] = field(default_factory=set)
    _places: dict[int, Location] = field(default_factory=dict)
    _texts: dict[int, str] = field(default_factory=dict)
    _spans: dict[ast.expr, Span] = field(default_factory=dict)

    def span(self, node: ast.expr) -> Span:
        """Where an expression begins and ends."""
        found = self._spans.get(node)
        if found is None:
            ends = node.end_lineno or node.lineno, node.end_col_offset or 0
            found = self._spans[node] = (self.source.path, node.lineno, node.col_offset, *ends)
        return found

    def location(self, node: ast.AST) -> Location | None:
        if not isinstance(node, ast.expr | ast.stmt | ast.pattern):
            return None
        found = self._places.get(id(node))
        if found is None:
            end_line = node.end_lineno or node.lineno
            end = None if node.end_col_offset is None else self._column(end_line, node.end_col_offset)
            found = self._places[id(node)] = self.source.location(
                node.lineno, self._column(node.lineno, node.col_offset), node.end_lineno, end
            )
        return found

    def _column(self, line: int, offset: int) -> int:
        """The column, in characters from 1, of an offset in bytes."""
        lines = self.source.lines
        return len(_cut(lines[line - 1], 0, offset)) + 1 if line <= len(lines) else offset + 1

    def text(self, node: ast.expr) -> str:
        """The expression as it is written, on one line."""
        found = self._texts.get(id(node))
        if found is None:
            found = self._texts[id(node)] = " ".join(self._segment(node).split())
        return found

    def _segment(self, node: ast.expr) -> str:
        lines = self.source.lines
        first, last = node.lineno, node.end_lineno or node.lineno
        if last > len(lines):
            return ""
        if first == last:
            return _cut(lines[first - 1], node.col_offset, node.end_col_offset)
        middle = lines[first : last - 1]
        return " ".join(
            (_cut(lines[first - 1], node.col_offset, None), *middle, _cut(lines[last - 1], 0, node.end_col_offset))
        )


def _cut(line: str, start: int, end: int | None) -> str:
    """A part of a line by offsets that count bytes, as those of Python's trees do."""
    return line[start:end] if line.isascii() else line.encode()[start:end].decode(errors="replace")


class Scope:
    """The names of a module, function, class body or comprehension. Functions do not see the names of class bodies."""

    __slots__ = ("cells", "file", "function", "globals", "kind", "module", "nonlocals", "parent", "receiver", "yields")

    def __init__(self, kind: str, file: File, parent: Scope | None = None, cells: dict[str, Any] | None = None) -> None:
        self.kind = kind
        self.file = file
        self.parent = parent
        self.cells: dict[str, Any] = Cells() if cells is None else cells
        self.module: Scope = parent.module if parent is not None else self
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.function: Any = parent.function if parent is not None and kind != "function" else None
        self.receiver: Any = parent.receiver if parent is not None and kind == "comprehension" else None
        self.yields: list[Any] | None = None

    def find(self, name: str) -> Any:
        """What a name stands for, MISSING if nothing."""
        cells = self.holding(name)
        return MISSING if cells is None else cells[name]

    def holding(self, name: str) -> dict[str, Any] | None:
        """The cells in which a name is found, None if nowhere."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.cells and (scope.kind != "class" or scope is self):
                return scope.cells
            scope = scope.parent
        return None

    def home(self, name: str) -> dict[str, Any]:
        """The cells in which an assignment to a name puts it."""
        if self.kind == "comprehension" and self.parent is not None:
            return self.parent.home(name)
        if name in self.globals:
            return self.module.cells
        if name in self.nonlocals:
            scope = self.parent
            while scope is not None:
                if scope.kind == "function" and name in scope.cells:
                    return scope.cells
                scope = scope.parent
        return self.cells

    def assign(self, name: str, value: Any) -> None:
        store(self.home(name), name, value)
