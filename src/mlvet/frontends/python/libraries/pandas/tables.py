"""pandas.DataFrame: an array of two dims, rows and columns, whose columns have names if the program writes them."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.indexing import getitem
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray
from mlvet.frontends.python.libraries.numpy.element_types import element_type
from mlvet.frontends.python.libraries.pandas.columns import Index, Labelled, Series, rows_named
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

NAMES = frozenset((
    "agg", "aggregate", "applymap", "assign", "corr", "cov", "eq", "eval", "filter", "ge", "gt",
    "insert", "kurt", "le", "lt", "mask", "melt", "memory_usage", "ne", "nlargest", "nsmallest",
    "nunique", "pct_change", "pipe", "pivot", "pivot_table", "quantile", "resample", "select_dtypes",
    "set_axis", "skew", "stack", "style", "swaplevel", "to_excel", "to_html", "to_json", "to_markdown",
    "to_parquet", "to_records", "to_sql", "to_string", "transform", "transpose", "truncate", "tz_convert",
    "unstack", "update", "value_counts", "where", "xs", "add", "sub", "mul", "div",
))  # fmt: skip
"""Methods of tables that have no model; any other unknown attribute is a column."""


_ELEMENTS = {bool: dtypes.bool_, int: dtypes.i64, float: dtypes.f64, str: dtypes.text}


@model("pandas.DataFrame")
class DataFrame(Labelled):
    """A table. `@columns` are the names of its columns if they are known, `@series` the columns themselves."""

    __slots__ = ()

    def __init__(
        self, data: Any = None, index: Any = None, columns: Any = None, dtype: Any = None, copy: Any = None
    ) -> None:
        made = table_of(data, _names(columns), element_type(dtype))
        self.cells.update(made.cells)

    @property
    def columns(self) -> Any:
        names = self.cells.get("@columns")
        if names is not None:
            return ListValue(names)
        return Index.of(opaque("columns", [], Type(dtypes.text, (self.width(),)), Index).graph_value)

    @columns.setter
    def columns(self, names: Any) -> None:
        found = _names(names)
        store(self.cells, "@columns", found)
        store(self.cells, "@series", {})
        if found is not None:
            self._reshape(self.length(), len(found))

    @property
    def dtypes(self) -> Any:
        return opaque("dtypes", [], Type(dtypes.text, (self.width(),)), Series)

    @property
    def T(self) -> Any:
        rows, columns = dims_of(self) or (rows_named(), rows_named("columns"))
        return opaque("transpose", [self], Type(dtype_of(self), (columns, rows)), DataFrame)

    def width(self) -> Any:
        return (dims_of(self) or (0, symbol(machine().fresh("columns"))))[1]

    def keys(self) -> Any:
        return self.columns

    def iterate(self) -> Any:
        names = self.cells.get("@columns")
        return tuple(names) if names is not None else Repeated(Scalar(str), self.width())

    def __contains__(self, name: Any) -> Any:
        names = self.cells.get("@columns")
        return Scalar(bool) if names is None or not isinstance(name, str) else name in names

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str) or (isinstance(index, Scalar) and index.kind is str):
            return self.column(index)
        if isinstance(index, ListValue | tuple):
            return self._chosen(index)
        if isinstance(index, Index):
            return self._narrow(None, self.width() if dims_of(index) == (self.width(),) else rows_named("columns"))
        if isinstance(index, slice):
            return self._rows(index)
        if isinstance(index, TensorValue):
            return self.with_rows(symbol(machine().fresh("selected"), counted=True))
        if isinstance(index, int):
            return self.column(index)
        if isinstance(index, Unknown):
            raise Undecided(index)
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an index of a table")

    def missing(self, name: str) -> Any:
        names = self.cells.get("@columns")
        if name in NAMES or name.startswith("_") or (names is not None and name not in names):
            raise Undecided(Reason.UNMODELLED_CALL, f"pandas.DataFrame.{name}")
        return self.column(name)

    def column(self, name: Any) -> Any:
        """One column; of which nothing but the length is known unless the program made it."""
        known = self.cells.setdefault("@series", {})
        if isinstance(name, str) and name in known:
            return known[name]
        names = self.cells.get("@columns")
        if names is not None and isinstance(name, str) and name not in names:
            raise KeyError(name)
        made = opaque("column", [self], Type(dtype_of(self), (self.length(),)), Series)
        if isinstance(name, str):
            known[name] = made
        return made

    def __setitem__(self, name: Any, value: Any) -> None:
        if isinstance(name, TensorValue):
            return
        names = self.cells.get("@columns")
        if isinstance(name, str):
            column = self._as_column(value)
            store(self.cells, "@series", {**self.cells.get("@series", {}), name: column})
            if names is not None and name not in names:
                store(self.cells, "@columns", (*names, name))
                self._reshape(column.length(), len(names) + 1)
        if names is None:
            self._reshape(self.length(), symbol(machine().fresh("columns")))

    def _as_column(self, value: Any) -> Any:
        wanted: DType | None = dtype_of(value) if isinstance(value, TensorValue) else None
        rows = self.length()
        if rows == 0:
            rows = _rows_of(value)
        return opaque("column", [value] if isinstance(value, TensorValue) else [], Type(wanted, (rows,)), Series)

    def _reshape(self, rows: Dim, columns: Dim) -> None:
        made = opaque("table", [self], Type(dtype_of(self), (rows, columns)), DataFrame)
        store(self.cells, "@value", made.graph_value)

    def _narrow(self, names: tuple[Any, ...] | None, width: Dim) -> Any:
        made = opaque("columns", [self], Type(dtype_of(self), (self.length(), width)), DataFrame)
        series = self.cells.get("@series", {})
        made.cells["@columns"] = names
        made.cells["@series"] = {name: each for name, each in series.items() if names is not None and name in names}
        return made

    def _chosen(self, index: Any) -> Any:
        items = index.items if isinstance(index, ListValue) else index
        if isinstance(items, Repeated):
            return self._narrow(None, items.length)
        if items and all(isinstance(item, bool) for item in items):
            return self.with_rows(sum(items))
        names = tuple(items) if all(isinstance(item, str) for item in items) else None
        return self._narrow(names, len(items))

    def _rows(self, index: slice) -> Any:
        plain = all(part is None or not isinstance(part, str) for part in (index.start, index.stop, index.step))
        if not plain:
            return self.with_rows(rows_named())
        found = getitem(self, index)
        found.cells.update({name: cell for name, cell in self.cells.items() if name == "@columns"})
        return found

    def picked(self, index: Any) -> Any:
        """`loc[rows, columns]` and `iloc[rows, columns]`."""
        rows, columns = index if isinstance(index, tuple) and len(index) == 2 else (index, slice(None))
        if isinstance(columns, str):
            narrow: Any = self.column(columns)
        elif isinstance(columns, ListValue):
            narrow = self._chosen(columns)
        elif isinstance(columns, slice) and any(isinstance(part, str) for part in (columns.start, columns.stop)):
            narrow = self._narrow(None, rows_named("columns"))
        elif isinstance(columns, slice):
            found = getitem(self, (slice(None), columns))
            narrow = self.same() if columns == slice(None) else found
        elif isinstance(columns, int):
            narrow = Series.of(getitem(self, (slice(None), columns)).graph_value)
        else:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "columns that are not known")
        return _picked_rows(narrow, rows)

    def drop(
        self, labels: Any = None, *, axis: Any = 0, index: Any = None, columns: Any = None, **keywords: Any
    ) -> Any:
        gone = columns if columns is not None else labels if axis in (1, "columns") else None
        made = self.with_rows(rows_named()) if gone is None else self._without(gone)
        if keywords.get("inplace") is True:
            store(self.cells, "@value", made.graph_value)
            store(self.cells, "@columns", made.cells.get("@columns"))
            return None
        return made

    def _without(self, gone: Any) -> Any:
        listed = (gone,) if isinstance(gone, str) else gone.items if isinstance(gone, ListValue) else gone
        if not isinstance(listed, tuple):
            return self._narrow(None, rows_named("columns"))
        names = self.cells.get("@columns")
        if names is not None:
            kept = tuple(name for name in names if name not in listed)
            return self._narrow(kept, len(kept))
        return self._narrow(None, self.width() - len(listed))

    def pop(self, item: Any) -> Any:
        found = self.column(item)
        rest = self._without(item)
        store(self.cells, "@value", rest.graph_value)
        store(self.cells, "@columns", rest.cells.get("@columns"))
        return found

    def set_index(self, keys: Any, **keywords: Any) -> Any:
        return self._without(keys)

    def apply(self, func: Any, axis: Any = 0, **keywords: Any) -> Any:
        if axis in (1, "columns"):
            return self._of_each_row(func)
        return self.like(Type(None, tensor_of(self).shape))

    def merge(self, right: Any, *args: Any, **keywords: Any) -> Any:
        return opaque("merge", [self], Type(None, (rows_named(), rows_named("columns"))), DataFrame)

    def join(self, other: Any, *args: Any, **keywords: Any) -> Any:
        return opaque("join", [self], Type(None, (self.length(), rows_named("columns"))), DataFrame)

    def append(self, other: Any, **keywords: Any) -> Any:
        return self.with_rows(rows_named())

    def _of_each_row(self, function: Any) -> Any:
        """What a function makes of each row: a row of another table, or one element of a column."""
        made = machine().call(function, self._row())
        if isinstance(made, Unknown):
            raise Undecided(made)
        if isinstance(made, Series):
            return table("applied", self.length(), None)
        kind = made.kind if isinstance(made, Scalar) else type(made)
        return opaque("apply", [self], Type(_ELEMENTS.get(kind), (self.length(),)), Series)

    def _row(self) -> Any:
        return opaque("row", [self], Type(dtype_of(self), (self.width(),)), Series)

    def iterrows(self) -> Any:
        return IteratorValue(Repeated((symbol(machine().fresh("row")), self._row()), self.length()))

    def itertuples(self, index: Any = True, name: Any = "Pandas") -> Any:
        return IteratorValue(Repeated(Unknown(Reason.EXTERNAL_DATA, "a row"), self.length()))

    def items(self) -> Any:
        names = self.cells.get("@columns")
        if names is not None:
            return IteratorValue((name, self.column(name)) for name in names)
        return IteratorValue(Repeated((Scalar(str), self.column(0)), self.width()))

    def explode(self, column: Any, ignore_index: Any = False) -> Any:
        return self.with_rows(rows_named("exploded"))

    def query(self, expr: Any, **keywords: Any) -> Any:
        return self.with_rows(rows_named("selected"))

    def to_dict(self, orient: Any = "dict", **keywords: Any) -> Any:
        names = self.cells.get("@columns")
        if orient == "list":
            known = {name: self.column(name).tolist() for name in names or ()}
            return DictValue(known, None if names is not None else ListValue(Repeated(Scalar(float), self.length())))
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a table as a dictionary")


def _picked_rows(narrow: Any, rows: Any) -> Any:
    if isinstance(rows, slice):
        if any(isinstance(part, str) for part in (rows.start, rows.stop)):
            return narrow.with_rows(rows_named())
        return narrow._rows(rows) if isinstance(narrow, DataFrame) else narrow[rows]
    if isinstance(rows, TensorValue) and dims_of(rows) != ():
        known = dtype_of(rows)
        count = (dims_of(rows) or (None,))[0]
        listed = known is not None and known.is_integer and count is not None
        return narrow.with_rows(count if listed else symbol(machine().fresh("selected"), counted=True))
    if isinstance(rows, ListValue):
        items = rows.items
        return narrow.with_rows(items.length if isinstance(items, Repeated) else len(items))
    if isinstance(narrow, DataFrame):
        return opaque("row", [narrow], Type(dtype_of(narrow), (narrow.width(),)), Series)
    return narrow.element()


def _rows_of(column: Any) -> Dim:
    """The rows of a table that had none before it got this column."""
    if isinstance(column, TensorValue):
        dims = dims_of(column)
        return rows_named() if dims is None else dims[0] if dims else 0
    if isinstance(column, ListValue | tuple | Unknown):
        items = machine().items(column)
        return items.length if isinstance(items, Repeated) else len(items)
    return 0


def _names(columns: Any) -> tuple[Any, ...] | None:
    """Names of columns that the program writes down."""
    items = columns.items if isinstance(columns, ListValue) else columns
    return items if isinstance(items, tuple) else None


def table(
    name: str, rows: Dim, columns: tuple[Any, ...] | None, width: Dim | None = None, dtype: DType | None = None
) -> Any:
    """A table from outside the program."""
    wide = len(columns) if columns is not None else rows_named("columns") if width is None else width
    made = source(name, Type(dtype, (rows, wide)), DataFrame)
    made.cells.update({"@columns": columns, "@series": {}})
    return made


def table_of(data: Any, columns: tuple[Any, ...] | None, dtype: DType | None) -> Any:
    """The table that a dictionary, a list or an array makes."""
    if isinstance(data, DataFrame):
        return data._chosen(columns) if columns is not None else data.same()
    if data is None:
        return table("table", 0 if columns is None else rows_named(), columns or ())
    if isinstance(data, DictValue) and data.rest is None:
        return _of_columns(data, dtype)
    if isinstance(data, ListValue) and isinstance(data.items, tuple) and data.items:
        first = data.items[0]
        if isinstance(first, DictValue):
            return table("table", len(data.items), tuple(first.cells) if first.rest is None else columns)
    if isinstance(data, ListValue) and isinstance(data.items, Repeated):
        element = data.items.element
        if isinstance(element, DictValue):
            return table("table", data.items.length, tuple(element.cells) if element.rest is None else columns)
        if isinstance(element, ListValue | tuple):
            items = element.items if isinstance(element, ListValue) else element
            width = len(items) if isinstance(items, tuple) else items.length
            return table("table", data.items.length, columns, width)
    if isinstance(data, Unknown):
        return table("table", rows_named(), columns)
    array = as_ndarray(data, dtype)
    dims = dims_of(array)
    if dims is None or len(dims) > 2:
        return table("table", rows_named(), columns)
    made = DataFrame.of(as_2d(array).graph_value)
    made.cells.update({"@columns": columns, "@series": {}})
    return made


def as_2d(array: Any) -> Any:
    dims = dims_of(array) or ()
    return opaque("table", [array], Type(dtype_of(array), (*dims, *(1,) * (2 - len(dims)))), DataFrame)


def _of_columns(data: DictValue, dtype: DType | None) -> Any:
    series: dict[Any, Any] = {}
    rows: Any = None
    for name, value in data.cells.items():
        try:
            array = as_ndarray(value, dtype)
        except Undecided:
            continue
        series[name] = Series.of(array.graph_value)
        dims = dims_of(array)
        if dims and (rows is None or isinstance(dims[0], int)):
            rows = dims[0]
    rows = rows_named() if rows is None else rows
    kinds = {dtype_of(each) for each in series.values()}
    common = kinds.pop() if len(kinds) == 1 else None
    made = table("table", rows, tuple(data.cells), dtype=common)
    made.cells["@series"] = {
        name: each if dims_of(each) else opaque("column", [], Type(dtype_of(each), (rows,)), Series)
        for name, each in series.items()
    }
    return made
