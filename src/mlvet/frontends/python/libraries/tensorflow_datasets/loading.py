"""tfds.load and its kin: data sets whose elements are as the catalogue says, or unknown."""

from __future__ import annotations

import re
from typing import Any

from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.domains.tensors import unknown
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.data.dataset import Dataset, dataset
from mlvet.frontends.python.libraries.tensorflow.structures import mapped
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, numpy_array
from mlvet.frontends.python.libraries.tensorflow_datasets.catalogue import CATALOGUE, Entry
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Unknown

for _name in ("TRAIN", "TEST", "VALIDATION"):
    model(f"tensorflow_datasets.Split.{_name}")(_name.lower())
_PART = re.compile(r"(\w+)(?:\[(-?\d+%?)?:(-?\d+%?)?\])?$")


def entry_of(name: Any) -> Entry | None:
    """The entry of a data set by its name, with version and configuration left away."""
    if isinstance(name, Scalar) and name.has_default:
        name = name.default
    return CATALOGUE.get(name.split(":")[0].split("/")[0]) if isinstance(name, str) else None


def element_of(entry: Entry | None, supervised: bool) -> Any:
    """One element: a dictionary of features, or input and target."""
    if entry is None:
        if supervised:
            return tuple(source(each, unknown(machine().fresh(each)), Tensor) for each in ("input", "target"))
        return DictValue(rest=source("feature", unknown(machine().fresh("feature")), Tensor))
    names: dict[str, Dim] = {}
    if supervised and entry.supervised:
        return tuple(_value(each, entry.features[each], names) for each in entry.supervised)
    return _value("", entry.features, names)


def _value(name: str, feature: Any, names: dict[str, Dim]) -> Any:
    if isinstance(feature, dict):
        return DictValue({key: _value(key, each, names) for key, each in feature.items()})
    dtype, sizes = feature
    for size in sizes:
        if isinstance(size, str) and size not in names:
            names[size] = symbol(machine().fresh(size))
    return source(name, Known(dtype, tuple(names[size] if isinstance(size, str) else size for size in sizes)), Tensor)


def count_of(entry: Entry | None, split: Any) -> Dim:
    """How many elements a split has: `train`, `train[:80%]`, `train[100:]`, or several with `+` between them."""
    if entry is None or not isinstance(split, str):
        return symbol(machine().fresh("examples"))
    total = 0
    for part in split.split("+"):
        found = _PART.match(part.strip())
        whole = entry.counts.get(found[1]) if found else None
        if found is None or whole is None:
            return symbol(machine().fresh("examples"))
        first, last = _place(found[2], whole, 0), _place(found[3], whole, whole)
        total += max(last - first, 0)
    return total


def _place(text: str | None, whole: int, default: int) -> int:
    if text is None:
        return default
    number = round(int(text[:-1]) * whole / 100) if text.endswith("%") else int(text)
    return max(whole + number, 0) if number < 0 else min(number, whole)


class Feature(Object):
    """One feature as the description of a data set has it."""

    def __init__(self, name: str, entry: Entry | None) -> None:
        found = entry.features.get(name) if entry is not None else None
        self.num_classes = (
            entry.classes if entry is not None and entry.classes is not None else symbol(machine().fresh("classes"))
        )
        self.names = ListValue(Repeated(Scalar(str, "class"), self.num_classes))
        if isinstance(found, tuple):
            self.shape = tuple(None if isinstance(size, str) else size for size in found[1])
            self.dtype = found[0]

    def int2str(self, int_value: Any) -> Any:
        del int_value
        return Scalar(str, "label")

    def str2int(self, str_value: Any) -> Any:
        del str_value
        return symbol(machine().fresh("label"))


class Split(Object):
    def __init__(self, count: Dim) -> None:
        self.num_examples = count
        self.num_shards = 1


class Info(Object):
    """What is known of a data set besides its elements."""

    def __init__(self, name: Any, entry: Entry | None) -> None:
        self.name = name
        keys = entry.features if entry is not None else {}
        self.features = DictValue({key: Feature(key, entry) for key in keys}, Feature("", entry))
        splits = entry.counts if entry is not None else {}
        rest = Split(symbol(machine().fresh("examples")))
        self.splits = DictValue({key: Split(count) for key, count in splits.items()}, rest)
        self.supervised_keys = entry.supervised if entry is not None else None

    @property
    def citation(self) -> Any:
        return Scalar(str, "citation")

    @property
    def description(self) -> Any:
        return Scalar(str, "description")


