"""Calls that make one number of a row of an array, or of two."""

from __future__ import annotations

import ast
from collections.abc import Callable

_OF_ROWS = frozenset(("sum", "mean", "prod", "max", "min", "norm"))
Names = Callable[[ast.expr], str | None]
"""What tells the dotted name of a function of a library."""


def number_of(names: Names, library: str, node: ast.Call) -> tuple[str, ast.expr] | None:
    """The function that makes one number of a row, and the row."""
    called = _called(names, library, node)
    match node:
        case ast.Call(args=[row], keywords=[]) if called in _OF_ROWS:
            return called, row
        case ast.Call(args=[left, right], keywords=[]) if called == "dist" and library == "torch":
            return "norm", ast.BinOp(left, ast.Sub(), right)
        case ast.Call(func=ast.Attribute(attr=name, value=row), args=[], keywords=[]) if (
            called is None and name in _OF_ROWS and (name != "norm" or library == "torch")
        ):
            return name, row
    return None


def product_of(names: Names, library: str, node: ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """The two rows whose product a call is."""
    called = _called(names, library, node)
    match node:
        case ast.Call(args=[left, right], keywords=[]) if called in ("dot", "inner"):
            return left, right
        case ast.Call(func=ast.Attribute(attr="dot", value=left), args=[right], keywords=[]) if called is None:
            return left, right
    return None


def _called(names: Names, library: str, node: ast.Call) -> str | None:
    """The function of a library that is called; None for a method."""
    known = names(node.func) if isinstance(node.func, ast.Attribute) else None
    root, _, name = (known or "").replace(".linalg.", ".").rpartition(".")
    return name if root == library else None
