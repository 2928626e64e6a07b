"""The inputs of a replay: numbers in variables, containers, arrays and objects, each with a place and a name.

Names are expressions of the program: `ranks["a"]`, `weights[3, 5]`, `self.bias`. They are kept as paths and written out
only for those that are shown.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from functools import cache
from types import MemberDescriptorType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.runtime.provenance.numbers import TRACED, TracedFloat, TracedInt, traced
from mlvet.runtime.provenance.tape import TAPE

Path: TypeAlias = tuple[Any, ...]
"""A name, or a path with a kind of step (`[` or `.`) and a key."""
_DEEPEST = 12
_PLAIN_OBJECTS = (str, bytes, bool, complex, type(None), type, type(sys))
Seen: TypeAlias = dict[int, tuple[Any, Any]]
"""Containers by identity, and what became of each; they are held, so that no other gets their identity.

Tuples and NumPy's scalars are not among them: what cannot be written to is an input of its own wherever it is found,
though Python may keep equal constants as one object.
"""


@dataclass(slots=True)
class Block:
    """The elements of an array that is an input."""

    path: Path
    places: NDArray[np.int64]
    values: NDArray[np.float64]
    shape: tuple[int, ...]
    labels: tuple[Any, ...] = ()
    """What its elements are called, if not by their positions."""


@dataclass(slots=True)
class Inputs:
    """All inputs in the order in which the program met them."""

    paths: list[Path] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    changed: dict[str, float] = field(default_factory=dict)
    """What is added to inputs of these names: another run with other inputs."""
    refused: dict[str, int] = field(default_factory=dict)
    """Kinds of values that were named as inputs and hold no numbers."""
    _met: dict[Path, int] = field(default_factory=dict)
    _arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def wrapped(self, value: Any, path: Path) -> Any:
        """The value with every number in it made an input."""
        before = len(self.paths) + len(self.blocks)
        made = self._value(value, self._once(path), {}, 0, not _has_floats(value, 0))
        if len(self.paths) + len(self.blocks) == before and not _is_traced(made):
            kind = type(value).__name__
            self.refused[kind] = self.refused.get(kind, 0) + 1
        return made

    def leaf(self, value: Any, path: Path, origin: int = 0) -> Any:
        """One number as an input; no other has this path. What made it of earlier inputs (`origin`) stays known."""
        if self.changed and (change := self.changed.get(written(path))) is not None:
            value = value + change
        place = TAPE.row((origin,), (1.0,)) if origin else TAPE.row((), ())
        if type(value) is float:
            value = value * 1.0  # a new object beside that of the place: one line of the cache has both
        self.paths.append(path)
        self.places.append(place)
        self.values.append(float(value))
        return traced(value, place)

    def _once(self, path: Path) -> Path:
        """A path that no other input has: the second time a name is met it is `name#2`."""
        count = self._met.get(path, 0) + 1
        self._met[path] = count
        return path if count == 1 else (path, "#", count)

    def _value(self, value: Any, path: Path, seen: Seen, depth: int, ints: bool) -> Any:
        kind: Any = type(value)
        if kind is float or kind is TracedFloat or ((kind is int or kind is TracedInt) and ints):
            return self.leaf(value.v, path, value.i) if kind in TRACED else self.leaf(value, path)
        if isinstance(value, _PLAIN_OBJECTS) or kind is int or depth > _DEEPEST:
            return value
        if kind is tuple or (isinstance(value, tuple) and hasattr(value, "_fields")):
            return self._tuple(value, path, seen, depth, ints)
        if isinstance(value, np.generic):
            return self._scalar(value, path)
        if id(value) in seen:
            return seen[id(value)][1]
        array = self._array(value, path)
        if array is not None:
            seen[id(value)] = (value, array)
            return array
        seen[id(value)] = (value, value)
        if isinstance(value, MutableMapping):
            for key in list(value):
                each = value[key]
                value[key] = self._value(each, (path, "[", key), seen, depth + 1, ints or type(each) is int)
        elif kind in (list, deque) or isinstance(value, list):
            for index, each in enumerate(value):
                value[index] = self._value(each, (path, "[", index), seen, depth + 1, ints)
        elif (hasattr(value, "__dict__") or _slots(kind)) and not callable(value):
            self._attributes(value, path, seen, depth, ints)
        return value

    def _scalar(self, value: Any, path: Path) -> Any:
        made = self._array(value, path)
        return value if made is None else made

    def _tuple(self, value: Any, path: Path, seen: Seen, depth: int, ints: bool) -> Any:
        names = getattr(value, "_fields", None)
        steps = (
            [(path, "[", at) for at in range(len(value))] if names is None else [(path, ".", each) for each in names]
        )
        elements = [self._value(each, step, seen, depth + 1, ints) for each, step in zip(value, steps, strict=True)]
        return tuple(elements) if names is None else tuple.__new__(type(value), elements)

    def _attributes(self, value: Any, path: Path, seen: Seen, depth: int, ints: bool) -> None:
        graph = type(value).__module__.partition(".")[0] == "networkx" and hasattr(value, "_adj")
        if graph:
            self._value(value._adj, path, seen, depth + 1, True)
            return
        held = getattr(value, "__dict__", {})
        for name, each in list(held.items()):
            made = self._value(each, (path, ".", name), seen, depth + 1, ints)
            if made is not each:
                held[name] = made
        kind: Any = type(value)
        for name, slot in _slots(kind).items():
            try:
                each = slot.__get__(value)
            except AttributeError:
                continue
            made = self._value(each, (path, ".", name), seen, depth + 1, ints)
            if made is not each:
                slot.__set__(value, made)

    def _array(self, value: Any, path: Path) -> Any:
        """An array of any library with its elements made inputs; None for what is none."""
        root = type(value).__module__.partition(".")[0]
        if root not in ("numpy", "scipy", "pandas", "torch", "jax", "jaxlib", "mlvet"):
            return None
        from mlvet.runtime.provenance import array_inputs

        return array_inputs.wrapped(value, path, self)

    @property
    def count(self) -> int:
        return len(self.paths) + sum(len(each.places) for each in self.blocks)

    def all_places(self) -> NDArray[np.int64]:
        return self.array("places", lambda: _joined(self.places, [each.places for each in self.blocks], np.int64))

    def all_values(self) -> NDArray[np.float64]:
        return self.array("values", lambda: _joined(self.values, [each.values for each in self.blocks], np.float64))

    def array(self, name: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """An array over all inputs, made once as long as no input is added; nobody may write into it."""
        known = self._arrays.get(name)
        if known is None or len(known) != self.count:
            known = self._arrays[name] = make()
            known.flags.writeable = False
        return known

    def path(self, index: int) -> Path:
        if index < len(self.paths):
            return self.paths[index]
        index -= len(self.paths)
        for block in self.blocks:
            if index < len(block.places):
                if block.labels:
                    return (block.path, "[", block.labels[index])
                at = tuple(int(each) for each in np.unravel_index(index, block.shape)) if block.shape else ()
                return element(block.path, at)
            index -= len(block.places)
        raise IndexError(index)

    def name(self, index: int) -> str:
        return written(self.path(index))

    def groups(self) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """The inputs by the variable that they belong to."""
        found: dict[str, list[int]] = {}
        for index, path in enumerate(self.paths):
            found.setdefault(root_of(path), []).append(index)
        start = len(self.paths)
        for block in self.blocks:
            found.setdefault(root_of(block.path), []).extend(range(start, start + len(block.places)))
            start += len(block.places)
        for name, indices in found.items():
            yield name, np.array(indices, np.int64)


def element(path: Path, index: tuple[Any, ...]) -> Path:
    """The path of an element of an array; of the array itself, if it has no dims."""
    if not index:
        return path
    return (path, "[", index if len(index) > 1 else index[0])


def _joined(single: list[Any], blocks: list[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.array(single, kind), *blocks])


def root_of(path: Path) -> str:
    while isinstance(path[0], tuple):
        if path[1] == ".":
            return written(path)
        path = path[0]
    return str(path[0])


def written(path: Path) -> str:
    """The expression that a path stands for."""
    if len(path) == 1:
        return str(path[0])
    parent, step, key = path
    if step == "#":
        return f"{written(parent)}#{key}"
    if step == ".":
        return f"{written(parent)}.{key}"
    return f"{written(parent)}[{written_key(key)}]"


def written_key(key: Any) -> str:
    if isinstance(key, str):
        return '"' + repr(key)[1:-1].replace('"', '\\"').replace("\\'", "'") + '"'
    if isinstance(key, tuple) and key:
        inner = ", ".join(f"({written_key(each)})" if isinstance(each, tuple) else written_key(each) for each in key)
        return f"{inner}," if len(key) == 1 else inner
    return repr(key.v if type(key) in TRACED else key)


def _has_floats(value: Any, depth: int) -> bool:
    """Whether a container holds floats, so that ints in it are taken for indices and counts."""
    if type(value) is float:
        return True
    if depth > 4:
        return False
    elements = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(_has_floats(each, depth + 1) for each, _ in zip(elements, range(1000), strict=False))


@cache
def _slots(kind: Any) -> dict[str, MemberDescriptorType]:
    """The attributes that objects of a class keep in slots; classes written in C have none that count."""
    return {
        name: each
        for base in kind.__mro__
        if "__slots__" in vars(base)
        for name, each in vars(base).items()
        if isinstance(each, MemberDescriptorType)
    }


def _is_traced(value: Any) -> bool:
    return type(value) in TRACED
