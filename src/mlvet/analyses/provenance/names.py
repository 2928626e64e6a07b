"""Names of inputs and outputs taken apart: the variable, and the keys that lead into it."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

Key = Hashable

_SUBSCRIPTS = re.compile(r"""([^\W\d][\w.]*)((?:\[(?:-?\d+|"[^"\\\[\]]*"|'[^'\\\[\]]*')\])+)""")
_KEY = re.compile(r"""\[(?:(-?\d+)|"([^"]*)"|'([^']*)')\]""")


@dataclass(frozen=True, slots=True)
class Name:
    """`weights["a"]["b"]` is the variable `weights` with the keys a and b, and so is `weights["a", "b"]`.

    `paired` says that two whole numbers stand in one pair of brackets, as in `weights[3, 5]`: of an array nobody can
    tell from the name whether rows or columns are sources.
    """

    variable: str
    keys: tuple[Key, ...]
    paired: bool = False


@lru_cache(maxsize=1 << 18)
def parsed(name: str) -> Name:
    """The parts of a name; one that is no expression is a variable without keys."""
    if found := _SUBSCRIPTS.fullmatch(name):
        keys = tuple(int(number) if number else one or other for number, one, other in _KEY.findall(found[2]))
        return Name(found[1], keys)
    try:
        at: ast.expr = ast.parse(name.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Name(name, ())
    groups: list[list[Key]] = []
    while isinstance(at, ast.Subscript):
        parts = at.slice.elts if isinstance(at.slice, ast.Tuple) else [at.slice]
        groups.append([_key(part) for part in parts])
        at = at.value
    groups.reverse()
    paired = any(len(group) == 2 and all(isinstance(key, int) for key in group) for group in groups)
    return Name(ast.unparse(at), tuple(key for group in groups for key in group), paired)


def _key(part: ast.expr) -> Key:
    try:
        value = ast.literal_eval(part)
        hash(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return ast.unparse(part)
    key: Key = value
    return key


def shown(key: Key) -> str:
    """A vertex as users know it."""
    return f'"{key}"' if isinstance(key, str) else str(key)
