"""Failures that a program is ready for: what its handlers of exceptions make of a shape that does not fit."""

from __future__ import annotations

import ast

_KINDS = frozenset(
    ("Exception", "BaseException", "RuntimeError", "ValueError", "TypeError", "IndexError", "AssertionError",
    "InvalidArgumentError", "OpError", "LinAlgError")
)  # fmt: skip
"""What libraries raise where shapes do not fit, and the classes of it."""
_TELLING = frozenset(
    ("print", "print_exc", "exception", "error", "warning", "warn", "info", "debug", "critical", "log")
)
_ENDING = frozenset(("exit", "_exit", "quit", "abort", "fail"))


def goes_on(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches what a library raises of a shape, and does something else then.

    One that only tells of the failure, raises again or ends the program is not ready for it.
    """
    if handler.type is not None and _KINDS.isdisjoint(map(_tail, _kinds(handler.type))):
        return False
    if any(isinstance(each, ast.Raise) or _calls(each, _ENDING) for each in ast.walk(handler)):
        return False
    return not all(isinstance(each, ast.Expr) and _calls(each.value, _TELLING) for each in handler.body)


def _kinds(type: ast.expr) -> list[ast.expr]:
    return list(type.elts) if isinstance(type, ast.Tuple) else [type]


def _calls(node: ast.AST, names: frozenset[str]) -> bool:
    return isinstance(node, ast.Call) and _tail(node.func) in names


def _tail(name: ast.expr) -> str:
    return name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
