"""Tensors and types of ONNX files: element types, declared shapes, and the elements, which stay in the file."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor, unknown
from mlvet.frontends.protobuf.wire import Record
from mlvet.ir.graph import Data

DTYPES: dict[int, DType] = {
    1: dtypes.f32, 2: dtypes.u8, 3: dtypes.i8, 4: dtypes.u16, 5: dtypes.i16, 6: dtypes.i32, 7: dtypes.i64,
    8: dtypes.text, 9: dtypes.bool_, 10: dtypes.f16, 11: dtypes.f64, 12: dtypes.u32, 13: dtypes.u64, 14: dtypes.c64,
    15: dtypes.c128, 16: dtypes.bf16, 17: dtypes.f8e4m3fn, 18: dtypes.f8e4m3fnuz, 19: dtypes.f8e5m2,
    20: dtypes.f8e5m2fnuz, 21: dtypes.u4, 22: dtypes.i4, 23: dtypes.f4e2m1, 24: dtypes.f8e8m0, 25: dtypes.u2,
    26: dtypes.i2, 27: dtypes.f6e2m3, 28: dtypes.f6e3m2,
}  # fmt: skip

_PACKED = (2, 4)
"""Elements of this many bits share a number even where numbers are written one by one."""

_LARGEST = 1 << 48
_LARGEST_DENSE = 1 << 28


def dtype_of(code: int) -> DType:
    """The element type with ONNX's number."""
    if code not in DTYPES:
        raise UnsupportedInput(f"unknown element type {code}")
    return DTYPES[code]


def declared(info: Record) -> Tensor:
    """What a file says of a value. Sequences and optionals are of unknown shape and element type."""
    kind = info.type.tensor_type if info.type is not None else None
    if kind is None:
        return unknown(info.name)
    dtype = DTYPES.get(kind.elem_type)
    if kind.shape is None:
        return unknown(info.name, dtype)
    return Tensor(dtype, tuple(_dim(dim, f"{info.name}.{axis}") for axis, dim in enumerate(kind.shape.dim)))


def _dim(dim: Record, name: str) -> Dim:
    if dim.has("dim_value") and dim.dim_value >= 0:
        return int(dim.dim_value)
    named = any(letter.isalnum() for letter in dim.dim_param)
    return symbol(dim.dim_param if named else name)


class Storage:
    """Where the elements of tensors are: in the model file, or in files beside it, which are mapped."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._mapped: dict[str, memoryview] = {}

    def data(self, tensor: Record) -> Data:
        """The elements of a tensor, loaded on demand; what is claimed of them is checked now."""
        dtype = dtype_of(tensor.data_type)
        shape = tuple(int(dim) for dim in tensor.dims)
        load = self._elements(tensor, dtype, _size(tensor.name, shape))
        return Data(dtype, shape, lambda: load().reshape(shape))

    def sparse(self, tensor: Record) -> Data:
        """The elements of a sparse tensor, spread out when they are loaded."""
        if tensor.values is None:
            raise UnsupportedInput("a sparse tensor has no values")
        values = self.data(tensor.values)
        name, count = tensor.values.name, values.size
        shape = tuple(int(dim) for dim in tensor.dims)
        size = _size(name, shape)
        if tensor.indices is None:
            raise UnsupportedInput(f"the sparse tensor `{name}` has no indices")
        indices = self.data(tensor.indices)
        if indices.dtype is not dtypes.i64 or indices.shape not in ((count,), (count, len(shape))):
            raise UnsupportedInput(f"the sparse tensor `{name}` has {count} elements, but the indices {indices}")

        def load() -> NDArray[Any]:
            if size > _LARGEST_DENSE:
                raise UnsupportedInput(f"the sparse tensor `{name}` of {size} elements is too large to be spread out")
            places = indices.load()
            if places.ndim == 2:
                places = places @ np.asarray([int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))], np.int64)
            if count and not 0 <= int(places.min()) <= int(places.max()) < size:
                raise UnsupportedInput(f"the sparse tensor `{name}` has elements outside of its shape")
            dense = np.zeros(size, values.dtype.numpy)
            dense[places] = values.load().reshape(-1)
            return dense.reshape(shape)

        return Data(values.dtype, shape, load)

    def _elements(self, tensor: Record, dtype: DType, size: int) -> Callable[[], NDArray[Any]]:
        if tensor.data_location == 1:
            place = self._external(tensor, dtype, size)
            return lambda: _from_bytes(place(), dtype, size)
        if dtype is dtypes.text:
            strings = list(tensor.string_data)
            _check(tensor, len(strings), size)
            return lambda: _text(strings)
        if tensor.has("raw_data"):
            raw = tensor.raw_data
            _check(tensor, len(raw), _byte_count(dtype, size), "bytes")
            return lambda: _from_bytes(raw, dtype, size)
        numbers = _typed(tensor, dtype)
        _check(tensor, len(numbers), _typed_count(dtype, size))
        return lambda: _from_numbers(numbers, dtype, size)

    def _external(self, tensor: Record, dtype: DType, size: int) -> Callable[[], memoryview]:
        entries = {entry.key: entry.value for entry in tensor.external_data}
        name, location = tensor.name, entries.get("location", "")
        wanted = _byte_count(dtype, size)
        if self._folder is None:
            return lambda: _raise(f"tensor `{name}` is in the file `{location}`, and the model has no folder")
        folder = self._folder
        path = os.path.normpath(os.path.join(folder, location))
        if not location or "\0" in location or not _within(path, folder):
            raise UnsupportedInput(f"tensor `{name}` points to `{location}`, outside of the model's folder")
        try:
            offset, length = int(entries.get("offset", 0)), int(entries.get("length", wanted))
        except ValueError:
            raise UnsupportedInput(f"tensor `{name}` has no valid place in `{location}`") from None
        if not os.path.isfile(path):
            raise UnsupportedInput(f"the external data file `{location}` of tensor `{name}` is missing")
        held = os.path.getsize(path)
        if offset < 0 or length < wanted or offset + wanted > held:
            raise UnsupportedInput(
                f"tensor `{name}` needs {wanted} bytes at {offset} of `{location}`, which has {held} bytes"
            )
        return lambda: self._map(path)[offset : offset + wanted]

    def _map(self, path: str) -> memoryview:
        if path not in self._mapped:
            self._mapped[path] = mapped(Path(path))
        return self._mapped[path]


def mapped(path: Path) -> memoryview:
    """A file's bytes, which the system reads as they are looked at."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _within(path: str, folder: Path) -> bool:
    """Whether a path stays in the folder and no link leads elsewhere."""
    inside = Path(path).relative_to(folder) if Path(path).is_relative_to(folder) else None
    return inside is not None and os.path.realpath(path) == os.path.join(os.path.realpath(folder), inside)


