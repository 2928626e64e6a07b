"""Qualified names of parameters: the attributes that lead from a model to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.ir.graph import Value

_DEEPEST = 12


def qualified_names(instances: Sequence[Object]) -> dict[Value, str]:
    """The path to each tensor from the outermost of these objects that hold it: `encoder.layers.0.weight`."""
    found: dict[Value, str] = {}
    for instance in instances:
        for path, tensor in _tensors(instance, (), set()):
            name = ".".join(path)
            old = found.get(tensor.graph_value)
            if old is None or old.count(".") < name.count("."):
                found[tensor.graph_value] = name
    return found


def _tensors(value: Any, path: tuple[str, ...], seen: set[int]) -> Iterator[tuple[tuple[str, ...], TensorValue]]:
    if id(value) in seen or len(path) > _DEEPEST:
        return
    seen.add(id(value))
    if isinstance(value, TensorValue):
        yield path, value
    elif isinstance(value, Object | DictValue):
        for name, part in list(value.cells.items()):
            if not str(name).startswith("@"):
                yield from _tensors(part, (*path, str(name)), seen)
    elif isinstance(value, ListValue | tuple):
        items = value.cells["items"] if isinstance(value, ListValue) else value
        for index, part in enumerate(items if isinstance(items, tuple) else ()):
            yield from _tensors(part, (*path, str(index)), seen)
