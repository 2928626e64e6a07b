"""Small integers followed through the operators from which graphs compute permutations, axes and shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.tensors import SMALL
from mlvet.frontends.tensorflow.lowering import COPIES
from mlvet.frontends.tensorflow.site import Site
from mlvet.ir.graph import Data, Value

Array = NDArray[Any]


def fold(site: Site, results: Sequence[Value]) -> None:
    """Note the elements of the first result of a step, if they follow from those of its operands."""
    op = site.step.op
    if not results:
        return
    if op in COPIES and site.inputs and site.inputs[0] in site.known:
        site.known[results[0]] = site.known[site.inputs[0]]
        return
    array = _rank(site) if op == "Rank" else _applied(site)
    if array is not None and array.size <= SMALL and array.dtype.kind in "iu":
        found = array
        site.known[results[0]] = Data(dtypes.of(found.dtype), found.shape, lambda: found)


def _rank(site: Site) -> Array | None:
    rank = site.rank(site.input(0))
    return np.asarray(rank, np.int32) if rank is not None else None


def _applied(site: Site) -> Array | None:
    rule = _RULES.get(site.step.op)
    if rule is None or not site.inputs:
        return None
    arrays = []
    for value in site.inputs:
        array = site.array(value)
        if array is None or array.dtype.kind not in "iu":
            return None
        arrays.append(array)
    try:
        return rule(site, arrays)
    except (ValueError, IndexError, OverflowError, MemoryError, ZeroDivisionError):
        return None


def _range(_: Site, arrays: list[Array]) -> Array | None:
    start, limit, delta = (int(array) for array in arrays)
    if delta == 0 or abs(limit - start) > SMALL * abs(delta):
        return None
    return np.asarray(np.arange(start, limit, delta), arrays[0].dtype)


def _concat(_: Site, arrays: list[Array]) -> Array:
    return np.concatenate(arrays[:-1], int(arrays[-1]))


def _pack(site: Site, arrays: list[Array]) -> Array:
    return np.stack(arrays, site.attributes.int("axis"))


def _expand(_: Site, arrays: list[Array]) -> Array:
    return np.expand_dims(arrays[0], int(arrays[1].reshape(())))


def _invert(_: Site, arrays: list[Array]) -> Array:
    return np.argsort(arrays[0]).astype(arrays[0].dtype)


def _plain(function: Callable[..., Any]) -> Callable[[Site, list[Array]], Array | None]:
    def apply(_: Site, arrays: list[Array]) -> Array | None:
        if len(arrays) != 2:
            return None
        with np.errstate(all="ignore"):
            return np.asarray(function(*arrays))

    return apply


def _modulo(left: Array, right: Array) -> Array:
    if not right.all():
        raise ZeroDivisionError
    return np.asarray(np.mod(left, right))


_RULES: dict[str, Callable[[Site, list[Array]], Array | None]] = {
    "Range": _range,
    "ConcatV2": _concat,
    "Pack": _pack,
    "ExpandDims": _expand,
    "InvertPermutation": _invert,
    "Add": _plain(np.add),
    "AddV2": _plain(np.add),
    "Sub": _plain(np.subtract),
    "Mul": _plain(np.multiply),
    "FloorMod": _plain(_modulo),
    "Maximum": _plain(np.maximum),
    "Minimum": _plain(np.minimum),
}
