"""Columns in characters, from tools that count in something else."""

from __future__ import annotations

import linecache


def source_line(path: str, line: int) -> str:
    """The text of a line as it is on disk now, empty when there is none."""
    linecache.checkcache(path)
    return linecache.getline(path, line)


def from_bytes(path: str, line: int, column: int) -> int:
    """The column, from 1, of an offset in UTF-8 bytes from 0, as CPython's syntax tree counts."""
    return _column(source_line(path, line), column, "utf-8", 1)


def from_utf16(path: str, line: int, column: int) -> int:
    """The column, from 1, of an offset in UTF-16 units from 0, as JavaScript counts."""
    return _column(source_line(path, line), column, "utf-16-le", 2)


def _column(text: str, offset: int, encoding: str, width: int) -> int:
    """0 for a negative offset, which stands for an unknown one."""
    if offset < 0 or text.isascii():
        return max(offset + 1, 0)
    before = text.encode(encoding, errors="surrogatepass")[: offset * width]
    return len(before.decode(encoding, errors="ignore")) + 1
