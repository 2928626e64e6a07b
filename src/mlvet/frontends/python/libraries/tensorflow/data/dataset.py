"""tf.data.Dataset: one element that stands for all, and how many there are."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, at_least, ceil_div, floor_div, maximum, minimum, modulo, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.shapes import partial_sizes
from mlvet.frontends.python.libraries.tensorflow.structures import (
    as_elements,
    as_one,
    first_dim,
    grown,
    joined,
    leaves,
    mapped,
    row_of,
    spec_of,
)  # fmt: skip
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, numpy_array, plain, typed
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

model("tensorflow.data.AUTOTUNE", "tensorflow.data.experimental.AUTOTUNE")(-1)
model("tensorflow.data.INFINITE_CARDINALITY", "tensorflow.data.experimental.INFINITE_CARDINALITY")(-1)
model("tensorflow.data.UNKNOWN_CARDINALITY", "tensorflow.data.experimental.UNKNOWN_CARDINALITY")(-2)


@model("tensorflow.data.Dataset")
class Dataset(Object):
    """Elements of one structure. `count` is a size, None if the data set never ends."""

    def __init__(self, variant_tensor: Any = None) -> None:
        del variant_tensor
        self.element: Any = None
        self.count: Any = symbol(machine().fresh("elements"))

    # Where elements come from.

    @staticmethod
    def from_tensor_slices(tensors: Any, name: Any = None) -> Any:
        del name
        if isinstance(tensors, Scalar) and tensors.has_default and tensors.default is None:
            raise Undecided(Reason.DYNAMIC_TYPE, "an option that may not be set")
        given = as_elements(tensors)
        for leaf in leaves(given):
            demand(
                not (isinstance(leaf, TensorValue) and rank_of(leaf) == 0),
                "a single number has no rows",
                "rank-differs",
            )
        _agree(given)
        return dataset(mapped(row_of, given), first_dim(given))

    @staticmethod
    def from_tensors(tensors: Any, name: Any = None) -> Any:
        del name
        return dataset(as_elements(tensors), 1)

    @staticmethod
    def from_generator(
        generator: Any,
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: Any = None,
    ) -> Any:
        from mlvet.frontends.python.libraries.tensorflow.data.generators import generated

        del name
        return generated(generator, output_types, output_shapes, args, output_signature)

    @staticmethod
    def range(*args: Any, **keywords: Any) -> Any:
        del keywords
        sizes = [as_size(each, "limit") for each in args]
        first, last, step = (
            (0, sizes[0], 1) if len(sizes) == 1 else (sizes[0], sizes[1], sizes[2] if len(sizes) > 2 else 1)
        )
        return dataset(typed("Dataset.range", [], dtypes.i64), maximum(ceil_div(last - first, step), 0))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: Any = None) -> Any:
        del name
        given = args[0] if len(args) == 1 else args or datasets
        parts = [leaf for leaf in leaves(given) if isinstance(leaf, Dataset)]
        counts = [part.count for part in parts if part.count is not None]
        element = mapped(lambda part: part.element if isinstance(part, Dataset) else part, given)
        if isinstance(element, ListValue) and isinstance(element.items, tuple):
            element = element.items
        return dataset(element, minimum(*counts) if counts else None)

    @staticmethod
    def list_files(file_pattern: Any, shuffle: Any = None, seed: Any = None, name: Any = None) -> Any:
        del file_pattern, shuffle, seed, name
        return dataset(typed("Dataset.list_files", [], dtypes.text), symbol(machine().fresh("files")))

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: DType | None = dtypes.i64, name: Any = None) -> Any:
        del start, step, name
        return dataset(typed("Dataset.counter", [], dtype or dtypes.i64), None)

    @staticmethod
    def random(seed: Any = None, rerandomize_each_iteration: Any = None, name: Any = None) -> Any:
        del seed, rerandomize_each_iteration, name
        return dataset(typed("Dataset.random", [], dtypes.i64), None)

    @staticmethod
    def sample_from_datasets(datasets: Any, weights: Any = None, seed: Any = None, *rest: Any, **keywords: Any) -> Any:
        del weights, seed, rest, keywords
        return as_items(datasets)[0]

    @staticmethod
    def choose_from_datasets(datasets: Any, choice_dataset: Any, *rest: Any, **keywords: Any) -> Any:
        del choice_dataset, rest, keywords
        return as_items(datasets)[0]

    @staticmethod
    def load(path: Any, element_spec: Any = None, *rest: Any, **keywords: Any) -> Any:
        from mlvet.frontends.python.libraries.tensorflow.data.generators import of_signature

        del path, rest, keywords
        open_ = machine().unknown(Reason.EXTERNAL_DATA, "elements of a dataset that was saved")
        element = open_ if element_spec is None else of_signature(element_spec)
        return dataset(element, symbol(machine().fresh("elements")))

    # One element made of each.

    def map(self, map_func: Any, *rest: Any, **keywords: Any) -> Any:
        """A list that the function yields is a tuple of tensors, not a tensor of them all."""
        del rest, keywords
        made = as_one(self.given_to(map_func))
        if isinstance(made, ListValue) and isinstance(made.items, tuple):
            made = made.items
        return dataset(as_elements(made), self.count)

    def filter(self, predicate: Any, name: Any = None) -> Any:
        del name
        self.given_to(predicate)
        return dataset(self.element, symbol(machine().fresh("kept"), 0, _bound(self.count)))

    def flat_map(self, map_func: Any, name: Any = None) -> Any:
        del name
        made = self.given_to(map_func)
        if not isinstance(made, Dataset):
            return dataset(made if isinstance(made, Unknown) else None, symbol(machine().fresh("elements")))
        both = self.count is not None and made.count is not None
        return dataset(made.element, self.count * made.count if both else None)

    def interleave(self, map_func: Any, *rest: Any, **keywords: Any) -> Any:
        del rest, keywords
        return self.flat_map(map_func)

    def scan(self, initial_state: Any, scan_func: Any, name: Any = None) -> Any:
        del name
        made = machine().call(scan_func, initial_state, self.element)
        return dataset(as_elements(made[1]) if isinstance(made, tuple) and len(made) == 2 else None, self.count)

    def take_while(self, predicate: Any, name: Any = None) -> Any:
        return self.filter(predicate, name)

    def enumerate(self, start: Any = 0, name: Any = None) -> Any:
        del start, name
        return dataset((typed("Dataset.enumerate", [], dtypes.i64), self.element), self.count)

    def reduce(self, initial_state: Any, reduce_func: Any, name: Any = None) -> Any:
        del name
        start = as_elements(initial_state)
        return joined(None, start, as_elements(machine().call(reduce_func, start, self.element)))

    def apply(self, transformation_func: Any) -> Any:
        return machine().call(transformation_func, self)

    def given_to(self, function: Any) -> Any:
        """What a function of the program makes of an element; a tuple is given as several arguments."""
        element = self.element
        return machine().call(function, *element) if isinstance(element, tuple) else machine().call(function, element)

    # Batches.

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: Any = None,
    ) -> Any:
        del num_parallel_calls, deterministic, name
        size = as_size(batch_size, "batch")
        rows = batched_size(size, self.count, drop_remainder)
        count: Dim | None = self.count
        if count is not None:
            count = floor_div(count, size) if drop_remainder else ceil_div(count, size)
        return dataset(mapped(lambda each: _batched(each, rows), self.element), count)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: Any = None,
    ) -> Any:
        del padding_values, name
        made = self.batch(batch_size, drop_remainder)
        wanted = _flat_shapes(padded_shapes)
        position = iter(range(len(wanted))) if wanted else iter(())

        def widened(each: Any) -> Any:
            index = next(position, None)
            return _padded(each, wanted[index] if index is not None else None)

        return dataset(mapped(widened, made.element), made.count)

    def ragged_batch(self, batch_size: Any, drop_remainder: bool = False, *rest: Any, **keywords: Any) -> Any:
        del rest, keywords
        return self.padded_batch(batch_size, None, None, drop_remainder)

    def bucket_by_sequence_length(
        self, element_length_func: Any, bucket_boundaries: Any, bucket_batch_sizes: Any, *rest: Any, **keywords: Any
    ) -> Any:
        del element_length_func, bucket_boundaries, bucket_batch_sizes, rest, keywords
        return self.padded_batch(symbol(machine().fresh("bucket")))

    def unbatch(self, name: Any = None) -> Any:
        del name
        rows = first_dim(self.element)
        count: Dim | None = None if self.count is None or rows is None else self.count * rows
        return dataset(mapped(row_of, self.element), count)

    def rebatch(self, batch_size: Any, drop_remainder: bool = False, name: Any = None) -> Any:
        del name
        return self.unbatch().batch(batch_size, drop_remainder)

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False, name: Any = None
    ) -> Any:
        del stride, name
        length = as_size(size, "window")
        rows = batched_size(length, self.count, drop_remainder)
        step = length if shift is None else as_size(shift, "shift")
        count = None if self.count is None else ceil_div(self.count, step)
        return dataset(mapped(lambda each: dataset(each, rows), self.element), count)

    def group_by_window(self, key_func: Any, reduce_func: Any, *rest: Any, **keywords: Any) -> Any:
        del key_func, rest, keywords
        made = machine().call(reduce_func, typed("key", [], dtypes.i64), self)
        return made if isinstance(made, Dataset) else self

    # The same elements, fewer, more or in another order.

    def take(self, count: Any, name: Any = None) -> Any:
        del name
        limit = as_size(count, "taken")
        if isinstance(limit, int) and limit == -1:
            return self
        return dataset(self.element, limit if self.count is None else minimum(limit, self.count))

    def skip(self, count: Any, name: Any = None) -> Any:
        del name
        left = None if self.count is None else maximum(self.count - as_size(count, "skipped"), 0)
        return dataset(self.element, left)

    def repeat(self, count: Any = None, name: Any = None) -> Any:
        del name
        if count is None or (isinstance(count, int) and count == -1) or self.count is None:
            return dataset(self.element, None)
        return dataset(self.element, self.count * as_size(count, "epochs"))

    def shard(self, num_shards: Any, index: Any, name: Any = None) -> Any:
        del index, name
        return dataset(
            self.element, None if self.count is None else ceil_div(self.count, as_size(num_shards, "shards"))
        )

    def concatenate(self, dataset: Any, name: Any = None) -> Any:
        del name
        other = dataset.count if isinstance(dataset, Dataset) else symbol(machine().fresh("elements"))
        made = Dataset()
        made.element, made.count = self.element, None if self.count is None or other is None else self.count + other
        return made

    def _same(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return self

    shuffle = prefetch = cache = with_options = snapshot = ignore_errors = rejection_resample = unique = _same
    assert_cardinality = sparse_batch = _same

    def options(self) -> Any:
        return Options()

    def save(self, *args: Any, **keywords: Any) -> None:
        """Written to a file."""

    # What a program sees of it.

    @property
    def element_spec(self) -> Any:
        return spec_of(self.element)

    @property
    def output_shapes(self) -> Any:
        return mapped(lambda each: each.shape if isinstance(each, Tensor) else each, self.element)

    @property
    def output_types(self) -> Any:
        return mapped(lambda each: each.dtype if isinstance(each, Tensor) else each, self.element)

    def cardinality(self, name: Any = None) -> Any:
        del name
        return convert(-1 if self.count is None else self.count, dtypes.i64)

    def as_numpy_iterator(self) -> Any:
        arrays = mapped(lambda each: numpy_array(each) if isinstance(each, TensorValue) else each, self.element)
        return IteratorValue(Repeated(arrays, self.length()))

    def get_single_element(self, name: Any = None) -> Any:
        del name
        return self.element

    def make_one_shot_iterator(self) -> Any:
        return DatasetIterator(self)

    def make_initializable_iterator(self, shared_name: Any = None) -> Any:
        del shared_name
        return DatasetIterator(self)

    def iterate(self) -> Any:
        return (
            (self.element,)
            if isinstance(self.count, int) and self.count == 1
            else Repeated(self.element, self.length())
        )

    def length(self) -> Any:
        return symbol(machine().fresh("steps")) if self.count is None else self.count


def dataset(element: Any, count: Dim | None) -> Dataset:
    made = Dataset.__new__(Dataset)
    assert isinstance(made, Dataset)
    made.cells.update(element=element, count=count)
    return made


@model("tensorflow.data.Iterator")
class DatasetIterator(Object):
    """An iterator of TensorFlow's own, which yields an element whenever it is asked."""

    of_iterators: ClassVar[bool] = True

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    @staticmethod
    def from_structure(output_types: Any, output_shapes: Any = None, *rest: Any) -> Any:
        from mlvet.frontends.python.libraries.tensorflow.data.generators import typed_elements

        del rest
        return DatasetIterator(dataset(typed_elements(output_types, output_shapes), None))

    def get_next(self, name: Any = None) -> Any:
        del name
        return mapped(lambda each: plain(each) if isinstance(each, TensorValue) else each, self.dataset.element)

    @property
    def initializer(self) -> Any:
        from mlvet.frontends.python.libraries.tensorflow.v1.sessions import Operation

        return Operation()

    def make_initializer(self, dataset: Any, name: Any = None) -> Any:
        del name
        self.dataset = dataset
        return self.initializer

    def __next__(self) -> Any:
        return self.dataset.element

    def iterate(self) -> Any:
        return self.dataset.iterate()


