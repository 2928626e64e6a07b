"""Traced arrays: what the rest of a replay calls."""

from __future__ import annotations

from typing import Any

from mlvet.runtime.provenance import array_methods, array_statistics, arrays_linear
from mlvet.runtime.provenance.array_values import TracedArray, as_traced, split, store_places, wrap_array
from mlvet.runtime.provenance.arrays_functions import call_function
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.creation import adopted, install, uninstall
from mlvet.runtime.provenance.numbers import TracedFloat, TracedInt, traced, whole
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.scalars import ANY_TRACED, SCALARS, TRACED_SCALARS, scalar
from mlvet.runtime.provenance.ufuncs import apply_ufunc

del array_methods, array_statistics, arrays_linear

apply_function = apply_ufunc
_CALLER = 3
"""How many frames the program stands above what looks for it."""


def array_store(array: Any, key: Any, value: Any) -> None:
    """`array[key] = value` where the value is traced: kept by traced arrays, told as a break for all others."""
    if isinstance(array, TracedArray):
        array[key] = value
        return
    data, places = split(value)
    array[key] = data
    if places is not None and array.dtype.kind in "fiu":
        broken("stored into an array that was made by a library")


def as_float(value: Any = 0.0) -> Any:
    """`float(value)`, with the place of a number, of a scalar of NumPy or of an array of one element."""
    if type(value) is TracedFloat:
        return value
    if type(value) is TracedInt:
        return traced(float(value.v), value.i)
    if type(value) in TRACED_SCALARS:
        return scalar(float(value.v), value.i)
    if isinstance(value, TracedArray):
        places = value.places
        return scalar(float(value.plain), 0 if places is None else int(places.reshape(-1)[0]))
    number = float(value)
    if hasattr(value, "item") and type(value).__module__.partition(".")[0] in ("torch", "mlvet"):
        found = value.item()
        return found if type(found) in ANY_TRACED else number
    return number


def as_int(value: Any = 0) -> Any:
    """`int(value)`, with the place of a whole number; all others jump."""
    if type(value) is TracedInt:
        return whole(value)
    if type(value) in TRACED_SCALARS and value.v.dtype.kind in "iu":
        return whole(scalar(int(value.v), value.i))
    if type(value) in ANY_TRACED:
        return type(value).__int__(value, _CALLER)
    return int(value)


def as_scalar(kind: Any, value: Any) -> Any:
    """`np.float64(value)` and its like, with the place of a number."""
    if type(value) not in ANY_TRACED or not isinstance(kind, type) or kind not in SCALARS:
        return kind(value)
    if np.dtype(kind).kind == "f" or isinstance(value.v, (int, np.integer)):
        return scalar(kind(value.v), value.i)
    return kind(type(value).__int__(value, _CALLER))


__all__ = [
    "TracedArray", "adopted", "apply_function", "array_store", "as_float", "as_int", "as_scalar", "as_traced",
    "call_function", "install", "split", "store_places", "uninstall", "wrap_array",
]  # fmt: skip
