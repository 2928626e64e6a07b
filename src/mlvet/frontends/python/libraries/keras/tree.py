"""keras.tree: structures of lists, tuples and dictionaries."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.keras.layer import inside
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue


@model("keras.tree.flatten")
def flatten(structure: Any) -> Any:
    return ListValue(inside(structure))


@model("keras.tree.is_nested")
def is_nested(structure: Any) -> bool:
    return isinstance(structure, ListValue | tuple | DictValue)


@model("keras.tree.map_structure")
def map_structure(func: Any, *structures: Any, none_is_leaf: Any = True) -> Any:
    first = structures[0]
    if isinstance(first, ListValue) and isinstance(first.items, tuple):
        return ListValue(
            [map_structure(func, *each) for each in zip(*(part.items for part in structures), strict=False)]
        )
    if isinstance(first, tuple):
        return tuple(map_structure(func, *each) for each in zip(*structures, strict=False))
    if isinstance(first, DictValue):
        return DictValue({key: map_structure(func, *(part.cells[key] for part in structures)) for key in first.cells})
    return machine().call(func, *structures)


@model("keras.tree.traverse")
def traverse(func: Any, structure: Any, top_down: Any = True) -> Any:
    changed = machine().call(func, structure)
    if changed is not None:
        return changed
    if isinstance(structure, ListValue) and isinstance(structure.items, tuple):
        return ListValue([traverse(func, each) for each in structure.items])
    if isinstance(structure, tuple):
        return tuple(traverse(func, each) for each in structure)
    if isinstance(structure, DictValue):
        return DictValue({key: traverse(func, each) for key, each in structure.cells.items()})
    return structure


@model("keras.tree.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    parts = iter(list(inside(flat_sequence)))
    return _packed(structure, parts)


def _packed(structure: Any, parts: Any) -> Any:
    if isinstance(structure, ListValue) and isinstance(structure.items, tuple):
        return ListValue([_packed(each, parts) for each in structure.items])
    if isinstance(structure, tuple):
        return tuple(_packed(each, parts) for each in structure)
    if isinstance(structure, DictValue):
        return DictValue({key: _packed(each, parts) for key, each in structure.cells.items()})
    return next(parts)


@model("keras.tree.lists_to_tuples")
def lists_to_tuples(structure: Any) -> Any:
    if isinstance(structure, ListValue) and isinstance(structure.items, tuple):
        return tuple(lists_to_tuples(each) for each in structure.items)
    return structure


@model("keras.tree.assert_same_structure", "keras.tree.assert_same_paths")
def assert_same_structure(*args: Any, **kwargs: Any) -> None:
    return None
