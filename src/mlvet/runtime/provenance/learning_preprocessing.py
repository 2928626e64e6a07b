"""scikit-learn's `normalize` in a replay: its own values, with the derivatives of the formula."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from mlvet.runtime.provenance.array_values import as_traced, has_places
from mlvet.runtime.provenance.arrays_functions import _bincount, composed
from mlvet.runtime.provenance.plain_numpy import np

_replaced: list[tuple[ModuleType, str, Any]] = []


def _lengths(values: Any, groups: Any, count: int, norm: str) -> Any:
    """The norm of each group of values; 1 where it is 0."""
    if norm == "max":
        sizes = abs(values)
        order = np.lexsort((np.asarray(sizes.plain), groups))
        last = np.searchsorted(groups[order], np.arange(count), "right") - 1
        found = sizes[order[np.maximum(last, 0)]]
        found = np.where(np.bincount(groups, minlength=count) > 0, found, 0.0)
    else:
        weights = abs(values) if norm == "l1" else values * values
        found = _bincount(groups, weights, count)
        found = found if norm == "l1" else np.sqrt(found)
    return np.where(as_traced(found).plain == 0, 1.0, found)


def _normalize(real: Any) -> Any:
    @functools.wraps(real)
    def normalize(X: Any, norm: str = "l2", *, axis: int = 1, copy: bool = True, return_norm: bool = False) -> Any:  # noqa: N803
        sparse = hasattr(X, "tocoo")
        if return_norm or not has_places(X.data if sparse else X):
            return real(X, norm, axis=axis, copy=copy, return_norm=return_norm)
        if not sparse:
            values = as_traced(X)
            groups = np.broadcast_to(np.arange(values.shape[1 - axis])[:, None], np.shape(np.moveaxis(values, axis, 1)))
            lined = np.moveaxis(values, axis, 1)
            lengths = _lengths(lined.reshape(-1), groups.reshape(-1), lined.shape[0], norm)
            return composed(real(values.plain, norm, axis=axis), np.moveaxis(lined / lengths[:, None], 1, axis))
        plain = X.copy()
        plain.data = as_traced(plain.data).plain
        result = real(plain, norm, axis=axis).tocsr()
        result.sort_indices()
        entries = X.tocsr()
        entries.sum_duplicates()
        entries.sort_indices()
        entries = entries.tocoo()
        groups = entries.row if axis == 1 else entries.col
        values = as_traced(entries.data)
        result.data = composed(result.data, values / _lengths(values, groups, X.shape[1 - axis], norm)[groups])
        return result

    return normalize


def install(module: ModuleType) -> None:
    found: Any = module
    _replaced.append((module, "normalize", found.normalize))
    found.normalize = _normalize(found.normalize)


def uninstall() -> None:
    while _replaced:
        setattr(*_replaced.pop())
