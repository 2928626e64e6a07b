"""Sparse matrices that are lists of rows (LIL): their lists hold traced numbers, which C would read without places."""

from __future__ import annotations

import sys
from bisect import bisect_left
from types import ModuleType
from typing import Any

from mlvet.runtime.provenance.array_values import TracedArray, as_traced, owned_places, split
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.scalars import ANY_TRACED, scalar

_replaced: list[tuple[Any, str, Any]] = []


def _found(rows: Any, data: Any, shape: tuple[int, ...], row: Any, column: Any) -> tuple[Any, int] | None:
    """The list that has an element, and where in it; None for one that is not stored."""
    if not (-shape[0] <= row < shape[0] and -shape[1] <= column < shape[1]):
        return None
    row, column = int(row) % shape[0], int(column) % shape[1]
    at = bisect_left(rows[row], column)
    return (data[row], at) if at < len(rows[row]) and rows[row][at] == column else None


def _setting(real: Any) -> Any:
    def set_item(self: Any, key: Any, value: Any) -> None:
        if type(value) not in ANY_TRACED:
            real(self, key, value)
            return
        single = isinstance(key, tuple) and len(key) == 2 and all(isinstance(each, int | np.integer) for each in key)
        if not single:
            real(self, key, as_traced(value))
            return
        real(self, key, value.v)
        place = _found(self.rows, self.data, self.shape, *key) if self.dtype.kind == "f" else None
        if place is not None:
            place[0][place[1]] = scalar(place[0][place[1]], value.i)

    return set_item


def _element(real: Any) -> Any:
    def get_element(self: Any, row: Any, column: Any) -> Any:
        place = _found(self.rows, self.data, self.shape, row, column)
        held: Any = None if place is None else place[0][place[1]]
        return scalar(self.dtype.type(held.v), held.i) if type(held) in ANY_TRACED else real(self, row, column)

    return get_element


def _flattened(real: Any) -> Any:
    def flatten(lists: Any, target: Any) -> None:
        real(lists, target.plain if isinstance(target, TracedArray) else target)
        if not isinstance(target, TracedArray) or target.dtype.kind != "f":
            return
        places = [each.i if type(each) in ANY_TRACED else 0 for row in lists for each in row]
        own = owned_places(target) if any(places) else None
        if own is not None:
            own[...] = places

    return flatten


def _several_set(real: Any) -> Any:
    def fancy_set(m: int, n: int, rows: Any, data: Any, at_rows: Any, at_columns: Any, values: Any) -> None:
        numbers, places = split(values)
        plain = [each.plain if isinstance(each, TracedArray) else each for each in (at_rows, at_columns)]
        real(m, n, rows, data, *plain, numbers)
        if places is None:
            return
        for row, column, origin in zip(*(each.ravel().tolist() for each in (*plain, np.asarray(places))), strict=True):
            place = _found(rows, data, (m, n), row, column)
            if place is not None:
                place[0][place[1]] = scalar(place[0][place[1]], origin)

    return fancy_set


def install(module: ModuleType) -> None:
    """Replace what stores into lists of rows and reads them."""
    del module
    tools, lists = sys.modules["scipy.sparse._csparsetools"], vars(sys.modules["scipy.sparse._lil"])["_lil_base"]
    for owner, name, make in (
        (tools, "lil_flatten_to_array", _flattened), (tools, "lil_fancy_set", _several_set),
        (lists, "__setitem__", _setting), (lists, "_get_intXint", _element),
    ):  # fmt: skip
        _replaced.append((owner, name, getattr(owner, name)))
        setattr(owner, name, make(getattr(owner, name)))


def uninstall() -> None:
    while _replaced:
        setattr(*_replaced.pop())
