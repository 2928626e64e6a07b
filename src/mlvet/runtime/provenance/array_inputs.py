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


def wrapped(value: Any, path: Path, inputs: Inputs, labels: tuple[Any, ...] = ()) -> Any:
    """The array with its elements made inputs, by their labels if they have any; None for no array of real numbers."""
    from mlvet.runtime.provenance.inputs import Block, written

    if isinstance(value, np.generic):
        origin = getattr(value, "i", 0) if type(value) in ANY_TRACED else 0
        return inputs.leaf(value.item(), path, origin) if value.dtype.kind in "fiu" else None
    library = type(value).__module__.partition(".")[0]
    if library in _KINDS:
        return _KINDS[library](value, path, inputs)
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu" or not value.size:
        return None
    known = written(path)
    for name, change in inputs.changed.items():
        index = _index(name, known)
        if index is not None:
            index = labels.index(index) if labels else index
            value[index] = value[index] + change
    if isinstance(value, TracedArray):
        made = value
        own = owned_places(value)
        assert own is not None
        once = np.ones(value.size)
        own[...] = np.arange(TAPE.rows(once.astype(np.int64), own.ravel(), once), TAPE.size).reshape(value.shape)
    else:
        made = wrap_array(value)
    places = made.places
    assert places is not None
    values = np.array(made.plain, np.float64).ravel()
    inputs.blocks.append(Block(path, places.ravel().copy(), values, value.shape, labels))
    return made


def _sparse(value: Any, path: Path, inputs: Inputs) -> Any:
    """A sparse matrix whose entries are inputs, `matrix.data[7]`."""
    if not hasattr(value, "format") or not isinstance(getattr(value, "data", None), np.ndarray):
        return None
    made = wrapped(value.data, (path, ".", "data"), inputs)
    if made is not None:
        value.data = made
    return value


def _frame(value: Any, path: Path, inputs: Inputs) -> Any:
    """A series or the columns of a frame with numbers that are inputs, `frame["x"][3]`, `series["a"]`."""
    from mlvet.runtime.provenance.frames import TracedColumn, column_values, with_column

    labels = _labels(value)
    if hasattr(value, "columns"):
        made = value
        for at, name in enumerate(value.columns):
            numbers = column_values(value.iloc[:, at])
            column = None if numbers is None else wrapped(numbers, (path, "[", name), inputs, labels)
            if column is not None:
                made = with_column(made, at, TracedColumn(column))
        return made
    numbers = column_values(value)
    column = None if numbers is None else wrapped(numbers, path, inputs, labels)
    return None if column is None else with_column(value, None, TracedColumn(column))


def _labels(value: Any) -> tuple[Any, ...]:
    """What the rows of a series or frame are called, if each by a text or a whole number of its own."""
    listed = getattr(getattr(value, "index", None), "tolist", None)
    labels: tuple[Any, ...] = tuple(listed()) if listed is not None else ()
    named = len(set(map(type, labels))) == 1 and type(labels[0]) in (str, int) and len(set(labels)) == len(labels)
    return labels if named and labels != tuple(range(len(labels))) else ()


def _tensor(value: Any, path: Path, inputs: Inputs) -> Any:
    """A tensor of torch whose elements are inputs."""
    from mlvet.runtime.provenance import torch_values

    if not hasattr(value, "is_floating_point") or not value.is_floating_point() or not value.numel():
        return None
    numbers = wrapped(value.detach().cpu().numpy().copy(), path, inputs)
    return torch_values.made_of(numbers, value)


def _jax(value: Any, path: Path, inputs: Inputs) -> Any:
    from mlvet.runtime.provenance import jax_values

    array = np.array(value) if hasattr(value, "aval") else None
    if array is None or array.dtype.kind != "f":
        return None
    made = wrapped(array, path, inputs)
    return jax_values.TracedJax(value, made.places)


_KINDS = {"scipy": _sparse, "pandas": _frame, "torch": _tensor, "jax": _jax, "jaxlib": _jax}


def _index(name: str, path: str) -> Any:
    """The index of an element's name, if it is one of the array with this name."""
    if not name.startswith(f"{path}[") or not name.endswith("]"):
        return None
    try:
        return ast.literal_eval(name[len(path) + 1 : -1])
    except (ValueError, SyntaxError):
        return None


def elements(value: Any) -> Iterator[tuple[tuple[Any, ...], float, int]]:
    """Index or label, number and place of each element."""
    if type(value) in ANY_TRACED or isinstance(value, np.generic):
        if isinstance(value, np.generic) and value.dtype.kind not in "fiu":
            return
        yield (), float(value), getattr(value, "i", 0) if type(value) in ANY_TRACED else 0
        return
    labels = _labels(value) if type(value).__name__ == "Series" else ()
    value = _array_of(value)
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu":
        return
    places = value.places if isinstance(value, TracedArray) else None
    plain = value.plain if isinstance(value, TracedArray) else np.asarray(value)
    for index in np.ndindex(plain.shape):
        yield (labels[index[0]],) if labels else index, float(plain[index]), 0 if places is None else int(places[index])


def _array_of(value: Any) -> Any:
    """The array in a container of another library."""
    library = type(value).__module__.partition(".")[0]
    if library == "scipy" and hasattr(value, "toarray"):
        return value.toarray()
    if library == "pandas":
        return value.to_numpy() if hasattr(value, "to_numpy") else value
    if library == "torch" and hasattr(value, "detach"):
        from mlvet.runtime.provenance import torch_values

        return torch_values.array_of(value) if torch_values.marked(value) else value.detach().cpu().numpy()
    if library in ("jax", "jaxlib") and hasattr(value, "aval"):
        return np.asarray(value)
    if type(value).__name__ == "TracedJax":
        return value.array()
    return value
