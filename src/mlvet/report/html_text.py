"""Text of the analysed project as HTML: escaped, and with nothing that moves a cursor or turns a line around."""

from __future__ import annotations

import re
from html import escape

from mlvet.report.terminal import visible


def text(written: str) -> str:
    return escape(visible(written, keep="\n"))


def prose(written: str) -> str:
    """Escaped text in which `quoted` parts are code."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", text(written))
