"""Files to Python text, or a reason why not."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

from mlvet.core.errors import UnsupportedInput
from mlvet.core.source import Source

LARGEST = 32 * 1024 * 1024


def read_source(path: Path, shown: str) -> Source:
    """The text of a Python file or notebook; raises UnsupportedInput with the defect."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise UnsupportedInput(f"{size / 2**20:.0f} MB is more than mlvet reads ({LARGEST >> 20} MB)")
        data = path.read_bytes()
    except OSError as error:
        raise UnsupportedInput((error.strerror or str(error)).lower()) from error
    if path.suffix == ".ipynb":
        from mlvet.frontends.notebook import read_notebook

        return read_notebook(data, shown)
    return decode(data, shown)


def decode(data: bytes, shown: str) -> Source:
    """Python text in the encoding that its first lines declare, UTF-8 by default."""
    if b"\0" in data:
        raise UnsupportedInput("a binary file, not Python source (it holds NUL bytes)")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnsupportedInput(
            f"not {error.encoding.upper()} text: byte 0x{data[error.start]:02x} in line {line}"
        ) from error
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise UnsupportedInput(f"not readable as text: {error}") from error
    return Source(shown, text, verbatim=encoding in ("utf-8", "utf-8-sig"))
