"""Layers from text and categories to numbers: lookups, hashing, TextVectorization."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Size, Tensor, as_size
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layers.scaling import Preprocessing, encoded
from mlvet.frontends.python.libraries.keras.tensor import array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class Vocabulary(Preprocessing):
    """A layer that numbers the words it has seen."""

    EXTRA = 1
    WORD: type = str

    def _learn(self, vocabulary: Any, extra: int, most: Any) -> None:
        """Note how many words there are: as many as are given, or as the data have, at most so many."""
        given = vocabulary.items if isinstance(vocabulary, ListValue) else vocabulary
        if isinstance(given, TensorValue) and (dims := dims_of(given)):
            size: Dim = dims[0] + extra
        elif isinstance(given, tuple):
            reserved = sum(1 for each in given if each in ("", "[UNK]"))
            size = len(given) + extra - min(reserved, extra)
        elif isinstance(given, Repeated):
            size = given.length + extra
        else:
            high = most if isinstance(most, int) else None
            name = machine().fresh("vocabulary")
            size = symbol(name, 0, high) if high is not None else symbol(name)
        store(self.cells, "@size", size)
        store(self.cells, "@vocabulary", given if isinstance(given, tuple) else None)

    @property
    def _tokens(self) -> Dim:
        most = held(self).get("max_tokens")
        if held(self).get("pad_to_max_tokens") and isinstance(most, int | Expr):
            return most
        found: Dim = held(self)["@size"]
        return found

    def get_vocabulary(self, include_special_tokens: Any = True) -> Any:
        word = Scalar(str, "token") if self.WORD is str else symbol(machine().fresh("token"))
        return ListValue(Repeated(word, held(self)["@size"]))

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        self._learn(vocabulary, self.EXTRA, None)

    def vocabulary_size(self) -> Any:
        return held(self)["@size"]

    vocab_size = vocabulary_size

    def load_assets(self, *args: Any) -> None:
        return None


class Lookup(Vocabulary):
    """Categories as numbers, or the other way."""

    def __init__(
        self, max_tokens: Any = None, num_oov_indices: Any = 1, mask_token: Any = None, oov_token: Any = "[UNK]",
        vocabulary: Any = None, idf_weights: Any = None, invert: bool = False, output_mode: Any = "int",
        pad_to_max_tokens: bool = False, sparse: Any = False, encoding: Any = "utf-8", name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        self.max_tokens = max_tokens
        self.invert = invert
        self.output_mode = output_mode
        self.pad_to_max_tokens = pad_to_max_tokens
        self.num_oov_indices = num_oov_indices
        self.mask_token = mask_token
        store(self.cells, "@dtype", dtype_named(kwargs.get("dtype")) if isinstance(kwargs.get("dtype"), str) else None)
        extra = (num_oov_indices if isinstance(num_oov_indices, int) else 1) + (0 if mask_token is None else 1)
        self._learn(vocabulary, extra, max_tokens)
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        cells = held(self)
        x = array(inputs)
        if cells["invert"]:
            word = dtypes.text if self.WORD is str else dtypes.i64
            return opaque(f"layers.{type(self).__name__}", [x], x.graph_value.declared.with_dtype(word), type(x))
        if cells["output_mode"] in ("int", None) or isinstance(cells["output_mode"], Unknown):
            wanted = cells["@dtype"] if cells["@dtype"] is not None and cells["@dtype"].is_integer else dtypes.i64
            return opaque(f"layers.{type(self).__name__}", [x], x.graph_value.declared.with_dtype(wanted), type(x))
        return encoded(x, self._tokens, cells["output_mode"], cells["@dtype"] or dtypes.i64)


@model("keras.layers.StringLookup")
class StringLookup(Lookup):
    pass


@model("keras.layers.IntegerLookup")
class IntegerLookup(Lookup):
    WORD = int


@model("keras.layers.TextVectorization")
class TextVectorization(Vocabulary):
    EXTRA = 2

    def __init__(
        self, max_tokens: Any = None, standardize: Any = "lower_and_strip_punctuation", split: Any = "whitespace",
        ngrams: Any = None, output_mode: Any = "int", output_sequence_length: Any = None,
        pad_to_max_tokens: bool = False, vocabulary: Any = None, idf_weights: Any = None, sparse: Any = False,
        ragged: Any = False, encoding: Any = "utf-8", name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        self.max_tokens = max_tokens
        self.output_mode = output_mode
        self.output_sequence_length = output_sequence_length
        self.pad_to_max_tokens = pad_to_max_tokens
        self.standardize = standardize
        self.split = split
        extra = 2 if output_mode == "int" else 1
        self._learn(vocabulary, extra, max_tokens)
        self.built = True

    def adapt(self, data: Any = None, batch_size: Any = None, steps: Any = None) -> None:
        """The program's own standardisation runs on the text."""
        standardize = held(self)["standardize"]
        if not isinstance(standardize, str | Unknown) and standardize is not None:
            machine().call(standardize, _text())

    def call(self, inputs: ArrayLike) -> Tensor:
        cells = held(self)
        x = array(inputs)
        dims = dims_of(x)
        standardize = cells["standardize"]
        if not isinstance(standardize, str | Unknown | Scalar) and standardize is not None:
            machine().call(standardize, x)
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "text of unknown rank")
        rows = dims[:-1] if len(dims) > 1 and dims[-1] == 1 else dims
        if cells["output_mode"] == "int":
            length = cells["output_sequence_length"]
            wanted = symbol(machine().fresh("tokens")) if length is None else as_size(length, "sequence_length")
            return opaque("layers.TextVectorization", [x], Known(dtypes.i64, (*rows, wanted)), type(x))
        return opaque("layers.TextVectorization", [x], Known(dtypes.i64, (*rows, self._tokens)), type(x))


def _text() -> Any:
    from mlvet.frontends.python.emission import source
    from mlvet.frontends.python.libraries.binding import TENSORS
    from mlvet.frontends.python.libraries.keras.tensor import KerasTensor

    return source("text", Known(dtypes.text, (symbol("batch"),)), TENSORS.get("tensorflow", KerasTensor))


@model("keras.layers.Hashing")
class Hashing(Preprocessing):
    def __init__(
        self, num_bins: Size, mask_value: Any = None, salt: Any = None, output_mode: Any = "int", sparse: Any = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=kwargs.get("name"))
        self.num_bins = num_bins
        self.output_mode = output_mode
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        x = array(inputs)
        if held(self)["output_mode"] == "int":
            return opaque("layers.Hashing", [x], x.graph_value.declared.with_dtype(dtypes.i64), type(x))
        return encoded(x, held(self)["num_bins"], held(self)["output_mode"], dtypes.f32)


@model("keras.layers.HashedCrossing")
class HashedCrossing(Preprocessing):
    def __init__(
        self,
        num_bins: Size,
        output_mode: Any = "int",
        sparse: Any = False,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name)
        self.num_bins = num_bins
        self.output_mode = output_mode
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        from mlvet.frontends.python.libraries.binding import as_items

        x = array(as_items(inputs)[0])
        if held(self)["output_mode"] == "int":
            return opaque("layers.HashedCrossing", [x], x.graph_value.declared.with_dtype(dtypes.i64), type(x))
        return encoded(x, held(self)["num_bins"], held(self)["output_mode"], dtypes.f32)
