"""Code that the reported path does not reach, or whose failure the program expects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from mlvet.analyses.pycheck.tree import Tree, last_name

_OTHER_WORLDS = re.compile(
    r"version_info|hexversion|\bPY2\b|\bPY3\b|sys\.platform|os\.name\b|platform\.system|__version__|hasattr\(|find_spec"
)

_EXPECTS_ERRORS = re.compile(r"suppress\(|raises\(|[Rr]aises(?:Regexp?)?\(|deprecated_call\(")


def guarded(tree: Tree, node: ast.AST, errors: Iterable[str]) -> bool:
    """Whether a node stands in a `try` whose handler swallows one of the errors, or under a manager that expects them.

    A handler for ImportError is itself a fallback for another environment, so what stands in it is guarded too.
    """
    wanted = {*errors, "Exception", "BaseException"}
    child = node
    for parent in tree.ancestors(node):
        match parent:
            case ast.Try(body=body, handlers=handlers):
                inside = child in body or (isinstance(child, ast.ExceptHandler) and "ImportError" in wanted)
                if inside and any(_swallows(handler, wanted) for handler in handlers):
                    return True
            case ast.With(items=items) | ast.AsyncWith(items=items):
                if any(_EXPECTS_ERRORS.search(ast.unparse(item)) for item in items):
                    return True
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                return False
        child = parent
    return False


def _swallows(handler: ast.ExceptHandler, wanted: set[str]) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    caught = {last_name(kind) for kind in kinds if kind is not None}
    return (handler.type is None or bool(caught & wanted)) and not isinstance(handler.body[-1], ast.Raise)


def type_checking_only(tree: Tree, node: ast.AST) -> bool:
    """Whether a node is only read by type checkers: under `if TYPE_CHECKING`."""
    return any("TYPE_CHECKING" in test for test in _tests(tree, node))


def elsewhere(tree: Tree, node: ast.AST) -> bool:
    """Whether a node is meant for another version, platform or installation: under a test of one."""
    return any(_OTHER_WORLDS.search(test) for test in _tests(tree, node))


def _tests(tree: Tree, node: ast.AST) -> Iterable[str]:
    return (ast.unparse(parent.test) for parent in tree.ancestors(node) if isinstance(parent, (ast.If, ast.IfExp)))
