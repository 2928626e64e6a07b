"""keras.datasets: arrays of known sizes."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.creation import data
from mlvet.frontends.python.libraries.keras.tensor import numpy_class
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.numbers import Scalar


def _arrays(
    name: str, train: Dim, test: Dim, x: tuple[tuple[int, ...], DType], y: tuple[tuple[int, ...], DType]
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Examples and labels for training and for testing."""
    kind = numpy_class()

    def pair(part: str, rows: Dim) -> tuple[Any, Any]:
        return (
            data(f"{name} x_{part}", (rows, *x[0]), x[1], kind),
            data(f"{name} y_{part}", (rows, *y[0]), y[1], kind),
        )

    return pair("train", train), pair("test", test)


@model("keras.datasets.mnist.load_data")
def mnist(path: Any = "mnist.npz") -> Any:
    return _arrays("mnist", 60000, 10000, ((28, 28), dtypes.u8), ((), dtypes.u8))


@model("keras.datasets.fashion_mnist.load_data")
def fashion_mnist() -> Any:
    return _arrays("fashion_mnist", 60000, 10000, ((28, 28), dtypes.u8), ((), dtypes.u8))


@model("keras.datasets.cifar10.load_data")
def cifar10() -> Any:
    return _arrays("cifar10", 50000, 10000, ((32, 32, 3), dtypes.u8), ((1,), dtypes.u8))


@model("keras.datasets.cifar100.load_data")
def cifar100(label_mode: Any = "fine") -> Any:
    return _arrays("cifar100", 50000, 10000, ((32, 32, 3), dtypes.u8), ((1,), dtypes.i64))


def _rows(split: Any, default: float, train: int, test: int) -> tuple[Dim, Dim]:
    """How many rows there are for training and for testing, known where the share is the usual one."""
    if split == default:
        return train, test
    return symbol(machine().fresh("train")), symbol(machine().fresh("test"))


@model("keras.datasets.boston_housing.load_data")
def boston_housing(path: Any = "boston_housing.npz", test_split: Any = 0.2, seed: Any = 113) -> Any:
    train, test = _rows(test_split, 0.2, 404, 102)
    return _arrays("boston_housing", train, test, ((13,), dtypes.f64), ((), dtypes.f64))


@model("keras.datasets.california_housing.load_data")
def california_housing(
    version: Any = "large", path: Any = "california_housing.npz", test_split: Any = 0.2, seed: Any = 113
) -> Any:
    train, test = _rows(test_split, 0.2, *((480, 120) if version == "small" else (16512, 4128)))
    return _arrays("california_housing", train, test, ((8,), dtypes.f32), ((), dtypes.f32))


@model("keras.datasets.imdb.load_data")
def imdb(
    path: Any = "imdb.npz", num_words: Any = None, skip_top: Any = 0, maxlen: Any = None, seed: Any = 113,
    start_char: Any = 1, oov_char: Any = 2, index_from: Any = 3, **kwargs: Any,
) -> Any:  # fmt: skip
    train, test = (25000, 25000) if maxlen is None else _rows(maxlen, 0.0, 0, 0)
    return _arrays("imdb", train, test, ((), dtypes.text), ((), dtypes.i64))


@model("keras.datasets.reuters.load_data")
def reuters(
    path: Any = "reuters.npz", num_words: Any = None, skip_top: Any = 0, maxlen: Any = None, test_split: Any = 0.2,
    seed: Any = 113, start_char: Any = 1, oov_char: Any = 2, index_from: Any = 3,
) -> Any:  # fmt: skip
    train, test = (8982, 2246) if maxlen is None and test_split == 0.2 else _rows(None, 0.0, 0, 0)
    return _arrays("reuters", train, test, ((), dtypes.text), ((), dtypes.i64))


@model("keras.datasets.imdb.get_word_index", "keras.datasets.reuters.get_word_index")
def get_word_index(path: Any = "") -> Any:
    index = symbol(machine().fresh("word_index"))
    return DictValue({}, rest=index)


@model("keras.datasets.reuters.get_label_names")
def get_label_names() -> Any:
    return tuple(Scalar(str, "label") for _ in range(46))
