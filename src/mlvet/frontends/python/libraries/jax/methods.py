"""Methods of jax.Array, most of which are functions of jax.numpy with the array first."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.arrays import shaping as shared
from mlvet.frontends.python.libraries.binding import as_spread
from mlvet.frontends.python.libraries.jax.array import Array, axes_named, cast_to
from mlvet.frontends.python.libraries.jax.numpy import creation, shaping
from mlvet.frontends.python.libraries.registry import MODELS
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import dtype_of, tensor_of

SHARED = (
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "clip", "conj", "conjugate", "copy", "cumprod",
    "cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero", "prod", "ptp", "ravel", "repeat", "round",
    "searchsorted", "sort", "squeeze", "std", "sum", "swapaxes", "take", "trace", "var",
)  # fmt: skip


def reshape(self: Any, *args: Any, order: str = "C", copy: Any = None, out_sharding: Any = None) -> Any:
    del order, copy, out_sharding
    return shared.reshape(self, as_spread(args))


def transpose(self: Any, *args: Any) -> Any:
    if len(args) == 1 and not isinstance(args[0], int):
        return shaping.transpose(self, args[0])
    return shaping.transpose(self, axes_named(args) if args else None)


def flatten(self: Any, order: str = "C", *, out_sharding: Any = None) -> Any:
    del order, out_sharding
    return shared.reshape(self, (-1,))


def astype(self: Any, dtype: DType | None, copy: bool = False, device: Any = None) -> Any:
    del copy, device
    return cast_to(self, dtype) if dtype is not None else creation.copy(self)


def view(self: Any, dtype: DType | None = None, type: Any = None) -> Any:
    del type
    return cast_to(self, dtype)


def item(self: Any, *args: Any) -> Any:
    """The one element as a Python number."""
    del args
    known = tensor_of(self)
    if known.value is not None and known.value.size == 1 and known.value.dtype != object:
        return known.value.reshape(-1)[0].item()
    found = dtype_of(self)
    if found is dtypes.bool_:
        return Scalar(bool)
    if found is not None and found.is_integer:
        from mlvet.frontends.python.libraries.binding import element

        return element(self)
    return Scalar(float)


def tolist(self: Any) -> Any:
    """Nested lists, of elements that are not known."""
    from mlvet.frontends.python.values.containers import ListValue, Repeated

    dims = tensor_of(self).shape
    inner: Any = item(self)
    for dim in reversed(dims if isinstance(dims, tuple) else ()):
        inner = ListValue((inner,) * dim) if isinstance(dim, int) and dim <= 64 else ListValue(Repeated(inner, dim))
    return inner


def same(self: Any, *args: Any, **keywords: Any) -> Any:
    """block_until_ready and its kin."""
    del args, keywords
    return self


def is_fully_addressable(self: Any) -> bool:
    return True


def device(self: Any) -> Any:
    from mlvet.frontends.python.libraries.jax.devices import Device

    return Device()


def devices(self: Any) -> Any:
    from mlvet.frontends.python.values.containers import SetValue

    return SetValue((device(self),))


for _name in SHARED:
    setattr(Array, _name, MODELS[f"jax.numpy.{_name}"])
for _method in (reshape, transpose, flatten, astype, view, item, tolist, devices):
    setattr(Array, _method.__name__, _method)
for _name in (
    "block_until_ready",
    "to_device",
    "copy_to_host_async",
    "addressable_data",
    "delete",
    "unsafe_buffer_pointer",
):
    setattr(Array, _name, same)
Array.device = property(device)  # type: ignore[attr-defined]
Array.is_fully_addressable = property(is_fully_addressable)  # type: ignore[attr-defined]
Array.is_fully_replicated = property(is_fully_addressable)  # type: ignore[attr-defined]
Array.flat = property(flatten)  # type: ignore[attr-defined]
