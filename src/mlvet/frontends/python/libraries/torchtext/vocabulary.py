"""Tokenisers, vocabularies, and data sets that yield text."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.data.datasets import IterableDataset
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object

PAIRS = ("Multi30k", "IWSLT2016", "IWSLT2017")
LABELLED = ("AG_NEWS", "IMDB", "SST2", "YelpReviewFull", "YelpReviewPolarity", "DBpedia", "AmazonReviewFull",
    "AmazonReviewPolarity", "SogouNews", "YahooAnswers", "CoLA")  # fmt: skip
PLAIN = ("WikiText2", "WikiText103", "PennTreebank", "EnWik9", "CC100")


class Tokenizer(Object):
    """Text to tokens."""

    __slots__ = ()

    def __call__(self, text: Any) -> Any:
        return ListValue(Repeated(Scalar(str, "token"), symbol(machine().fresh("tokens"))))


@model("torchtext.data.utils.get_tokenizer", "torchtext.data.get_tokenizer")
def get_tokenizer(tokenizer: Any, language: Any = "en") -> Any:
    return tokenizer if callable(tokenizer) and not isinstance(tokenizer, str) else Tokenizer()


@model("torchtext.vocab.Vocab", "torchtext.vocab.vocab.Vocab")
class Vocab(Object):
    """Tokens and their numbers."""

    __slots__ = ()

    def length(self) -> Any:
        if "@size" not in self.cells:
            self.cells["@size"] = symbol(machine().fresh("vocabulary"), 1)
        return self.cells["@size"]

    def __call__(self, tokens: Any) -> Any:
        found = machine().items(tokens)
        count: Dim = found.length if isinstance(found, Repeated) else len(found)
        return ListValue(Repeated(self[None], count))

    lookup_indices = __call__
    forward = __call__

    def __getitem__(self, token: Any) -> Expr:
        return symbol(machine().fresh("token"), 0)

    def __contains__(self, token: Any) -> Any:
        return Scalar(bool, "known")

    def set_default_index(self, index: Any) -> None:
        pass

    def load_vectors(self, *args: Any, **kwargs: Any) -> None:
        dims = (self.length(), symbol(machine().fresh("embedding"), 1))
        self.vectors = source("vectors", Type(dtypes.f32, dims), Tensor)

    def get_stoi(self) -> Any:
        return DictValue({}, rest=self[None])

    def get_itos(self) -> Any:
        return ListValue(Repeated(Scalar(str, "token"), self.length()))

    @property
    def stoi(self) -> Any:
        return self.get_stoi()

    @property
    def itos(self) -> Any:
        return self.get_itos()

    def lookup_token(self, index: Any) -> Any:
        return Scalar(str, "token")

    def lookup_tokens(self, indices: Any) -> Any:
        found = machine().items(indices)
        return ListValue(Repeated(Scalar(str, "token"), found.length if isinstance(found, Repeated) else len(found)))


@model("torchtext.vocab.build_vocab_from_iterator", "torchtext.vocab.vocab")
def build_vocab_from_iterator(iterator: Any, *args: Any, **kwargs: Any) -> Any:
    machine().items(iterator)
    return Vocab()


class Texts(IterableDataset):
    """Samples of text."""

    __slots__ = ()

    def __init__(self, sample: Any) -> None:
        self.cells["@sample"] = sample

    def iterate(self) -> Any:
        return Repeated(self.cells["@sample"], self.length())


def _maker(sample: Any) -> Any:
    def make(root: Any = None, split: Any = ("train", "valid", "test"), *args: Any, **kwargs: Any) -> Any:
        def one() -> Any:
            return Texts(sample())

        if isinstance(split, tuple | ListValue):
            found = machine().items(split)
            return one() if isinstance(found, Repeated) else tuple(one() for _ in found)
        return one()

    return make


for name in PAIRS:
    model(f"torchtext.datasets.{name}")(_maker(lambda: (Scalar(str, "source"), Scalar(str, "target"))))
for name in LABELLED:
    model(f"torchtext.datasets.{name}")(_maker(lambda: (symbol(machine().fresh("label")), Scalar(str, "text"))))
for name in PLAIN:
    model(f"torchtext.datasets.{name}")(_maker(lambda: Scalar(str, "line")))


@model("torchtext.data.functional.to_map_style_dataset")
def to_map_style_dataset(iter_data: Any) -> Any:
    return iter_data
