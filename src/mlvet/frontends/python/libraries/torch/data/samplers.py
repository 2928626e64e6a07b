"""Samplers: the order in which samples are taken."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, ceil_div, floor_div, symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.data.collation import index_symbol
from mlvet.frontends.python.libraries.torch.data.datasets import element_of, length_of
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.objects import Object


@model("torch.utils.data.Sampler", "torch.utils.data.sampler.Sampler")
class Sampler(Object):
    """Numbers of samples."""

    __slots__ = ()

    def __init__(self, data_source: Any = None, *args: Any, **kwargs: Any) -> None:
        self.data_source = data_source

    def iterate(self) -> Any:
        return Repeated(index_symbol(), self.length())

    def length(self) -> Any:
        source = self.cells.get("data_source")
        return symbol(machine().fresh("samples")) if source is None else length_of(source)


@model("torch.utils.data.SequentialSampler")
class SequentialSampler(Sampler):
    __slots__ = ()


@model("torch.utils.data.RandomSampler")
class RandomSampler(Sampler):
    __slots__ = ()

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: Size | None = None, generator: Any = None
    ) -> None:
        self.data_source, self.num_samples = data_source, num_samples

    def length(self) -> Any:
        return length_of(self.data_source) if self.num_samples is None else self.num_samples


@model("torch.utils.data.SubsetRandomSampler")
class SubsetRandomSampler(Sampler):
    __slots__ = ()

    def __init__(self, indices: Any, generator: Any = None) -> None:
        self.data_source = indices


@model("torch.utils.data.WeightedRandomSampler")
class WeightedRandomSampler(Sampler):
    __slots__ = ()

    def __init__(self, weights: Any, num_samples: Size, replacement: bool = True, generator: Any = None) -> None:
        self.num_samples = num_samples

    def length(self) -> Any:
        return self.num_samples


@model("torch.utils.data.DistributedSampler", "torch.utils.data.distributed.DistributedSampler")
class DistributedSampler(Sampler):
    __slots__ = ()

    def __init__(
        self, dataset: Any, num_replicas: Any = None, rank: Any = None, shuffle: bool = True, seed: Any = 0,
        drop_last: bool = False,
    ) -> None:  # fmt: skip
        self.dataset = dataset

    def set_epoch(self, epoch: Any) -> None:
        pass

    def length(self) -> Any:
        return symbol(machine().fresh("samples"))


@model("torch.utils.data.BatchSampler")
class BatchSampler(Sampler):
    __slots__ = ()

    def __init__(self, sampler: Any, batch_size: Size, drop_last: bool) -> None:
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def iterate(self) -> Any:
        size: Dim = self.batch_size if self.drop_last else machine().batch(self.batch_size)
        return Repeated(ListValue(Repeated(element_of(self.sampler), size)), self.length())

    def length(self) -> Any:
        samples = length_of(self.sampler)
        return floor_div(samples, self.batch_size) if self.drop_last else ceil_div(samples, self.batch_size)
