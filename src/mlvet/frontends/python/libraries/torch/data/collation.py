"""Samples of a data set put together to a batch."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque, unknown_tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.devices import default_device
from mlvet.frontends.python.libraries.torch.placement import on_cpu, placed
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.placements import Placement, placement_of
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def collated(sample: Any, batch: Dim) -> Any:
    """As many samples as the batch has, all like this one: tensors and numbers stacked, structures part by part."""
    match sample:
        case TensorValue():
            return stacked(sample, batch)
        case bool():
            return _numbers(batch, dtypes.bool_)
        case int() | Expr():
            return _numbers(batch, dtypes.i64)
        case float():
            return _numbers(batch, dtypes.f64)
        case str() | bytes():
            return ListValue(Repeated(Scalar(type(sample)), batch))
        case Scalar():
            kinds = {bool: dtypes.bool_, int: dtypes.i64, float: dtypes.f64}
            if sample.kind in kinds:
                return _numbers(batch, kinds[sample.kind])
            return ListValue(Repeated(sample, batch))
        case tuple():
            return ListValue(collated(part, batch) for part in sample)
        case DictValue():
            rest = None if sample.rest is None else collated(sample.rest, batch)
            return DictValue({key: collated(part, batch) for key, part in sample.cells.items()}, rest, sample.made_by)
        case ListValue():
            if isinstance(sample.items, Repeated):
                return ListValue(Repeated(collated(sample.items.element, batch), sample.items.length))
            return ListValue(collated(part, batch) for part in sample.items)
        case Choice():
            return Choice(tuple((guard, collated(part, batch)) for guard, part in sample.alternatives))
        case Unknown():
            return sample
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"{type(sample).__name__} in a batch")


def stacked(sample: TensorValue, batch: Dim) -> Any:
    dims = dims_of(sample)
    if dims is None:
        found = unknown_tensor(Tensor, dtype_of(sample), "batch")
    else:
        found = opaque("collate", [sample], Type(dtype_of(sample), (batch, *dims)), Tensor)
    return _from_host(found) if not isinstance(sample, Tensor) else placed(found, _told(placement_of(sample)))


def _from_host(batch: Any) -> Any:
    return placed(batch, _told(default_device()))


def _told(where: Placement) -> Placement:
    return where.told("a batch of a loader", machine().location)


def _numbers(batch: Dim, dtype: DType) -> Any:
    return _from_host(opaque("collate", [], Type(dtype, (batch,)), Tensor))


@model("torch.utils.data.default_collate", "torch.utils.data._utils.collate.default_collate")
def default_collate(batch: Any) -> Any:
    items = machine().items(batch)
    if isinstance(items, Repeated):
        return collated(items.element, items.length)
    if not items:
        raise Undecided(Reason.EXCEPTION, "a batch without samples")
    return collated(items[0], len(items))


@model("torch.utils.data.default_convert")
def default_convert(data: Any) -> Any:
    """Arrays as tensors, all else as it is."""
    match data:
        case TensorValue():
            return data if isinstance(data, Tensor) else on_cpu(Tensor.of(data.graph_value))
        case tuple():
            return tuple(default_convert(part) for part in data)
        case ListValue() if isinstance(data.items, tuple):
            return ListValue(default_convert(part) for part in data.items)
        case DictValue():
            return DictValue({key: default_convert(part) for key, part in data.cells.items()}, data.rest, data.made_by)
    return data


def index_symbol() -> Expr:
    """The number of a sample."""
    return symbol(machine().fresh("index"))