def _split(entry: Entry | None, split: Any, supervised: bool, batch_size: Any) -> Any:
    """The data set of each split in a structure of splits; all of them if none is named."""
    if isinstance(split, ListValue | tuple):
        parts = split.items if isinstance(split, ListValue) else split
        if isinstance(parts, Repeated):
            return ListValue(Repeated(_split(entry, parts.element, supervised, batch_size), parts.length))
        made = [_split(entry, each, supervised, batch_size) for each in parts]
        return ListValue(made) if isinstance(split, ListValue) else tuple(made)
    if split is None:
        names = entry.counts if entry is not None and entry.counts else ()
        cells = {name: _split(entry, name, supervised, batch_size) for name in names}
        return DictValue(cells, None if cells else _split(entry, "", supervised, batch_size))
    found = dataset(element_of(entry, supervised), count_of(entry, split))
    if batch_size is None:
        return found
    if isinstance(batch_size, int) and batch_size == -1:
        return found.batch(found.length()).element
    return found.batch(batch_size)


@model("tensorflow_datasets.load")
def load(
    name: Any,
    *,
    split: Any = None,
    data_dir: Any = None,
    batch_size: Any = None,
    shuffle_files: Any = False,
    download: Any = True,
    as_supervised: bool = False,
    decoders: Any = None,
    read_config: Any = None,
    with_info: bool = False,
    builder_kwargs: Any = None,
    download_and_prepare_kwargs: Any = None,
    as_dataset_kwargs: Any = None,
    try_gcs: Any = False,
    file_format: Any = None,
) -> Any:
    del data_dir, shuffle_files, download, decoders, read_config, builder_kwargs, download_and_prepare_kwargs
    del as_dataset_kwargs, try_gcs, file_format
    entry = entry_of(name)
    found = _split(entry, split, as_supervised, batch_size)
    return (found, Info(name, entry)) if with_info else found


class Builder(Object):
    """What prepares a data set and then reads it."""

    def __init__(self, name: Any = None, **rest: Any) -> None:
        del rest
        self.name = name
        self.info = Info(name, entry_of(name))

    def download_and_prepare(self, **keywords: Any) -> None:
        """Written to files."""

    def as_dataset(
        self,
        split: Any = None,
        *,
        batch_size: Any = None,
        shuffle_files: Any = False,
        as_supervised: bool = False,
        **rest: Any,
    ) -> Any:
        del shuffle_files, rest
        return _split(entry_of(self.name), split, as_supervised, batch_size)


@model("tensorflow_datasets.builder")
def builder(name: Any, *, try_gcs: Any = False, **builder_kwargs: Any) -> Any:
    del try_gcs, builder_kwargs
    return Builder(name)


@model("tensorflow_datasets.image.Div2k")
def div2k(**keywords: Any) -> Any:
    del keywords
    return Builder("div2k")


@model("tensorflow_datasets.as_numpy", "tensorflow_datasets.dataset_as_numpy")
def as_numpy(dataset: Any) -> Any:
    def arrays(value: Any) -> Any:
        return mapped(lambda each: numpy_array(each) if isinstance(each, TensorValue) else each, value)

    if isinstance(dataset, Dataset):
        return IteratorValue(Repeated(arrays(dataset.element), dataset.length()))
    return mapped(lambda each: as_numpy(each) if isinstance(each, Dataset) else arrays(each), dataset)


@model("tensorflow_datasets.as_dataframe")
def as_dataframe(ds: Any, ds_info: Any = None) -> Any:
    del ds, ds_info
    return Unknown(Reason.UNMODELLED_CALL, "tensorflow_datasets.as_dataframe")


@model("tensorflow_datasets.disable_progress_bar", "tensorflow_datasets.enable_progress_bar")
@model("tensorflow_datasets.show_examples", "tensorflow_datasets.visualization.show_examples")
def shown(*args: Any, **keywords: Any) -> None:
    """For the eye."""


@model("tensorflow_datasets.list_builders")
def list_builders(**keywords: Any) -> Any:
    del keywords
    return ListValue(Repeated(Scalar(str, "name"), symbol(machine().fresh("builders"))))
