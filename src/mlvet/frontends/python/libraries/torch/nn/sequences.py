"""Sequences of unequal length: padded to one length, or packed for recurrent layers."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, bounds, equal, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.arrays.shaping import swapped
from mlvet.frontends.python.emission import demand, demand_equal, opaque
from mlvet.frontends.python.libraries.binding import Items, Number, Size, Tensor, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.tensor import Tensor as TorchTensor
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("torch.nn.utils.rnn.PackedSequence")
class PackedSequence(Object):
    """Sequences one step after the other; here they stay padded as [steps, batch, ...] in the cell `@padded`."""

    __slots__ = ()
    joinable: ClassVar[bool] = True

    def __init__(
        self, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> None:
        dims = dims_of(data) if isinstance(data, TensorValue) else None
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a packed sequence of unknown shape")
        steps, batch = symbol(machine().fresh("steps")), symbol(machine().fresh("batch"))
        store(
            self.cells,
            "@padded",
            opaque("padded", [data], Type(dtype_of(data), (steps, batch, *dims[1:])), TorchTensor),
        )
        store(self.cells, "data", data)
        self._indices(steps, batch)

    def _indices(self, steps: Dim, batch: Dim) -> None:
        self.batch_sizes = opaque("batch_sizes", [], Type(dtypes.i64, (steps,)), TorchTensor)
        self.sorted_indices = opaque("sorted_indices", [], Type(dtypes.i64, (batch,)), TorchTensor)
        self.unsorted_indices = opaque("unsorted_indices", [], Type(dtypes.i64, (batch,)), TorchTensor)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        return self

    cuda = to
    cpu = to

    @property
    def is_cuda(self) -> bool:
        return False

    def iterate(self) -> Any:
        return (self.data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def __getitem__(self, index: Any) -> Any:
        return self.iterate()[index]


def packed(padded: TensorValue) -> PackedSequence:
    """Sequences padded as [steps, batch, ...] in packed form."""
    made = PackedSequence.__new__(PackedSequence)
    assert isinstance(made, PackedSequence)
    dims = dims_of(padded) or ()
    store(made.cells, "@padded", padded)
    tokens = (symbol(machine().fresh("tokens")), *dims[2:])
    store(made.cells, "data", opaque("packed", [padded], Type(dtype_of(padded), tokens), TorchTensor))
    made._indices(dims[0], dims[1])
    return made


@model("torch.nn.utils.rnn.pack_padded_sequence")
def pack_padded_sequence(input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> Any:
    input = assumed(input, 3, *(("batch", "steps") if batch_first else ("steps", "batch")), "features")
    given, dims = _count(lengths), dims_of(input) or ()
    if given is not None:
        demand_equal(dims[0 if batch_first else 1], given, "there is one length for each sequence of the batch")
    return packed(swapped(input, 0, 1) if batch_first else input)


@model("torch.nn.utils.rnn.pad_packed_sequence")
def pad_packed_sequence(
    sequence: Any, batch_first: bool = False, padding_value: Number = 0.0, total_length: Size | None = None
) -> Any:
    if not isinstance(sequence, PackedSequence):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a packed sequence of unknown origin")
    padded = sequence.cells["@padded"]
    dims = dims_of(padded) or ()
    if total_length is not None:
        dims = (total_length, *dims[1:])
        padded = opaque("pad_packed_sequence", [padded], Type(dtype_of(padded), dims), TorchTensor)
    lengths = opaque("lengths", [], Type(dtypes.i64, (dims[1],)), TorchTensor)
    return (swapped(padded, 0, 1) if batch_first else padded), lengths


@model("torch.nn.utils.rnn.pad_sequence")
def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: Number = 0.0, padding_side: str = "right"
) -> Tensor:
    count, element, longest = _row(sequences)
    given = sequences.items if isinstance(sequences, ListValue) else sequences
    _demand_alike(given if isinstance(given, tuple) else ())
    dims = dims_of(element)
    if not dims:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "sequences of unknown shape")
    steps = dims[0] if longest else symbol(machine().fresh("steps"), *bounds(dims[0]))
    front = (count, steps) if batch_first else (steps, count)
    return opaque("pad_sequence", [element], Type(dtype_of(element), (*front, *dims[1:])), TorchTensor)


def _demand_alike(sequences: tuple[Any, ...]) -> None:
    """Sequences may differ in their first dim alone."""
    known = [dims for each in sequences if isinstance(each, TensorValue) and (dims := dims_of(each))]
    for other in known[1:]:
        what = f"sequences may differ in their length alone, but are {list(known[0])} and {list(other)}"
        fits = len(other) == len(known[0]) and all(
            equal(a, b) is not False for a, b in zip(known[0][1:], other[1:], strict=True)
        )
        if not fits:
            demand(False, what, "concat-dims", sequences)
            return


@model("torch.nn.utils.rnn.pack_sequence")
def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> Any:
    padded = pad_sequence(sequences)
    return packed(padded)


@model("torch.nn.utils.rnn.unpad_sequence")
def unpad_sequence(padded_sequences: Tensor, lengths: Any, batch_first: bool = False) -> Any:
    dims = dims_of(assumed(padded_sequences, 3, "batch", "steps", "features")) or ()
    count = dims[0] if batch_first else dims[1]
    one = (symbol(machine().fresh("steps")), *dims[2:])
    element = opaque("unpad_sequence", [padded_sequences], Type(dtype_of(padded_sequences), one), TorchTensor)
    return ListValue(Repeated(element, count))


@model("torch.nn.utils.rnn.unpack_sequence")
def unpack_sequence(packed_sequences: Any) -> Any:
    padded, lengths = pad_packed_sequence(packed_sequences)
    return unpad_sequence(padded, lengths)


def _count(lengths: Any) -> Dim | None:
    """How many lengths there are, if that is known."""
    if isinstance(lengths, TensorValue):
        dims = dims_of(lengths)
        return dims[0] if dims is not None and len(dims) == 1 else None
    if isinstance(lengths, ListValue | tuple):
        items = lengths.items if isinstance(lengths, ListValue) else lengths
        return items.length if isinstance(items, Repeated) else len(items) if isinstance(items, tuple) else None
    return None


def _row(sequences: Any) -> tuple[Dim, Any, bool]:
    """How many sequences there are, the longest of them or one like it, and whether all are known to be as long."""
    items: Items | Repeated = machine().items(sequences) if not isinstance(sequences, tuple) else sequences
    if isinstance(items, Repeated):
        if not isinstance(items.element, TensorValue):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "sequences of unknown kind")
        return items.length, items.element, False
    if not items or not all(isinstance(each, TensorValue) for each in items):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "sequences that are no tensors")
    lengths = [(dims_of(each) or (None,))[0] for each in items]
    if all(isinstance(length, int) for length in lengths):
        return len(items), items[max(range(len(items)), key=lambda place: as_size(lengths[place]))], True  # type: ignore[arg-type, return-value]
    return len(items), items[0], all(length == lengths[0] and length is not None for length in lengths)
