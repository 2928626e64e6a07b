"""The text of one analysed file, with the way back from flat lines to notebook cells."""

from __future__ import annotations

import io
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from mlvet.core.location import Location


def split_lines(text: str) -> list[str]:
    """The lines of Python text with their ends kept; unlike `str.splitlines`, a form feed ends no line."""
    return io.StringIO(text, newline="").readlines()


@dataclass(frozen=True)
class Source:
    """One file as Python text.

    `path` is how the file is shown to the user. A notebook is flattened to one text: `cells` holds the
    number of each code cell and the flat line on which it starts. `verbatim` is false when the text differs
    from the bytes on disk (a notebook, an encoding other than UTF-8), so edits cannot be written back.
    """

    path: str
    text: str
    cells: tuple[tuple[int, int], ...] = ()
    verbatim: bool = True

    @cached_property
    def lines(self) -> list[str]:
        return [line.rstrip("\r\n") for line in split_lines(self.text)]

    def location(
        self, line: int, column: int | None = None, end_line: int | None = None, end_column: int | None = None
    ) -> Location:
        """The location of a flat span, in cell coordinates for a notebook."""
        if not self.cells:
            return Location(self.path, line, column, end_line, end_column)
        number, start = self.cells[max(0, bisect_right([first for _, first in self.cells], line) - 1)]
        shift = start - 1
        return Location(
            self.path, line - shift, column, None if end_line is None else end_line - shift, end_column, cell=number
        )

    def flat_line(self, location: Location) -> int | None:
        """The line of a location in `text`."""
        if location.line is None or location.cell is None:
            return location.line
        starts = dict(self.cells)
        return starts[location.cell] + location.line - 1 if location.cell in starts else None

    def line(self, location: Location) -> str | None:
        """The text of the line that a location starts on."""
        flat = self.flat_line(location)
        return self.lines[flat - 1] if flat is not None and 0 < flat <= len(self.lines) else None
