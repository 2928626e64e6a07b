"""The older interface: fields, and iterators whose batches have one tensor per field."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.libraries.torchtext.vocabulary import Vocab
from mlvet.frontends.python.values.containers import Repeated
from mlvet.frontends.python.values.objects import Object

SETS = ("SNLI", "IMDB", "SST", "TREC", "Multi30k", "WikiText2", "TranslationDataset")


@model("torchtext.data.Field")
class Field(Object):
    """How a part of a sample becomes a tensor: of tokens, unless it is not sequential."""

    __slots__ = ()

    def __init__(self, sequential: bool = True, *args: Any, batch_first: bool = False, **kwargs: Any) -> None:
        self.sequential, self.batch_first = sequential, batch_first

    def build_vocab(self, *args: Any, **kwargs: Any) -> None:
        self.vocab = Vocab()

    @property
    def vocab(self) -> Any:
        if "vocab" not in self.cells:
            self.cells["vocab"] = Vocab()
        return self.cells["vocab"]

    @vocab.setter
    def vocab(self, vocab: Any) -> None:
        self.cells["vocab"] = vocab


@model("torchtext.data.LabelField")
class LabelField(Field):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(False)


class Batch(Object):
    """A tensor for each field: labels have one number per sample, texts one per token and sample."""

    __slots__ = ()
    joinable: ClassVar[bool] = True

    def __init__(self, batch: Dim) -> None:
        self.cells["batch_size"] = batch

    def missing(self, name: str) -> Any:
        batch, tokens = self.cells["batch_size"], symbol(machine().fresh("tokens"))
        dims = (batch,) if name in ("label", "target_label", "labels") else (tokens, batch)
        made = source(name, Type(dtypes.i64, dims), Tensor)
        setattr(self, name, made)
        return made


@model("torchtext.data.Iterator", "torchtext.data.BucketIterator", "torchtext.data.BPTTIterator")
class Iterator(Object):
    __slots__ = ()

    def __init__(self, dataset: Any = None, batch_size: Any = None, *args: Any, **kwargs: Any) -> None:
        self.batch_size, self.epoch = batch_size, symbol("epoch")
        self.dataset = dataset

    @classmethod
    def splits(cls, datasets: Any, *args: Any, **kwargs: Any) -> Any:
        found = machine().items(datasets)
        count = 3 if isinstance(found, Repeated) else len(found)
        return tuple(Iterator() for _ in range(count))

    def iterate(self) -> Any:
        return Repeated(Batch(symbol(machine().fresh("batch"), 1)), self.length())

    def length(self) -> Any:
        return symbol(machine().fresh("batches"))

    def init_epoch(self) -> None:
        pass


class Splitting(Object):
    """A data set that is read in parts."""

    __slots__ = ()

    @classmethod
    def splits(cls, *args: Any, **kwargs: Any) -> Any:
        return tuple(Object() for _ in range(3))


for name in SETS:
    path = f"torchtext.datasets.{name}.splits"
    model(path)(Splitting.splits)
