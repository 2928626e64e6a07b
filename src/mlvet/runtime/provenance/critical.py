"""The critical state at a close comparison: numbers, and containers of numbers, that the function holds there."""

from __future__ import annotations

import json
import zlib
from _blake2 import blake2b
from array import array

from mlvet.runtime.provenance.counting import PREFIX
from mlvet.runtime.provenance.log_writer import EVENT

TYPE_CHECKING = False

if TYPE_CHECKING:
    import types
    from collections.abc import Iterable
    from typing import Any

    from mlvet.runtime.provenance.log_writer import Writer

BUDGET = 250_000
"""Bytes that all states of a run may take in the log."""
LONGEST = 500_000
"""Longer containers are left out."""
_NUMBERS = (float, int)


class States:
    """Writes states while the budget lasts; keys that several dicts share are written once."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._left = BUDGET
        self._keys: dict[bytes, int] = {}

    def of(self, frame: types.FrameType) -> tuple[dict[str, Any], bytes] | None:
        """A description of the variables, and the numbers of containers, compressed; None if there is no room."""
        if self._left <= 0:
            return None
        scalars: dict[str, float] = {}
        containers: list[list[Any]] = []
        body = bytearray()
        for name, value in list(frame.f_locals.items()):
            if name.startswith(("__", PREFIX)):
                continue
            if type(value) in _NUMBERS:
                if type(value) is float or abs(value) < 2**63:
                    scalars[name] = value
                continue
            found = self._container(value)
            if found is not None:
                kind, numbers, keys = found
                containers.append([name, kind, numbers.typecode, len(numbers), keys])
                body += _shuffled(numbers)
        raw = zlib.compress(bytes(body), 6) if body else b""
        if len(raw) > self._left:
            return None
        self._left -= len(raw)
        return {"scalars": scalars, "containers": containers}, raw

    def _container(self, value: Any) -> tuple[Any, array[Any], int | None] | None:
        """Its kind (for arrays with shape), its numbers, and the number of its keys."""
        kind = type(value)
        if kind in (list, tuple):
            numbers = _numbers(value)
            return (kind.__name__, numbers, None) if numbers else None
        if kind is dict or (kind.__module__ == "collections" and isinstance(value, dict)):
            numbers = _numbers(value.values())
            keys = self._known_keys(list(value)) if numbers else None
            return (kind.__name__, numbers, keys) if numbers and keys is not None else None
        if kind.__module__ != "numpy" or kind.__name__ != "ndarray" or value.dtype.kind != "f":
            return None
        if not 0 < value.size <= LONGEST:
            return None
        return [list(value.shape), str(value.dtype)], array("d", value.astype("f8").ravel().tolist()), None

    def _known_keys(self, keys: list[Any]) -> int | None:
        if not all(type(each) in (str, int, float, bool) for each in keys):
            return None
        text = json.dumps(keys, separators=(",", ":")).encode()
        digest = blake2b(text, digest_size=16).digest()
        if digest not in self._keys:
            packed = zlib.compress(text, 6)
            if len(packed) > self._left:
                return None
            self._left -= len(packed)
            self._keys[digest] = len(self._keys)
            self._writer.write(EVENT, {"kind": "keys", "data": self._keys[digest]}, packed)
        return self._keys[digest]


def _numbers(values: Iterable[Any]) -> array[Any] | None:
    """Floats, or integers if there are no others; None if there is anything else."""
    found = list(values)
    if not 0 < len(found) <= LONGEST:
        return None
    kinds = set(map(type, found))
    try:
        if kinds == {int}:
            return array("q", found)
        return array("d", found) if kinds <= {int, float} else None
    except OverflowError:
        return None


def _shuffled(numbers: array[Any]) -> bytes:
    """The bytes of the numbers by place, so that like bytes stand together and compress."""
    data = numbers.tobytes()
    return b"".join(data[at::8] for at in range(8))


def unshuffled(data: bytes, typecode: str) -> array[Any]:
    """The inverse."""
    count = len(data) // 8
    mixed = bytearray(len(data))
    for at in range(8):
        mixed[at::8] = data[at * count : (at + 1) * count]
    found: array[Any] = array(typecode)
    found.frombytes(bytes(mixed))
    return found


def variables(description: dict[str, Any], raw: bytes, keys: dict[int, list[Any]]) -> dict[str, Any]:
    """The variables of a state: `raw` inflated, `keys` by their numbers."""
    found: dict[str, Any] = dict(description["scalars"])
    at = 0
    for name, kind, typecode, count, number in description["containers"]:
        values = unshuffled(raw[at : at + 8 * count], typecode).tolist()
        at += 8 * count
        if isinstance(kind, list):
            import numpy

            found[name] = numpy.array(values, kind[1]).reshape(kind[0])
        elif number is not None:
            found[name] = dict(zip(keys[number], values, strict=True))
        else:
            found[name] = tuple(values) if kind == "tuple" else values
    return found
