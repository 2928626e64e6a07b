"""Python's operators by their signs, for library models that compute with values of the program."""

from __future__ import annotations

import ast
from typing import Any

from mlvet.domains.dims import Expr, at_least, maximum
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import is_known
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.ratios import Ratio, square_root
from mlvet.frontends.python.values.unknown import Undecided, Unknown

BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "//": ast.FloorDiv, "%": ast.Mod, "**": ast.Pow,
    "@": ast.MatMult, "&": ast.BitAnd, "|": ast.BitOr, "^": ast.BitXor, "<<": ast.LShift, ">>": ast.RShift,
}  # fmt: skip
COMPARISONS: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq, "!=": ast.NotEq, "is": ast.Is,
    "is not": ast.IsNot, "in": ast.In,
}  # fmt: skip
UNARY: dict[str, type[ast.unaryop]] = {"-": ast.USub, "+": ast.UAdd, "~": ast.Invert}


def binary(sign: str, left: Any, right: Any) -> Any:
    """`left sign right`."""
    from mlvet.frontends.python.interpretation import operators

    return operators.binary(machine(), BINARY[sign], left, right)


def compared(sign: str, left: Any, right: Any) -> Any:
    """A comparison: a truth value, one that is open, or whatever the operands' own method yields."""
    from mlvet.frontends.python.interpretation import operators

    return operators.compare(machine(), COMPARISONS[sign], left, right)


def unary(sign: str, value: Any) -> Any:
    """`-x`, `+x`, `~x`."""
    from mlvet.frontends.python.interpretation import operators

    return operators.unary(machine(), UNARY[sign], value)


def in_place(sign: str, left: Any, right: Any) -> Any:
    """`left sign= right`, and what `left` then is."""
    from mlvet.frontends.python.interpretation import operators

    return operators.in_place(machine(), BINARY[sign], left, right)


def absolute(value: Any) -> Any:
    match value:
        case Expr():
            return value if at_least(value, 0) else maximum(value, -value)
        case Ratio() if at_least(value.numerator, 0):
            return value
        case Scalar() if value.kind in (bool, int, float, complex):
            return Scalar(float)
        case Unknown():
            raise Undecided(value)
        case Object():
            return machine().send(value, "__abs__")
        case bool() | int() | float() | complex():
            return abs(value)
    raise Raised(TypeError(f"bad operand type for abs(): '{type(value).__name__}'"))


def root(value: Any) -> Any:
    """The square root of an integer as a float, known if it is a square."""
    if is_known(value) and value >= 0:
        return value**0.5
    exact = square_root(value) if isinstance(value, int | Expr) else None
    return Scalar(float) if exact is None else Ratio(exact)
