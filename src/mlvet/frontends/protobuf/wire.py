"""The binary form of protocol buffers.

Strings and numbers are decoded; `bytes` and packed floats stay views of the buffer, so a mapped file of large weights
costs no memory until they are looked at. What the buffer claims is checked against what it holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.protobuf.schema import FIXED, Field, Message

DEEPEST = 100
"""Messages nested deeper than this are refused, as other readers do."""

_DEFAULTS: dict[str, Any] = {"string": "", "bytes": b"", "float": 0.0, "double": 0.0, "bool": False, "message": None}
_PLAIN = 256


class Record:
    """One message: an attribute per field, with the field's default where the buffer has none."""

    _type: Message

    def __init__(self, message: Message) -> None:
        self._type = message

    def __getattr__(self, name: str) -> Any:
        item = self._type.by_name.get(name)
        if item is None:
            raise AttributeError(f"{self._type.name} has no field {name}")
        if item.repeated:
            return {} if name in self._type.maps else []
        return _DEFAULTS.get(item.kind, 0)

    def has(self, name: str) -> bool:
        """Whether the field was written."""
        return name in self.__dict__


class Malformed(UnsupportedInput):
    """Bytes that are no such message."""


def decode(data: memoryview, message: Message, depth: int = 0) -> Record:
    """The message that a buffer holds; unknown fields are passed over."""
    if depth > DEEPEST:
        raise Malformed(f"messages are nested deeper than {DEEPEST}")
    record = Record(message)
    values = record.__dict__
    fields = message.fields
    position, end = 0, len(data)
    while position < end:
        key, position = _varint(data, position, end)
        wire = key & 7
        item = fields.get(key >> 3)
        if wire == 2:
            length, position = _varint(data, position, end)
            stop = position + length
            if stop > end:
                raise Malformed(f"truncated: a field of {length} bytes in a buffer with {end - position} left")
            if item is not None:
                _store_bytes(values, item, data[position:stop], message, depth)
            position = stop
        elif wire == 0:
            number, position = _varint(data, position, end)
            if item is not None:
                _store(values, item, _number(item, number))
        elif wire in (1, 5):
            stop = position + (8 if wire == 1 else 4)
            if stop > end:
                raise Malformed("truncated in a number")
            if item is not None:
                if item.kind not in FIXED or FIXED[item.kind][1] != stop - position:
                    raise _mismatch(item, message)
                _store(values, item, np.frombuffer(data[position:stop], FIXED[item.kind][0])[0].item())
            position = stop
        else:
            raise Malformed(f"not a protocol buffer (wire type {wire})")
    return record


def _varint(data: memoryview, position: int, end: int) -> tuple[int, int]:
    if position < end:
        byte = data[position]
        if byte < 0x80:
            return byte, position + 1
    result = shift = 0
    while position < end:
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result & 0xFFFFFFFFFFFFFFFF, position
        shift += 7
        if shift > 63:
            raise Malformed("not a protocol buffer (a number of more than ten bytes)")
    raise Malformed("truncated in a number")


def _number(item: Field, number: int) -> Any:
    match item.kind:
        case "bool":
            return number != 0
        case "int64":
            return number - (1 << 64) if number >> 63 else number
        case "int32" | "enum":
            number &= 0xFFFFFFFF
            return number - (1 << 32) if number >> 31 else number
        case "uint32" | "uint64":
            return number
        case _:
            raise Malformed(f"field {item.name} should hold a {item.kind}, but holds a number")


def _store(values: dict[str, Any], item: Field, value: Any) -> None:
    if item.repeated:
        values.setdefault(item.name, []).append(value)
    else:
        values[item.name] = value


def _store_bytes(values: dict[str, Any], item: Field, view: memoryview, message: Message, depth: int) -> None:
    name = item.name
    if item.kind == "message":
        assert item.message is not None
        inner = decode(view, item.message, depth + 1)
        if name in message.maps:
            values.setdefault(name, {})[inner.key] = inner.value
        else:
            _store(values, item, inner)
    elif item.kind == "string":
        try:
            _store(values, item, str(view, "utf-8"))
        except UnicodeDecodeError:
            raise Malformed(f"field {name} of {message.name} is no text") from None
    elif item.kind == "bytes":
        _store(values, item, view)
    elif item.repeated:
        _extend(values, name, _packed(item, view))
    else:
        raise _mismatch(item, message)


def _extend(values: dict[str, Any], name: str, more: Any) -> None:
    known = values.get(name)
    if known is None:
        values[name] = more
    elif isinstance(known, list) and isinstance(more, list):
        known.extend(more)
    else:
        values[name] = np.concatenate([np.asarray(known), np.asarray(more)])


def _packed(item: Field, view: memoryview) -> Any:
    """Packed numbers: floats as a view of the buffer, few integers as a list, many as an array."""
    if item.kind in FIXED:
        code, width = FIXED[item.kind]
        if len(view) % width:
            raise Malformed(f"truncated in the numbers of {item.name}")
        return np.frombuffer(view, code)
    if len(view) <= _PLAIN:
        numbers = []
        position, end = 0, len(view)
        while position < end:
            number, position = _varint(view, position, end)
            numbers.append(_number(item, number))
        return numbers
    return _many(view).astype(np.uint64 if item.kind == "uint64" else np.int64)


def _many(view: memoryview) -> Any:
    """Variable-length integers decoded all at once: byte k of a number counts 128**k."""
    octets = np.frombuffer(view, np.uint8)
    last = octets < 0x80
    if not last[-1]:
        raise Malformed("truncated in a number")
    ends = np.flatnonzero(last)
    starts = np.concatenate([[0], ends[:-1] + 1])
    if int((ends - starts).max()) > 9:
        raise Malformed("not a protocol buffer (a number of more than ten bytes)")
    place = np.arange(len(octets)) - np.repeat(starts, ends - starts + 1)
    parts = (octets & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
    return np.add.reduceat(parts, starts).view(np.int64)


def _mismatch(item: Field, message: Message) -> Malformed:
    return Malformed(f"field {item.name} of {message.name} should hold a {item.kind}, but holds something else")
