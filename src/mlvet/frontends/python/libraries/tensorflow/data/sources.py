"""Data sets of files, and the functions of tf.data.experimental."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.tensorflow.data.dataset import Dataset, dataset
from mlvet.frontends.python.libraries.tensorflow.structures import of_shape
from mlvet.frontends.python.libraries.tensorflow.tensor import natural_dtype, typed
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def _lines(name: str, counted: str) -> Dataset:
    return dataset(typed(name, [], dtypes.text), symbol(machine().fresh(counted)))


@model("tensorflow.data.TFRecordDataset")
def tf_record_dataset(filenames: Any, *rest: Any, **keywords: Any) -> Any:
    del filenames, rest, keywords
    return _lines("TFRecordDataset", "records")


@model("tensorflow.data.TextLineDataset")
def text_line_dataset(filenames: Any, *rest: Any, **keywords: Any) -> Any:
    del filenames, rest, keywords
    return _lines("TextLineDataset", "lines")


@model("tensorflow.data.FixedLengthRecordDataset")
def fixed_length_record_dataset(filenames: Any, record_bytes: Any, *rest: Any, **keywords: Any) -> Any:
    del filenames, record_bytes, rest, keywords
    return _lines("FixedLengthRecordDataset", "records")


@model("tensorflow.data.experimental.CsvDataset")
def csv_dataset(filenames: Any, record_defaults: Any, *rest: Any, **keywords: Any) -> Any:
    del filenames, rest, keywords
    kinds = [dtype_named(each) or natural_dtype(each) for each in as_items(record_defaults)]
    return dataset(tuple(typed("CsvDataset", [], kind) for kind in kinds), symbol(machine().fresh("rows")))


@model("tensorflow.data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: Any = None,
    select_columns: Any = None,
    *rest: Any,
    **keywords: Any,
) -> Any:
    """A batch of rows: one row of values by the name of each column, and the labels if one column is that."""
    del file_pattern, rest, keywords
    rows = as_size(batch_size, "batch")
    names = chosen_names(select_columns, column_names)
    try:
        defaults = as_items(column_defaults) if column_defaults is not None else ()
    except Undecided:
        defaults = ()
    kinds = [dtype_named(each) or _kind(each) for each in defaults]
    cells = {
        name: of_shape(str(name), kinds[n] if n < len(kinds) else None, (rows,)) for n, name in enumerate(names or ())
    }
    rest_of = of_shape("column", None, (rows,)) if names is None else None
    if label_name is None:
        return dataset(DictValue(cells, rest_of), None)
    label = cells.pop(label_name, None) if isinstance(label_name, str) else None
    return dataset((DictValue(cells, rest_of), label if label is not None else of_shape("label", None, (rows,))), None)


def chosen_names(*given: Any) -> tuple[Any, ...] | None:
    """The names of columns, None if they are not known."""
    for each in given:
        if each is not None and not isinstance(each, Unknown):
            try:
                names = as_items(each)
            except Undecided:
                return None
            return names if all(isinstance(name, str) for name in names) else None
    return None


def _kind(value: Any) -> Any:
    items = as_items(value) if isinstance(value, ListValue | tuple) else (value,)
    return natural_dtype(items[0]) if items else None


def _transformation(method: str) -> Any:
    def function(*args: Any, **keywords: Any) -> Any:
        def transform(dataset: Any) -> Any:
            return getattr(dataset, method)(*args, **keywords)

        return transform

    return function


for _name in (
    "unbatch ignore_errors enumerate_dataset=enumerate bucket_by_sequence_length snapshot unique take_while scan "
    "assert_cardinality group_by_window dense_to_ragged_batch=ragged_batch prefetch_to_device=prefetch "
    "parallel_interleave=interleave shuffle_and_repeat=shuffle rejection_resample cardinality copy_to_device=prefetch"
).split():
    _old, _, _method = _name.partition("=")
    if _old != "cardinality":
        model(f"tensorflow.data.experimental.{_old}")(_transformation(_method or _old))


@model("tensorflow.data.experimental.cardinality")
def cardinality(dataset: Any) -> Any:
    if not isinstance(dataset, Dataset):
        raise Undecided(Reason.UNKNOWN_DISPATCH, "the cardinality of no data set")
    return dataset.cardinality()


@model("tensorflow.data.experimental.map_and_batch", "tensorflow.contrib.data.map_and_batch")
def map_and_batch(
    map_func: Any, batch_size: Any, num_parallel_batches: Any = None, drop_remainder: bool = False, **rest: Any
) -> Any:
    del num_parallel_batches, rest

    def transform(dataset: Any) -> Any:
        return dataset.map(map_func).batch(batch_size, drop_remainder)

    return transform


@model("tensorflow.data.experimental.get_single_element")
def get_single_element(dataset: Any) -> Any:
    return dataset.element


@model("tensorflow.data.experimental.save")
def save(dataset: Any, path: Any, *rest: Any, **keywords: Any) -> None:
    """Written to a file."""


model("tensorflow.data.experimental.load")(Dataset.load)
model("tensorflow.data.experimental.sample_from_datasets")(Dataset.sample_from_datasets)
model("tensorflow.data.experimental.choose_from_datasets")(Dataset.choose_from_datasets)
model("tensorflow.data.experimental.Counter")(Dataset.counter)


@model("tensorflow.compat.v1.data.get_output_shapes")
def get_output_shapes(dataset_or_iterator: Any) -> Any:
    return dataset_or_iterator.output_shapes


@model("tensorflow.compat.v1.data.get_output_types")
def get_output_types(dataset_or_iterator: Any) -> Any:
    return dataset_or_iterator.output_types


@model("tensorflow.compat.v1.data.make_one_shot_iterator")
def make_one_shot_iterator(dataset: Any) -> Any:
    return dataset.make_one_shot_iterator()


@model("tensorflow.compat.v1.data.make_initializable_iterator")
def make_initializable_iterator(dataset: Any, shared_name: Any = None) -> Any:
    return dataset.make_initializable_iterator(shared_name)


alias("tensorflow.contrib.data", "tensorflow.data.experimental")
