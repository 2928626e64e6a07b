"""Dictionaries whose entries are attributes too: what tokenizers and models yield."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.creation import from_python
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import TENSORS
from mlvet.frontends.python.libraries.registry import load, model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

FRAMEWORKS = {"pt": "torch", "tf": "tensorflow", "np": "numpy", "jax": "jax", "mlx": "jax"}


class Record(Object):
    """A dictionary, its entries in `@data`."""

    __slots__ = ()

    def __init__(self, data: Any = None, *args: Any, **kwargs: Any) -> None:
        made = DictValue(data.cells, data.rest) if isinstance(data, DictValue) else DictValue(kwargs)
        store(self.cells, "@data", made)

    def __getitem__(self, key: Any) -> Any:
        return machine().send(self.cells["@data"], "__getitem__", key)

    def __setitem__(self, key: Any, value: Any) -> None:
        machine().send(self.cells["@data"], "__setitem__", key, value)

    def __contains__(self, key: Any) -> Any:
        return key in self.cells["@data"].cells

    def keys(self) -> Any:
        return machine().send(self.cells["@data"], "keys")

    def values(self) -> Any:
        return machine().send(self.cells["@data"], "values")

    def items(self) -> Any:
        return machine().send(self.cells["@data"], "items")

    def get(self, key: Any, default: Any = None) -> Any:
        return machine().send(self.cells["@data"], "get", key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        return machine().send(self.cells["@data"], "pop", key, *default)

    def update(self, *args: Any, **kwargs: Any) -> None:
        machine().send(self.cells["@data"], "update", *args, **kwargs)

    def iterate(self) -> Any:
        return tuple(self.cells["@data"].cells)

    def length(self) -> Any:
        return len(self.cells["@data"].cells)

    def as_keywords(self) -> Any:
        return self.cells["@data"]

    def missing(self, name: str) -> Any:
        data: DictValue = self.cells["@data"]
        if name in data.cells:
            return data.cells[name]
        if data.rest is not None:
            return data.rest
        raise Undecided(Reason.DYNAMIC_ATTRIBUTE, name)

    def assigned(self, name: str, value: Any) -> None:
        self.cells["@data"].put(name, value)


@model("transformers.BatchEncoding", "transformers.BatchFeature", "transformers.tokenization_utils_base.BatchEncoding")
class BatchEncoding(Record):
    """What a tokenizer makes of a text or of several."""

    __slots__ = ()

    @property
    def data(self) -> Any:
        return self.cells["@data"]

    def to(self, *args: Any, **kwargs: Any) -> Any:
        return self

    def convert_to_tensors(self, tensor_type: Any = None, prepend_batch_axis: bool = False) -> Any:
        data = self.cells["@data"]
        return BatchEncoding(DictValue({key: tensor(value, tensor_type, key) for key, value in data.cells.items()}))

    def tokens(self, batch_index: Any = 0) -> Any:
        return ListValue(Repeated(Unknown(Reason.EXTERNAL_DATA, "token", "token"), self._tokens()))

    def word_ids(self, batch_index: Any = 0) -> Any:
        return ListValue(Repeated(Unknown(Reason.EXTERNAL_DATA, "word_id", "word_id"), self._tokens()))

    sequence_ids = word_ids

    def char_to_token(self, *args: Any, **kwargs: Any) -> Any:
        return Unknown(Reason.EXTERNAL_DATA, "a position", "position")

    token_to_chars = word_to_tokens = token_to_word = char_to_token

    def _tokens(self) -> Dim:
        found: Dim = self.cells["@tokens"]
        return found


@model(
    "transformers.modeling_outputs.ModelOutput", "transformers.utils.ModelOutput", "transformers.file_utils.ModelOutput"
)
class ModelOutput(Record):
    """What a model yields: by name, or by the place among what there is."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        parts = self.to_tuple()
        if isinstance(key, int):
            if not -len(parts) <= key < len(parts):
                raise Raised(IndexError("tuple index out of range"))
            return parts[key]
        return parts[key] if isinstance(key, slice) else super().__getitem__(key)

    def to_tuple(self) -> tuple[Any, ...]:
        return tuple(value for value in self.cells["@data"].cells.values() if value is not None)

    def unpack(self, count: int) -> tuple[Any, ...]:
        """The first of the parts; versions before 4 yield tuples, and programs take apart nothing else."""
        parts = self.to_tuple()
        if len(parts) < count:
            raise Undecided(Reason.EXCEPTION, f"{len(parts)} items are taken apart into {count}")
        return parts[:count]

    def missing(self, name: str) -> Any:
        return self.cells["@data"].cells.get(name)


def output(**parts: Any) -> ModelOutput:
    """The output of a model, without what it does not compute."""
    made = ModelOutput()
    store(made.cells, "@data", DictValue({name: part for name, part in parts.items() if part is not None}))
    return made


def kind_of(return_tensors: Any) -> type[TensorValue] | None:
    """The class of tensors that `return_tensors` asks for, None for lists."""
    text = getattr(return_tensors, "value", return_tensors)
    library = FRAMEWORKS.get(text) if isinstance(text, str) else None
    if library is None:
        return None
    load(library)
    return TENSORS[library]


def integers(name: str, dims: tuple[Dim, ...], return_tensors: Any, element: Any) -> Any:
    """Integers as a tensor, or as lists in lists."""
    kind = kind_of(return_tensors)
    if kind is not None:
        wide = dtypes.i32 if return_tensors == "tf" else dtypes.i64
        return source(name, Type(wide, dims), kind)
    made = element
    for size in reversed(dims):
        made = ListValue(Repeated(made, size))
    return made


def tensor(value: Any, return_tensors: Any, name: str = "") -> Any:
    """Lists of numbers as a tensor, if one is asked for."""
    kind = kind_of(return_tensors)
    if kind is None or isinstance(value, Unknown):
        return value
    wide = dtypes.i32 if return_tensors == "tf" else None
    try:
        made = from_python(value, kind)
    except Undecided:
        return value
    return made if wide is None or isinstance(value, TensorValue) else from_python(value, kind, wide)


def entries_of(value: Any) -> dict[str, Any] | None:
    """The entries of a dictionary or record, None if it is neither."""
    if isinstance(value, Record):
        value = value.cells["@data"]
    return dict(value.cells) if isinstance(value, DictValue) else None


def record(data: Mapping[str, Any], tokens: Dim | None = None) -> BatchEncoding:
    made = BatchEncoding(DictValue(data))
    store(made.cells, "@tokens", tokens if isinstance(tokens, int | Expr) else 0)
    return made
