"""tf.io: files, records, and the parsing of examples."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.tensorflow.shapes import partial_sizes
from mlvet.frontends.python.libraries.tensorflow.structures import of_shape
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, natural_dtype, typed
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@model("tensorflow.io.read_file", "tensorflow.compat.v1.read_file")
def read_file(filename: Any, name: Any = None) -> Tensor:
    del filename, name
    return typed("read_file", [], dtypes.text)


@model("tensorflow.io.write_file", "tensorflow.compat.v1.write_file")
def write_file(filename: Any, contents: Any, name: Any = None) -> None:
    """Written to a file."""


@model(
    "tensorflow.io.matching_files",
    "tensorflow.compat.v1.matching_files",
    "tensorflow.compat.v1.train.match_filenames_once",
)
def matching_files(pattern: Any, name: Any = None) -> Tensor:
    del pattern, name
    return typed("matching_files", [], dtypes.text, symbol(machine().fresh("files")))


@model("tensorflow.io.decode_raw", "tensorflow.compat.v1.decode_raw", "tensorflow.io.decode_compressed")
def decode_raw(
    input_bytes: Any = None, out_type: DType | None = None, little_endian: Any = True, fixed_length: Any = None,
    name: Any = None, **old: Any,
) -> Tensor:  # fmt: skip
    del little_endian, name
    x = convert(input_bytes if input_bytes is not None else old.get("bytes"))
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "bytes of unknown shape")
    last = symbol(machine().fresh("bytes")) if fixed_length is None else as_size(fixed_length, "bytes")
    return typed("decode_raw", [x], out_type or dtypes.u8, *dims, last)


@model("tensorflow.io.serialize_tensor", "tensorflow.compat.v1.serialize_tensor")
def serialize_tensor(tensor: Any, name: Any = None) -> Tensor:
    del name
    return typed("serialize_tensor", [convert(tensor)], dtypes.text)


@model("tensorflow.io.parse_tensor", "tensorflow.compat.v1.parse_tensor")
def parse_tensor(serialized: Any, out_type: DType, name: Any = None) -> Tensor:
    del serialized, name
    return of_shape("parsed", out_type, None)


@model("tensorflow.io.decode_csv", "tensorflow.compat.v1.decode_csv")
def decode_csv(records: Any, record_defaults: Any, *rest: Any, **keywords: Any) -> Any:
    """One tensor per column, of the shape of the records."""
    from mlvet.frontends.python.libraries.element_types import dtype_named

    del rest, keywords
    x = convert(records)
    dims = dims_of(x) or ()
    columns = as_items(record_defaults)
    kinds = [dtype_named(each) or _column(each) for each in columns]
    return ListValue(typed("decode_csv", [x], kind, *dims) for kind in kinds)


def _column(default: Any) -> DType | None:
    items = as_items(default) if isinstance(default, ListValue | tuple) else (default,)
    return natural_dtype(items[0]) if items else dtypes.f32


@model("tensorflow.io.FixedLenFeature", "tensorflow.compat.v1.FixedLenFeature")
class FixedLenFeature(Object):
    def __init__(self, shape: Any, dtype: DType | None, default_value: Any = None) -> None:
        self.shape = partial_sizes(shape)
        self.dtype = dtype
        self.default_value = default_value

    def parsed(self, name: str, batch: tuple[Dim, ...]) -> Tensor:
        return of_shape(name, self.dtype, (*batch, *(self.shape or ())))


@model("tensorflow.io.VarLenFeature", "tensorflow.compat.v1.VarLenFeature", "tensorflow.io.RaggedFeature")
@model("tensorflow.io.FixedLenSequenceFeature", "tensorflow.compat.v1.FixedLenSequenceFeature")
class VarLenFeature(Object):
    """Values of unknown number; `shape` is what each of them has."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        given = dict(zip(("shape", "dtype"), arguments if len(arguments) > 1 else (None, *arguments), strict=False))
        given |= keywords
        kind = given.get("dtype")
        self.dtype = kind if isinstance(kind, DType) else None
        self.shape = partial_sizes(given.get("shape")) or ()

    def parsed(self, name: str, batch: tuple[Dim, ...]) -> Tensor:
        return of_shape(name, self.dtype, (*batch, symbol(machine().fresh(name or "values")), *self.shape))


