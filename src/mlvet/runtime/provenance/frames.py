"""Columns of pandas whose numbers carry places: an extension array that answers like a plain column of floats or ints.

Filters, merges and sorts take rows by their positions, which moves data and places alike. Sums and means, of a whole
column or of groups of rows, write rows on the tape.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy
import pandas as pd
from pandas.api.extensions import ExtensionArray, ExtensionDtype, take

from mlvet.runtime.provenance.array_methods import objects, ordering
from mlvet.runtime.provenance.array_values import TracedArray, as_traced, split, with_places, wrap_array
from mlvet.runtime.provenance.arrays_functions import composed, plain
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.frame_groups import group_places
from mlvet.runtime.provenance.plain_numpy import np


class TracedDtype(ExtensionDtype):  # type: ignore[misc]
    """The type of a traced column; it has the name of the plain type, so that programs print the same."""

    _is_numeric = True
    na_value = np.nan

    def __init__(self, numpy_dtype: Any = np.float64) -> None:
        self.numpy_dtype = np.dtype(numpy_dtype)

    @property
    def name(self) -> str:
        return str(self.numpy_dtype.name)

    @property
    def type(self) -> Any:
        return self.numpy_dtype.type

    @property
    def kind(self) -> Any:
        return self.numpy_dtype.kind

    @property
    def itemsize(self) -> int:
        return int(self.numpy_dtype.itemsize)

    @classmethod
    def construct_array_type(cls) -> Any:
        return TracedColumn

    @classmethod
    def construct_from_string(cls, string: str) -> Any:
        raise TypeError(f"Cannot construct a 'TracedDtype' from '{string}'")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return other == self.name
        return isinstance(other, TracedDtype) and other.numpy_dtype == self.numpy_dtype

    def __hash__(self) -> int:
        return hash(("traced", self.name))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return repr(self.numpy_dtype)

    def _get_common_dtype(self, dtypes: Any) -> Any:
        plain_dtypes = [each.numpy_dtype if isinstance(each, TracedDtype) else each for each in dtypes]
        if all(isinstance(each, np.dtype) and each.kind in "fiub" for each in plain_dtypes):
            return TracedDtype(np.result_type(*plain_dtypes))
        return None


class TracedColumn(ExtensionArray):  # type: ignore[misc]
    """A column of numbers with their places."""

    __array_priority__ = 2000

    def __init__(self, values: Any) -> None:
        self._array: TracedArray = as_traced(values)

    @property
    def dtype(self) -> Any:
        return TracedDtype(self._array.dtype)

    @property
    def nbytes(self) -> int:
        return int(self._array.nbytes)

    def __len__(self) -> int:
        return len(self._array)

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> Any:
        if isinstance(scalars, TracedColumn):
            array = scalars._array
        elif isinstance(scalars, (list, tuple)) or (isinstance(scalars, np.ndarray) and scalars.dtype == object):
            listed = [np.nan if each is None or each is pd.NA else each for each in scalars]
            data, places = split(listed)
            array = with_places(np.array(data), None if places is None else np.array(places))
        else:
            array = as_traced(scalars)
        wanted = dtype.numpy_dtype if isinstance(dtype, TracedDtype) else dtype
        if wanted is not None and array.dtype != wanted:
            return cls(array.astype(wanted))
        return cls(array.copy() if copy else array)

    @classmethod
    def _from_factorized(cls, values: Any, original: Any) -> Any:
        return cls(np.asarray(values, original.dtype.numpy_dtype))

    def _cast_pointwise_result(self, values: Any) -> Any:
        return column_of(list(values))

    def __getitem__(self, key: Any) -> Any:
        key = pd.api.indexers.check_array_indexer(self, key)
        found = self._array[plain(key) if not isinstance(key, slice) else key]
        return type(self)(found) if isinstance(found, np.ndarray) else found

    def __setitem__(self, key: Any, value: Any) -> None:
        key = pd.api.indexers.check_array_indexer(self, key)
        if isinstance(value, (pd.Series, TracedColumn)):
            value = unwrapped(value)
        elif value is None or value is pd.NA:
            value = np.nan
        self._array[key] = value

    def __iter__(self) -> Iterator[Any]:
        for index in range(len(self._array)):
            yield self._array[index].item()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if dtype is not None and np.dtype(dtype).kind == "O":
            return objects(self._array)
        return np.array(self._array.plain, dtype, copy=copy)

    def to_numpy(self, dtype: Any = None, copy: bool = False, na_value: Any = None) -> Any:
        del na_value
        result = self._array if dtype is None else self._array.astype(dtype, copy=False)
        return result.copy() if copy else result

    def isna(self) -> Any:
        return np.isnan(self._array.plain) if self.dtype.kind == "f" else np.zeros(len(self), np.bool_)

    def take(self, indices: Any, *, allow_fill: bool = False, fill_value: Any = None) -> Any:
        values, places = split(self._array)
        indices = np.asarray(plain(indices), np.intp)
        fill = np.nan if fill_value is None or fill_value is pd.NA else plain(fill_value)
        if allow_fill and values.dtype.kind != "f" and (indices == -1).any():
            values = values.astype(np.float64)
        data = take(values, indices, allow_fill=allow_fill, fill_value=fill)
        moved = None if places is None else take(np.array(places), indices, allow_fill=allow_fill, fill_value=0)
        return type(self)(with_places(data, moved))

    def copy(self) -> Any:
        return type(self)(self._array.copy())

    def view(self, dtype: Any = None) -> Any:
        return type(self)(self._array) if dtype is None else self._array.plain.view(dtype)

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence[Any]) -> Any:
        return cls(np.concatenate([each._array for each in to_concat]))

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        if isinstance(dtype, TracedDtype):
            dtype = dtype.numpy_dtype
        wanted = pd.api.types.pandas_dtype(dtype)
        if not isinstance(wanted, np.dtype):
            return super().astype(dtype, copy)
        if wanted.kind == "O":
            return objects(self._array)
        if wanted.kind in "fiu":
            return type(self)(self._array.astype(wanted)) if copy or wanted != self._array.dtype else self
        return self._array.plain.astype(wanted)

    def _values_for_argsort(self) -> Any:
        return self._array.plain

    def argsort(
        self, *, ascending: bool = True, kind: Any = "quicksort", na_position: str = "last", **options: Any
    ) -> Any:
        order = super().argsort(ascending=ascending, kind=kind, na_position=na_position, **options)
        values, places = split(self._array)
        return order if places is None else ordering(values, places, -1, kind, order)

    def _values_for_factorize(self) -> Any:
        return self._array.plain, np.nan

    def _formatter(self, boxed: bool = False) -> Any:
        del boxed
        return str

    def map(self, mapper: Any, na_action: Any = None) -> Any:
        if not callable(mapper):
            return pd.Series(self._array.plain).map(mapper, na_action=na_action).array
        return column_of([each if na_action == "ignore" and each != each else mapper(each) for each in self])

    def _reduce(self, name: str, *, skipna: bool = True, keepdims: bool = False, **options: Any) -> Any:
        values, places = split(self._array)
        data = getattr(pd.Series(values), name)(skipna=skipna, **options)
        result = data if places is None else composed(data, self._reduction(name, skipna, options, data))
        if keepdims:
            return (
                type(self)(np.reshape(as_traced(result), (1,)))
                if np.asarray(data).dtype.kind in "fiu"
                else np.array([data])
            )
        return result

    def _reduction(self, name: str, skipna: bool, options: dict[str, Any], data: Any) -> Any:
        """The same reduction by arrays, for its places."""
        array = self._array[~self.isna()] if skipna else self._array
        if name in ("any", "all", "count"):
            return data
        if not len(array):
            return data
        if name in ("sum", "mean", "prod", "min", "max"):
            return getattr(array, name)()
        if name in ("std", "var"):
            return getattr(array, name)(ddof=options.get("ddof", 1))
        if name == "sem":
            return array.std(ddof=options.get("ddof", 1)) / np.sqrt(len(array))
        if name == "median":
            return np.median(array)
        broken(f"pandas {name}")
        return data

    def _accumulate(self, name: str, *, skipna: bool = True, **options: Any) -> Any:
        values, places = split(self._array)
        data = getattr(pd.Series(values), name)(skipna=skipna, **options).to_numpy()
        if places is None:
            return type(self)(data)
        known = ~self.isna() if skipna else np.ones(len(self), np.bool_)
        function = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum}[name]
        found = np.zeros(len(self), np.int64)
        moved = split(function.accumulate(self._array[known]))[1]
        found[known] = 0 if moved is None else moved
        return type(self)(with_places(data, found))

    def _quantile(self, qs: Any, interpolation: str) -> Any:
        data = pd.Series(self._array.plain).quantile(qs, interpolation).to_numpy()
        if interpolation != "linear":
            broken("pandas quantile by this interpolation")
            return type(self)(data)
        return type(self)(composed(data, np.quantile(self._array[~self.isna()], qs)))

    def _groupby_op(
        self, *, how: str, has_dropped_na: bool, min_count: int, ngroups: int, ids: Any, **options: Any
    ) -> Any:
        from pandas.core.groupby.ops import WrappedCythonOp

        values, places = split(self._array)
        kind = getattr(WrappedCythonOp, "get_kind_from_how", None)
        named = {} if kind is None else {"kind": kind(how)}
        operation = WrappedCythonOp(how=how, has_dropped_na=has_dropped_na, **named)
        data = operation._cython_op_ndim_compat(
            values, min_count=min_count, ngroups=ngroups, comp_ids=ids, mask=None, **options
        )
        if places is None or data.dtype.kind not in "fiu":
            return type(self)(data) if data.dtype.kind in "fiu" else data
        return type(self)(with_places(data, group_places(how, wide_values(values), places, ids, data, options)))

    def __array_ufunc__(self, function: Any, method: str, *operands: Any, **options: Any) -> Any:
        if any(isinstance(each, (pd.Series, pd.DataFrame, pd.Index)) for each in operands):
            return NotImplemented
        bare = [each._array if isinstance(each, TracedColumn) else each for each in operands]
        return rewrapped(getattr(function, method)(*bare, **options))


def wide_values(values: Any) -> Any:
    return np.asarray(values, np.float64)


def unwrapped(value: Any) -> Any:
    """The array behind a column or a series."""
    if isinstance(value, pd.Series):
        value = value.array
    return value._array if isinstance(value, TracedColumn) else value


def rewrapped(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(rewrapped, result))
    if isinstance(result, TracedArray) and result.ndim == 1:
        return TracedColumn(result) if result.dtype.kind in "fiu" else result.plain
    return result


def column_of(values: list[Any]) -> Any:
    """A column of results of a function of the program."""
    data, places = split(values)
    if places is None:
        return pd.Series(values).array
    return TracedColumn(with_places(np.array(data), np.array(places)))


def _operator(apply: Callable[[Any, Any], Any]) -> Any:
    def method(self: TracedColumn, other: Any) -> Any:
        if isinstance(other, (pd.Series, pd.DataFrame, pd.Index)):
            return NotImplemented
        other = unwrapped(other)
        if other is pd.NA or other is None:
            other = np.nan
        if isinstance(other, ExtensionArray):
            other = np.asarray(other)
        with np.errstate(all="ignore"):
            return rewrapped(apply(self._array, other))

    return method


def _turned(apply: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: apply(b, a)


for _name in "add sub mul truediv floordiv mod pow eq ne lt le gt ge".split():
    _apply = getattr(operator, _name)
    setattr(TracedColumn, f"__{_name}__", _operator(_apply))
    if _name not in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(TracedColumn, f"__r{_name}__", _operator(_turned(_apply)))


def _unary(apply: Callable[[Any], Any]) -> Any:
    def method(self: TracedColumn) -> Any:
        return rewrapped(apply(self._array))

    return method


for _name in ("neg", "pos", "abs"):
    setattr(TracedColumn, f"__{_name}__", _unary(getattr(operator, _name)))


def wrap_column(values: Any) -> TracedColumn:
    """A column whose numbers are inputs, each with a new place."""
    return TracedColumn(wrap_array(numpy.array(values)))


def column_values(series: Any) -> Any:
    """The numbers of a series of real numbers, else None."""
    if isinstance(series.array, TracedColumn):
        return series.array._array
    return numpy.array(series.to_numpy()) if getattr(series.dtype, "kind", "O") in "fiu" else None


def with_column(value: Any, at: int | None, column: TracedColumn) -> Any:
    """A series with these numbers, or a frame with this column."""
    if at is None:
        return pd.Series(column, index=value.index, name=value.name)
    value.isetitem(at, column)
    return value
