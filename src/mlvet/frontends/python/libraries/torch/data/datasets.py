"""Data sets: what one sample is, and how many there are."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dims as sizes
from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.interpretation.joining import all_joined
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.data.collation import index_symbol
from mlvet.frontends.python.values.containers import IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@model("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset")
class Dataset(Object):
    """Samples by number."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        raise Undecided(Reason.UNKNOWN_DISPATCH, "a data set without __getitem__")

    def length(self) -> Any:
        if "@length" not in self.cells:
            self.cells["@length"] = symbol(machine().fresh("samples"))
        return self.cells["@length"]

    def iterate(self) -> Any:
        return Repeated(machine().send(self, "__getitem__", index_symbol()), length_of(self))

    def __add__(self, other: Any) -> Any:
        return ConcatDataset((self, other))


@model("torch.utils.data.IterableDataset")
class IterableDataset(Dataset):
    """Samples one after the other."""

    __slots__ = ()

    def iterate(self) -> Any:
        raise Undecided(Reason.UNKNOWN_DISPATCH, "a data set without __iter__")


@model("torch.utils.data.TensorDataset")
class TensorDataset(Dataset):
    __slots__ = ()

    def __init__(self, *tensors: Any) -> None:
        self.tensors = tensors
        known = [dims_of(each) for each in tensors if isinstance(each, TensorValue)]
        firsts = [dims[0] for dims in known if dims]
        for first in firsts[1:]:
            demand(sizes.equal(first, firsts[0]), "the tensors of a data set have as many rows", "dims-differ")

    def __getitem__(self, index: Any) -> Any:
        return tuple(machine().send(each, "__getitem__", index) for each in self.tensors)

    def length(self) -> Any:
        return length_of(self.tensors[0]) if self.tensors else 0


@model("torch.utils.data.StackDataset")
class StackDataset(Dataset):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.parts, self.named = args, kwargs

    def __getitem__(self, index: Any) -> Any:
        if self.parts:
            return tuple(sample_of(each, index) for each in self.parts)
        return {name: sample_of(each, index) for name, each in self.named.items()}

    def length(self) -> Any:
        return length_of((self.parts or tuple(self.named.values()))[0])


@model("torch.utils.data.Subset")
class Subset(Dataset):
    __slots__ = ()

    def __init__(self, dataset: Any, indices: Any) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        return sample_of(self.dataset, index_symbol() if not isinstance(index, int | Expr) else index)

    def length(self) -> Any:
        return length_of(self.indices)


@model("torch.utils.data.ConcatDataset", "torch.utils.data.ChainDataset")
class ConcatDataset(Dataset):
    __slots__ = ()

    def __init__(self, datasets: Any) -> None:
        self.datasets = datasets

    def __getitem__(self, index: Any) -> Any:
        found = machine().items(self.datasets)
        parts = (found.element,) if isinstance(found, Repeated) else found
        return all_joined(machine(), [sample_of(each, index) for each in parts])

    def length(self) -> Any:
        found = machine().items(self.datasets)
        if isinstance(found, Repeated):
            return symbol(machine().fresh("samples"))
        total: Dim = 0
        for each in found:
            total = total + length_of(each)
        return total


@model("torch.utils.data.random_split")
def random_split(dataset: Any, lengths: Any, generator: Any = None) -> Any:
    found = machine().items(lengths)
    if isinstance(found, Repeated):
        return ListValue(Repeated(_part(dataset, symbol(machine().fresh("samples"))), found.length))
    whole = length_of(dataset)
    if all(isinstance(each, int | Expr) for each in found) and found:
        total: Dim = 0
        for each in found:
            total = total + each
        if all(isinstance(each, int) and each <= 1 for each in found) and found:
            total = whole
        demand(sizes.equal(total, whole), "the parts of a data set are as large as the whole", "dims-differ")
        return ListValue(_part(dataset, each) for each in found)
    return ListValue(_part(dataset, _share(whole, each)) for each in found)


def _share(whole: Dim, share: Any) -> Dim:
    if isinstance(whole, int) and isinstance(share, float) and float(whole * share).is_integer():
        return int(whole * share)
    return symbol(machine().fresh("samples"))


def _part(dataset: Any, length: Dim) -> Subset:
    return Subset(dataset, ListValue(Repeated(index_symbol(), length)))


@model("torch.utils.data.get_worker_info")
def get_worker_info() -> None:
    pass


def sample_of(dataset: Any, index: Any = None) -> Any:
    """One sample of anything that a loader takes: of a data set, a list, a tensor."""
    here = machine()
    index = index_symbol() if index is None else index
    match dataset:
        case Unknown():
            return dataset
        case IterableDataset():
            return element_of(dataset)
        case TensorValue():
            return here.send(dataset, "__getitem__", index)
        case ListValue() | tuple():
            return element_of(dataset)
        case Object():
            return here.send(dataset, "__getitem__", index)
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"samples of {type(dataset).__name__}")


def element_of(iterable: Any) -> Any:
    """What stands for all items of an iterable."""
    found = machine().items(iterable)
    if isinstance(found, Repeated):
        return found.element
    if not found:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "a data set without samples")
    return all_joined(machine(), list(found)) if len(found) <= 64 else found[0]


def length_of(value: Any) -> Dim:
    """How many samples there are."""
    here = machine()
    match value:
        case ListValue():
            items = value.items
            return items.length if isinstance(items, Repeated) else len(items)
        case tuple():
            return len(value)
        case IteratorValue() | Unknown():
            return symbol(here.fresh("samples"))
        case Object():
            if value.kind is not None:
                from mlvet.frontends.python.interpretation.attributes import lookup
                from mlvet.frontends.python.trail import MISSING

                method = lookup(here, value, "__len__")
                if method is not MISSING:
                    found = here.call(method)
                    return found if isinstance(found, int | Expr) else symbol(here.fresh("samples"))
            native = getattr(type(value), "length", None)
            if native is not None:
                found = native(value)
                return found if isinstance(found, int | Expr) else symbol(here.fresh("samples"))
        case Scalar():
            pass
    if hasattr(value, "__len__") and isinstance(value, range):
        return len(value)
    return symbol(here.fresh("samples"))
