"""Sequences and optional values. They are no tensors, so most of these have no shape rule; references use lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.ops.enclosures import COUNT, SHARE, always
from mlvet.ops.layout import Array, ints_of
from mlvet.ops.numeric import Numeric
from mlvet.ops.op import Infer, Op, Reference, pure


def _sequence(name: str, reference: Reference | None, infer: Infer | None = None, numeric: Numeric | None = None) -> Op:
    return pure(name, infer, reference, family="sequence", numeric=numeric)


def _construct(*elements: Array) -> list[Array]:
    return list(elements)


def _at(elements: list[Array], position: Array) -> Array:
    return elements[ints_of(position)[0]]


def infer_sequence_length(*_: Tensor, **__: Any) -> Tensor:
    """A scalar."""
    return Tensor(dtypes.i64, ())


def infer_condition(*_: Tensor, **__: Any) -> Tensor:
    """A truth value."""
    return Tensor(dtypes.bool_, ())


def _length(elements: list[Array]) -> Array:
    return np.asarray(len(elements), dtype=np.int64)


def _insert(elements: list[Array], element: Array, position: Array | None = None) -> list[Array]:
    at = len(elements) if position is None else ints_of(position)[0]
    at += len(elements) if at < 0 else 0
    return [*elements[:at], element, *elements[at:]]


def _erase(elements: list[Array], position: Array | None = None) -> list[Array]:
    at = (-1 if position is None else ints_of(position)[0]) % len(elements)
    return [*elements[:at], *elements[at + 1 :]]


def _empty(*, dtype: Any = None) -> list[Array]:
    del dtype
    return []


def _split_to_sequence(x: Array, split: Array | None = None, *, axis: int = 0, keepdims: bool = True) -> list[Array]:
    if split is None:
        parts = np.split(x, x.shape[axis], axis=axis)
        return parts if keepdims else [np.squeeze(part, axis=axis) for part in parts]
    if np.ndim(split) == 0:
        step = ints_of(split)[0]
        return np.split(x, range(step, x.shape[axis], step), axis=axis)
    return np.split(x, np.cumsum(ints_of(split))[:-1], axis=axis)


def _concat_from_sequence(elements: list[Array], *, axis: int = 0, new_axis: bool = False) -> Array:
    return np.stack(elements, axis=axis) if new_axis else np.concatenate(elements, axis=axis)


def _optional(value: Any = None, **_: Any) -> Any:
    return value


def _has_element(value: Any = None) -> Array:
    return np.asarray(value is not None)


sequence_construct = _sequence("sequence_construct", _construct)
sequence_at = _sequence("sequence_at", _at)
sequence_length = _sequence("sequence_length", _length, infer_sequence_length, always(COUNT))
sequence_insert = _sequence("sequence_insert", _insert)
sequence_erase = _sequence("sequence_erase", _erase)
sequence_empty = _sequence("sequence_empty", _empty)
split_to_sequence = _sequence("split_to_sequence", _split_to_sequence)
concat_from_sequence = _sequence("concat_from_sequence", _concat_from_sequence)
sequence_map = _sequence("sequence_map", None)
optional = _sequence("optional", _optional)
optional_get_element = _sequence("optional_get_element", _optional)
optional_has_element = _sequence("optional_has_element", _has_element, infer_condition, always(SHARE))