def _size(name: str, shape: tuple[int, ...]) -> int:
    """The number of elements, if the shape is one that a tensor can have."""
    size = 1
    for dim in shape:
        size *= dim
        if dim < 0 or size > _LARGEST:
            raise UnsupportedInput(f"tensor `{name}` claims the shape {list(shape)}")
    return size


def _raise(reason: str) -> memoryview:
    raise UnsupportedInput(reason)


def _check(tensor: Record, held: int, wanted: int, what: str = "elements") -> None:
    if held != wanted:
        raise UnsupportedInput(
            f"tensor `{tensor.name}` of shape {[int(dim) for dim in tensor.dims]} needs {wanted} {what}, "
            f"but the file holds {held}"
        )


def _byte_count(dtype: DType, size: int) -> int:
    return (size * dtype.bits + 7) // 8


def _from_bytes(raw: Any, dtype: DType, size: int) -> NDArray[Any]:
    if dtype.bits < 8:
        return _unpacked(np.frombuffer(raw, np.uint8), dtype, size)
    return np.frombuffer(raw, dtype.numpy.newbyteorder("<") if dtype.numpy.isbuiltin == 1 else dtype.numpy, count=size)


def _unpacked(octets: NDArray[Any], dtype: DType, size: int) -> NDArray[Any]:
    """Elements of less than a byte, the first in the low bits, some of them across two bytes."""
    bits = np.unpackbits(octets, count=size * dtype.bits, bitorder="little").reshape(size, dtype.bits)
    return _typed_bits(np.packbits(bits, axis=-1, bitorder="little").reshape(size), dtype)


def _typed_bits(elements: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """Elements of less than a byte, each in a byte of its own."""
    if dtype.kind is dtypes.Kind.SIGNED:
        sign = 1 << (dtype.bits - 1)
        return ((elements.astype(np.int8) ^ sign) - sign).astype(dtype.numpy)
    return elements.astype(dtype.numpy) if dtype.is_integer else elements.view(dtype.numpy)


def _typed(tensor: Record, dtype: DType) -> Any:
    if dtype in (dtypes.f32, dtypes.c64):
        return tensor.float_data
    if dtype in (dtypes.f64, dtypes.c128):
        return tensor.double_data
    if dtype in (dtypes.u32, dtypes.u64):
        return tensor.uint64_data
    return tensor.int64_data if dtype is dtypes.i64 else tensor.int32_data


def _typed_count(dtype: DType, size: int) -> int:
    if dtype.kind is dtypes.Kind.COMPLEX:
        return 2 * size
    return _byte_count(dtype, size) if dtype.bits in _PACKED else size


def _from_numbers(numbers: Any, dtype: DType, size: int) -> NDArray[Any]:
    array = np.asarray(numbers)
    if dtype.bits < 8:
        octets = array.astype(np.uint8)
        return _unpacked(octets, dtype, size) if dtype.bits in _PACKED else _typed_bits(octets, dtype)
    if dtype.kind is dtypes.Kind.COMPLEX:
        return array.astype(np.float32 if dtype is dtypes.c64 else np.float64).view(dtype.numpy)
    if dtype.is_float and dtype.bits < 32:
        return array.astype(np.uint16 if dtype.bits == 16 else np.uint8).view(dtype.numpy)
    return array.astype(dtype.numpy)


def _text(strings: list[Any]) -> NDArray[Any]:
    array = np.empty(len(strings), dtype=object)
    array[:] = [str(string, "utf-8", "replace") for string in strings]
    return array
