"""Places of products and sums of sparse matrices, from their entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlvet.runtime.provenance.array_values import Array, Places
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.tape import TAPE
from mlvet.runtime.provenance.ufuncs import wide, write, write_groups

_FEW = 1 << 16
"""Entries up to which a product is written as rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """`y[rows] += data * x[columns]` for each of `count` columns of `x`, and the places of both."""

    rows: Array
    columns: Array
    data: Array
    x: Array
    data_places: Places | None
    x_places: Places | None
    count: int
    height: int

    def entries(self) -> tuple[Any, Any, Any]:
        """The product as rows: how many entries each has, their parents and the partial derivatives."""
        order = np.argsort(self.rows, kind="stable")
        rows, columns = self.rows[order], self.columns[order]
        each = np.bincount(rows, minlength=self.height)
        parents, partials = [], []
        if self.data_places is not None:
            parents.append(np.broadcast_to(self.data_places[order][:, None], (len(rows), self.count)))
            partials.append(wide(self.x)[columns])
        if self.x_places is not None:
            parents.append(self.x_places.reshape(-1, self.count)[columns])
            partials.append(np.broadcast_to(wide(self.data)[order][:, None], (len(rows), self.count)))
        width = len(parents)
        both = np.stack(parents, axis=-1)
        slopes = np.stack(partials, axis=-1)
        if self.count == 1:
            return each * width, both.reshape(-1), slopes.reshape(-1)
        target = (rows[:, None] * self.count + np.arange(self.count)).reshape(-1)
        order = np.argsort(target, kind="stable")
        counts = np.bincount(target, minlength=self.height * self.count) * width
        return counts, both.reshape(-1, width)[order].reshape(-1), slopes.reshape(-1, width)[order].reshape(-1)

    def pullback(self, slopes: Any) -> list[Any]:
        """Derivatives by the entries and by `x`, as far as they hang on inputs."""
        found = []
        by_row = np.reshape(slopes, (self.height, self.count))[self.rows]
        if self.data_places is not None:
            found.append((by_row * wide(self.x)[self.columns]).sum(axis=1))
        if self.x_places is not None:
            weighted = by_row * wide(self.data)[:, None]
            length = len(self.x)
            columns = [np.bincount(self.columns, weighted[:, index], length) for index in range(self.count)]
            found.append(np.stack(columns, axis=1).reshape(-1))
        return found

    def forward(self, changes: Any) -> Any:
        """The change of the product by changes of the entries and of `x`."""
        given = list(changes)
        total = np.zeros((len(self.rows), self.count))
        if self.data_places is not None:
            total += given.pop(0)[:, None] * wide(self.x)[self.columns]
        if self.x_places is not None:
            total += wide(self.data)[:, None] * given.pop(0).reshape(-1, self.count)[self.columns]
        columns = [np.bincount(self.rows, total[:, index], self.height) for index in range(self.count)]
        return np.stack(columns, axis=1).reshape(-1)


def product_places(product: Product) -> Places:
    """Places of a product, by rows or, when it is large, by a step whose pullback is `Product.pullback`."""
    parents = [each.reshape(-1) for each in (product.data_places, product.x_places) if each is not None]
    size = product.height * product.count
    if len(product.rows) * product.count * len(parents) <= _FEW:
        return write_groups(*product.entries())
    data_places = None if product.data_places is None else _kept(product.data_places)
    kept = Product(
        _kept(product.rows), _kept(product.columns), _kept(product.data), np.array(product.x),
        data_places, product.x_places, product.count, product.height,
    )  # fmt: skip
    parents = [] if data_places is None else [data_places]
    parents += [] if product.x_places is None else [np.array(product.x_places).reshape(-1)]
    first = TAPE.step(size, parents, kept.pullback, "sparse product", kept.forward)
    return np.arange(first, first + size)


_recent: list[Array] = []


def _kept(array: Array) -> Array:
    """A copy that later changes of the array do not reach; products of one matrix share it."""
    for each in _recent:
        if each.dtype == array.dtype and np.array_equal(each, array):
            return each
    copy = np.array(array)
    _recent.insert(0, copy)
    del _recent[12:]
    return copy


def _zeros(places: Places | None, like: Any) -> Places:
    return np.zeros(np.shape(like), np.int64) if places is None else np.asarray(places)


def _keys(rows: Any, columns: Any, width: int) -> Any:
    return rows.astype(np.int64) * width + columns


