"""Checkpoints of tensors: an index, which is a sorted table of keys, and shards that hold the elements.

[The table is laid out as in LevelDB: blocks of keys that share prefixes, an index block, a footer of 48 bytes.]
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.frontends.protobuf import schema, wire
from mlvet.frontends.tensorflow.tensors import dtype_of, shape_of
from mlvet.ir.graph import Data

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


@dataclass(frozen=True, slots=True)
class Bundle:
    """The tensors of one checkpoint by key, and the keys of variables by their full names where those are unique."""

    tensors: dict[str, Data]
    keys: dict[str, str]


def read(prefix: Path) -> Bundle:
    """The checkpoint whose index is `<prefix>.index`; the elements stay in the shards until they are asked for."""
    index = Path(f"{prefix}.index").read_bytes()
    types = schema.load("tensorflow")
    shards, big_endian = 1, False
    tensors: dict[str, Data] = {}
    objects: tuple[Path, Any] | None = None
    for key, value in _table(memoryview(index)):
        if not key:
            header = wire.decode(value, types["BundleHeaderProto"])
            shards, big_endian = header.num_shards, header.endianness == 1
            continue
        entry = wire.decode(value, types["BundleEntryProto"])
        name = key.decode("utf-8", "replace")
        shard = Path(f"{prefix}.data-{entry.shard_id:05d}-of-{shards:05d}")
        dtype = dtype_of(entry.dtype)
        shape = shape_of(entry.shape, name) if entry.shape is not None else ()
        if name == _OBJECTS:
            objects = shard, entry
        elif dtype is not None and dtype is not dtypes.text and isinstance(shape, tuple) and not entry.slices:
            sizes = tuple(dim for dim in shape if isinstance(dim, int))
            if len(sizes) == len(shape) and prod(sizes) * dtype.numpy.itemsize == entry.size:
                tensors[name] = _data(shard, entry.offset, entry.size, dtype, sizes, big_endian)
    return Bundle(tensors, _keys(*objects) if objects else {})


def _data(shard: Path, offset: int, size: int, dtype: DType, sizes: tuple[int, ...], big_endian: bool) -> Data:
    def load() -> NDArray[Any]:
        if size == 0:
            return np.zeros(sizes, dtype.numpy)
        array = np.frombuffer(_bytes(shard, offset, size), dtype.numpy)
        return (array.byteswap() if big_endian else array).reshape(sizes)

    return Data(dtype, sizes, load)


def _bytes(shard: Path, offset: int, size: int) -> memoryview:
    try:
        with shard.open("rb") as file:
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise UnsupportedInput(f"the checkpoint lacks {shard.name} ({error})") from None
    if offset < 0 or offset + size > len(mapped):
        raise UnsupportedInput(f"{shard.name} ends before the elements it should hold")
    return mapped[offset : offset + size]


def _keys(shard: Path, entry: wire.Record) -> dict[str, str]:
    """Keys of variables by full name, from the graph of objects that is stored as one string."""
    try:
        data = _bytes(shard, entry.offset, entry.size)
    except UnsupportedInput:
        return {}
    length, start = _varint(data, 0)
    message = schema.load("tensorflow")["TrackableObjectGraph"]
    graph = wire.decode(data[start + 4 : start + 4 + length], message)
    keys: dict[str, str] = {}
    repeated: set[str] = set()
    for node in graph.nodes:
        for attribute in node.attributes:
            if attribute.full_name in keys:
                repeated.add(attribute.full_name)
            keys[attribute.full_name] = attribute.checkpoint_key
    return {name: key for name, key in keys.items() if name not in repeated}


def _table(data: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    if len(data) < _FOOTER or int.from_bytes(data[-8:], "little") != _MAGIC:
        raise UnsupportedInput("the index of the checkpoint is no table")
    footer = data[-_FOOTER:]
    _, position = _varint(footer, 0)
    _, position = _varint(footer, position)
    for _, handle in _entries(_block(data, footer[position:])):
        yield from _entries(_block(data, handle))


def _block(data: memoryview, handle: memoryview) -> memoryview:
    offset, position = _varint(handle, 0)
    size, _ = _varint(handle, position)
    if offset + size + 5 > len(data):
        raise UnsupportedInput("the index of the checkpoint is truncated")
    block, compression = data[offset : offset + size], data[offset + size]
    if compression == 0:
        return block
    if compression == 1:
        return memoryview(_snappy(block))
    raise UnsupportedInput(f"the index of the checkpoint is compressed in an unknown way ({compression})")


def _entries(block: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    if len(block) < 4:
        raise UnsupportedInput("the index of the checkpoint is truncated")
    end = len(block) - 4 - 4 * int.from_bytes(block[-4:], "little")
    position, key = 0, b""
    while position < end:
        shared, position = _varint(block, position)
        fresh, position = _varint(block, position)
        length, position = _varint(block, position)
        if shared > len(key) or position + fresh + length > end:
            raise UnsupportedInput("the index of the checkpoint is damaged")
        key = key[:shared] + bytes(block[position : position + fresh])
        yield key, block[position + fresh : position + fresh + length]
        position += fresh + length


def _varint(data: memoryview, position: int) -> tuple[int, int]:
    result = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            break
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, position
    raise UnsupportedInput("the index of the checkpoint is damaged")


def _snappy(data: memoryview) -> bytes:
    """Snappy's raw form: literals, and copies of what was written `offset` bytes ago."""
    size, position = _varint(data, 0)
    if size > 64 * len(data) + 64:
        raise UnsupportedInput("the index of the checkpoint is damaged")
    written = bytearray()
    while position < len(data):
        tag = data[position]
        position += 1
        kind, length = tag & 3, (tag >> 2) + 1
        if kind == 0:
            if length > 60:
                extra = length - 60
                length = int.from_bytes(data[position : position + extra], "little") + 1
                position += extra
            written += data[position : position + length]
            position += length
            continue
        width = (1, 2, 4)[kind - 1]
        offset = int.from_bytes(data[position : position + width], "little")
        position += width
        if kind == 1:
            length, offset = ((tag >> 2) & 7) + 4, offset | (tag >> 5) << 8
        if not 0 < offset <= len(written) or len(written) + length > size:
            raise UnsupportedInput("the index of the checkpoint is damaged")
        for _ in range(length):
            written.append(written[-offset])
    if len(written) != size:
        raise UnsupportedInput("the index of the checkpoint is damaged")
    return bytes(written)