@model("tensorflow.data.Options")
class Options(Object):
    """Settings of a data set; attributes of it may be set at will."""

    def __init__(self) -> None:
        for name in ("experimental_distribute", "threading", "experimental_optimization", "autotune"):
            setattr(self, name, Object())


def batched_size(size: Dim, count: Dim | None, drop_remainder: bool) -> Dim:
    """How many elements a batch has: all but the last are full."""
    if drop_remainder or count is None:
        return size
    if isinstance(size, int) and isinstance(count, int):
        if count <= size:
            return count
        if count % size == 0:
            return size
    elif modulo(count, size) == 0:
        return size
    return machine().batch(size, _bound(size), count)


def _bound(size: Dim | None) -> float:
    return size if isinstance(size, int) else float("inf")


def _batched(each: Any, rows: Dim) -> Any:
    if isinstance(each, Dataset):
        return each
    return grown(each, rows, "Dataset.batch")


def _agree(value: Any) -> None:
    """All tensors of a structure have the same number of rows."""
    sizes = [dims[0] for leaf in leaves(value) if isinstance(leaf, TensorValue) and (dims := dims_of(leaf))]
    for size in sizes[1:]:
        differs = at_least(size, sizes[0] + 1) is True or at_least(sizes[0], size + 1) is True
        demand(not differs, f"tensors of {sizes[0]} and {size} rows", "dims-differ")


