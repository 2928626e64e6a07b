"""Symbolic sizes as text: Python expressions over names, read back without running anything."""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

from mlvet.core.errors import UnsupportedInput
from mlvet.domains.dims import Dim, Expr, Symbol, floor_div, maximum, minimum, modulo, spelled, symbol

LONGEST = 20_000
"""A size spelled with more characters than this is not read."""
MOST_TERMS = 2_000

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


class Speller:
    """Spells sizes, and remembers the symbols that need a declaration.

    A symbol that is not a plain name is written as a string literal. Symbols of one name but different bounds get
    different names; one with the bounds that every symbol has, 0 and infinity, needs no declaration if it is alone.
    """

    def __init__(self) -> None:
        self._names: dict[Symbol, str] = {}
        self._taken: set[str] = set()

    def __call__(self, dim: Dim) -> int | str:
        return dim if isinstance(dim, int) else spelled(dim, self._spell)

    def declarations(self) -> list[dict[str, Any]]:
        """What `read` must know of the symbols that were spelled."""
        found = []
        for known, name in self._names.items():
            if name != known.name or (known.low, known.high) != (0, inf):
                entry: dict[str, Any] = {"name": name}
                if name != known.name:
                    entry["symbol"] = known.name
                found.append({**entry, "low": _bound(known.low), "high": _bound(known.high)})
        return found

    def _spell(self, known: Symbol) -> str:
        if known not in self._names:
            name, count = known.name, 0
            while name in self._taken:
                count += 1
                name = f"{known.name}_{count}"
            self._taken.add(name)
            self._names[known] = name
        name = self._names[known]
        if _PLAIN.fullmatch(name) and not keyword.iskeyword(name) and name not in _FUNCTIONS:
            return name
        return json.dumps(name, ensure_ascii=False).replace("`", "\\x60")


def declared(entries: Sequence[Mapping[str, Any]]) -> dict[str, Symbol]:
    """The symbols of declarations by the name they are spelled with."""
    return {
        entry["name"]: Symbol(entry.get("symbol", entry["name"]), _unbound(entry["low"]), _unbound(entry["high"]))
        for entry in entries
    }


def read(text: int | str, known: Mapping[str, Symbol]) -> Dim:
    """The size that a Speller wrote. Raises UnsupportedInput for anything but sums, products, //, %, max and min."""
    if isinstance(text, int):
        return text
    if len(text) > LONGEST:
        raise UnsupportedInput(f"a size of {len(text)} characters is too long to read")
    try:
        return _read(ast.parse(text.strip(), mode="eval").body, known)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnsupportedInput(f"{text[:80]!r} is not a size") from error


def _read(tree: ast.expr, known: Mapping[str, Symbol]) -> Dim:
    later: list[tuple[type[ast.operator], Dim]] = []
    while isinstance(tree, ast.BinOp):
        later.append((type(tree.op), _read(tree.right, known)))
        tree = tree.left
    size = _leaf(tree, known)
    for operator, right in reversed(later):
        if operator not in _OPERATORS:
            raise ValueError(f"{operator.__name__} is not an operator of sizes")
        size = _OPERATORS[operator](size, right)
        if isinstance(size, Expr) and len(size.terms) > MOST_TERMS:
            raise ValueError("the size has too many terms")
    return size


def _leaf(tree: ast.expr, known: Mapping[str, Symbol]) -> Dim:
    match tree:
        case ast.Constant(value=bool()):
            raise ValueError("a size is not a truth value")
        case ast.Constant(value=int(number)):
            return number
        case ast.Constant(value=str(name)) | ast.Name(id=name):
            found = known.get(name)
            return symbol(found.name, found.low, found.high) if found else symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand, known)
        case ast.Call(func=ast.Name(id=function), args=[left, right], keywords=[]) if function in _FUNCTIONS:
            return _FUNCTIONS[function](_read(left, known), _read(right, known))
        case _:
            raise ValueError(f"{type(tree).__name__} is not part of a size")


def _bound(value: float) -> int | float | str:
    return str(value) if value in (inf, -inf) else value


def _unbound(value: int | float | str) -> float:
    if isinstance(value, int | float):
        return value
    if value not in ("inf", "-inf"):
        raise UnsupportedInput(f"{value!r} is not a bound of a symbol")
    return float(value)


_FUNCTIONS: dict[str, Callable[[Dim, Dim], Dim]] = {"max": maximum, "min": minimum}
_OPERATORS: dict[type[ast.operator], Callable[[Dim, Dim], Dim]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: floor_div,
    ast.Mod: modulo,
}
