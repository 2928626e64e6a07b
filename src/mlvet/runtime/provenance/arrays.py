"""Traced arrays: what the rest of a replay calls."""

from __future__ import annotations

from typing import Any

from mlvet.runtime.provenance import array_methods, array_statistics, arrays_linear
from mlvet.runtime.provenance.array_values import TracedArray, as_traced, split, store_places, wrap_array
from mlvet.runtime.provenance.arrays_functions import call_function
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.ufuncs import apply_ufunc

del array_methods, array_statistics, arrays_linear

apply_function = apply_ufunc


def array_store(array: Any, key: Any, value: Any) -> None:
    """`array[key] = value` where the value is traced: kept by traced arrays, told as a break for all others."""
    if type(array) is TracedArray:
        array[key] = value
        return
    data, places = split(value)
    array[key] = data
    if places is not None and array.dtype.kind in "fiu":
        broken("stored into an array that was made by a library")


__all__ = [
    "TracedArray", "apply_function", "array_store", "as_traced", "call_function", "split", "store_places", "wrap_array",
]  # fmt: skip
