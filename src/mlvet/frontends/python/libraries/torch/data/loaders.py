"""DataLoader: batches of samples."""

from __future__ import annotations

from math import inf
from typing import Any

from mlvet.domains.dims import Dim, ceil_div, floor_div, symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.data.collation import collated, default_convert
from mlvet.frontends.python.libraries.torch.data.datasets import IterableDataset, length_of, sample_of
from mlvet.frontends.python.libraries.torch.data.samplers import BatchSampler, RandomSampler, Sampler, SequentialSampler
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Undecided


@model("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
class DataLoader(Object):
    """Batches of a data set. The batch is a symbol, as the last one may be smaller, unless that one is dropped."""

    __slots__ = ()

    def __init__(
        self, dataset: Any, batch_size: Size | None = 1, shuffle: Any = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: Any = 0, collate_fn: Any = None, pin_memory: Any = False,
        drop_last: bool = False, timeout: Any = 0, worker_init_fn: Any = None, multiprocessing_context: Any = None,
        generator: Any = None, *, prefetch_factor: Any = None, persistent_workers: Any = False,
        pin_memory_device: Any = "", in_order: Any = True,
    ) -> None:  # fmt: skip
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.num_workers, self.collate_fn, self.pin_memory = num_workers, collate_fn, pin_memory
        if sampler is None:
            kind: type[Sampler] = RandomSampler if shuffle is True else SequentialSampler
            sampler = kind(dataset)
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        if batch_sampler is None and batch_size is not None:
            self.batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.cells["@sampled"] = batch_sampler is not None

    def _batch(self) -> Dim:
        """How many samples a batch has: one symbol for all batches of this loader."""
        size, sampled = self.batch_size, self.cells["@sampled"]
        if self.drop_last and not sampled and size is not None:
            return size
        if "@batch" not in self.cells:
            most = size if isinstance(size, int) and size > 0 and not sampled else inf
            self.cells["@batch"] = machine().batch(None if sampled else size, most, self._samples())
        found: Dim = self.cells["@batch"]
        return found

    def _samples(self) -> Dim | None:
        """How many samples there are in all batches, if that can be told."""
        if isinstance(self.dataset, IterableDataset):
            return None
        try:
            return length_of(self.sampler)
        except Undecided:
            return None

    def iterate(self) -> Any:
        here = machine()
        sample = sample_of(self.dataset)
        if self.batch_size is None and not self.cells["@sampled"]:
            element = default_convert(sample) if self.collate_fn is None else here.call(self.collate_fn, sample)
        elif self.collate_fn is not None:
            element = here.call(self.collate_fn, ListValue(Repeated(sample, self._batch())))
        else:
            element = collated(sample, self._batch())
        return Repeated(element, self.length())

    def length(self) -> Any:
        if "@length" not in self.cells:
            self.cells["@length"] = self._length()
        return self.cells["@length"]

    def _length(self) -> Dim:
        if self.cells["@sampled"] or isinstance(self.dataset, IterableDataset):
            return symbol(machine().fresh("batches"))
        samples = length_of(self.sampler)
        if self.batch_size is None:
            return samples
        if not isinstance(samples, int) or not isinstance(self.batch_size, int) or self.batch_size < 1:
            return symbol(machine().fresh("batches"))
        return floor_div(samples, self.batch_size) if self.drop_last else ceil_div(samples, self.batch_size)
