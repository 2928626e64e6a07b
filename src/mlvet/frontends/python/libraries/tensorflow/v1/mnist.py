"""tf.examples.tutorials.mnist: the digits that older programs learn from."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import TENSORS, as_size
from mlvet.frontends.python.libraries.registry import load, model
from mlvet.frontends.python.values.objects import Object


def _array(name: str, dtype: Any, *dims: Dim) -> Any:
    load("numpy")
    return source(name, Known(dtype, dims), TENSORS["numpy"])


class Digits(Object):
    """Pictures in rows of 784 numbers, and their labels."""

    def __init__(self, count: int, one_hot: bool, reshape: bool) -> None:
        self.num_examples = count
        self.one_hot = one_hot
        self.reshape = reshape
        self.images = self._pictures(count)
        self.labels = self._labels(count)
        self.epochs_completed = 0

    def _pictures(self, count: Dim) -> Any:
        return _array("images", dtypes.f32, count, *((784,) if self.reshape else (28, 28, 1)))

    def _labels(self, count: Dim) -> Any:
        return _array("labels", dtypes.f64, count, 10) if self.one_hot else _array("labels", dtypes.u8, count)

    def next_batch(self, batch_size: Any, fake_data: Any = False, shuffle: Any = True) -> Any:
        del fake_data, shuffle
        count = as_size(batch_size, "batch")
        return self._pictures(count), self._labels(count)


class DigitSets(Object):
    def __init__(self, one_hot: bool, reshape: bool) -> None:
        self.train = Digits(55000, one_hot, reshape)
        self.validation = Digits(5000, one_hot, reshape)
        self.test = Digits(10000, one_hot, reshape)


@model(
    "tensorflow.examples.tutorials.mnist.input_data.read_data_sets",
    "tensorflow.contrib.learn.python.learn.datasets.mnist.read_data_sets",
)
def read_data_sets(
    train_dir: Any, fake_data: Any = False, one_hot: bool = False, dtype: Any = None, reshape: bool = True, *rest: Any,
    **keywords: Any,
) -> Any:  # fmt: skip
    del train_dir, fake_data, dtype, rest, keywords
    return DigitSets(one_hot, reshape)
