"""Where a run loses the chain unseen: every call of the program is looked at, in a run of its own.

Compiled code can take the memory of an array, and text the digits of a number, without asking either. So a call is told
that takes numbers with places and gives back floats without any, or that writes into an array and leaves its places.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections import deque
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from mlvet.runtime.provenance.array_values import TracedArray
from mlvet.runtime.provenance.breaks import BREAKS, broken, is_users
from mlvet.runtime.provenance.scalars import ANY_TRACED

CALL, READ, WRITE = "__mlvet_lost_call__", "__mlvet_lost_read__", "__mlvet_lost_write__"
PART, WHOLE, PERCENT = "__mlvet_lost_part__", "__mlvet_lost_whole__", "__mlvet_lost_percent__"
_OWN_FRAME = frozenset(("super", "locals", "vars", "dir", "eval", "exec", "globals"))
_TEXTUAL = ("str", "repr", "format")
_MOVING = (dict, list, tuple, set, frozenset, deque, str, bytes, types.GeneratorType)
"""What only hands on the numbers that were put into it."""
_DEEP, _WIDE = 3, 1000
_TEXTS = 10_000
_SHORTEST = 3
_texts: deque[str | bytes] = deque(maxlen=_TEXTS)
_pending: list[bool] = []


def called(function: Any, /, *given: Any, **named: Any) -> Any:
    """The result of a call, which is noted if it takes places and gives back floats without."""
    if not _opaque(function):
        return function(*given, **named)
    arguments = [getattr(function, "__self__", None), *given, *named.values()]
    before = [(each, *_state(each)) for each in arguments if isinstance(each, np.ndarray)]
    known = dict(BREAKS)
    result = function(*given, **named)
    if known != BREAKS or not any(_places(each) for each in arguments):
        return result
    if type(result) is str or type(result) is bytes:
        return _remembered(result)
    if (_bare(result) and not _places(result)) or any(_overwritten(*each) for each in before):
        broken(f"`{_name(function)}`")
    return result


def read(value: Any) -> Any:
    """What `float` is given; noted if it is text that was made of numbers with places."""
    if type(value) is str and _places(value):
        broken("text that is read as a number")
    return value


def write(function: Any, /, *given: Any, **named: Any) -> Any:
    """Text that `str`, `repr` or `format` makes."""
    made = function(*given, **named)
    return _remembered(made) if any(_places(each) for each in given) else made


def percent(form: str, given: Any) -> Any:
    """`form % given`."""
    made = form % given
    return _remembered(made) if _places(given) else made


def part(value: Any) -> Any:
    """A value between braces."""
    if _places(value):
        _pending.append(True)
    return value


def whole(made: str) -> Any:
    """Text with values between braces."""
    if not _pending:
        return made
    _pending.clear()
    return _remembered(made)


def _remembered(made: Any) -> Any:
    _texts.append(made)
    return made


def _opaque(function: Any) -> bool:
    """Whether the program calls what is neither its own nor known here."""
    while isinstance(function, partial):
        function = function.func
    if isinstance(getattr(function, "__self__", None), _MOVING):
        return False
    if isinstance(function, type):
        return function.__module__ not in ("builtins", "__main__") and not _of_users(function)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is not None and is_users(code.co_filename):
        return False
    return not (getattr(function, "__module__", None) or "").startswith("mlvet.")


def _of_users(kind: type) -> bool:
    methods = [each for each in vars(kind).values() if isinstance(each, types.FunctionType)]
    return any(is_users(each.__code__.co_filename) for each in methods)


def _name(function: Any) -> str:
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", type(function).__qualname__)
    module = getattr(function, "__module__", None)
    return f"{module}.{name}" if isinstance(module, str) and module not in ("builtins", "__main__") else str(name)


def _state(array: Any) -> tuple[Any, Any]:
    """Copies of the numbers and of the places of an array."""
    traced = isinstance(array, TracedArray)
    places = array.places if traced else None
    return (array.plain if traced else array).copy(), None if places is None else places.copy()


def _overwritten(array: Any, numbers: Any, places: Any) -> bool:
    now, places_now = _state(array)
    if array.dtype.kind != "f" or np.array_equal(now, numbers, equal_nan=True):
        return False
    return places_now is None if places is None else bool(np.array_equal(places_now, places))


def _places(value: Any, depth: int = 0) -> bool:
    """Whether anything in a value carries a place."""
    if type(value) in ANY_TRACED:
        return True
    if isinstance(value, np.ndarray):
        places = value.places if isinstance(value, TracedArray) else None
        return places is not None and bool(places.any())
    if type(value) is str or type(value) is bytes:
        alike: Iterator[Any] = (each for each in _texts if type(each) is type(value))
        return len(value) >= _SHORTEST and any(value in each for each in alike)
    return any(_places(each, depth + 1) for each in _parts(value, depth))


def _bare(value: Any, depth: int = 0) -> bool:
    """Whether a value holds floats."""
    if isinstance(value, float | np.floating):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and value.size > 0
    return any(_bare(each, depth + 1) for each in _parts(value, depth))


def _parts(value: Any, depth: int) -> Iterator[Any]:
    if depth >= _DEEP:
        return
    found: Any = ()
    if isinstance(value, Mapping):
        found = value.values()
    elif isinstance(value, list | tuple | set | frozenset | deque):
        found = value
    elif isinstance(value, types.FunctionType):
        found = [*_cells(value), *(value.__defaults__ or ())]
    elif hasattr(value, "__dict__") and not isinstance(value, type | types.ModuleType):
        found = vars(value).values()
    for each, _ in zip(list(found), range(_WIDE), strict=False):
        yield each


def _cells(function: types.FunctionType) -> Iterator[Any]:
    """What a function holds of those around it; a cell may be empty still."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue


class _Looked(ast.NodeTransformer):
    """Wraps calls of anything but builtins, and what makes text and reads it."""

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "float" and len(node.args) == 1 and not node.keywords:
            node.args = [_call(READ, node.args[0])]
        elif name in _TEXTUAL:
            return _handed(WRITE, node)
        elif name not in _OWN_FRAME and not name.startswith("__mlvet") and not hasattr(builtins, name or "-"):
            return _handed(CALL, node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                each.value = _call(PART, self.visit(each.value))
        return ast.copy_location(_call(WHOLE, node), node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            return ast.copy_location(_call(PERCENT, node.left, node.right), node)
        return node


def _handed(name: str, node: ast.Call) -> ast.Call:
    """A call handed to a function of ours, with what is called first."""
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [node.func, *node.args], node.keywords), node)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def looked_at(tree: ast.Module) -> ast.Module:
    """The tree with every call looked at."""
    changed: ast.Module = _Looked().visit(tree)
    return ast.fix_missing_locations(changed)


HELPERS: dict[str, Any] = {
    CALL: called, READ: read, WRITE: write, PART: part, WHOLE: whole, PERCENT: percent,
}  # fmt: skip
