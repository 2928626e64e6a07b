"""Annotations that are never evaluated."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from collections.abc import Iterator

    import nonexistent_types
    from numpy.typing import NDArray

import numpy as np


@dataclass
class Node:
    name: str
    value: NDArray
    parent: Optional[Node] = None
    children: list[Node] = field(default_factory=list)

    def add(self, child: Node) -> Node:
        child.parent = self
        self.children.append(child)
        return child

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()


class Registry:
    def register(self, item: "Plugin") -> "Registry":
        self.item: Plugin = item
        return self

    def native(self) -> nonexistent_types.Handle | None:
        return None


class Plugin:
    def describe(self: Plugin) -> str:
        return type(self).__name__


def total(root: Node) -> float:
    accumulated: float = 0.0
    for node in root.walk():
        accumulated += float(node.value.sum())
    return accumulated


if __name__ == "__main__":
    tree = Node("root", np.ones(3))
    tree.add(Node("left", np.ones(2))).add(Node("leaf", np.zeros(1)))
    leaf = tree.children[0].children[0]
    print(total(tree), leaf.parent.name, Registry().register(Plugin()).item.describe())
    print(Registry().native())
