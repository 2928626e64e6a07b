"""Where a finding is: a span of source, a cell of a notebook, or a node of a model file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file.

    Lines and columns count from 1, in characters; `end_column` is the column after the last character.
    In a notebook `cell` counts code and text cells from 1 and `line` counts within the cell. In a model
    file `node` is the layer or node name as written in the file.
    """

    path: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    cell: int | None = None
    node: str | None = None

    def __str__(self) -> str:
        parts = [self.path]
        if self.cell is not None:
            parts.append(f"cell {self.cell}")
        if self.node is not None:
            parts.append(self.node)
        if self.line is not None:
            parts.append(str(self.line))
        if self.column is not None:
            parts.append(str(self.column))
        return ":".join(parts)

    @property
    def order(self) -> tuple[str, int, int, int, str]:
        return (self.path, self.cell or 0, self.line or 0, self.column or 0, self.node or "")

    def to_json(self) -> dict[str, Any]:
        fields = ("path", "line", "column", "end_line", "end_column", "cell", "node")
        return {field: getattr(self, field) for field in fields if getattr(self, field) is not None}
