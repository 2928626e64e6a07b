"""What a call changes in place: the object that its method is of, or arguments of a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from enum import Enum

MUTATORS = frozenset(
    (
        "append", "extend", "insert", "remove", "pop", "clear", "update", "add", "discard", "sort", "reverse",
        "setdefault", "popitem", "appendleft", "extendleft", "popleft", "fill", "resize", "put", "shuffle",
        "load_state_dict", "set_weights", "set_value", "assign", "assign_add", "assign_sub", "scatter_update",
        "write", "writelines", "seek", "send", "step", "zero_grad", "fit", "train_on_batch", "set_postfix", "train",
        "eval", "requires_grad_", "reset_states", "reset_state", "update_state", "step_update", "close", "next",
        "__next__", "read", "readline", "advance", "reset", "sample", "set_description", "add_scalar",
        "apply_gradients", "minimize",
    )
)  # fmt: skip
"""Methods that change what they are called on, by the names that libraries give them."""

_FIRST = frozenset(
    (
        "shuffle", "fill_diagonal", "copyto", "put", "put_along_axis", "place", "putmask", "setattr", "delattr",
        "heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right",
    )
)  # fmt: skip
"""Functions that change their first argument."""
_SECOND = frozenset(("vector_to_parameters",))
_UNARY = frozenset(
    (
        "abs", "absolute", "negative", "exp", "expm1", "log", "log1p", "sqrt", "square", "sign", "sin", "cos", "tanh",
        "reciprocal", "floor", "ceil", "rint",
    )
)  # fmt: skip
_BINARY = frozenset(
    (
        "add", "subtract", "multiply", "divide", "true_divide", "power", "maximum", "minimum", "matmul", "dot", "fmax",
        "fmin", "mod", "floor_divide",
    )
)  # fmt: skip
"""Functions of NumPy that write into a last argument, where one is given."""
_GRADIENTS = ("clip_grad_", "zero_grad")
"""Beginnings of the names of functions that change gradients, and no parameters."""


class Imported(Enum):
    """What an expression is by the imports of its file."""

    NOT = "not imported"
    MODULE = "a module, or a part of one"
    PERHAPS_MODULE = "imported from a module, which may be a module itself"


def changed_by(node: ast.Call, imported: Callable[[ast.expr], Imported]) -> Iterator[ast.expr]:
    """The expressions whose values a call changes, by the names that libraries give to what does."""
    yield from (each.value for each in node.keywords if each.arg == "out")
    if isinstance(node.func, ast.Name):
        yield from _arguments(node, node.func.id)
    elif isinstance(node.func, ast.Attribute):
        name, receiver = node.func.attr, node.func.value
        origin = imported(receiver)
        if origin is not Imported.NOT:
            yield from _arguments(node, name)
        elif name == "shuffle":
            yield from node.args[:1]
        if origin is not Imported.MODULE and (mutates(name) or _applies(node, name)):
            yield receiver


def mutates(method: str) -> bool:
    """Whether a method of this name changes the object."""
    return method in MUTATORS or (method.endswith("_") and not method.startswith("_"))


def _arguments(node: ast.Call, name: str) -> Iterator[ast.expr]:
    inplace = name.endswith("_") and not name.startswith(("__", *_GRADIENTS))
    if name in _FIRST or name == "at" or inplace:
        yield from node.args[:1]
    if name in _SECOND:
        yield from node.args[1:2]
    written = 1 if name in _UNARY else 2 if name in _BINARY else 3 if name == "clip" else None
    if written is not None:
        yield from node.args[written : written + 1]


def _applies(node: ast.Call, name: str) -> bool:
    """Whether a function is applied to every part of a module: with parameters it would be one of Flax."""
    return name == "apply" and len(node.args) == 1 and not node.keywords
