"""Attribute values and arrays as JSON values that can be told apart again.

Null, truth values, whole and finite numbers and text are themselves, a tuple is an array. Everything else is an object
of one field that says what it is: `list`, `dict`, `dtype`, `size`, `float` (nan, inf, -inf), `complex`,
`bytes` (in hexadecimal), `array`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import InternalError, UnsupportedInput
from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, Symbol
from mlvet.domains.dtypes import BY_NAME, DType, Kind
from mlvet.ir.sizes import read

SIZES = "sizes"
"""In place of a dtype: an array of whole numbers and symbolic sizes."""

Spell = Callable[[Dim], int | str]


def to_value(value: Any, spell: Spell, depth: int = 0) -> Any:
    """An attribute value as JSON."""
    if depth > 50:
        raise InternalError("an attribute is nested more than 50 deep")
    match value:
        case None | bool() | int() | str():
            return str(value) if isinstance(value, str) else value
        case float():
            return float(value) if isfinite(value) else {"float": str(float(value))}
        case complex():
            return {"complex": [to_value(value.real, spell), to_value(value.imag, spell)]}
        case bytes():
            return {"bytes": value.hex()}
        case DType():
            return {"dtype": value.name}
        case Expr():
            return {"size": spell(value)}
        case tuple():
            return [to_value(element, spell, depth + 1) for element in value]
        case list():
            return {"list": [to_value(element, spell, depth + 1) for element in value]}
        case Mapping():
            return {"dict": {str(name): to_value(element, spell, depth + 1) for name, element in value.items()}}
        case np.ndarray():
            return {"array": array_to(value, spell)}
        case np.generic():
            return to_value(_plain(value), spell, depth + 1)
    raise InternalError(f"an attribute of type {type(value).__name__} has no text form")


def from_value(form: Any, known: Mapping[str, Symbol]) -> Any:
    """The attribute value that `to_value` wrote."""
    if isinstance(form, list):
        return tuple(from_value(element, known) for element in form)
    if not isinstance(form, dict):
        return form
    ((kind, content),) = form.items()
    match kind:
        case "list":
            return [from_value(element, known) for element in content]
        case "dict":
            return {name: from_value(element, known) for name, element in content.items()}
        case "dtype":
            return BY_NAME[content]
        case "size":
            return read(content, known)
        case "float":
            return float(content)
        case "complex":
            real, imaginary = (from_value(part, known) for part in content)
            return complex(real, imaginary)
        case "bytes":
            return bytes.fromhex(content)
        case "array":
            return array_from(content, known)
    raise UnsupportedInput(f"an attribute value of kind {kind!r} is not known")


def array_to(array: NDArray[Any], spell: Spell) -> dict[str, Any]:
    """An array with its elements in one row."""
    elements = list(array.flat)
    sizes = array.dtype == object and elements and all(isinstance(element, int | Expr) for element in elements)
    name = SIZES if sizes else dtypes.of(array.dtype).name
    row = [to_value(element, spell) for element in elements]
    return {"dtype": name, "shape": list(array.shape), "elements": row}


def array_from(form: Mapping[str, Any], known: Mapping[str, Symbol]) -> NDArray[Any]:
    """The array that `array_to` wrote."""
    return read_elements(form["dtype"], tuple(map(int, form["shape"])), form["elements"], known)


def read_elements(name: str, shape: tuple[int, ...], row: list[Any], known: Mapping[str, Symbol]) -> NDArray[Any]:
    """An array of a dtype and shape from its elements in one row."""
    if prod(shape) != len(row):
        raise UnsupportedInput(f"{name}{list(shape)} has {prod(shape)} elements, but {len(row)} are given")
    elements = [from_value(element, known) for element in row]
    if name == SIZES or BY_NAME[name].kind is Kind.TEXT:
        array = np.empty(len(elements), dtype=object)
        array[:] = elements
    else:
        array = np.array(elements, dtype=BY_NAME[name].numpy)
    return array.reshape(shape)


def _plain(value: np.generic) -> Any:
    kind = dtypes.of(value.dtype).kind
    if kind in (Kind.SIGNED, Kind.UNSIGNED):
        return int(value)
    if kind is Kind.FLOAT:
        return float(value)
    return value.item()
