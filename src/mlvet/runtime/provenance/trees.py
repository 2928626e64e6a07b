"""Ways through a tree of source: as those of `ast`, in a third of their time, which every traced program pays."""

from __future__ import annotations

import ast

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeVar

    Node = TypeVar("Node", bound=ast.AST)


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below a node, in the order of its fields."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it. What a node gets once it has been given is not walked."""
    waiting = [node]
    for each in waiting:
        waiting += children(each)
        yield each


def placed(new: Node, old: ast.AST) -> Node:
    """Inserted nodes take the place of the node they belong to; what has a place among them is left alone."""
    copied = ast.copy_location(new, old)
    for each in children(copied):
        if "lineno" in each._attributes and not hasattr(each, "lineno"):
            placed(each, old)
    return copied
