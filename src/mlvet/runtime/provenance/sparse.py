"""Sparse matrices of SciPy with traced data: its compiled kernels, each with what it does to places.

SciPy's classes keep their data in arrays and hand them to kernels in C. For a replay the kernels are replaced: the data
are made by the kernel itself on plain arrays; places move by the same kernel where it only moves data, and products and
sums write rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from mlvet.runtime.provenance.array_values import Places, TracedArray, owned_places
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.sparse_products import (
    Product,
    combined,
    grouped_sums,
    product_places,
    scaled,
    sparse_product,
)  # fmt: skip

Rule = Callable[[Any, list[Any], list[Any], Any], None]
"""Of the kernel, its arguments as they were before the call, those of the program, and what the kernel returned."""

_MOVES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "coo_tocsr": ((5,), (8,)), "csr_tocsc": ((4,), (7,)), "csr_row_index": ((4,), (6,)), "csr_row_slice": ((5,), (7,)),
    "csr_column_index2": ((4,), (6,)), "csr_sort_indices": ((3,), (3,)), "csr_todense": ((4,), (5,)),
    "coo_todense": ((5,), (6,)), "csr_diagonal": ((5,), (6,)), "csr_sample_values": ((4,), (8,)),
    "dia_tocsr": ((5,), (7,)), "csr_hstack": ((5,), (8,)), "csc_todense": ((4,), (5,)), "coo_todense_nd": ((4,), (5,)),
}  # fmt: skip
"""Kernels that only move data: where it comes in, and where it goes."""

_replaced: list[tuple[Any, str, Any]] = []


def _plain(value: Any) -> Any:
    return value.plain if isinstance(value, TracedArray) else value


def _places(value: Any) -> Places | None:
    return value.places if isinstance(value, TracedArray) else None


def _stored(target: Any, places: Places, name: str) -> None:
    """Give an output of a kernel its places."""
    own = owned_places(target) if isinstance(target, TracedArray) else None
    if own is None:
        broken(f"scipy.sparse {name}")
        return
    own[...] = np.reshape(places, own.shape)


def _collides(kernel: Any, name: str, before: list[Any], sources: tuple[int, ...], targets: tuple[int, ...]) -> bool:
    """Whether a kernel adds several entries into one element."""
    if name not in ("csr_todense", "coo_todense", "csr_sample_values", "csr_diagonal", "coo_todense_nd", "csc_todense"):
        return False
    trial = [each.copy() if isinstance(each, np.ndarray) else each for each in before]
    for index in sources:
        trial[index] = np.ones(np.shape(before[index]), np.int64)
    for index in targets:
        trial[index] = np.zeros(np.shape(before[index]), np.int64)
    kernel(*trial)
    return bool(max((trial[index].max(initial=0) for index in targets), default=0) > 1)


def _move(kernel: Any, name: str, before: list[Any], given: list[Any]) -> None:
    sources, targets = _MOVES[name]
    if _collides(kernel, name, before, sources, targets):
        broken(f"scipy.sparse {name} of a matrix with several entries in one place; sum_duplicates() first")
        return
    trial = [each.copy() if isinstance(each, np.ndarray) else each for each in before]
    for index in sources:
        places = _places(given[index])
        trial[index] = np.zeros(np.shape(before[index]), np.int64) if places is None else np.array(places)
    for index in targets:
        if index not in sources:
            trial[index] = np.zeros(np.shape(before[index]), np.int64)
    if name == "dia_tocsr":
        _move_diagonals(before, given, trial)
        return
    kernel(*trial)
    for index in targets:
        _stored(given[index], trial[index], name)


def _move_diagonals(before: list[Any], given: list[Any], trial: list[Any]) -> None:
    """Diagonals become rows without the zeros among them: each entry is found again by its row and column."""
    offsets, indices, indptr = before[4], _plain(given[8]), _plain(given[9])
    rows = np.repeat(np.arange(before[0]), np.diff(indptr))
    columns = indices[: len(rows)]
    by_offset = {int(offset): index for index, offset in enumerate(offsets)}
    diagonal = np.array([by_offset[int(each)] for each in (columns - rows)], np.int64)
    places = np.zeros(np.shape(given[7]), np.int64)
    places[: len(rows)] = np.reshape(trial[5], np.shape(before[5]))[diagonal, columns]
    _stored(given[7], places, "dia_tocsr")


def _submatrix(kernel: Any, before: list[Any], given: list[Any], result: Any) -> Any:
    trial = list(before)
    places = _places(given[4])
    assert places is not None
    trial[4] = np.array(places)
    moved = kernel(*trial)[2]
    indptr, indices, data = result
    array = data.view(TracedArray)
    _stored(array, moved, "get_csr_submatrix")
    return indptr, indices, array


def _vector_product(name: str, before: list[Any], given: list[Any]) -> None:
    """`y += A x` in one of the formats, for one vector or several side by side."""
    kind, _, what = name.partition("_")
    if kind == "coo":
        rows, columns = (before[1], before[2]) if what == "matvec" else (before[2], before[3])
        data_at, x_at, y_at = (3, 4, 5) if what == "matvec" else (4, 5, 6)
        count = 1 if what == "matvec" else int(before[1])
    else:
        shift = 1 if what == "matvecs" else 0
        count = int(before[2]) if shift else 1
        indptr, minor = before[2 + shift], before[3 + shift]
        major = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        minor = minor[: len(major)]
        rows, columns = (major, minor) if kind == "csr" else (minor, major)
        data_at, x_at, y_at = 4 + shift, 5 + shift, 6 + shift
    entries = len(rows)
    product = Product(
        np.asarray(rows), np.asarray(columns), before[data_at][:entries], before[x_at].reshape(-1, count),
        _flat(_places(given[data_at]), entries), _places(given[x_at]), count, before[y_at].size // max(1, count),
    )  # fmt: skip
    target = given[y_at]
    already = _places(target)
    if already is not None and already.any():
        broken(f"scipy.sparse {name} added to earlier results")
    _stored(target, product_places(product), name)


def _flat(places: Places | None, entries: int) -> Places | None:
    return None if places is None else np.asarray(places).reshape(-1)[:entries]


def _called(name: str, kernel: Any, before: list[Any], given: list[Any], result: Any) -> Any:
    """Places of what a kernel has made."""
    if name in _MOVES:
        _move(kernel, name, before, given)
    elif name == "get_csr_submatrix":
        return _submatrix(kernel, before, given, result)
    elif name in ("csr_matvec", "csc_matvec", "csr_matvecs", "csc_matvecs", "coo_matvec", "coo_matmat_dense"):
        _vector_product(name, before, given)
    elif name == "csr_matmat":
        _stored(given[10], sparse_product(before, [_places(each) for each in given], _plain(given[8]), _plain(given[9]),
                                          np.size(given[10])), name)  # fmt: skip
    elif name == "csr_sum_duplicates":
        _stored(given[4], grouped_sums(before, _places(given[4])), name)
    elif name == "csr_eliminate_zeros":
        keep = np.asarray(before[4]) != 0
        places = np.zeros(np.shape(given[4]), np.int64)
        own = _places(given[4])
        if own is not None:
            places[: int(keep.sum())] = np.array(own)[keep]
        _stored(given[4], places, name)
    elif name in ("csr_scale_rows", "csr_scale_columns"):
        _stored(given[4], scaled(name, before, [_places(each) for each in given]), name)
    elif name in ("csr_plus_csr", "csr_minus_csr", "csr_elmul_csr", "csr_eldiv_csr", "csr_maximum_csr",
                  "csr_minimum_csr"):  # fmt: skip
        _stored(given[10], combined(name, before, [_places(each) for each in given], _plain(given[8]),
                                    _plain(given[9]), np.size(given[10])), name)  # fmt: skip
    elif not name.endswith(("maxnnz", "canonical_format", "sorted_indices", "count_blocks", "offsets", "expandptr")):
        broken(f"scipy.sparse {name}")
    return result


def _traced_kernel(name: str, kernel: Any) -> Any:
    def run(*arguments: Any) -> Any:
        plain = [_plain(each) for each in arguments]
        if all(_places(each) is None for each in arguments):
            return kernel(*plain)
        in_place = name in ("csr_sort_indices", "csr_sum_duplicates", "csr_eliminate_zeros", "csr_scale_rows",
                            "csr_scale_columns")  # fmt: skip
        before = [each.copy() if in_place and isinstance(each, np.ndarray) else each for each in plain]
        return _called(name, kernel, before, list(arguments), kernel(*plain))

    run.__name__ = name
    return run


def install(module: ModuleType) -> None:
    """Replace the kernels wherever SciPy's own modules have them."""
    del module
    tools = sys.modules["scipy.sparse._sparsetools"]
    kernels = {name: each for name, each in vars(tools).items() if callable(each) and not name.startswith("_")}
    traced = {name: _traced_kernel(name, each) for name, each in kernels.items()}
    for path, each in list(sys.modules.items()):
        if path.startswith("scipy.sparse") and each is not None:
            for name in kernels:
                if vars(each).get(name) is kernels[name]:
                    _replaced.append((each, name, kernels[name]))
                    setattr(each, name, traced[name])


def uninstall() -> None:
    while _replaced:
        setattr(*_replaced.pop())
