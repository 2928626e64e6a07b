"""Symbolic sizes as torch and JAX write them (constructor calls or plain arithmetic), read without evaluating code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf

from mlvet.domains.dims import Dim, Expr, ceil_div, floor_div, maximum, minimum, modulo, product, symbol, total


@dataclass(slots=True)
class Sizes:
    """Reads size expressions of one program; `ranges` bound its symbols, `names` are the user's names for them.

    Symbols without a range are at least `least`.
    """

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    least: int = 0
    _read: dict[str, Dim] = field(default_factory=dict)

    def read(self, text: str) -> Dim:
        """The size that an expression means; one that is not understood is a symbol named by its text."""
        if text not in self._read:
            self._read[text] = self._parse(text)
        return self._read[text]

    def _parse(self, text: str) -> Dim:
        try:
            return self._dim(ast.parse(text, mode="eval").body)
        except (_Foreign, SyntaxError, ValueError, RecursionError, MemoryError):
            return symbol(text, -inf, inf)

    def _symbol(self, name: str) -> Expr:
        low, high = self.ranges.get(name, (self.least, inf))
        return symbol(self.names.get(name, name), low, high)

    def _dim(self, node: ast.expr) -> Dim:
        match node:
            case ast.Constant(value=bool()):
                raise _Foreign
            case ast.Constant(value=int(number)):
                return number
            case ast.Name(id=name):
                return self._symbol(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._dim(operand)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._dim(left) + self._dim(right)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return self._dim(left) - self._dim(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return self._dim(left) * self._dim(right)
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
                return floor_div(self._dim(left), self._dim(right))
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                return modulo(self._dim(left), self._dim(right))
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(count))):
                return self._power(left, count)
            case ast.Call(func=function, args=operands):
                return self._call(_last(function), operands)
        raise _Foreign

    def _call(self, function: str, operands: list[ast.expr]) -> Dim:
        match function, operands:
            case "Symbol", [ast.Constant(value=str(name)), *_]:
                return self._symbol(name)
            case "Integer", [ast.Constant(value=int(number))]:
                return number
            case "Integer", [ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number)))]:
                return -number
            case "Pow", [base, exponent]:
                count = self._dim(exponent)
                return self._power(base, count) if isinstance(count, int) else self._refuse()
            case _ if function in _FOLDS:
                return _FOLDS[function]([self._dim(operand) for operand in operands])
            case _ if function in _PAIRS and len(operands) == 2:
                return _PAIRS[function](self._dim(operands[0]), self._dim(operands[1]))
        return self._refuse()

    def _power(self, base: ast.expr, count: int) -> Dim:
        return product([self._dim(base)] * count) if 0 <= count <= 8 else self._refuse()

    def _refuse(self) -> Dim:
        raise _Foreign


class _Foreign(Exception):
    """An expression outside of what dims can say."""


def _last(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


_FOLDS: dict[str, Callable[[list[Dim]], Dim]] = {
    "Add": total,
    "Mul": product,
    "Max": lambda dims: maximum(*dims),
    "Min": lambda dims: minimum(*dims),
    "max": lambda dims: maximum(*dims),
    "min": lambda dims: minimum(*dims),
}
_PAIRS: dict[str, Callable[[Dim, Dim], Dim]] = {
    "FloorDiv": floor_div,
    "CleanDiv": floor_div,
    "floordiv": floor_div,
    "mod": modulo,
    "Mod": modulo,
    "PythonMod": modulo,
    "CeilDiv": ceil_div,
}
