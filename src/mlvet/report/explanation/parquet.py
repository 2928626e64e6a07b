"""The edge table: one row for each output and each input that acts on it, written as it comes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import islice
from types import ModuleType
from typing import IO, Any

from mlvet.core.errors import UsageError
from mlvet.core.explanation import Explanation, Influence
from mlvet.report.strict_json import scrubbed

_ROWS = 1 << 17
"""Rows of a row group: so many are held at once."""
_NAMES = ("output", "input")
_NUMBERS = ("value", "derivative", "elasticity", "share")


def render(explanations: Iterable[Explanation]) -> bytes:
    held = io.BytesIO()
    write(explanations, held)
    return held.getvalue()


def write(explanations: Iterable[Explanation], file: IO[bytes]) -> int:
    """Write the table of answers that may come one by one; returns the number of rows. Needs pyarrow."""
    arrow, parquet = _pyarrow()
    fields = [(name, arrow.string()) for name in _NAMES] + [(name, arrow.float64()) for name in _NUMBERS]
    schema = arrow.schema(fields)
    rows, written = _rows(explanations), 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _ROWS)):
            writer.write_table(arrow.table(_columns(batch), schema=schema), row_group_size=_ROWS)
            written += len(batch)
    return written


def _rows(explanations: Iterable[Explanation]) -> Iterator[tuple[str, Influence]]:
    for explanation in explanations:
        output = scrubbed(explanation.output)
        yield from ((output, influence) for influence in explanation.influences)


def _columns(batch: list[tuple[str, Influence]]) -> dict[str, list[Any]]:
    names = {"output": [output for output, _ in batch], "input": [scrubbed(each.input) for _, each in batch]}
    return {**names, **{name: [float(getattr(each, name)) for _, each in batch] for name in _NUMBERS}}


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            "Parquet needs pyarrow, which the extra `parquet` brings: pip install 'mlvet[parquet]'"
        ) from None
    return pyarrow, pyarrow.parquet
