"""Where pandas takes in arrays and lists, and gives out arrays: traced ones become traced columns, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable, KeysView, ValuesView
from types import ModuleType
from typing import Any

import pandas as pd

from mlvet.runtime.provenance import creation
from mlvet.runtime.provenance.array_values import TracedArray, has_places
from mlvet.runtime.provenance.arrays_functions import composed
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.frame_windows import windowed
from mlvet.runtime.provenance.frames import TracedColumn, column_of, rewrapped, unwrapped
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.scalars import ANY_TRACED

_replaced: list[tuple[Any, str, Any]] = []
_UNKNOWN = (("Window", "_apply"), ("BaseWindow", "_apply_pairwise"))
"""Methods of windows in which places are lost."""


def _holds_traced(values: Any) -> bool:
    return type(values) in (list, tuple) and creation.has_nested(values)


def _sanitized(real: Any) -> Any:
    def sanitize_array(data: Any, index: Any, dtype: Any = None, copy: bool = False, *, allow_2d: bool = False) -> Any:
        made = None
        if isinstance(data, KeysView | ValuesView):
            data = list(data)
        if isinstance(data, TracedArray):
            if data.ndim == 1 and data.dtype.kind in "fiu" and data.places is not None:
                made = TracedColumn(data.copy() if copy else data)
            else:
                data = data.plain
        elif _holds_traced(data):
            made = column_of(list(data))
        elif type(data) in ANY_TRACED and index is not None:
            made = column_of([data] * len(index))
        if made is None:
            return real(data, index, dtype, copy, allow_2d=allow_2d)
        return made if dtype is None else made.astype(dtype)

    return sanitize_array


def _matrix_to_manager(real: Any) -> Any:
    def ndarray_to_mgr(values: Any, index: Any, columns: Any, dtype: Any, copy: bool) -> Any:
        if isinstance(values, TracedArray):
            if values.ndim == 2 and values.places is not None:
                from pandas.core.internals import construction

                index, columns = construction._get_axes(*values.shape, index=index, columns=columns)
                arrays = [TracedColumn(values[:, each].copy()) for each in range(values.shape[1])]
                return construction.arrays_to_mgr(arrays, columns, index, dtype=dtype)
            if values.places is None:
                values = values.plain
        return real(values, index, columns, dtype, copy)

    return ndarray_to_mgr


def _objects_converted(real: Any) -> Any:
    def convert_object_array(content: Any, dtype: Any, *arguments: Any, **options: Any) -> Any:
        traced = [any(type(each) in ANY_TRACED for each in column) for column in content]
        if not any(traced):
            return real(content, dtype, *arguments, **options)
        return [
            column_of(list(column)) if hangs else real([column], dtype, *arguments, **options)[0]
            for column, hangs in zip(content, traced, strict=True)
        ]

    return convert_object_array


def _looked_up(real: Any) -> Any:
    """The cells of a column that is given as a dictionary."""

    def fast_multiget(mapping: Any, keys: Any, **default: Any) -> Any:
        if any(type(each) in ANY_TRACED for each in mapping.values()):
            return [mapping.get(key, float("nan")) for key in keys]
        return real(mapping, keys, **default)

    return fast_multiget


def _mapped(real: Any) -> Any:
    """What a function of the program makes of each value of a column."""

    def map_infer(values: Any, function: Any, *arguments: Any, **options: Any) -> Any:
        results: list[Any] = []

        def noted(value: Any) -> Any:
            results.append(function(value))
            return results[-1]

        made = real(values, noted, *arguments, **options)
        hangs = len(results) == len(made) and any(type(each) in ANY_TRACED for each in results)
        return column_of(results) if hangs else made

    return map_infer


def _external(real: Any) -> Any:
    return lambda values: values._array if isinstance(values, TracedColumn) else real(values)


def _result(real: Any) -> Any:
    """Of an operator: a traced array becomes a column."""

    def apply(*arguments: Any, **options: Any) -> Any:
        return rewrapped(real(*arguments, **options))

    return apply


def _printed(real: Any) -> Any:
    def write(values: Any, *arguments: Any, **options: Any) -> Any:
        return real(values._array.plain if isinstance(values, TracedColumn) else values, *arguments, **options)

    return write


def _prepared(real: Any) -> Any:
    """An operand of a column: a scalar of NumPy becomes a number of Python, with its place."""

    def prepare(value: Any, *arguments: Any) -> Any:
        if type(value) in ANY_TRACED:
            return value if type(value.v) in (float, int) else value.item()
        return real(value, *arguments)

    return prepare


def _described(real: Any) -> Any:
    def describe(series: Any, percentiles: Any) -> Any:
        if isinstance(series.array, TracedColumn):
            broken("pandas describe")
            series = pd.Series(series.array._array.plain, index=series.index, name=series.name)
        return real(series, percentiles)

    return describe


def _has_columns(frame: Any) -> bool:
    return any(isinstance(each, TracedColumn) for each in frame._iter_column_arrays())


def matrix_of(frame: Any) -> Any:
    """The array of a frame that has traced columns and else numbers."""
    columns = [unwrapped(each) for each in frame._iter_column_arrays()]
    return np.concatenate([np.reshape(each, (-1, 1)) for each in columns], axis=1)


def _all_numbers(frame: Any) -> bool:
    return all(each.kind in "fiub" for each in frame.dtypes)


def _frame_values(real: Any) -> Any:
    def values(self: Any) -> Any:
        return matrix_of(self) if _has_columns(self) and _all_numbers(self) else real.fget(self)

    return property(values)


def _frame_to_numpy(real: Any) -> Any:
    def to_numpy(self: Any, dtype: Any = None, *arguments: Any, **options: Any) -> Any:
        if _has_columns(self) and _all_numbers(self):
            return matrix_of(self) if dtype is None else matrix_of(self).astype(dtype)
        return real(self, dtype, *arguments, **options)

    return to_numpy


def _frame_operator(real: Any) -> Any:
    """Arithmetic of a whole frame with a traced number: its columns become traced ones first."""

    def dispatch(self: Any, right: Any, *arguments: Any, **options: Any) -> Any:
        if type(right) in ANY_TRACED:
            made = {
                at: TracedColumn(np.array(each)) if isinstance(each, np.ndarray) and each.dtype.kind in "fiu" else each
                for at, each in enumerate(self._iter_column_arrays())
            }
            columns = self.columns
            self = pd.DataFrame(made, index=self.index)
            self.columns = columns
        return real(self, right, *arguments, **options)

    return dispatch


def _unknown(real: Any) -> Any:
    def told(self: Any, *arguments: Any, **options: Any) -> Any:
        selected = self._selected_obj
        columns = [selected.array] if selected.ndim == 1 else selected._iter_column_arrays()
        if any(isinstance(each, TracedColumn) for each in columns):
            broken("pandas rolling")
        return real(self, *arguments, **options)

    return told


def _correlated(real: Any) -> Any:
    def corr(self: Any, method: Any = "pearson", *arguments: Any, **options: Any) -> Any:
        made = real(self, method, *arguments, **options)
        chosen = self[made.columns] if len(made.columns) == made.shape[0] else self
        if not _has_columns(chosen):
            return made
        matrix = matrix_of(chosen)
        if method != "pearson" or np.isnan(matrix.plain).any():
            broken("pandas corr")
            return made
        return pd.DataFrame(composed(made.to_numpy(), np.corrcoef(matrix.T)), index=made.index, columns=made.columns)

    return corr


def _bare_series(value: Any) -> Any:
    found = unwrapped(value)
    return found if isinstance(found, TracedArray) and has_places(found) else None


def _bare_frame(value: Any) -> Any:
    return matrix_of(value) if _has_columns(value) and _all_numbers(value) else None


def _everywhere(module: str, name: str, make: Callable[[Any], Any]) -> None:
    """Replace a function in all of pandas' modules that have it."""
    real = getattr(sys.modules[module], name)
    made = make(real)
    for path, each in list(sys.modules.items()):
        if path.startswith("pandas") and each is not None and vars(each).get(name) is real:
            _replaced.append((each, name, real))
            setattr(each, name, made)


