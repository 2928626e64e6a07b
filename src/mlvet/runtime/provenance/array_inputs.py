"""Arrays of libraries as inputs and outputs: each element has a place and the name `weights[3, 5]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from mlvet.runtime.provenance.array_values import TracedArray, owned_places, wrap_array
from mlvet.runtime.provenance.scalars import ANY_TRACED
from mlvet.runtime.provenance.tape import TAPE

if TYPE_CHECKING:
    from mlvet.runtime.provenance.inputs import Inputs, Path


def wrapped(value: Any, path: Path, inputs: Inputs) -> Any:
    """The array with its elements made inputs; None for what is no array of real numbers."""
    from mlvet.runtime.provenance.inputs import Block, written

    if isinstance(value, np.generic):
        return inputs.leaf(value.item(), path) if value.dtype.kind in "fiu" else None
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu" or not value.size:
        return None
    for name, change in inputs.changed.items():
        index = _index(name, written(path))
        if index is not None:
            value[index] = np.asarray(value)[index] + change
    if type(value) is TracedArray:
        made = value
        own = owned_places(value)
        assert own is not None
        own[...] = np.arange(TAPE.inputs(value.size), TAPE.size).reshape(value.shape)
    else:
        made = wrap_array(value)
    places = made.places
    assert places is not None
    values = np.array(made.plain, np.float64).ravel()
    inputs.blocks.append(Block(path, places.ravel().copy(), values, value.shape))
    return made


def _index(name: str, path: str) -> Any:
    """The index of an element's name, if it is one of the array with this name."""
    if not name.startswith(f"{path}[") or not name.endswith("]"):
        return None
    try:
        return ast.literal_eval(name[len(path) + 1 : -1])
    except (ValueError, SyntaxError):
        return None


def elements(value: Any) -> Iterator[tuple[Any, float, int]]:
    """Index, number and place of each element."""
    if type(value) in ANY_TRACED or isinstance(value, np.generic):
        if isinstance(value, np.generic) and value.dtype.kind not in "fiu":
            return
        yield (), float(value), getattr(value, "i", 0) if type(value) in ANY_TRACED else 0
        return
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu":
        return
    places = value.places if type(value) is TracedArray else None
    plain = np.asarray(value)
    for index in np.ndindex(plain.shape):
        yield index, float(plain[index]), 0 if places is None else int(places[index])
