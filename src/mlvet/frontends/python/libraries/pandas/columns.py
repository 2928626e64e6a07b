"""pandas.Series: an array of one dim with ways of its own."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, minimum, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.indexing import getitem, setitem
from mlvet.frontends.python.arrays.operators import ArrayValue
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries import numpy as numpy
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, ndarray, number
from mlvet.frontends.python.libraries.numpy.element_types import averaged_of, element_type
from mlvet.frontends.python.libraries.plotting.figures import Inert
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def rows_named(name: str = "rows") -> Dim:
    """A number of rows that data decides."""
    return symbol(machine().fresh(name))


class Labelled(ArrayValue):
    """What Series and DataFrame share."""

    __slots__ = ()
    framework: ClassVar[Framework] = Framework.NUMPY

    @classmethod
    def converted(cls, value: Any) -> TensorValue:
        return as_ndarray(value)

    @property
    def shape(self) -> Any:
        return dims_of(self)

    @property
    def ndim(self) -> Any:
        return len(dims_of(self) or ())

    @property
    def size(self) -> Any:
        return tensor_of(self).size

    @property
    def empty(self) -> Any:
        return Scalar(bool)

    @property
    def values(self) -> Any:
        return ndarray.of(self.graph_value)

    @property
    def index(self) -> Any:
        return Index.of(opaque("index", [], Type(dtypes.i64, (self.length(),)), Index).graph_value)

    @index.setter
    def index(self, value: Any) -> None:
        """Other labels of the rows."""

    @property
    def iloc(self) -> Any:
        return Rows(self)

    @property
    def loc(self) -> Any:
        return Rows(self)

    @property
    def at(self) -> Any:
        return Rows(self)

    @property
    def iat(self) -> Any:
        return Rows(self)

    def to_numpy(self, dtype: Any = None, copy: Any = False, na_value: Any = None) -> Any:
        return cast(self.values, element_type(dtype))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.to_numpy(dtype)

    def with_rows(self, rows: Dim) -> Any:
        """The same columns and another number of rows."""
        dims = dims_of(self) or ()
        return self.like(Type(dtype_of(self), (rows, *dims[1:])))

    def like(self, wanted: Type) -> Any:
        """Another of its kind, made of this."""
        made = opaque(type(self).__name__, [self], wanted, type(self))
        made.cells.update({name: cell for name, cell in self.cells.items() if name in ("@columns", "@series")})
        return made

    def same(self) -> Any:
        made = type(self).of(self.graph_value)
        made.cells.update({name: cell for name, cell in self.cells.items() if name != "@value"})
        return made

    def copy(self, deep: Any = True) -> Any:
        return self.same()

    def head(self, n: Size = 5) -> Any:
        return self.with_rows(minimum(n, self.length()))

    def tail(self, n: Size = 5) -> Any:
        return self.with_rows(minimum(n, self.length()))

    def sample(self, n: Any = None, frac: Any = None, replace: Any = False, weights: Any = None, **rest: Any) -> Any:
        if frac is None:
            return self.with_rows(1 if n is None else n if isinstance(n, int) else rows_named("sampled"))
        return self.same() if frac in (1, 1.0) else self.with_rows(rows_named("sampled"))

    def dropna(self, *args: Any, **keywords: Any) -> Any:
        return self.with_rows(rows_named())

    def drop_duplicates(self, *args: Any, **keywords: Any) -> Any:
        return self.with_rows(rows_named())

    def fillna(self, value: Any = None, **keywords: Any) -> Any:
        return self.same()

    def ffill(self, **keywords: Any) -> Any:
        return self.same()

    def bfill(self, **keywords: Any) -> Any:
        return self.same()

    def interpolate(self, *args: Any, **keywords: Any) -> Any:
        return self.same()

    def replace(self, to_replace: Any = None, value: Any = None, **keywords: Any) -> Any:
        return self.like(Type(None, tensor_of(self).shape))

    def reset_index(self, *args: Any, **keywords: Any) -> Any:
        return self.same()

    def reindex(self, index: Any = None, **keywords: Any) -> Any:
        return self.with_rows(rows_named())

    def sort_values(self, *args: Any, **keywords: Any) -> Any:
        return self.like(tensor_of(self).without_value())

    def sort_index(self, *args: Any, **keywords: Any) -> Any:
        return self.like(tensor_of(self).without_value())

    def rename(self, *args: Any, **keywords: Any) -> Any:
        made = self.same()
        made.cells.pop("@columns", None)
        made.cells.pop("@series", None)
        return made

    def astype(self, dtype: Any, copy: Any = None, errors: Any = None) -> Any:
        wanted = element_type(dtype)
        return self.like(Type(wanted, tensor_of(self).shape))

    def isnull(self) -> Any:
        return self.like(Type(dtypes.bool_, tensor_of(self).shape))

    def isna(self) -> Any:
        return self.isnull()

    def notnull(self) -> Any:
        return self.isnull()

    def notna(self) -> Any:
        return self.isnull()

    def duplicated(self, *args: Any, **keywords: Any) -> Any:
        return opaque("duplicated", [self], Type(dtypes.bool_, (self.length(),)), Series)

    def isin(self, values: Any) -> Any:
        return self.isnull()

    def shift(self, periods: Any = 1, **keywords: Any) -> Any:
        return self.like(tensor_of(self).without_value())

    def diff(self, periods: Any = 1, **keywords: Any) -> Any:
        return self.like(tensor_of(self).without_value())

    def clip(self, lower: Any = None, upper: Any = None, **keywords: Any) -> Any:
        return self.like(tensor_of(self).without_value())

    def round(self, decimals: Any = 0) -> Any:
        return self.like(tensor_of(self).without_value())

    def abs(self) -> Any:
        return self.like(tensor_of(self).without_value())

    def cumsum(self, axis: Any = None) -> Any:
        return self.like(tensor_of(self).without_value())

    def rank(self, **keywords: Any) -> Any:
        return self.like(Type(dtypes.f64, tensor_of(self).shape))

    def rolling(self, *args: Any, **keywords: Any) -> Any:
        return Window(self)

    def ewm(self, *args: Any, **keywords: Any) -> Any:
        return Window(self)

    def groupby(self, *args: Any, **keywords: Any) -> Any:
        return Groups(self)

    def plot(self, *args: Any, **keywords: Any) -> Any:
        return Inert()

    def hist(self, *args: Any, **keywords: Any) -> Any:
        return Inert()

    def describe(self, *args: Any, **keywords: Any) -> Any:
        return self.with_rows(rows_named("figures"))

    def to_csv(self, *args: Any, **keywords: Any) -> None:
        """Writes a file."""

    def to_pickle(self, *args: Any, **keywords: Any) -> None:
        """Writes a file."""

    def info(self, *args: Any, **keywords: Any) -> None:
        """Prints what the table has."""

    def _compared(self, op: str, other: Any) -> Any:
        if isinstance(other, str) or (isinstance(other, Scalar) and other.kind is str):
            return self.isnull()
        return super()._compared(op, other)

    def _combined(self, op: str, left: Any, right: Any, other: Any) -> Any:
        if (
            isinstance(other, str)
            or dtype_of(self) is dtypes.text
            or (dtype_of(self) is None and not isinstance(other, TensorValue))
        ):
            return self.like(Type(None, tensor_of(self).shape))
        return super()._combined(op, left, right, other)


@model("pandas.Series")
class Series(Labelled):
    """A column."""

    __slots__ = ()

    def __init__(
        self, data: Any = None, index: Any = None, dtype: Any = None, name: Any = None, copy: Any = None
    ) -> None:
        from mlvet.frontends.python.values.containers import DictValue

        if isinstance(data, DictValue):
            data = ListValue(data.cells.values())
        if data is None:
            data = ListValue(())
        array = as_ndarray(data, element_type(dtype))
        self.cells["@value"] = array.graph_value

    @property
    def dtype(self) -> Any:
        known = dtype_of(self)
        if known is None:
            raise Undecided(Reason.EXTERNAL_DATA, "the element type of a column")
        return known

    @property
    def name(self) -> Any:
        return Scalar(str)

    @property
    def str(self) -> Any:
        return Texts(self)

    @property
    def dt(self) -> Any:
        return Texts(self)

    @property
    def cat(self) -> Any:
        return Texts(self)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return number(dtype_of(self))
        found = getitem(self, index)
        return ndarray.of(found.graph_value) if dims_of(found) == () else found

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, str):
            setitem(self, index, value)

    def element(self) -> Any:
        """One element, as functions of the program see it."""
        return number(dtype_of(self))

    def iterate(self) -> Any:
        return Repeated(self.element(), self.length())

    def apply(self, func: Any, *args: Any, **keywords: Any) -> Any:
        return self._each(func)

    def quantile(self, q: Any = 0.5, interpolation: Any = "linear") -> Any:
        if isinstance(q, ListValue | tuple):
            items = machine().items(q)
            count = items.length if isinstance(items, Repeated) else len(items)
            return opaque("quantile", [self], Type(dtypes.f64, (count,)), Series)
        return opaque("quantile", [self], Type(dtypes.f64, ()), ndarray)

    def map(self, arg: Any, na_action: Any = None) -> Any:
        return self._each(arg) if not isinstance(arg, Object) else self.like(Type(None, tensor_of(self).shape))

    def _each(self, function: Any) -> Any:
        """Each element by a function of the program, which is called on one that stands for all."""
        from mlvet.frontends.python.values.containers import DictValue

        wanted: DType | None = None
        if not isinstance(function, DictValue | Unknown):
            result = machine().call(function, self.element())
            kinds = {bool: dtypes.bool_, int: dtypes.i64, float: dtypes.f64, str: dtypes.text}
            kind = result.kind if isinstance(result, Scalar) else type(result)
            wanted = kinds.get(kind)
        return self.like(Type(wanted, tensor_of(self).shape))

    def tolist(self) -> Any:
        return ListValue(Repeated(self.element(), self.length()))

    def to_list(self) -> Any:
        return self.tolist()

    def unique(self) -> Any:
        return opaque("unique", [self], Type(dtype_of(self), (rows_named("categories"),)), ndarray)

    def nunique(self, dropna: Any = True) -> Any:
        return rows_named("categories")

    def value_counts(self, *args: Any, **keywords: Any) -> Any:
        return opaque("value_counts", [self], Type(dtypes.i64, (rows_named("categories"),)), Series)

    def to_frame(self, name: Any = None) -> Any:
        from mlvet.frontends.python.libraries.pandas.tables import DataFrame

        return opaque("to_frame", [self], Type(dtype_of(self), (self.length(), 1)), DataFrame)

    def items(self) -> Any:
        return IteratorValue(Repeated((symbol(machine().fresh("row")), self.element()), self.length()))

    def drop(self, *args: Any, **keywords: Any) -> Any:
        return self.with_rows(rows_named())

    def idxmax(self) -> Any:
        return symbol(machine().fresh("row"))

    def between(self, left: Any, right: Any, inclusive: Any = "both") -> Any:
        return self.isnull()

    def mode(self) -> Any:
        return self.with_rows(rows_named("modes"))


def _reduction(name: str, op: str) -> None:
    def apply(self: Any, axis: Any = 0, skipna: Any = True, **keywords: Any) -> Any:
        known = dtype_of(self)
        exact = op in ("reduce_max", "reduce_min")
        x = ndarray.of(self.graph_value)
        wide = x if exact or known is None or known is dtypes.text else cast(x, averaged_of(known))
        if known is None or known is dtypes.text or name == "median":
            dims = () if isinstance(self, Series) else (dims_of(self) or (0, 0))[1:]
            made: Any = opaque(name, [self], Type(None if exact or name == "sum" else dtypes.f64, dims), ndarray)
        else:
            place = axis if isinstance(axis, int) and not isinstance(self, Series) else 0
            made = reduced(op, wide, (place,), correction=1) if name in ("std", "var") else reduced(op, wide, (place,))
        return made if isinstance(self, Series) else Series.of(made.graph_value)

    apply.__name__ = name
    apply.__qualname__ = f"Series.{name}"
    apply.__module__ = __name__
    setattr(Labelled, name, apply)


for _name, _op in {
    "mean": "reduce_mean", "std": "reduce_std", "var": "reduce_variance", "max": "reduce_max", "min": "reduce_min",
    "sum": "reduce_sum", "median": "reduce_mean", "prod": "reduce_prod",
}.items():  # fmt: skip
    _reduction(_name, _op)


def _all(self: Any, axis: Any = 0, **keywords: Any) -> Any:
    return (
        Scalar(bool)
        if isinstance(self, Series)
        else opaque("all", [self], Type(dtypes.bool_, (dims_of(self) or (0, 0))[1:]), Series)
    )


def _count(self: Any, axis: Any = 0, **keywords: Any) -> Any:
    return (
        rows_named()
        if isinstance(self, Series)
        else opaque("count", [self], Type(dtypes.i64, (dims_of(self) or (0, 0))[1:]), Series)
    )


Labelled.all = Labelled.any = _all  # type: ignore[attr-defined]
Labelled.count = _count  # type: ignore[attr-defined]


@model("pandas.Index")
class Index(Series):
    """Labels of rows or columns."""

    __slots__ = ()


class Rows(Object):
    """`loc` and `iloc`."""

    def __init__(self, of: Any) -> None:
        self.cells["@of"] = of

    def __getitem__(self, index: Any) -> Any:
        of = self.cells["@of"]
        picked = getattr(of, "picked", None)
        return picked(index) if picked is not None else of[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        """Changes elements; the type stays."""


class Texts(Object):
    """`str`, `dt` and `cat`: what is done to each text or time."""

    def __init__(self, of: Series) -> None:
        self.cells["@of"] = of

    def missing(self, name: str) -> Any:
        of = self.cells["@of"]
        wanted = {
            "len": dtypes.i64, "year": dtypes.i32, "month": dtypes.i32, "day": dtypes.i32, "hour": dtypes.i32,
            "dayofweek": dtypes.i32, "codes": dtypes.i64, "contains": dtypes.bool_, "startswith": dtypes.bool_,
            "endswith": dtypes.bool_, "isnumeric": dtypes.bool_,
        }.get(name)  # fmt: skip
        column = opaque(name, [of], Type(wanted, tensor_of(of).shape), Series)
        if name in ("year", "month", "day", "hour", "minute", "second", "dayofweek", "codes", "date"):
            return column
        return _Yields(column)

    def __getitem__(self, index: Any) -> Any:
        of = self.cells["@of"]
        return opaque("item", [of], Type(None, tensor_of(of).shape), Series)


class _Yields(Object):
    """A method that yields the same column whatever it is given."""

    def __init__(self, result: Any) -> None:
        self.cells["@result"] = result

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.cells["@result"]


class Window(Object):
    """Rows seen through a window that moves."""

    def __init__(self, of: Any) -> None:
        self.cells["@of"] = of

    def missing(self, name: str) -> Any:
        of = self.cells["@of"]
        return _Yields(of.like(Type(dtypes.f64, tensor_of(of).shape)))


class Groups(Object):
    """Rows in groups: a loop sees the key and the rows of each."""

    def __init__(self, of: Any) -> None:
        self.cells["@of"] = of

    def iterate(self) -> Any:
        key = Unknown(Reason.EXTERNAL_DATA, "the key of a group")
        return Repeated((key, self.cells["@of"].with_rows(rows_named("group"))), rows_named("groups"))

    def __getitem__(self, index: Any) -> Any:
        found = self.cells["@of"][index]
        return Groups(found) if isinstance(found, Labelled) else found

    def get_group(self, name: Any) -> Any:
        return self.cells["@of"].with_rows(rows_named("group"))

    def resample(self, *args: Any, **rest: Any) -> Any:
        """Finer groups; so do `rolling` and `expanding`."""
        return self

    rolling = expanding = resample

    def missing(self, name: str) -> Any:
        of = self.cells["@of"]
        return _Yields(of.with_rows(rows_named("groups")))