def _flat_shapes(shapes: Any) -> list[Any]:
    """The shapes of each component, from a structure in which lists are shapes."""
    if shapes is None:
        return []
    if isinstance(shapes, DictValue):
        return [shape for each in shapes.cells.values() for shape in _flat_shapes(each)]
    if isinstance(shapes, tuple) and not all(each is None or isinstance(each, int | Expr) for each in shapes):
        return [shape for each in shapes for shape in _flat_shapes(each)]
    return [shapes]


def _padded(each: Any, shape: Any) -> Any:
    """Sizes after the first as asked for; those that are not known or that are padded to the longest are symbols."""
    dims = dims_of(each) if isinstance(each, TensorValue) else None
    if dims is None:
        return each
    wanted = partial_sizes(shape, ("padded",) * len(dims)) if shape is not None else None
    if wanted is not None and len(wanted) == len(dims) - 1:
        given = as_items(shape) if isinstance(shape, tuple | list | ListValue) else wanted
        sizes = [
            own if isinstance(own, int) and (asked is None or asked == -1) else size
            for own, size, asked in zip(dims[1:], wanted, given, strict=True)
        ]
    else:
        sizes = [size if isinstance(size, int) else symbol(machine().fresh("padded")) for size in dims[1:]]
    if tuple(sizes) == dims[1:]:
        return each
    return opaque("Dataset.padded_batch", [each], Known(dtype_of(each), (dims[0], *sizes)), Tensor)
