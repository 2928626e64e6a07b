"""Arrays and numbers as a person would write them into a script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
SHORT = 64
"""An array of so many elements still fits into a script."""


def array_text(array: Array) -> str:
    """An expression that gives an array."""
    kind = array.dtype.name
    if array.dtype.kind == "f" and array.size and np.all(array == array.flat[0]):
        value = _number(array.flat[0])
        plain = {"0.0": "zeros", "1.0": "ones"}.get(value)
        shape = _shape(array)
        return f'np.{plain}({shape}, "{kind}")' if plain else f'np.full({shape}, {value}, "{kind}")'
    if array.size > 1 and np.array_equal(array.ravel(), 1 + np.arange(array.size)):
        flat = f'np.arange(1, {array.size + 1}, dtype="{kind}")'
        return flat if array.ndim == 1 else f"{flat}.reshape{_shape(array, bare=True)}"
    if not array.ndim:
        return f'np.array({_number(array.flat[0])}, "{kind}")'
    flat = f'np.array([{", ".join(map(_number, array.ravel()))}], "{kind}")'
    return flat if array.ndim == 1 else f"{flat}.reshape{_shape(array, bare=True)}"


def arguments_text(config: Mapping[str, Any]) -> str:
    """A configuration as the arguments of a call."""
    return ", ".join(f"{key}={_value(value)}" for key, value in config.items())


def plain(value: Any) -> bool:
    """Whether a value can be written into a script."""
    if isinstance(value, list | tuple):
        return all(map(plain, value))
    return value is None or isinstance(value, bool | int | float | str)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        if value and all(each == value[0] for each in value) and isinstance(value[0], int):
            return repr(value[0])
        return repr(tuple(value))
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _number(value: Any) -> str:
    if isinstance(value, np.floating):
        if not np.isfinite(value):
            return f"np.{'nan' if np.isnan(value) else 'inf'}" if not value < 0 else "-np.inf"
        return str(value)
    return str(value)


def _shape(array: Array, *, bare: bool = False) -> str:
    sizes = ", ".join(map(str, array.shape))
    if bare:
        return f"({sizes})"
    return sizes if array.ndim == 1 else f"({sizes})"
