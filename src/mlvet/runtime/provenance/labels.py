"""Names of the values between inputs and outputs: what the program stores under a name or a key, by its place."""

from __future__ import annotations

import ast
from typing import Any

from mlvet.runtime.provenance.counting import PREFIX
from mlvet.runtime.provenance.inputs import Path
from mlvet.runtime.provenance.scalars import ANY_TRACED

STORED, NAMED = "__mlvet_label_stored__", "__mlvet_label_named__"

LABELS: dict[int, tuple[Path, float]] = {}
"""The name and the value of each labelled place of this process."""


def stored(value: Any, container: Any, key: Any, name: str) -> None:
    """`container[key] = value`, with a label."""
    if type(value) in ANY_TRACED:
        LABELS.setdefault(value.i, (((name,), "[", key), float(value.v)))
    container[key] = value


def named(value: Any, name: str) -> Any:
    if type(value) in ANY_TRACED:
        LABELS.setdefault(value.i, ((name,), float(value.v)))
    return value


HELPERS: dict[str, Any] = {STORED: stored, NAMED: named}


class _Labelled(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        if len(node.targets) != 1:
            return node
        target = node.targets[0]
        if isinstance(target, ast.Name) and not target.id.startswith(("__mlvet", PREFIX)):
            name = ast.Constant(target.id)
            node.value = ast.Call(ast.Name(NAMED, ast.Load()), [node.value, name], [])
        elif isinstance(target, ast.Subscript) and not _sliced(target.slice):
            root = ast.Constant(ast.unparse(target.value))
            call = ast.Call(ast.Name(STORED, ast.Load()), [node.value, target.value, target.slice, root], [])
            return ast.copy_location(ast.Expr(call), node)
        return node


def _sliced(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Slice) for each in ast.walk(node))


def labelled(tree: ast.Module) -> ast.Module:
    """The tree with the values that it stores labelled."""
    changed: ast.Module = _Labelled().visit(tree)
    return ast.fix_missing_locations(changed)
