"""Jupyter notebooks as one Python text that remembers its cells."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from mlvet.core.errors import UnsupportedInput
from mlvet.core.source import Source, split_lines

_MAGIC = re.compile(r"^(\s*)(%|!|\?)|^\s*[\w.]+\?{1,2}\s*$")
_QUOTED = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|#.*""")
_ASSIGNED_MAGIC = re.compile(r"^(\s*[\w, ]+=\s*)(?:%|!)\w.*$")


def read_notebook(data: bytes, shown: str) -> Source:
    """The code cells in order.

    Magics and shell lines become `pass`, so lines and columns stay as they are. So does a `__future__` import that may
    start its cell but not stand in the middle of a file.
    """
    try:
        document = json.loads(data.decode("utf-8-sig"))
        cells = document["cells"] if "cells" in document else document["worksheets"][0]["cells"]
        language = document.get("metadata", {}).get("kernelspec", {}).get("language", "python")
        if language.lower() not in ("python", "ipython"):
            raise UnsupportedInput(f"a notebook in {language}, not Python")
        numbered = [(number, _text(cell)) for number, cell in enumerate(cells, 1) if cell["cell_type"] == "code"]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise UnsupportedInput("not a Jupyter notebook") from error
    lines: list[str] = []
    starts: list[tuple[int, int]] = []
    for number, text in numbered:
        starts.append((number, len(lines) + 1))
        for line in python_lines(text) if text else [""]:
            late = line.startswith("from __future__ ") and any(before.strip() for before in lines)
            lines.append("pass" if late else line)
    return Source(shown, "\n".join(lines) + "\n" if lines else "", tuple(starts), verbatim=False)


def _text(cell: dict[str, Any]) -> str:
    source = cell["source"] if "source" in cell else cell["input"]
    return source if isinstance(source, str) else "".join(source)


def python_lines(text: str) -> Iterator[str]:
    """A cell's lines with what only IPython understands replaced by plain Python."""
    lines = [line.rstrip("\r\n") for line in split_lines(text)]
    start = next((n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), 0)
    if lines and lines[start].startswith("%%"):
        kept = lines[start].split()[0] in ("%%time", "%%timeit", "%%capture", "%%prun")
        yield from (*lines[:start], "pass")
        yield from (python_lines("\n".join(lines[start + 1 :])) if kept else ("pass" for _ in lines[start + 1 :]))
    elif _is_python(text):
        yield from lines
    else:
        yield from _without_magics(lines)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _without_magics(lines: list[str]) -> Iterator[str]:
    """Magics start a logical line, so a line inside brackets is left alone."""
    depth = 0
    continued = False
    indent = ""
    for line in lines:
        magic = continued or (depth <= 0 and _MAGIC.match(line))
        assigned = _ASSIGNED_MAGIC.match(line) if depth <= 0 else None
        indent = indent if continued else line[: len(line) - len(line.lstrip())]
        continued = bool(magic) and line.endswith("\\")
        if magic:
            yield f"{indent}pass"
        elif assigned:
            yield f"{assigned.group(1)}get_ipython()"
        else:
            depth += _opened(line)
            yield line


def _opened(line: str) -> int:
    """How many brackets a line opens and does not close, outside its strings and comments."""
    bare = _QUOTED.sub("", line)
    return sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
