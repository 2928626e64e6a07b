"""The lines of source that a finding points at, with the span marked."""

from __future__ import annotations

from dataclasses import dataclass

from mlvet.core.location import Location
from mlvet.core.source import Source
from mlvet.report.terminal import cells, width

WINDOW = 120
_LEAD = 40
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Line:
    """One line as shown: its number in the file or cell, and its text before, in and after the marked span."""

    number: int
    before: str
    marked: str
    after: str

    @property
    def text(self) -> str:
        return self.before + self.marked + self.after


def first_line(source: Source | None, location: Location) -> Line | None:
    """The line a location starts on, marked from its column to the end of the span or of the line.

    A location without a column marks the line without its indentation. None when the place is in no source text.
    """
    text = source.line(location) if source else None
    if text is None or location.line is None:
        return None
    start, end = _span(text, location, location.line)
    return _windowed(location.line, text, start, max(end, start + 1))


def around(source: Source | None, location: Location, context: int) -> list[Line]:
    """The lines of a span, at most ten, with up to `context` lines before and after, within the cell if any.

    Blank lines at either end are left out.
    """
    flat = source.flat_line(location) if source else None
    if source is None or flat is None or location.line is None or not 0 < flat <= len(source.lines):
        return []
    shift = flat - location.line
    last = min(location.end_line or location.line, location.line + 9)
    starts = [start for _, start in source.cells if start > flat]
    limit = min([len(source.lines), *(start - 1 for start in starts)]) - shift
    numbers = range(max(1, location.line - context), min(last + context, limit) + 1)
    lines = []
    for number in numbers:
        text = source.lines[number + shift - 1]
        start, end = _span(text, location, number) if location.line <= number <= last else (0, 0)
        end = max(end, start + 1) if number == location.line else end
        lines.append(_windowed(number, text, start, end))
    while lines and not lines[0].text.strip() and lines[0].number < location.line:
        del lines[0]
    while lines and not lines[-1].text.strip() and lines[-1].number > last:
        del lines[-1]
    return lines


def _span(text: str, location: Location, number: int) -> tuple[int, int]:
    """Offsets of the marked characters of one line of a span."""
    indent = len(text) - len(text.lstrip())
    end_line = location.end_line or location.line
    start = location.column - 1 if number == location.line and location.column is not None else indent
    start = max(0, min(start, len(text)))
    if number == end_line and location.end_column is not None:
        end = location.end_column - 1
    elif number == end_line and location.column is not None:
        end = start + 1
    else:
        end = len(text.rstrip())
    return start, max(start, min(end, len(text)))


def _windowed(number: int, text: str, start: int, end: int) -> Line:
    """The line cut to `WINDOW` columns around the span, with an ellipsis where something is left out."""
    if len(text) > 4 * WINDOW:  # far more than is shown; spares the work on generated lines of megabytes
        low = max(0, start - WINDOW)
        head, tail = low > 0, len(text) > low + 4 * WINDOW
        text, start, end = text[low : low + 4 * WINDOW], start - low, min(end - low, 4 * WINDOW)
    else:
        head, tail = False, False
    shown = cells(text)
    first, stop = 0, len(shown)
    if head or tail or sum(map(width, shown)) > WINDOW:
        first = _back(shown, start, _LEAD)
        if not head and sum(map(width, shown[:end])) <= WINDOW:
            first = 0
        stop = _forward(shown, first, WINDOW)
    head, tail = head or first > 0, tail or stop < len(shown)
    end = min(end, stop) if stop < len(shown) else end
    before = (_ELLIPSIS if head else "") + "".join(shown[first:start])
    marked = " " if start == len(shown) < end else "".join(shown[start:end])  # one column past the end
    return Line(number, before, marked, "".join(shown[end:stop]) + (_ELLIPSIS if tail else ""))


def _back(shown: list[str], start: int, columns: int) -> int:
    while start > 0 and columns >= width(shown[start - 1]):
        start -= 1
        columns -= width(shown[start])
    return start


def _forward(shown: list[str], first: int, columns: int) -> int:
    while first < len(shown) and columns >= width(shown[first]):
        columns -= width(shown[first])
        first += 1
    return first
