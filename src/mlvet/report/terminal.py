"""Text that is safe and aligned on a terminal: hostile characters made visible, widths counted, colours."""

from __future__ import annotations

import unicodedata
from enum import StrEnum

TAB = 4

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_HIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})


class Style(StrEnum):
    """Parameters of the escape sequence that turns a style on."""

    BOLD = "1"
    RED = "1;31"
    YELLOW = "1;33"
    CYAN = "1;36"
    BLUE = "1;34"
    GREEN = "1;32"


def paint(text: str, style: Style, color: bool) -> str:
    return f"\x1b[{style.value}m{text}\x1b[0m" if color and text else text


def visible(text: str, *, keep: str = "") -> str:
    """The text with control characters, lone surrogates and text-direction marks written as Python escapes.

    Nothing that comes from a file or its name can then move the cursor, colour the screen or reorder a line.
    Characters of `keep` stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep else visible_char(char) for char in text)


def visible_char(char: str) -> str:
    if unicodedata.category(char) in _HIDDEN or char in _BIDI:
        return char.encode("unicode_escape").decode("ascii")
    return char


def one_line(text: str) -> str:
    """The text with runs of white space, line ends among them, collapsed to a blank, and safe to show."""
    return visible(" ".join(text.split()))


def width(text: str) -> int:
    """Columns that a visible text takes."""
    return len(text) if text.isascii() else sum(char_width(char) for char in text)


def char_width(char: str) -> int:
    """Columns that one character takes: none if it combines, two if it is wide."""
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def cells(line: str) -> list[str]:
    """What each character of a source line looks like: tabs as blanks up to the next stop, the rest made visible."""
    shown: list[str] = []
    column = 0
    for char in line:
        cell = " " * (TAB - column % TAB) if char == "\t" else visible_char(char)
        shown.append(cell)
        column += width(cell)
    return shown
