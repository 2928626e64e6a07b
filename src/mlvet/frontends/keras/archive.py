"""The members of a `.keras` archive, read within limits and never unpacked to disk."""

from __future__ import annotations

import io
import json
import pathlib
import struct
import zipfile
import zlib
from typing import IO, Any

from mlvet.core.errors import UnsupportedInput

JSON_LIMIT = 256 << 20
"""The most bytes that a JSON member may have, counted as they come out of the archive."""
WEIGHTS_LIMIT = 2 << 30
"""The most bytes that a compressed weights member may have."""
RATIO_LIMIT = 200
"""How many times its compressed size a weights member may have; small members are exempt."""
_EXEMPT = 1 << 20
_BLOCK = 1 << 20
_LOCAL_HEADER = struct.Struct("<4s22x2H")

_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


class Window(io.RawIOBase):
    """A run of bytes within a file, as a file of its own."""

    def __init__(self, whole: IO[bytes], start: int, size: int) -> None:
        self._whole = whole
        self._start = start
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = max(min(len(buffer), self._size - self._at), 0)
        self._whole.seek(self._start + self._at)
        piece = self._whole.read(wanted)
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self._whole.close()
        super().close()


def read_json(path: pathlib.Path, member: str) -> Any:
    """The parsed JSON member of an archive; None where the archive has no such member."""
    try:
        with zipfile.ZipFile(path) as archive:
            if member not in archive.namelist():
                return None
            with archive.open(member) as stream:
                text = _limited(stream, JSON_LIMIT, member)
    except _BROKEN as error:
        raise UnsupportedInput(f"not a readable .keras archive: {_line(error)}") from error
    return parse_json(text, member)


def parse_json(text: bytes | str, what: str) -> Any:
    """The value of a JSON text, or UnsupportedInput saying what is wrong with it."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise UnsupportedInput(f"{what} is nested too deeply") from error
    except ValueError as error:
        raise UnsupportedInput(f"{what} is not valid JSON: {_line(error)}") from error


def open_weights(path: pathlib.Path, member: str) -> IO[bytes] | None:
    """The weights member as a file: in place if it is stored, in memory within limits if it is compressed."""
    try:
        with zipfile.ZipFile(path) as archive:
            if member not in archive.namelist():
                return None
            info = archive.getinfo(member)
            if info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 1:
                return _in_place(path, info)
            with archive.open(member) as stream:
                limit = min(WEIGHTS_LIMIT, max(info.compress_size * RATIO_LIMIT, _EXEMPT))
                return io.BytesIO(_limited(stream, limit, member))
    except _BROKEN as error:
        raise UnsupportedInput(f"not a readable .keras archive: {_line(error)}") from error


def _in_place(path: pathlib.Path, info: zipfile.ZipInfo) -> IO[bytes]:
    whole = path.open("rb")
    whole.seek(info.header_offset)
    header = whole.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
        whole.close()
        raise UnsupportedInput(f"{info.filename} does not lie where the archive's directory says")
    _, name_size, extra_size = _LOCAL_HEADER.unpack(header)
    start = info.header_offset + _LOCAL_HEADER.size + name_size + extra_size
    return io.BufferedReader(Window(whole, start, info.file_size))


def _limited(stream: IO[bytes], limit: int, member: str) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := stream.read(_BLOCK):
        size += len(piece)
        if size > limit:
            raise UnsupportedInput(f"{member} unpacks to more than {limit >> 20} MB, which looks like a zip bomb")
        pieces.append(piece)
    return b"".join(pieces)


def _line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
