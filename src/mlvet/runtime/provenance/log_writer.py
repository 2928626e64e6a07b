"""The log of a run as it is written: records that are whole or absent, whatever happens to the process.

A log begins with `MAGIC`. A record is one byte of kind, the lengths of its JSON part and of its raw part, the CRC of
both with the kind, and the two parts. A record goes to the kernel by one call, so a killed process loses none.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import struct
import zlib

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

MAGIC = b"mlvet trace 1\n"
FORMAT = 3
FRAME = struct.Struct("<cIII")

HEADER = b"H"
EVENT = b"E"
CHECKPOINT = b"K"
OUTCOMES = b"O"
FOOTER = b"F"

FIRST_DESCRIPTOR = 200
"""The log's descriptor is above those that a program gets, so that its files keep their numbers."""


def framed(kind: bytes, data: Any, raw: bytes = b"") -> bytes:
    """One record as it stands in the log."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True).encode()
    return FRAME.pack(kind, len(text), len(raw), zlib.crc32(raw, zlib.crc32(text, zlib.crc32(kind)))) + text + raw


class Writer:
    """Appends records to a log. A failure is kept in `failure` and ends the writing, never the program."""

    __slots__ = ("_descriptor", "_identity", "bytes_written", "failure", "path", "records")

    def __init__(self, path: str) -> None:
        """Creates the log; raises the OSError if that is impossible."""
        self.path = path
        self.failure: str | None = None
        self.bytes_written = 0
        self.records = 0
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            self._descriptor = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR)
        except OSError:
            self._descriptor = opened
        else:
            os.close(opened)
        self._identity = _identity(self._descriptor)
        self._put(MAGIC)

    def write(self, kind: bytes, data: Any, raw: bytes = b"") -> None:
        """Append one record."""
        if self.failure is None and self._descriptor >= 0:
            self._put(framed(kind, data, raw))
            self.records += 1

    def abandon(self) -> None:
        """A forked child writes nothing."""
        self._descriptor = -1

    def close(self) -> None:
        """No more records."""
        if self._descriptor >= 0 and self._still_ours():
            os.close(self._descriptor)
        self._descriptor = -1

    def _put(self, data: bytes) -> None:
        if not self._still_ours():
            self.failure = "the program closed its descriptor"
            return
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError as error:
            self.failure = os.strerror(error.errno or errno.EIO)
            return
        self.bytes_written += len(data)

    def _still_ours(self) -> bool:
        """Whether the descriptor still is the log: a program may close what it did not open."""
        try:
            return _identity(self._descriptor) == self._identity
        except OSError:
            return False


def _identity(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_dev, found.st_ino
