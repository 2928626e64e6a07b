"""tf.strings and the tables of tf.lookup: text by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import ArrayLike, as_items
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import axes_of, chosen, dims_or_undecided, sizes_of
from mlvet.frontends.python.libraries.tensorflow.structures import of_shape
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, like, op_of, typed
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of, dtype_of


def _each(name: str, dtype: DType = dtypes.text) -> Callable[..., Any]:
    def function(input: ArrayLike, *rest: Any, **keywords: Any) -> Tensor:
        del rest, keywords
        return like(f"strings.{name}", convert(input), dtype=dtype)

    return function


for _name in "lower upper strip regex_replace substr unicode_transcode".split():
    model(f"tensorflow.strings.{_name}")(_each(_name))
for _name in "length to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong".split():
    model(f"tensorflow.strings.{_name}")(_each(_name, dtypes.i32 if _name == "length" else dtypes.i64))
model("tensorflow.compat.v1.string_to_hash_bucket_fast", "tensorflow.compat.v1.string_to_hash_bucket")(
    _each("hash", dtypes.i64)
)
model("tensorflow.strings.unicode_script")(_each("unicode_script", dtypes.i32))
model("tensorflow.strings.regex_full_match")(_each("regex_full_match", dtypes.bool_))
model("tensorflow.compat.v1.regex_replace")(_each("regex_replace"))
model("tensorflow.compat.v1.substr")(_each("substr"))


@model("tensorflow.strings.as_string", "tensorflow.as_string")
def as_string(input: ArrayLike, *rest: Any, **keywords: Any) -> Tensor:
    del rest, keywords
    return like("as_string", convert(input), dtype=dtypes.text)


@model("tensorflow.strings.to_number", "tensorflow.compat.v1.string_to_number")
def to_number(input: Any = None, out_type: DType | None = dtypes.f32, name: Any = None, **old: Any) -> Tensor:
    del name
    return like("to_number", convert(chosen(input, old.get("string_tensor"))), dtype=out_type or dtypes.f32)


@model("tensorflow.strings.join", "tensorflow.compat.v1.string_join")
def join(inputs: Any, separator: Any = "", name: Any = None) -> Tensor:
    del separator, name
    parts = [convert(each) for each in as_items(inputs)]
    return next((like("strings.join", each) for each in parts if dims_of(each) != ()), like("strings.join", parts[0]))


@model("tensorflow.strings.reduce_join", "tensorflow.compat.v1.reduce_join")
def reduce_join(
    inputs: ArrayLike, axis: Any = None, keepdims: bool = False, separator: Any = "", name: Any = None, **old: Any
) -> Tensor:
    del separator, name, old
    x = convert(inputs)
    dims = dims_or_undecided(x)
    axes = {each % len(dims) for each in axes_of(axis) or range(len(dims))} if dims else set()
    kept = [1 if n in axes else dim for n, dim in enumerate(dims) if keepdims or n not in axes]
    return typed("reduce_join", [x], dtypes.text, *kept)


def _parts(name: str, what: str, dtype: DType = dtypes.text) -> Callable[..., Any]:
    """Text taken apart: one more dim, of unknown size."""

    def function(input: ArrayLike, *rest: Any, **keywords: Any) -> Tensor:
        del rest, keywords
        x = convert(input)
        return typed(name, [x], dtype, *dims_or_undecided(x), symbol(machine().fresh(what)))

    return function


model("tensorflow.strings.split", "tensorflow.compat.v1.string_split")(_parts("strings.split", "words"))
model("tensorflow.strings.unicode_split")(_parts("strings.unicode_split", "characters"))
model("tensorflow.strings.bytes_split")(_parts("strings.bytes_split", "bytes"))
model("tensorflow.strings.unicode_decode")(_parts("strings.unicode_decode", "characters", dtypes.i32))


@model("tensorflow.strings.ngrams")
def ngrams(data: ArrayLike, ngram_width: Any, *rest: Any, **keywords: Any) -> Tensor:
    """So many neighbours as one text; the last dim becomes that many less one shorter."""
    x = convert(data)
    *outer, last = dims_or_undecided(x)
    plain = isinstance(ngram_width, int) and isinstance(last, int) and last >= ngram_width and not (rest or keywords)
    return typed("ngrams", [x], dtypes.text, *outer, last - ngram_width + 1 if plain else symbol(machine().fresh("n")))


@model("tensorflow.strings.unicode_encode")
def unicode_encode(input: ArrayLike, *rest: Any, **keywords: Any) -> Tensor:
    del rest, keywords
    x = convert(input)
    return typed("unicode_encode", [x], dtypes.text, *dims_or_undecided(x)[:-1])


@model("tensorflow.strings.format")
def format(template: Any, inputs: Any = None, *rest: Any, **keywords: Any) -> Tensor:
    del template, inputs, rest, keywords
    return typed("strings.format", [], dtypes.text)


@model("tensorflow.lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer(Object):
    def __init__(
        self, keys: Any, values: Any, key_dtype: DType | None = None, value_dtype: DType | None = None, name: Any = None
    ) -> None:
        del name
        self.key_dtype = key_dtype or dtype_of(convert(keys))
        self.value_dtype = value_dtype or dtype_of(convert(values))


@model("tensorflow.lookup.TextFileInitializer")
class TextFileInitializer(Object):
    def __init__(
        self, filename: Any, key_dtype: DType | None, key_index: Any, value_dtype: DType | None, value_index: Any,
        *rest: Any, **keywords: Any,
    ) -> None:  # fmt: skip
        del filename, key_index, value_index, rest, keywords
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype


@model(
    "tensorflow.lookup.StaticHashTable",
    "tensorflow.lookup.StaticVocabularyTable",
    "tensorflow.contrib.lookup.HashTable",
)
class StaticHashTable(Object):
    """A table: what it is asked for decides the shape of the answer."""

    def __init__(self, initializer: Any, default_value: Any = None, *rest: Any, **keywords: Any) -> None:
        del default_value, rest, keywords
        self.value_dtype = getattr(initializer, "value_dtype", None)

    def lookup(self, keys: Any, name: Any = None) -> Tensor:
        del name
        x = convert(keys)
        return typed("lookup", [x], self.value_dtype, *dims_or_undecided(x))

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    def size(self, name: Any = None) -> Tensor:
        del name
        return typed("size", [], dtypes.i64)

    def export(self, name: Any = None) -> Any:
        del name
        count = symbol(machine().fresh("entries"))
        return typed("export", [], None, count), typed("export", [], self.value_dtype, count)

    @property
    def initializer(self) -> Any:
        return typed("initializer", [], dtypes.bool_)

    init = initializer


@model("tensorflow.lookup.experimental.MutableHashTable", "tensorflow.lookup.experimental.DenseHashTable")
class MutableHashTable(StaticHashTable):
    def __init__(self, key_dtype: DType | None, value_dtype: DType | None, *rest: Any, **keywords: Any) -> None:
        del key_dtype, rest, keywords
        self.value_dtype = value_dtype

    def insert(self, keys: Any, values: Any, name: Any = None) -> None:
        """Kept in the table."""


# Sparse tensors are dense ones.


@model("tensorflow.sparse.to_dense", "tensorflow.compat.v1.sparse_tensor_to_dense")
def to_dense(sp_input: ArrayLike, *rest: Any, **keywords: Any) -> Tensor:
    del rest, keywords
    return op_of("identity", convert(sp_input))


@model("tensorflow.sparse.from_dense")
def from_dense(tensor: ArrayLike, name: Any = None) -> Tensor:
    del name
    return op_of("identity", convert(tensor))


@model("tensorflow.SparseTensor", "tensorflow.sparse.SparseTensor")
def sparse_tensor(indices: Any, values: Any, dense_shape: Any) -> Tensor:
    del indices
    return of_shape("sparse", dtype_of(convert(values)), sizes_of(dense_shape, "size"))


@model("tensorflow.sparse.reorder")
def reorder(sp_input: ArrayLike, name: Any = None) -> Tensor:
    del name
    return op_of("identity", convert(sp_input))
