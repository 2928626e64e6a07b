"""Data sets from directories of files, and from arrays cut into windows."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import TENSORS, as_items, as_size
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array
from mlvet.frontends.python.libraries.registry import load, model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import dims_of, dtype_of


def tensor_class() -> Any:
    """The class of TensorFlow's tensors."""
    load("tensorflow")
    return TENSORS.get("tensorflow", KerasTensor)


def dataset(element: Any, count: Dim) -> Any:
    """A tf.data.Dataset of elements like this one."""
    load("tensorflow")
    from mlvet.frontends.python.libraries.tensorflow.data.dataset import dataset as made

    return made(element, count)


def _classes(class_names: Any) -> tuple[Dim, Any]:
    """How many classes there are, and what they are called."""
    if isinstance(class_names, ListValue | tuple) and isinstance(getattr(class_names, "items", class_names), tuple):
        found = as_items(class_names)
        return len(found), ListValue(found)
    count = symbol(machine().fresh("classes"))
    return count, ListValue(Repeated(Scalar(str, "class_name"), count))


def _labels(label_mode: Any, rows: tuple[Dim, ...], classes: Dim) -> Any:
    match label_mode:
        case "categorical":
            return _data("labels", dtypes.f32, (*rows, classes))
        case "binary":
            return _data("labels", dtypes.f32, (*rows, 1))
    return _data("labels", dtypes.i32, rows)


def _data(name: str, dtype: DType, dims: tuple[Dim, ...]) -> Any:
    return source(name, Known(dtype, dims), tensor_class())


def _rows(batch_size: Any) -> tuple[Dim, ...]:
    """The first dim of a batch, whose last may be smaller; none if there are no batches."""
    return () if batch_size is None else (symbol("batch"),)


def _directory(make: Any, labels: Any, label_mode: Any, class_names: Any, batch_size: Any, subset: Any) -> Any:
    """One data set of a directory, or two where both parts are asked for."""
    rows = _rows(batch_size)
    classes, names = _classes(class_names)

    def one() -> Any:
        plain = labels is None or label_mode is None
        element = make(rows) if plain else (make(rows), _labels(label_mode, rows, classes))
        made = dataset(element, symbol(machine().fresh("batches" if rows else "files")))
        made.class_names = names
        made.file_paths = ListValue(Repeated(Scalar(str, "file_path"), symbol(machine().fresh("files"))))
        return made

    return (one(), one()) if subset == "both" else one()


@model("keras.utils.image_dataset_from_directory", "keras.preprocessing.image_dataset_from_directory")
def image_dataset_from_directory(
    directory: Any, labels: Any = "inferred", label_mode: Any = "int", class_names: Any = None,
    color_mode: Any = "rgb", batch_size: Any = 32, image_size: Any = (256, 256), shuffle: Any = True,
    seed: Any = None, validation_split: Any = None, subset: Any = None, interpolation: Any = "bilinear",
    follow_links: Any = False, crop_to_aspect_ratio: Any = False, pad_to_aspect_ratio: Any = False,
    data_format: Any = None, format: Any = "tf", verbose: Any = True, **kwargs: Any,
) -> Any:  # fmt: skip
    height, width = (as_size(each, "height") for each in as_items(image_size))
    channels = {"grayscale": 1, "rgba": 4}.get(color_mode, 3) if isinstance(color_mode, str) else 3

    def images(rows: tuple[Dim, ...]) -> Any:
        return _data("images", dtypes.f32, (*rows, height, width, channels))

    return _directory(images, labels, label_mode, class_names, batch_size, subset)


@model("keras.utils.text_dataset_from_directory", "keras.preprocessing.text_dataset_from_directory")
def text_dataset_from_directory(
    directory: Any, labels: Any = "inferred", label_mode: Any = "int", class_names: Any = None, batch_size: Any = 32,
    max_length: Any = None, shuffle: Any = True, seed: Any = None, validation_split: Any = None, subset: Any = None,
    follow_links: Any = False, format: Any = "tf", verbose: Any = True,
) -> Any:  # fmt: skip
    def texts(rows: tuple[Dim, ...]) -> Any:
        return _data("texts", dtypes.text, rows)

    return _directory(texts, labels, label_mode, class_names, batch_size, subset)


@model("keras.utils.audio_dataset_from_directory")
def audio_dataset_from_directory(
    directory: Any, labels: Any = "inferred", label_mode: Any = "int", class_names: Any = None, batch_size: Any = 32,
    sampling_rate: Any = None, output_sequence_length: Any = None, ragged: Any = False, shuffle: Any = True,
    seed: Any = None, validation_split: Any = None, subset: Any = None, follow_links: Any = False, verbose: Any = True,
) -> Any:  # fmt: skip
    length = symbol(machine().fresh("samples")) if output_sequence_length is None else as_size(output_sequence_length)

    def sounds(rows: tuple[Dim, ...]) -> Any:
        return _data("audio", dtypes.f32, (*rows, length, symbol("audio_channels")))

    return _directory(sounds, labels, label_mode, class_names, batch_size, subset)


@model("keras.utils.timeseries_dataset_from_array", "keras.preprocessing.timeseries_dataset_from_array")
def timeseries_dataset_from_array(
    data: Any, targets: Any, sequence_length: Any, sequence_stride: Any = 1, sampling_rate: Any = 1,
    batch_size: Any = 128, shuffle: Any = False, seed: Any = None, start_index: Any = None, end_index: Any = None,
) -> Any:  # fmt: skip
    values = array(data)
    dims = ranked_dims(values)
    rows = _rows(batch_size)
    kind = tensor_class()
    windows = opaque(
        "timeseries", [values], Known(dtype_of(values), (*rows, as_size(sequence_length, "steps"), *dims[1:])), kind
    )
    element: Any = windows
    if targets is not None:
        wanted = array(targets)
        rest = dims_of(wanted)
        labels = opaque("timeseries", [wanted], Known(dtype_of(wanted), (*rows, *(rest[1:] if rest else ()))), kind)
        element = (windows, labels)
    return dataset(element, symbol(machine().fresh("batches")))


@model("keras.utils.split_dataset")
def split_dataset(
    dataset: Any, left_size: Any = None, right_size: Any = None, shuffle: Any = False, seed: Any = None, **kwargs: Any
) -> Any:
    from mlvet.frontends.python.values.tensors import TensorValue

    if isinstance(dataset, TensorValue):
        from mlvet.frontends.python.libraries.keras.directories import dataset as made

        row = array(dataset)[0]
        return tuple(made(row, symbol(machine().fresh(part))) for part in ("left", "right"))
    return dataset, dataset
