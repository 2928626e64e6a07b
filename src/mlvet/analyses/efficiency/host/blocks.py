"""Where the statements of a file stand: in which block, at which place of it, and what runs between two of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mlvet.analyses.efficiency.host.outline import Expression, Outline


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A statement in its block; `parent` is the place of the statement that the block belongs to."""

    statement: ast.stmt
    block: list[ast.stmt]
    index: int
    parent: Place | None


@dataclass
class Blocks:
    """The blocks of a file with the expressions of their statements."""

    outline: Outline

    @cached_property
    def places(self) -> dict[ast.stmt, Place]:
        found: dict[ast.stmt, Place] = {}
        _visit(self.outline.tree, None, found)
        return found

    @cached_property
    def _expressions(self) -> dict[ast.stmt, list[Expression]]:
        found: dict[ast.stmt, list[Expression]] = {}
        for each in self.outline.expressions:
            found.setdefault(each.statement, []).append(each)
        return found

    def of_statement(self, node: ast.stmt) -> Iterator[Expression]:
        """All expressions of a statement, with those of its blocks but not of the functions that it defines."""
        yield from self._expressions.get(node, [])
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for block in _blocks(node):
                for each in block:
                    yield from self.of_statement(each)

    def above(self, node: ast.stmt, block: list[ast.stmt]) -> Place | None:
        """The place in a block of the statement that a statement is, or is inside of, in the same function."""
        place = self.places.get(node)
        while place is not None and place.block is not block:
            if isinstance(place.statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                return None
            place = place.parent
        return place

    def follows(self, first: Expression, second: Expression) -> bool:
        """Whether an expression is further down in the block of another, or inside of there."""
        start = self.places[first.statement]
        end = self.above(second.statement, start.block)
        return end is not None and end.index >= start.index and first.function is second.function

    def is_between(self, found: Expression, first: Expression, second: Expression) -> bool:
        """Whether an expression runs between two others, as `between` tells, before the statement of the second."""
        start, end = self.places[first.statement], self.above(second.statement, self.places[first.statement].block)
        place = self.above(found.statement, start.block)
        if place is None or end is None or not start.index <= place.index < max(end.index, start.index + 1):
            return False
        return found.node not in _below(first) | _below(second)

    def between(self, first: Expression, second: Expression) -> list[Expression] | None:
        """What runs after one expression and before another that is further down in its block, or inside of there.

        None if the second does not stand there.
        """
        start = self.places[first.statement]
        end = self.above(second.statement, start.block)
        if end is None or not self.follows(first, second):
            return None
        inside = _below(first) | _below(second)
        found = [each for each in self.of_statement(start.statement) if each.node not in inside]
        if end.index == start.index:
            return found
        for statement in start.block[start.index + 1 : end.index]:
            found += self.of_statement(statement)
        for each in self.of_statement(end.statement):
            if each.node not in inside and (each.statement is not second.statement or not _is_target(each)):
                found.append(each)
        return found


def _below(found: Expression) -> set[ast.AST]:
    return set(ast.walk(found.node))


def _is_target(found: Expression) -> bool:
    return isinstance(getattr(found.node, "ctx", None), ast.Store)


def _visit(node: ast.AST, parent: Place | None, found: dict[ast.stmt, Place]) -> None:
    for block in _blocks(node):
        for index, each in enumerate(block):
            found[each] = Place(each, block, index, parent)
            _visit(each, found[each], found)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for each in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield each.body
