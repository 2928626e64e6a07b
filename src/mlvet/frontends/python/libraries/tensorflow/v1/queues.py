"""Queues, readers and the batches that older programs take from them."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.domains.tensors import unknown
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.shapes import partial_sizes
from mlvet.frontends.python.libraries.tensorflow.structures import grown, mapped, row_of
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, typed
from mlvet.frontends.python.libraries.tensorflow.v1.sessions import Operation
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("tensorflow.train.Coordinator")
class Coordinator(Object):
    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords

    def should_stop(self) -> Any:
        return Scalar(bool, "should_stop")

    def request_stop(self, ex: Any = None) -> None:
        """Stop soon."""

    def join(self, *args: Any, **keywords: Any) -> None:
        """Wait."""


@model("tensorflow.compat.v1.train.start_queue_runners")
def start_queue_runners(*args: Any, **keywords: Any) -> Any:
    del args, keywords
    raise Undecided(Reason.UNMODELLED_CALL, "threads")


@model("tensorflow.compat.v1.train.add_queue_runner")
def add_queue_runner(qr: Any, collection: Any = "queue_runners") -> None:
    """Runs with the others."""


class Queue(Object):
    """Elements come out as they went in, or as the queue was told that they are."""

    def __init__(self, element: Any = None) -> None:
        self.element = element

    def _one(self) -> Any:
        if self.element is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a queue of elements of any shape")
        return self.element

    def dequeue(self, name: Any = None) -> Any:
        del name
        return self._one()

    def dequeue_many(self, n: Any, name: Any = None) -> Any:
        del name
        return mapped(lambda each: grown(each, as_size(n, "batch"), "dequeue"), self._one())

    dequeue_up_to = dequeue_many

    def enqueue(self, vals: Any, name: Any = None) -> Any:
        del name
        if self.element is None:
            self.element = _alone(vals)
        return Operation()

    def enqueue_many(self, vals: Any, name: Any = None) -> Any:
        del name
        if self.element is None:
            self.element = _alone(mapped(lambda each: row_of(convert(each)), vals))
        return Operation()

    def size(self, name: Any = None) -> Any:
        del name
        return typed("size", [], dtypes.i32)

    def close(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return Operation()


def _alone(elements: Any) -> Any:
    """What a list of a single tensor stands for."""
    if isinstance(elements, ListValue | tuple):
        items = as_items(elements)
        return items[0] if len(items) == 1 else ListValue(items)
    return elements


def _declared(dtypes_: Any, shapes: Any) -> Any:
    """The elements of a queue whose shapes are known from the start."""
    if shapes is None:
        return None
    kinds = as_items(dtypes_) if isinstance(dtypes_, ListValue | tuple) else (dtypes_,)
    given = as_items(shapes) if isinstance(shapes, ListValue | tuple) else (shapes,)
    if len(kinds) == 1 and not (len(given) == 1 and not isinstance(given[0], int)):
        given = (shapes,)
    if len(kinds) != len(given):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "the shapes of a queue")
    made = []
    for kind, shape in zip(kinds, given, strict=True):
        sizes = partial_sizes(shape)
        dtype = kind if isinstance(kind, DType) else None
        like = unknown(machine().fresh("element"), dtype) if sizes is None else Known(dtype, sizes)
        made.append(source("element", like, Tensor))
    return made[0] if len(made) == 1 else ListValue(made)


@model("tensorflow.queue.FIFOQueue", "tensorflow.compat.v1.FIFOQueue")
@model("tensorflow.queue.PaddingFIFOQueue", "tensorflow.compat.v1.PaddingFIFOQueue")
def queue(capacity: Any, dtypes: Any, shapes: Any = None, *rest: Any, **keywords: Any) -> Any:
    del capacity, rest, keywords
    return Queue(_declared(dtypes, shapes))


@model("tensorflow.queue.RandomShuffleQueue", "tensorflow.compat.v1.RandomShuffleQueue")
def random_queue(
    capacity: Any, min_after_dequeue: Any, dtypes: Any, shapes: Any = None, *rest: Any, **keywords: Any
) -> Any:
    del capacity, min_after_dequeue, rest, keywords
    return Queue(_declared(dtypes, shapes))


@model("tensorflow.compat.v1.train.string_input_producer", "tensorflow.compat.v1.train.input_producer")
def string_input_producer(string_tensor: Any, *rest: Any, **keywords: Any) -> Any:
    del rest, keywords
    return Queue(row_of(convert(string_tensor)))


@model("tensorflow.compat.v1.train.slice_input_producer")
def slice_input_producer(tensor_list: Any, *rest: Any, **keywords: Any) -> Any:
    del rest, keywords
    return ListValue(row_of(convert(each)) for each in as_items(tensor_list))


class Reader(Object):
    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords

    def read(self, queue: Any, name: Any = None) -> Any:
        del queue, name
        return typed("key", [], dtypes.text), typed("value", [], dtypes.text)

    def read_up_to(self, queue: Any, num_records: Any, name: Any = None) -> Any:
        del queue, num_records, name
        rows = symbol(machine().fresh("records"))
        return typed("keys", [], dtypes.text, rows), typed("values", [], dtypes.text, rows)


for _name in ("TFRecordReader", "TextLineReader", "WholeFileReader", "FixedLengthRecordReader", "IdentityReader"):
    model(f"tensorflow.compat.v1.{_name}")(type(_name, (Reader,), {}))


def _batched(tensors: Any, size: Dim, shapes: Any, enqueue_many: bool) -> Any:
    """The tensors with one more dim in front; a list of a single one becomes the tensor."""
    sizes = iter(as_items(shapes)) if isinstance(shapes, ListValue | tuple) else iter(())

    def leaf(each: Any) -> Any:
        x = convert(each)
        dims = partial_sizes(next(sizes, None))
        if dims is not None and dims_of(x) is None:
            return typed("batch", [x], dtype_of(x), size, *dims)
        if enqueue_many:
            return typed("batch", [x], dtype_of(x), size, *(dims_of(x) or ())[1:])
        return grown(x, size, "batch")

    return _alone(mapped(leaf, tensors))


@model("tensorflow.compat.v1.train.batch")
def batch(
    tensors: Any, batch_size: Any, num_threads: Any = 1, capacity: Any = 32, enqueue_many: bool = False,
    shapes: Any = None, *rest: Any, **keywords: Any,
) -> Any:  # fmt: skip
    del num_threads, capacity, rest, keywords
    return _batched(tensors, as_size(batch_size, "batch"), shapes, enqueue_many)


@model("tensorflow.compat.v1.train.shuffle_batch")
def shuffle_batch(
    tensors: Any, batch_size: Any, capacity: Any = None, min_after_dequeue: Any = None, num_threads: Any = 1,
    seed: Any = None, enqueue_many: bool = False, shapes: Any = None, *rest: Any, **keywords: Any,
) -> Any:  # fmt: skip
    del capacity, min_after_dequeue, num_threads, seed, rest, keywords
    return _batched(tensors, as_size(batch_size, "batch"), shapes, enqueue_many)


@model("tensorflow.compat.v1.train.batch_join", "tensorflow.compat.v1.train.shuffle_batch_join")
def batch_join(tensors_list: Any, batch_size: Any, *rest: Any, **keywords: Any) -> Any:
    del rest
    return _batched(as_items(tensors_list)[0], as_size(batch_size, "batch"), keywords.get("shapes"), False)
