"""Trees of arrays: tuples, lists, dictionaries and registered classes, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

Rebuild = Callable[[Sequence[Any]], Any]
Parts = tuple[list[tuple[Any, Any]], Rebuild]
"""The children of a node with their keys, and what makes a node of other children."""


def is_registered(value: Any) -> bool:
    """Whether an instance is a node of a tree: its class was registered, or is one of a library that is."""
    if not isinstance(value, Object) or isinstance(value, TensorValue):
        return False
    if getattr(type(value), "pytree", False):
        return "@leaf" not in value.cells
    order = value.kind.order if value.kind is not None else ()
    return any(isinstance(owner, ClassValue) and "@pytree" in owner.cells for owner in order)


def parts_of(node: Any) -> Parts | None:
    """A node taken apart, None if it is a leaf."""
    match node:
        case None:
            return [], lambda _: None
        case tuple():
            return list(enumerate(node)), tuple
        case ListValue():
            items = node.items
            if isinstance(items, Repeated):
                length = items.length
                return [(0, items.element)], lambda new: ListValue(Repeated(new[0], length))
            return list(enumerate(items)), ListValue
        case DictValue():
            keys = list(node.cells)
            made_by = node.made_by
            if node.rest is not None:
                return [*node.cells.items(), (None, node.rest)], lambda new: DictValue(
                    dict(zip(keys, new, strict=False)), new[-1], made_by
                )
            return list(node.cells.items()), lambda new: DictValue(dict(zip(keys, new, strict=True)), None, made_by)
    if is_registered(node):
        return _fields(node)
    return None


def _fields(node: Object) -> Parts:
    """The fields that hold arrays or trees; the others stay as they are."""
    static = (int, float) if getattr(type(node), "static_numbers", False) else ()
    owners = node.kind.order if node.kind is not None else ()
    apart = {name for owner in owners if isinstance(owner, ClassValue) for name in owner.cells.get("@static", ())}
    named = [
        (key, cell)
        for key, cell in node.cells.items()
        if not str(key).startswith("@") and key not in apart and _varies(cell) and not isinstance(cell, static)
    ]

    def rebuild(new: Sequence[Any]) -> Any:
        return changed(node, dict(zip([key for key, _ in named], new, strict=True)))

    return named, rebuild


def _varies(cell: Any) -> bool:
    if isinstance(cell, TensorValue | DictValue | Unknown | int | float):
        return not isinstance(cell, bool)
    if isinstance(cell, tuple):
        return any(_varies(each) for each in cell)
    if isinstance(cell, ListValue):
        items = cell.items
        return any(_varies(each) for each in items) if isinstance(items, tuple) else _varies(items.element)
    return is_registered(cell)


def changed(node: Object, cells: dict[str, Any]) -> Any:
    """A copy of an instance with other values in some of its cells."""
    made = type(node).__new__(type(node))
    object.__setattr__(made, "kind", node.kind)
    made.cells.update({**node.cells, **cells})
    return made


def mapped(function: Callable[..., Any], tree: Any, *rest: Any, is_leaf: Any = None, path: tuple[Any, ...] = ()) -> Any:
    """The tree with each leaf replaced by what a function of the path and the leaves at one place yields."""
    parts = None if is_leaf is not None and _holds(is_leaf, tree) else parts_of(tree)
    if parts is None:
        return function(path, tree, *rest)
    children, rebuild = parts
    return rebuild([
        mapped(function, child, *(_child(each, key, place) for each in rest), is_leaf=is_leaf, path=(*path, key))
        for place, (key, child) in enumerate(children)
    ])  # fmt: skip


def _child(other: Any, key: Any, place: int) -> Any:
    """What lies at the same place of another tree of this form."""
    parts = parts_of(other)
    if parts is None:
        return other if isinstance(other, Unknown) else Unknown(Reason.DYNAMIC_CONTAINER, "a tree of another form")
    children = dict(parts[0])
    if key in children:
        return children[key]
    return parts[0][place][1] if place < len(parts[0]) else Unknown(Reason.DYNAMIC_CONTAINER, "a tree of another form")


def _holds(is_leaf: Any, node: Any) -> bool:
    return machine().truth(machine().call(is_leaf, node)) is True


def leaves_of(tree: Any, is_leaf: Any = None) -> Iterator[Any]:
    """The leaves, from left to right."""
    for _, leaf in paths_of(tree, is_leaf):
        yield leaf


def paths_of(tree: Any, is_leaf: Any = None, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    parts = None if is_leaf is not None and _holds(is_leaf, tree) else parts_of(tree)
    if parts is None:
        yield path, tree
        return
    children = parts[0]
    if isinstance(tree, DictValue):
        children = sorted(children, key=lambda pair: str(pair[0]))
    for key, child in children:
        yield from paths_of(child, is_leaf, (*path, key))


def open_ended(tree: Any) -> bool:
    """Whether some part of the tree has a number of children that is not known."""
    if isinstance(tree, ListValue) and isinstance(tree.items, Repeated):
        return True
    if isinstance(tree, DictValue) and tree.rest is not None:
        return True
    parts = parts_of(tree)
    return parts is not None and any(open_ended(child) for _, child in parts[0])


class TreeDef(Object):
    """The form of a tree."""

    def __init__(self, tree: Any) -> None:
        self.cells["@tree"] = tree

    @property
    def num_leaves(self) -> Any:
        return len(list(leaves_of(self.cells["@tree"])))

    def unflatten(self, leaves: Any) -> Any:
        return tree_unflatten(self, leaves)

    def __eq__(self, other: object) -> Any:
        return True

    def __hash__(self) -> int:
        return id(self)


@model("jax.tree_util.tree_map", "jax.tree.map", "jax.tree_map", "jax.tree_multimap", "jax.tree_util.tree_multimap")
def tree_map(f: Any, tree: Any, *rest: Any, is_leaf: Any = None) -> Any:
    if isinstance(tree, Unknown):
        raise Undecided(tree)
    return mapped(lambda _, *leaves: machine().call(f, *leaves), tree, *rest, is_leaf=is_leaf)


@model("jax.tree_util.tree_map_with_path", "jax.tree.map_with_path")
def tree_map_with_path(f: Any, tree: Any, *rest: Any, is_leaf: Any = None, is_leaf_takes_path: bool = False) -> Any:
    if isinstance(tree, Unknown):
        raise Undecided(tree)
    return mapped(lambda path, *leaves: machine().call(f, _keys(path), *leaves), tree, *rest, is_leaf=is_leaf)


class Key(Object):
    """One step of a path in a tree."""

    def __init__(self, key: Any) -> None:
        self.key = key
        self.idx = key
        self.name = key


model(
    "jax.tree_util.DictKey", "jax.tree_util.SequenceKey", "jax.tree_util.GetAttrKey", "jax.tree_util.FlattenedIndexKey"
)(Key)


def _keys(path: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(Key(key) for key in path)


@model("jax.tree_util.keystr")
def keystr(keys: Any, *, simple: bool = False, separator: str = "") -> Any:
    from mlvet.frontends.python.libraries.binding import as_items

    return separator.join(f"{each.key}" if simple else f"[{each.key!r}]" for each in as_items(keys))


@model("jax.tree_util.tree_leaves", "jax.tree.leaves", "jax.tree_leaves")
def tree_leaves(tree: Any, is_leaf: Any = None) -> Any:
    if isinstance(tree, Unknown):
        raise Undecided(tree)
    found = list(leaves_of(tree, is_leaf))
    if open_ended(tree) and found:
        from mlvet.domains.dims import symbol

        return ListValue(Repeated(found[0], symbol(machine().fresh("leaves"))))
    return found


@model("jax.tree_util.tree_leaves_with_path", "jax.tree.leaves_with_path")
def tree_leaves_with_path(tree: Any, is_leaf: Any = None) -> Any:
    if isinstance(tree, Unknown):
        raise Undecided(tree)
    return [(_keys(path), leaf) for path, leaf in paths_of(tree, is_leaf)]


@model("jax.tree_util.tree_flatten", "jax.tree.flatten", "jax.tree_flatten")
def tree_flatten(tree: Any, is_leaf: Any = None) -> Any:
    return tree_leaves(tree, is_leaf), TreeDef(tree)


@model("jax.tree_util.tree_flatten_with_path", "jax.tree.flatten_with_path")
def tree_flatten_with_path(tree: Any, is_leaf: Any = None) -> Any:
    return tree_leaves_with_path(tree, is_leaf), TreeDef(tree)


@model("jax.tree_util.tree_structure", "jax.tree.structure", "jax.tree_structure")
def tree_structure(tree: Any, is_leaf: Any = None) -> Any:
    return TreeDef(tree)


@model("jax.tree_util.tree_unflatten", "jax.tree.unflatten", "jax.tree_unflatten")
def tree_unflatten(treedef: Any, leaves: Any) -> Any:
    if not isinstance(treedef, TreeDef):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tree's form")
    found = machine().items(leaves)
    if isinstance(found, Repeated):
        return mapped(lambda _, leaf: found.element, treedef.cells["@tree"])
    order = [id(leaf) for leaf in leaves_of(treedef.cells["@tree"])]
    given = dict(zip(order, found, strict=False)) if len(set(order)) == len(order) else {}
    left = iter(found)
    return mapped(lambda _, leaf: given.get(id(leaf), None) if given else next(left, leaf), treedef.cells["@tree"])


@model("jax.tree_util.tree_reduce", "jax.tree.reduce")
def tree_reduce(function: Any, tree: Any, initializer: Any = None, is_leaf: Any = None) -> Any:
    found = list(leaves_of(tree, is_leaf))
    total = initializer
    for leaf in found:
        total = leaf if total is None else machine().call(function, total, leaf)
    return total


@model("jax.tree_util.tree_all", "jax.tree.all")
def tree_all(tree: Any, *, is_leaf: Any = None) -> Any:
    from mlvet.frontends.python.values.numbers import Scalar

    known = [machine().truth(leaf) for leaf in leaves_of(tree, is_leaf)]
    return all(known) if all(isinstance(each, bool) for each in known) else Scalar(bool)


@model("jax.tree_util.tree_transpose", "jax.tree.transpose")
def tree_transpose(outer_treedef: Any, inner_treedef: Any, pytree_to_transpose: Any) -> Any:
    outer, inner = outer_treedef.cells["@tree"], inner_treedef.cells["@tree"]
    leaf = next(leaves_of(pytree_to_transpose))
    return mapped(lambda *_: mapped(lambda *_: leaf, outer), inner)


@model(
    "jax.tree_util.register_pytree_node_class", "jax.tree_util.register_static", "jax.tree_util.register_dataclass",
    "jax.tree_util.register_pytree_node", "jax.tree_util.register_pytree_with_keys",
)  # fmt: skip
def register(cls: Any, *args: Any, **keywords: Any) -> Any:
    if isinstance(cls, ClassValue):
        machine().trail.write(cls.cells, "@pytree", True)
    return cls


@model("jax.tree_util.Partial")
def partial(func: Any, *args: Any, **keywords: Any) -> Any:
    def call(*more: Any, **named: Any) -> Any:
        return machine().call(func, *args, *more, **{**keywords, **named})

    return call


@model("jax.flatten_util.ravel_pytree")
def ravel_pytree(pytree: Any) -> Any:
    """All leaves in one row, and what makes the tree of such a row."""
    from mlvet.frontends.python.libraries.jax.numpy.shaping import concatenate, ravel

    found = list(leaves_of(pytree))
    row = concatenate(tuple(ravel(leaf) for leaf in found)) if found else None

    def unravel(flat: Any) -> Any:
        return pytree

    return row, unravel
