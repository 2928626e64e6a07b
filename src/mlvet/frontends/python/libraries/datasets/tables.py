"""datasets.Dataset: examples, of which one stands for all."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, equal, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import source, unknown_tensor
from mlvet.frontends.python.libraries.binding import TENSORS, as_size
from mlvet.frontends.python.libraries.datasets.features import LIBRARIES, features_of, formatted
from mlvet.frontends.python.libraries.registry import load, model
from mlvet.frontends.python.libraries.transformers.records import Record, entries_of
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@model("datasets.Dataset", "datasets.arrow_dataset.Dataset", "datasets.IterableDataset")
class Dataset(Object):
    """A table. `@columns` has what one example has; a table that is not `@closed` may have other columns too."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        fill(self, {}, symbol(machine().fresh("rows")), closed=False)

    # Reading.

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            value = self._value(key)
            items = ListValue(Repeated(value, self.length()))
            return formatted(items, self.cells["@format"])
        if isinstance(key, slice):
            return self._batch(_sliced(key, self.length()))
        if isinstance(key, ListValue | tuple | range):
            found = machine().items(key)
            return self._batch(found.length if isinstance(found, Repeated) else len(found))
        if isinstance(key, Scalar):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "a column of a data set")
        return self._example()

    def _value(self, name: str) -> Any:
        known: DictValue = self.cells["@columns"]
        if name in known.cells:
            return known.cells[name]
        if self.cells["@closed"]:
            raise Undecided(Reason.DYNAMIC_CONTAINER, f"column {name!r}")
        return Unknown(Reason.EXTERNAL_DATA, f"column {name!r}", name)

    def _example(self) -> Any:
        library, transform = self.cells["@format"], self.cells.get("@transform")
        shown = {name: formatted(value, library) for name, value in self._shown().items()}
        made = DictValue(shown, rest=self._rest())
        if transform is None:
            return made
        batch = DictValue({name: ListValue([value]) for name, value in shown.items()}, rest=self._rest())
        result = entries_of(machine().call(transform, batch)) or {}
        return DictValue({name: _one(value) for name, value in result.items()})

    def _batch(self, count: Dim) -> Any:
        library = self.cells["@format"]
        shown = {name: formatted(ListValue(Repeated(value, count)), library) for name, value in self._shown().items()}
        return DictValue(shown, rest=self._rest())

    def _shown(self) -> dict[str, Any]:
        names = self.cells.get("@shown")
        known: DictValue = self.cells["@columns"]
        return {name: value for name, value in known.cells.items() if names is None or name in names}

    def _rest(self) -> Any:
        return None if self.cells["@closed"] else Unknown(Reason.EXTERNAL_DATA, "a column")

    def iterate(self) -> Any:
        return Repeated(self._example(), self.length())

    def iter(self, batch_size: Any, *args: Any, **kwargs: Any) -> Any:
        return ListValue(Repeated(self._batch(symbol(machine().fresh("batch"))), symbol(machine().fresh("batches"))))

    def length(self) -> Any:
        return self.cells["@rows"]

    @property
    def num_rows(self) -> Any:
        return self.length()

    @property
    def num_columns(self) -> Any:
        return len(self.cells["@columns"].cells)

    @property
    def shape(self) -> Any:
        return self.length(), self.num_columns

    @property
    def column_names(self) -> Any:
        known: DictValue = self.cells["@columns"]
        if not self.cells["@closed"]:
            return ListValue(Repeated(Scalar(str, "column"), symbol(machine().fresh("columns"))))
        return ListValue(known.cells)

    @property
    def features(self) -> Any:
        return features_of(dict(self.cells["@columns"].cells), self.cells["@closed"])

    @property
    def info(self) -> Any:
        made = Object()
        made.features, made.description = self.features, Scalar(str, "description")
        return made

    def unique(self, column: Any) -> Any:
        value = self._value(column) if isinstance(column, str) else Unknown(Reason.EXTERNAL_DATA, "a column")
        return ListValue(Repeated(value, symbol(machine().fresh("unique"))))

    def to_dict(self, *args: Any, **kwargs: Any) -> Any:
        return self._batch(self.length())

    def to_pandas(self, *args: Any, **kwargs: Any) -> Any:
        from mlvet.frontends.python.libraries.registry import find

        load("pandas")
        return machine().call(find("pandas.DataFrame"), self._batch(self.length()))

    def to_csv(self, *args: Any, **kwargs: Any) -> None:
        """Writes a file."""

    to_json = to_parquet = save_to_disk = push_to_hub = cleanup_cache_files = to_csv

    # Other tables made of this one.

    def _with(self, columns: dict[str, Any] | None = None, rows: Dim | None = None, closed: bool | None = None) -> Any:
        made = Dataset.__new__(Dataset)
        for name, value in self.cells.items():
            store(made.cells, name, value)
        known = dict(self.cells["@columns"].cells)
        store(made.cells, "@columns", DictValue(known if columns is None else columns))
        if rows is not None:
            store(made.cells, "@rows", rows)
        if closed is not None:
            store(made.cells, "@closed", closed)
        return made

    def map(
        self, function: Any = None, with_indices: bool = False, with_rank: bool = False, input_columns: Any = None,
        batched: bool = False, batch_size: Any = 1000, drop_last_batch: Any = False, remove_columns: Any = None,
        *args: Any, **kwargs: Any,
    ) -> Any:  # fmt: skip
        extra = kwargs.get("fn_kwargs")
        named = {k: v for k, v in extra.cells.items() if isinstance(k, str)} if isinstance(extra, DictValue) else {}
        count = symbol(machine().fresh("examples"))
        given = self._batch(count) if batched else self._example()
        index: Any = ListValue(Repeated(symbol("index"), count)) if batched else symbol(machine().fresh("index"))
        parts: tuple[Any, ...] = (given,)
        if input_columns is not None:
            names = (input_columns,) if isinstance(input_columns, str) else machine().items(input_columns)
            if isinstance(names, Repeated):
                raise Undecided(Reason.DYNAMIC_CONTAINER, "columns")
            parts = tuple(machine().send(given, "__getitem__", name) for name in names)
        result = machine().call(function, *parts, *((index,) if with_indices else ()), **named)
        columns = self._without(remove_columns)
        made = entries_of(result)
        if made is None:
            return self._with(columns, closed=self.cells["@closed"] and result is None)
        rows: Dim | None = None
        for name, value in made.items():
            if batched and name in columns and value is self._given(given, name):
                continue
            columns[name] = _one(value) if batched else value
            if batched and not _as_many(value, count):
                rows = symbol(machine().fresh("rows"))
        return self._with(columns, rows, self.cells["@closed"] or remove_columns is not None)

    @staticmethod
    def _given(batch: Any, name: str) -> Any:
        return batch.cells.get(name) if isinstance(batch, DictValue) else None

    def _without(self, names: Any) -> dict[str, Any]:
        known = dict(self.cells["@columns"].cells)
        if names is None:
            return known
        found = (names,) if isinstance(names, str) else machine().items(names)
        if isinstance(found, Repeated):
            return {}
        return {name: value for name, value in known.items() if name not in found}

    def filter(self, function: Any = None, with_indices: bool = False, *args: Any, **kwargs: Any) -> Any:
        batched = kwargs.get("batched") is True
        given = self._batch(symbol(machine().fresh("examples"))) if batched else self._example()
        columns = kwargs.get("input_columns")
        if columns is None and function is not None:
            machine().call(function, given, *((symbol("index"),) if with_indices else ()))
        return self._with(rows=symbol(machine().fresh("rows")))

    def select(self, indices: Any, *args: Any, **kwargs: Any) -> Any:
        found = machine().items(indices) if not isinstance(indices, Unknown) else None
        rows: Dim = symbol(machine().fresh("rows"))
        if found is not None:
            rows = found.length if isinstance(found, Repeated) else len(found)
        return self._with(rows=rows)

    def take(self, n: Any) -> Any:
        return self._with(rows=as_size(n, "rows"))

    def skip(self, n: Any) -> Any:
        return self._with(rows=symbol(machine().fresh("rows")))

    def shard(self, *args: Any, **kwargs: Any) -> Any:
        return self._with(rows=symbol(machine().fresh("rows")))

    def shuffle(self, *args: Any, **kwargs: Any) -> Any:
        return self._with()

    sort = flatten_indices = shuffle

    def cast(self, *args: Any, **kwargs: Any) -> Any:
        return self._with()

    cast_column = class_encode_column = cast

    def train_test_split(self, test_size: Any = None, train_size: Any = None, *args: Any, **kwargs: Any) -> Any:
        whole = self.length()
        test: Dim = symbol(machine().fresh("test_rows"))
        if isinstance(test_size, int | Expr) and not isinstance(test_size, bool):
            test = test_size
        train = whole - test if train_size is None else symbol(machine().fresh("train_rows"))
        return DatasetDict(DictValue({"train": self._with(rows=train), "test": self._with(rows=test)}))

    def rename_column(self, original_column_name: Any, new_column_name: Any, *args: Any) -> Any:
        return self.rename_columns(DictValue({original_column_name: new_column_name}))

    def rename_columns(self, column_mapping: Any, *args: Any) -> Any:
        names = column_mapping.cells if isinstance(column_mapping, DictValue) else {}
        known = {names.get(name, name): value for name, value in self.cells["@columns"].cells.items()}
        for old, new in names.items():
            if not self.cells["@closed"] and old not in self.cells["@columns"].cells and isinstance(new, str):
                known[new] = self._value(old)
        return self._with(known)

    def remove_columns(self, column_names: Any, *args: Any) -> Any:
        return self._with(self._without(column_names))

    def select_columns(self, column_names: Any, *args: Any) -> Any:
        found = (column_names,) if isinstance(column_names, str) else machine().items(column_names)
        if isinstance(found, Repeated):
            return self._with()
        return self._with({name: self._value(name) for name in found if isinstance(name, str)}, closed=True)

    def add_column(self, name: Any, column: Any, *args: Any) -> Any:
        return self._with({**self.cells["@columns"].cells, name: _one(column)})

    def flatten(self, *args: Any) -> Any:
        made: dict[str, Any] = {}
        for name, value in self.cells["@columns"].cells.items():
            inner = value.cells if isinstance(value, DictValue) and value.rest is None else None
            made |= {name: value} if inner is None else {f"{name}.{key}": each for key, each in inner.items()}
        return self._with(made)

    def set_format(self, type: Any = None, columns: Any = None, *args: Any, **kwargs: Any) -> None:
        store(self.cells, "@format", LIBRARIES.get(type) if isinstance(type, str) else None)
        found = machine().items(columns) if columns is not None else None
        store(self.cells, "@shown", found if isinstance(found, tuple) else None)
        if isinstance(found, tuple) and not self.cells["@closed"]:
            missing = {name: self._value(name) for name in found if isinstance(name, str)}
            store(self.cells, "@columns", DictValue(missing))
            store(self.cells, "@closed", True)

    def reset_format(self) -> None:
        self.set_format()

    def with_format(self, type: Any = None, columns: Any = None, *args: Any, **kwargs: Any) -> Any:
        made = self._with()
        made.set_format(type, columns)
        return made

    def set_transform(self, transform: Any, *args: Any, **kwargs: Any) -> None:
        store(self.cells, "@transform", transform)

    def with_transform(self, transform: Any, *args: Any, **kwargs: Any) -> Any:
        made = self._with()
        store(made.cells, "@transform", transform)
        return made

    def to_tf_dataset(
        self, batch_size: Any = None, columns: Any = None, shuffle: bool = False, collate_fn: Any = None,
        drop_remainder: bool = False, collate_fn_args: Any = None, label_cols: Any = None, *args: Any, **kwargs: Any,
    ) -> Any:  # fmt: skip
        from mlvet.frontends.python.libraries.keras.directories import dataset, tensor_class

        load("tensorflow")
        count: Dim = as_size(batch_size, "batch") if drop_remainder and batch_size is not None else symbol("batch")
        if collate_fn is not None:
            example = DictValue(self._shown(), rest=self._rest())
            batch = entries_of(machine().call(collate_fn, ListValue(Repeated(example, count)))) or {}
        else:
            batch = {name: ListValue(Repeated(value, count)) for name, value in self._shown().items()}
        made = {name: _for_tensorflow(value) for name, value in batch.items()}
        answers = _names(label_cols)
        wanted = _names(columns)
        if collate_fn is None and self._rest() is not None:
            for name in (*(wanted or ()), *(answers or ())):
                made.setdefault(name, unknown_tensor(tensor_class(), None, name))
        inputs = {k: v for k, v in made.items() if (k in wanted if wanted else k not in answers) and v is not None}
        if answers and "labels" in made and not any(name in made for name in answers):
            answers = ("labels",)
        targets = {name: made[name] for name in answers if made.get(name) is not None}
        whole: Any = DictValue(inputs) if len(inputs) != 1 or not wanted else next(iter(inputs.values()))
        if targets:
            whole = (whole, next(iter(targets.values())) if len(targets) == 1 else DictValue(targets))
        return dataset(whole, symbol(machine().fresh("batches")))

    @staticmethod
    def from_dict(mapping: Any, *args: Any, **kwargs: Any) -> Any:
        return _of_columns(entries_of(mapping))

    @staticmethod
    def from_pandas(df: Any, *args: Any, **kwargs: Any) -> Any:
        names = machine().items(machine().attribute(df, "columns")) if isinstance(df, Object) else None
        if not isinstance(names, tuple):
            return _of_columns(None)
        return _of_columns({name: machine().send(df, "__getitem__", name) for name in names if isinstance(name, str)})

    @staticmethod
    def from_list(mapping: Any, *args: Any, **kwargs: Any) -> Any:
        found = machine().items(mapping)
        example = found.element if isinstance(found, Repeated) else found[0] if found else None
        made = Dataset()
        rows = found.length if isinstance(found, Repeated) else len(found)
        entries = entries_of(example)
        return fill(made, entries or {}, rows, closed=entries is not None)

    @staticmethod
    def from_generator(generator: Any, *args: Any, **kwargs: Any) -> Any:
        return Dataset.from_list(machine().call(generator))

    @staticmethod
    def from_csv(*args: Any, **kwargs: Any) -> Any:
        return _of_columns(None)

    from_json = from_parquet = from_text = load_from_disk = from_csv


