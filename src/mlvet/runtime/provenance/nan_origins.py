"""Where a run makes its first NaN: every arithmetic operator of the program is looked at, in a run of its own."""

from __future__ import annotations

import ast
import linecache
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlvet.runtime.provenance.breaks import users_frame

LOOK, OPERATE = "__mlvet_look__", "__mlvet_operate__"
_MOST = 16
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//"}


@dataclass(frozen=True, slots=True)
class Made:
    """A line that made a NaN of numbers that were none."""

    path: str
    line: int
    text: str
    operands: tuple[float, ...]


ORIGINS: list[Made] = []
"""The first ones of this process."""


def look(result: Any, *operands: Any) -> Any:
    """The result; noted if it is NaN and no operand is."""
    if result != result and isinstance(result, float) and len(ORIGINS) < _MOST:
        numbers = [each for each in operands if isinstance(each, int | float)]
        if all(each == each for each in numbers):
            _note(tuple(float(each) for each in numbers))
    return result


def _note(operands: tuple[float, ...]) -> None:
    frame = users_frame(sys._getframe(2))
    if frame is not None:
        path, line = frame.f_code.co_filename, frame.f_lineno
        ORIGINS.append(Made(path, line, linecache.getline(path, line).strip(), operands))


def _called(kind: str, flag: int) -> None:
    del flag
    if "invalid" in kind and len(ORIGINS) < _MOST:
        _note(())


def watched() -> None:
    """NumPy tells when an operation on arrays makes a NaN."""
    np.seterrcall(_called)
    np.seterr(invalid="call")


class _Looked(ast.NodeTransformer):
    def __init__(self) -> None:
        self.number = 0

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if type(node.op) not in _SIGNS:
            return node
        call = ast.parse(f"{OPERATE}({_SIGNS[type(node.op)]!r}, 0, 0)", mode="eval").body
        assert isinstance(call, ast.Call)
        call.args[1:] = [node.left, node.right]
        return ast.copy_location(call, node)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "float" and len(node.args) == 1 and not node.keywords:
            call = ast.Call(ast.Name(LOOK, ast.Load()), [node], [])
            return ast.copy_location(call, node)
        return node


def _applied(sign: str, left: Any, right: Any) -> Any:
    return look(_APPLY[sign](left, right), left, right)


_APPLY: dict[str, Any] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "**": lambda a, b: a**b, "%": lambda a, b: a % b, "//": lambda a, b: a // b,
}  # fmt: skip
HELPERS: dict[str, Any] = {LOOK: look, OPERATE: _applied}


def looked_at(tree: ast.Module) -> ast.Module:
    """The tree with every operator looked at."""
    changed: ast.Module = _Looked().visit(tree)
    return ast.fix_missing_locations(changed)
