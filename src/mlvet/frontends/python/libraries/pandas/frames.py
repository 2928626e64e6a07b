"""Functions of pandas: tables from files, and tables put together."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import total
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, ndarray
from mlvet.frontends.python.libraries.pandas.columns import Index, Labelled, Series, rows_named
from mlvet.frontends.python.libraries.pandas.tables import DataFrame, _names, table
from mlvet.frontends.python.libraries.plotting.figures import Inert
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model(
    "pandas.read_csv", "pandas.read_table", "pandas.read_excel", "pandas.read_json", "pandas.read_parquet",
    "pandas.read_pickle", "pandas.read_sql", "pandas.read_hdf", "pandas.read_feather", "pandas.read_fwf",
)  # fmt: skip
def read(
    path: Any, sep: Any = None, *args: Any, names: Any = None, usecols: Any = None, nrows: Any = None, **rest: Any
) -> Any:
    columns = _names(usecols) or _names(names)
    named = columns if columns is None or all(isinstance(name, str) for name in columns) else None
    rows = nrows if isinstance(nrows, int) else rows_named()
    indexed = rest.get("index_col") is not None
    width = len(columns) if columns is not None and named is None and not indexed else None
    return table("table", rows, None if indexed else named, width)


@model("pandas.concat")
def concat(objs: Any, axis: Any = 0, **rest: Any) -> Any:
    if isinstance(objs, ListValue) and isinstance(objs.items, Repeated):
        element = objs.items.element
        if not isinstance(element, Labelled):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "tables in a list of unknown length")
        return element.with_rows(rows_named())
    parts = [part for part in as_items(objs) if isinstance(part, Labelled)]
    if not parts:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "tables of which nothing is known")
    if axis in (0, "index"):
        filled = [part for part in parts if not isinstance(part, DataFrame) or part.width() != 0]
        return (filled or parts)[0].with_rows(total((dims_of(part) or (rows_named(),))[0] for part in parts))
    widths = [(dims_of(part) or (0, 1))[1] if isinstance(part, DataFrame) else 1 for part in parts]
    rows = parts[0].length()
    return opaque("concat", parts, Type(dtype_of(parts[0]), (rows, total(widths))), DataFrame)


@model("pandas.merge")
def merge(left: Any, right: Any, *args: Any, **rest: Any) -> Any:
    return table("merged", rows_named(), None)


@model("pandas.get_dummies")
def get_dummies(data: Any, *args: Any, **rest: Any) -> Any:
    rows = data.length() if isinstance(data, Labelled) else rows_named()
    whole = not isinstance(data, DataFrame)
    return table("dummies", rows, None, rows_named("columns"), dtypes.bool_ if whole else None)


@model("pandas.to_datetime", "pandas.to_numeric", "pandas.to_timedelta", "pandas.cut", "pandas.qcut")
def converted(arg: Any, *args: Any, **rest: Any) -> Any:
    if isinstance(arg, Series):
        return arg.like(Type(None, tensor_of(arg).shape))
    return Inert()


@model("pandas.isnull", "pandas.isna", "pandas.notnull", "pandas.notna")
def isnull(obj: Any) -> Any:
    from mlvet.frontends.python.values.numbers import Scalar

    if isinstance(obj, Labelled):
        return obj.isnull()
    if isinstance(obj, TensorValue):
        return opaque("isnull", [obj], Type(dtypes.bool_, tensor_of(obj).shape), ndarray)
    return Scalar(bool)


@model("pandas.unique")
def unique(values: Any) -> Any:
    array = as_ndarray(values)
    return opaque("unique", [array], Type(dtype_of(array), (rows_named("categories"),)), ndarray)


@model("pandas.factorize")
def factorize(values: Any, *args: Any, **rest: Any) -> Any:
    array = as_ndarray(values)
    return opaque("factorize", [array], Type(dtypes.i64, tensor_of(array).shape), ndarray), unique(array)


@model("pandas.date_range", "pandas.period_range", "pandas.timedelta_range")
def date_range(start: Any = None, end: Any = None, periods: Any = None, freq: Any = None, **rest: Any) -> Any:
    return source("dates", Type(None, (periods if isinstance(periods, int) else rows_named("dates"),)), Index)


@model("pandas.Timestamp", "pandas.Timedelta", "pandas.Grouper", "pandas.DateOffset", "pandas.Categorical")
class Other(Inert):
    """Times and other things that no tensor depends on."""


@model("pandas.set_option", "pandas.reset_option")
def set_option(*args: Any, **rest: Any) -> None:
    """How tables are shown."""


class _Options(Inert):
    """Settings of the library."""


model("pandas.options")(_Options())
model("pandas.NA", "pandas.NaT")(None)