def fill(table: Any, columns: dict[str, Any], rows: Any, *, closed: bool) -> Any:
    """Give a table its columns."""
    store(table.cells, "@columns", DictValue(columns))
    store(table.cells, "@rows", rows)
    store(table.cells, "@closed", closed)
    store(table.cells, "@format", None)
    return table


def _of_columns(columns: dict[str, Any] | None) -> Any:
    rows: Dim | None = None
    made: dict[str, Any] = {}
    for name, value in (columns or {}).items():
        made[name] = _one(value)
        found = machine().items(value) if not isinstance(value, Unknown) else None
        if rows is None and found is not None:
            rows = found.length if isinstance(found, Repeated) else len(found)
    count = symbol(machine().fresh("rows")) if rows is None else rows
    return fill(Dataset(), made, count, closed=columns is not None)


def _one(column: Any) -> Any:
    """One value of a column."""
    if isinstance(column, Unknown):
        return column
    found = machine().items(column)
    if isinstance(found, Repeated):
        return found.element
    return found[0] if found else Unknown(Reason.DYNAMIC_CONTAINER, "an empty column")


def _as_many(column: Any, count: Dim) -> bool:
    if isinstance(column, TensorValue):
        dims = dims_of(column)
        return bool(dims) and dims is not None and equal(dims[0], count) is True
    items = column.items if isinstance(column, ListValue) else None
    return isinstance(items, Repeated) and equal(items.length, count) is True


