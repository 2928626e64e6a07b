"""Statements of a program moved to another place, wrapped, or put beside one another, as edits."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from mlvet.analyses.text import Text
from mlvet.core.fix import Edit

_STEP = "    "


def first_line(statement: ast.stmt) -> int:
    """The line on which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def stands_alone(text: Text, statement: ast.stmt) -> bool:
    """Whether a statement has its lines for itself, so that they can be moved as they are."""
    first, last = first_line(statement), statement.end_lineno or statement.lineno
    if text.line(first)[: len(text.line(first)) - len(text.line(first).lstrip())] == "" and statement.col_offset:
        return False
    behind = text.line(last)[text.end(statement)[1] - 1 :].strip()
    spread = any(
        isinstance(each, ast.Constant | ast.JoinedStr) and each.lineno != each.end_lineno
        for each in ast.walk(statement)
    )
    return text.begins_line(statement) and (not behind or behind.startswith("#")) and not spread


def lines_of(text: Text, statement: ast.stmt) -> list[str]:
    return [text.line(number) for number in range(first_line(statement), (statement.end_lineno or 0) + 1)]


def shifted(lines: Iterable[str], old: str, new: str) -> str:
    """Lines with another indentation; those that have less than the old one stay."""
    return "".join(new + line[len(old) :] if line.startswith(old) and line.strip() else line for line in lines)


def block_of(text: Text, statement: ast.stmt) -> list[ast.stmt]:
    """The statements of the block that a statement is in."""
    parent = text.parents.get(statement)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block
    return []


def moved_before(text: Text, statement: ast.stmt, before: ast.stmt) -> tuple[Edit, ...] | None:
    """A statement taken out of its block and put before another; None if the text does not allow it."""
    if len(block_of(text, statement)) < 2 or not stands_alone(text, statement) or not text.begins_line(before):
        return None
    first, last = first_line(statement), statement.end_lineno or statement.lineno
    old, new = text.indentation(statement), text.indentation(before)
    content = shifted(lines_of(text, statement), old, new)
    if not content.endswith("\n"):
        content += "\n"
    return (
        text.inserted((first_line(before), 1), content),
        text.removed((first, 1), (last, len(text.line(last)) + 1)),
    )


def inserted_before(text: Text, before: ast.stmt, line: str) -> Edit:
    """A line of its own before a statement, indented as it."""
    return text.inserted((first_line(before), 1), f"{text.indentation(before)}{line}\n")


def inserted_after(text: Text, after: ast.stmt, line: str) -> Edit:
    """A line of its own after a statement, indented as it."""
    last = after.end_lineno or after.lineno
    start = "" if text.line(last).endswith("\n") else "\n"
    return text.inserted((last, len(text.line(last)) + 1), f"{start}{text.indentation(after)}{line}\n")


def wrapped_block(text: Text, statements: list[ast.stmt], head: str) -> tuple[Edit, ...] | None:
    """Statements of one block put under a head such as `with x:`; None if the text does not allow it."""
    if not statements or not all(stands_alone(text, each) for each in statements):
        return None
    first, last = first_line(statements[0]), statements[-1].end_lineno or 0
    edits = [text.inserted((first, 1), f"{text.indentation(statements[0])}{head}\n")]
    for number in range(first, last + 1):
        if text.line(number).strip():
            edits.append(text.inserted((number, 1), _STEP))
    return (Edit(edits[0].location, edits[0].content + _STEP), *edits[2:])