def _method(kind: Any, name: str, make: Callable[[Any], Any]) -> None:
    real = vars(kind).get(name)
    if real is not None:
        _replaced.append((kind, name, real))
        setattr(kind, name, make(real))


def install(module: ModuleType) -> None:
    """Replace the functions of pandas through which arrays come and go."""
    del module

    construction = "pandas.core.internals.construction"
    _everywhere("pandas.core.construction", "sanitize_array", _sanitized)
    _everywhere(construction, "ndarray_to_mgr", _matrix_to_manager)
    _everywhere(construction, "convert_object_array", _objects_converted)
    _everywhere("pandas._libs.lib", "fast_multiget", _looked_up)
    _everywhere("pandas._libs.lib", "map_infer", _mapped)
    _everywhere("pandas.core.internals.blocks", "external_values", _external)
    for name in ("arithmetic_op", "comparison_op"):
        _everywhere("pandas.core.ops.array_ops", name, _result)
    _everywhere("pandas.core.ops.array_ops", "maybe_prepare_scalar_for_op", _prepared)
    _everywhere("pandas.core.methods.describe", "describe_numeric_1d", _described)
    _everywhere("pandas.io.formats.format", "format_array", _printed)
    _everywhere("pandas.core.indexes.base", "get_values_for_csv", _printed)
    _method(pd.DataFrame, "values", _frame_values)
    _method(pd.DataFrame, "to_numpy", _frame_to_numpy)
    _method(pd.DataFrame, "_dispatch_frame_op", _frame_operator)
    _method(pd.DataFrame, "corr", _correlated)
    rolling = sys.modules["pandas.core.window.rolling"]
    _method(vars(rolling)["BaseWindow"], "_apply", windowed)
    for kind, name in _UNKNOWN:
        _method(vars(rolling)[kind], name, _unknown)
    creation.CONVERTED[pd.Series] = _bare_series
    creation.CONVERTED[TracedColumn] = _bare_series
    creation.CONVERTED[pd.DataFrame] = _bare_frame


def uninstall() -> None:
    while _replaced:
        setattr(*_replaced.pop())
    creation.CONVERTED.clear()