def _parsed(features: Any, batch: tuple[Dim, ...]) -> DictValue:
    if not isinstance(features, DictValue):
        raise Undecided(features if isinstance(features, Unknown) else Reason.UNMODELLED_ARGUMENTS, "features")
    return DictValue({
        key: feature.parsed(str(key), batch) if isinstance(feature, FixedLenFeature | VarLenFeature) else feature
        for key, feature in features.cells.items()
    })  # fmt: skip


@model("tensorflow.io.parse_single_example", "tensorflow.compat.v1.parse_single_example")
def parse_single_example(serialized: Any, features: Any, example_names: Any = None, name: Any = None) -> Any:
    del serialized, example_names, name
    return _parsed(features, ())


@model("tensorflow.io.parse_example", "tensorflow.compat.v1.parse_example")
def parse_example(serialized: Any, features: Any, example_names: Any = None, name: Any = None) -> Any:
    del example_names, name
    known = dims_of(convert(serialized))
    return _parsed(features, (symbol(machine().fresh("batch")),) if known is None else known)


@model("tensorflow.io.parse_single_sequence_example", "tensorflow.compat.v1.parse_single_sequence_example")
def parse_single_sequence_example(
    serialized: Any, context_features: Any = None, sequence_features: Any = None, *rest: Any, **keywords: Any
) -> Any:
    del serialized, rest, keywords
    return tuple(
        _parsed(each, ()) if each is not None else DictValue() for each in (context_features, sequence_features)
    )


@model("tensorflow.io.TFRecordWriter", "tensorflow.compat.v1.python_io.TFRecordWriter")
class TFRecordWriter(Object):
    def __init__(self, path: Any = None, options: Any = None) -> None:
        del options
        self.path = path

    def write(self, record: Any) -> None:
        """Written to a file."""

    def flush(self) -> None:
        """Written to a file."""

    def close(self) -> None:
        """Written to a file."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        """Closed."""


@model(
    "tensorflow.io.gfile.GFile",
    "tensorflow.compat.v1.gfile.GFile",
    "tensorflow.compat.v1.gfile.Open",
    "tensorflow.compat.v1.gfile.FastGFile",
)
class GFile(Object):
    """A file: text of unknown contents."""

    def __init__(self, name: Any, mode: Any = "r") -> None:
        del name
        self.mode = mode

    def read(self, n: Any = -1) -> Any:
        del n
        binary = isinstance(self.mode, str) and "b" in self.mode
        return Unknown(Reason.EXTERNAL_DATA, "the bytes of a file") if binary else Scalar(str, "text")

    def readline(self) -> Any:
        return Scalar(str, "line")

    def readlines(self) -> Any:
        return ListValue(self.iterate())

    def iterate(self) -> Any:
        return Repeated(Scalar(str, "line"), symbol(machine().fresh("lines")))

    def write(self, file_content: Any) -> None:
        """Written to a file."""

    def close(self) -> None:
        """Closed."""

    def flush(self) -> None:
        """Written to a file."""

    def size(self) -> Any:
        return symbol(machine().fresh("bytes"))

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        """Closed."""


def _names(*args: Any, **keywords: Any) -> Any:
    del args, keywords
    return ListValue(Repeated(Scalar(str, "path"), symbol(machine().fresh("files"))))


def _done(*args: Any, **keywords: Any) -> None:
    del args, keywords


def _whether(*args: Any, **keywords: Any) -> Any:
    del args, keywords
    return Scalar(bool, "exists")


for _new, _old in (("glob", "Glob"), ("listdir", "ListDirectory"), ("walk", "Walk")):
    model(f"tensorflow.io.gfile.{_new}", f"tensorflow.compat.v1.gfile.{_old}")(_names)
for _new, _old in (
    ("makedirs", "MakeDirs"), ("mkdir", "MkDir"), ("remove", "Remove"), ("rmtree", "DeleteRecursively"),
    ("copy", "Copy"), ("rename", "Rename"),
):  # fmt: skip
    model(f"tensorflow.io.gfile.{_new}", f"tensorflow.compat.v1.gfile.{_old}")(_done)
for _new, _old in (("exists", "Exists"), ("isdir", "IsDirectory")):
    model(f"tensorflow.io.gfile.{_new}", f"tensorflow.compat.v1.gfile.{_old}")(_whether)

alias("tensorflow.python.platform.gfile", "tensorflow.gfile")