def _row_numbers(indptr: Any) -> Any:
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def sparse_product(before: list[Any], places: list[Places | None], indptr: Any, indices: Any, size: int) -> Places:
    """Places of the product of two sparse matrices, in the order of its entries."""
    _, width, a_ptr, a_index, a_data, b_ptr, b_index, b_data = before[:8]
    a_rows = _row_numbers(a_ptr)
    lengths = np.diff(b_ptr)[a_index]
    left = np.repeat(np.arange(len(a_index)), lengths)
    starts = np.repeat(b_ptr[a_index], lengths)
    within = np.arange(len(left)) - np.repeat(np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    right = starts + within
    keys = _keys(a_rows[left], b_index[right], width)
    count = int(indptr[-1])
    result_keys = _keys(_row_numbers(indptr), indices[:count], width)
    order = np.argsort(result_keys, kind="stable")
    found = np.searchsorted(result_keys[order], keys)
    safe = np.minimum(found, max(0, count - 1))
    present = (found < count) & (result_keys[order][safe] == keys) if count else np.zeros(len(keys), np.bool_)
    target = order[safe[present]]
    left, right = left[present], right[present]
    by_target = np.argsort(target, kind="stable")
    left, right = left[by_target], right[by_target]
    parents = np.stack((_zeros(places[4], a_data)[left], _zeros(places[7], b_data)[right]), axis=-1)
    partials = np.stack((wide(b_data)[right], wide(a_data)[left]), axis=-1)
    result = np.zeros(size, np.int64)
    result[:count] = write_groups(2 * np.bincount(target, minlength=count), parents, partials.reshape(-1))
    return result


def grouped_sums(before: list[Any], places: Places | None) -> Places:
    """Places when entries of one row and column, which are neighbours, are added."""
    _, width, indptr, indices, data = before[:5]
    own = _zeros(places, data)
    rows = _row_numbers(indptr)
    keys = _keys(rows, indices[: len(rows)], width)
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, np.int64)
    counts = np.diff(np.append(starts, len(keys)))
    result = np.zeros(np.shape(data), np.int64)
    if (counts == 1).all():
        result[: len(starts)] = own[starts]
    else:
        result[: len(starts)] = write_groups(counts, own[: len(keys)], 1.0)
    return result


def scaled(name: str, before: list[Any], places: list[Places | None]) -> Places:
    """Places when each row, or each column, is multiplied by a number of its own."""
    indptr, indices, data, scale = before[2:6]
    rows = _row_numbers(indptr)
    at = rows if name == "csr_scale_rows" else indices[: len(rows)]
    sources = None if places[5] is None else places[5][at]
    own = None if places[4] is None else places[4][: len(rows)]
    result = np.zeros(np.shape(data), np.int64)
    written = write(rows.shape, [(own, wide(scale)[at]), (sources, wide(data)[: len(rows)])])
    result[: len(rows)] = 0 if written is None else written
    return result


def combined(name: str, before: list[Any], places: list[Places | None], indptr: Any, indices: Any, size: int) -> Places:
    """Places of the entries of two matrices taken together element by element."""
    _, width, a_ptr, a_index, a_data, b_ptr, b_index, b_data = before[:8]
    count = int(indptr[-1])
    keys = _keys(_row_numbers(indptr), indices[:count], width)
    (a, from_a), (b, from_b) = (
        _looked_up(keys, _keys(_row_numbers(ptr), index[: int(ptr[-1])], width), data, where_from)
        for ptr, index, data, where_from in ((a_ptr, a_index, a_data, places[4]), (b_ptr, b_index, b_data, places[7]))
    )
    result = np.zeros(size, np.int64)
    with np.errstate(all="ignore"):
        if name in ("csr_maximum_csr", "csr_minimum_csr"):
            first = a >= b if name == "csr_maximum_csr" else a <= b
            result[:count] = np.where(first, from_a, from_b)
            return result
        partials = {
            "csr_plus_csr": (1.0, 1.0), "csr_minus_csr": (1.0, -1.0), "csr_elmul_csr": (b, a),
            "csr_eldiv_csr": (1.0 / b, -a / (b * b)),
        }[name]  # fmt: skip
    written = write(keys.shape, [(from_a, partials[0]), (from_b, partials[1])])
    result[:count] = 0 if written is None else written
    return result


def _looked_up(keys: Any, own: Any, data: Any, places: Places | None) -> tuple[Any, Places]:
    """Values and places of the entries at these keys, 0 where there is none."""
    values, found = np.zeros(len(keys)), np.zeros(len(keys), np.int64)
    if not len(own):
        return values, found
    order = np.argsort(own, kind="stable")
    at = np.minimum(np.searchsorted(own[order], keys), len(own) - 1)
    present = own[order][at] == keys
    values[present] = wide(data)[order][at[present]]
    found[present] = _zeros(places, data)[order][at[present]]
    return values, found
