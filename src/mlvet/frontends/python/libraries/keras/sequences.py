"""Sequences, categories and data sets of the program's own: keras.utils and keras.preprocessing."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import opaque, unknown_tensor
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_size
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.tensor import array, floating, numpy_class
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Undecided


@model("keras.utils.to_categorical")
def to_categorical(x: Any, num_classes: Any = None, *args: Any, **kwargs: Any) -> Tensor:
    plain = not isinstance(x, TensorValue) or x.framework.value == "numpy"
    try:
        made = array(kwargs.get("y", x))
        dims = ranked_dims(made)
    except Undecided:
        if not plain:
            raise
        return unknown_tensor(numpy_class(), dtypes.f64, "categories")
    count = symbol(machine().fresh("classes")) if num_classes is None else as_size(num_classes, "classes")
    rest = dims[:-1] if len(dims) > 1 and dims[-1] == 1 else dims
    kind = numpy_class() if plain else type(made)
    return opaque("utils.to_categorical", [made], Known(dtypes.f64 if plain else dtypes.f32, (*rest, count)), kind)


@model("tf_keras.utils.to_categorical")
def float_categories(y: Any, num_classes: Any = None, dtype: DType | None = None) -> Tensor:
    """The same in Keras 2, which makes arrays of 32 bits unless another type is named."""
    return cast(to_categorical(y, num_classes), dtype or dtypes.f32)


@model("keras.utils.normalize")
def normalize(x: ArrayLike, axis: Any = -1, order: Any = 2) -> Tensor:
    made = floating(array(x))
    result = alike("utils.normalize", made)
    return (
        numpy_class().of(result.graph_value) if isinstance(x, TensorValue) and x.framework.value == "numpy" else result
    )


@model("keras.utils.pad_sequences", "keras.preprocessing.sequence.pad_sequences")
def pad_sequences(
    sequences: Any, maxlen: Any = None, dtype: Any = "int32", padding: Any = "pre", truncating: Any = "pre",
    value: Any = 0.0,
) -> Tensor:  # fmt: skip
    rows, rest, longest = _extent(sequences)
    length = longest if maxlen is None else as_size(maxlen, "maxlen")
    return opaque(
        "utils.pad_sequences", [], Known(dtype_named(dtype) or dtypes.i32, (rows, length, *rest)), numpy_class()
    )


def _extent(sequences: Any) -> tuple[Dim, tuple[Dim, ...], Dim]:
    """How many sequences there are, the sizes of one step, and the length of the longest."""
    longest: Dim = symbol(machine().fresh("longest"))
    if isinstance(sequences, TensorValue):
        dims = dims_of(sequences) or (symbol(machine().fresh("sequences")),)
        return dims[0], tuple(dims[2:]), dims[1] if len(dims) > 1 else longest
    items = sequences.items if isinstance(sequences, ListValue) else sequences
    if isinstance(items, Repeated):
        return items.length, (), longest
    if isinstance(items, tuple):
        lengths = [len(each.items) for each in items if isinstance(each, ListValue) and isinstance(each.items, tuple)]
        return len(items), (), max(lengths) if lengths and len(lengths) == len(items) else longest
    return symbol(machine().fresh("sequences")), (), longest


@model("keras.utils.PyDataset", "keras.utils.Sequence")
class PyDataset(Object):
    """A data set that the program defines by `__getitem__`, which yields batches."""

    def __init__(
        self, workers: Any = 1, use_multiprocessing: Any = False, max_queue_size: Any = 10, **kwargs: Any
    ) -> None:
        self.workers = workers
        self.use_multiprocessing = use_multiprocessing
        self.max_queue_size = max_queue_size

    def iterate(self) -> Any:
        index = symbol(machine().fresh("index"))
        return Repeated(machine().send(self, "__getitem__", index), symbol(machine().fresh("batches")))

    @property
    def num_batches(self) -> Any:
        return machine().send(self, "__len__")

    def on_epoch_begin(self) -> None:
        return None

    def on_epoch_end(self) -> None:
        return None


@model("keras.utils.unpack_x_y_sample_weight")
def unpack_x_y_sample_weight(data: Any) -> Any:
    from mlvet.frontends.python.libraries.keras.batches import unpacked

    return unpacked(data)


@model("keras.utils.pack_x_y_sample_weight")
def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    if y is None:
        return x if not isinstance(x, tuple) else (x,)
    return (x, y) if sample_weight is None else (x, y, sample_weight)


@model("keras.preprocessing.text.Tokenizer")
class Tokenizer(Object):
    """Words as numbers, as Keras 2 did it."""

    def __init__(self, num_words: Any = None, **kwargs: Any) -> None:
        self.num_words = num_words
        index = symbol(machine().fresh("word_index"))
        self.word_index = DictValue({}, rest=index)
        self.index_word = DictValue({}, rest=Scalar(str, "word"))
        self.word_counts = DictValue({}, rest=index)
        self.document_count = symbol(machine().fresh("documents"))

    def fit_on_texts(self, texts: Any) -> None:
        return None

    def fit_on_sequences(self, sequences: Any) -> None:
        return None

    def texts_to_sequences(self, texts: Any) -> Any:
        rows, _, _ = _extent(texts)
        token = symbol(machine().fresh("token"))
        return ListValue(Repeated(ListValue(Repeated(token, symbol(machine().fresh("tokens")))), rows))

    def sequences_to_texts(self, sequences: Any) -> Any:
        return ListValue(Repeated(Scalar(str, "text"), _extent(sequences)[0]))

    def texts_to_matrix(self, texts: Any, mode: Any = "binary") -> Any:
        words = as_size(held(self)["num_words"], "words") if held(self)["num_words"] is not None else symbol("words")
        return opaque("Tokenizer.texts_to_matrix", [], Known(dtypes.f64, (_extent(texts)[0], words)), numpy_class())

    sequences_to_matrix = texts_to_matrix


@model("keras.preprocessing.text.text_to_word_sequence")
def text_to_word_sequence(input_text: Any, **kwargs: Any) -> Any:
    return ListValue(Repeated(Scalar(str, "word"), symbol(machine().fresh("words"))))


@model("keras.preprocessing.text.one_hot")
def text_one_hot(input_text: Any, n: Any, **kwargs: Any) -> Any:
    return ListValue(Repeated(symbol(machine().fresh("token")), symbol(machine().fresh("words"))))


@model("keras.preprocessing.sequence.TimeseriesGenerator")
class TimeseriesGenerator(Object):
    def __init__(
        self, data: Any, targets: Any, length: Any, sampling_rate: Any = 1, stride: Any = 1, *args: Any, **kwargs: Any
    ) -> None:
        store(self.cells, "@parts", (array(data), array(targets), as_size(length, "length")))

    def iterate(self) -> Any:
        data, targets, length = held(self)["@parts"]
        batch = symbol("batch")
        first, second = ranked_dims(data), ranked_dims(targets)
        x = opaque("timeseries", [data], Known(dtype_of(data), (batch, length, *first[1:])), numpy_class())
        y = opaque("timeseries", [targets], Known(dtype_of(targets), (batch, *second[1:])), numpy_class())
        return Repeated((x, y), symbol(machine().fresh("batches")))

    def __getitem__(self, index: Any) -> Any:
        return self.iterate().element

    def length(self) -> Any:
        return symbol(machine().fresh("batches"))


@model("keras.preprocessing.sequence.skipgrams")
def skipgrams(sequence: Any, vocabulary_size: Any, *args: Any, **kwargs: Any) -> Any:
    count = symbol(machine().fresh("pairs"))
    word = symbol(machine().fresh("word"))
    return ListValue(Repeated(ListValue((word, word)), count)), ListValue(Repeated(symbol("label"), count))


@model("keras.preprocessing.sequence.make_sampling_table")
def make_sampling_table(size: Any, sampling_factor: Any = 1e-5) -> Any:
    return opaque("make_sampling_table", [], Known(dtypes.f64, (as_size(size),)), numpy_class())
