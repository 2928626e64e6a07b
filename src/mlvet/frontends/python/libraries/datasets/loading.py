"""datasets.load_dataset and the ways to put tables together."""

from __future__ import annotations

import re
from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.datasets.catalogue import KNOWN, USUAL, Splits
from mlvet.frontends.python.libraries.datasets.tables import Dataset, DatasetDict, fill
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.unknown import Unknown

OTHER_NAMES = {
    "nyu-mll/glue": "glue",
    "stanfordnlp/imdb": "imdb",
    "rajpurkar/squad": "squad",
    "fancyzhx/ag_news": "ag_news",
}
_WHOLE = re.compile(r"\w+$")


@model("datasets.load_dataset", "nlp.load_dataset")
def load_dataset(
    path: Any,
    name: Any = None,
    data_dir: Any = None,
    data_files: Any = None,
    split: Any = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    known = _known(path, name)
    if split is None:
        parts: Splits = known[1] if known is not None else {}
        if isinstance(data_files, DictValue) and not parts:
            parts = dict.fromkeys((key for key in data_files.cells if isinstance(key, str)), None)
        made = DatasetDict(DictValue({part: _part(known, part) for part in parts}))
        if not parts:
            made.cells["@data"] = DictValue({}, rest=_part(known, "train"))
        return made
    if isinstance(split, ListValue | tuple):
        found = machine().items(split)
        if isinstance(found, Repeated):
            return ListValue(Repeated(_part(known, ""), found.length))
        return ListValue(_part(known, each) for each in found)
    return _part(known, split)


def _known(path: Any, name: Any) -> Any:
    if not isinstance(path, str):
        return None
    path = OTHER_NAMES.get(path, path)
    return KNOWN.get(f"{path}/{name}") or KNOWN.get(path) or KNOWN.get(path.rpartition("/")[2])


def _part(known: Any, split: Any) -> Any:
    """One part of a data set: of a known size if it is whole and the data set well known."""
    columns, sizes = known if known is not None else (USUAL, {})
    text = split if isinstance(split, str) else ""
    rows = sizes.get(text) if _WHOLE.match(text) else None
    count = symbol(machine().fresh(f"{text.partition('[')[0] or 'data'}_rows")) if rows is None else rows
    made = {name: make() for name, make in columns.items()}
    return fill(Dataset(), made, count, closed=known is not None)


@model("datasets.load_from_disk")
def load_from_disk(dataset_path: Any, *args: Any, **kwargs: Any) -> Any:
    made = DatasetDict()
    made.cells["@data"] = DictValue({}, rest=_part(None, "train"))
    return made


@model("datasets.concatenate_datasets", "datasets.interleave_datasets")
def concatenate_datasets(dsets: Any, *args: Any, **kwargs: Any) -> Any:
    found = machine().items(dsets)
    first = found.element if isinstance(found, Repeated) else found[0]
    rows: Any = symbol(machine().fresh("rows"))
    if isinstance(found, tuple) and all(isinstance(each, Dataset) for each in found):
        rows = 0
        for each in found:
            rows = rows + each.length()
    return first if isinstance(first, Unknown) else first._with(rows=rows)


@model("datasets.load_metric", "evaluate.load", "evaluate.combine")
def load_metric(path: Any, *args: Any, **kwargs: Any) -> Any:
    from mlvet.frontends.python.libraries.datasets.scores import Metric

    return Metric()


@model("datasets.get_dataset_split_names", "datasets.get_dataset_config_names")
def get_dataset_split_names(path: Any, *args: Any, **kwargs: Any) -> Any:
    return ListValue(Repeated(Scalar(str, "name"), symbol(machine().fresh("names"))))


@model(
    "datasets.disable_progress_bar", "datasets.logging.set_verbosity_error", "datasets.logging.set_verbosity_warning",
    "datasets.utils.logging.set_verbosity_error", "datasets.utils.logging.set_verbosity", "datasets.disable_caching",
)  # fmt: skip
def quiet(*args: Any, **kwargs: Any) -> None:
    """Prints less."""