def _sliced(key: slice, rows: Dim) -> Dim:
    start, stop = key.start or 0, rows if key.stop is None else key.stop
    if isinstance(start, int) and isinstance(stop, int) and key.step is None and 0 <= start <= stop:
        return min(stop, rows) - start if isinstance(rows, int) else stop - start
    return symbol(machine().fresh("batch"))


def _names(columns: Any) -> tuple[str, ...]:
    if columns is None:
        return ()
    found = (columns,) if isinstance(columns, str) else machine().items(columns)
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, tuple) else ()


def _for_tensorflow(value: Any) -> Any:
    kind = TENSORS["tensorflow"]
    if isinstance(value, TensorValue):
        return source("batch", tensor_of(value).without_value(), kind)
    items = value.items if isinstance(value, ListValue) else None
    if isinstance(items, Repeated) and isinstance(items.element, Scalar) and items.element.kind is str:
        return source("batch", Type(dtypes.text, (items.length,)), kind)
    made = formatted(value, "tensorflow")
    return made if isinstance(made, TensorValue) else None


@model("datasets.DatasetDict", "datasets.dataset_dict.DatasetDict", "datasets.IterableDatasetDict")
class DatasetDict(Record):
    """The parts of a data set by name; what is done to it is done to each part."""

    __slots__ = ()

    def _each(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        data: DictValue = self.cells["@data"]
        made = {name: machine().send(part, method, *args, **kwargs) for name, part in data.cells.items()}
        rest = None if data.rest is None else machine().send(data.rest, method, *args, **kwargs)
        return DatasetDict(DictValue(made, rest))

    @property
    def column_names(self) -> Any:
        return self._every("column_names")

    @property
    def num_rows(self) -> Any:
        return self._every("num_rows")

    @property
    def shape(self) -> Any:
        return self._every("shape")

    def _every(self, name: str) -> Any:
        data: DictValue = self.cells["@data"]
        made = {part: machine().attribute(value, name) for part, value in data.cells.items()}
        return DictValue(made, None if data.rest is None else machine().attribute(data.rest, name))


def _distributed(name: str) -> Any:
    def method(self: DatasetDict, *args: Any, **kwargs: Any) -> Any:
        return self._each(name, args, kwargs)

    method.__name__ = name
    return method


for _name in (
    "map", "filter", "shuffle", "sort", "cast", "cast_column", "class_encode_column", "rename_column", "rename_columns",
    "remove_columns", "select_columns", "flatten", "with_format", "with_transform",
):  # fmt: skip
    setattr(DatasetDict, _name, _distributed(_name))


def _to_each(name: str) -> Any:
    def method(self: DatasetDict, *args: Any, **kwargs: Any) -> None:
        self._each(name, args, kwargs)

    method.__name__ = name
    return method


for _name in ("set_format", "reset_format", "set_transform", "save_to_disk", "push_to_hub", "cleanup_cache_files"):
    setattr(DatasetDict, _name, _to_each(_name))
