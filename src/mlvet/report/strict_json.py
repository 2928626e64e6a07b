"""JSON that every parser accepts: no NaN, no infinity, no lone surrogate."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

_REPLACEMENT = "\ufffd"


def dumps(document: Any, *, indent: int | None = 2) -> str:
    """The document as JSON text; numbers that JSON lacks become the strings `NaN`, `Infinity` and `-Infinity`."""
    return json.dumps(_plain(document), indent=indent, ensure_ascii=False, allow_nan=False)


def scrubbed(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be encoded."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _plain(value: Any) -> Any:
    match value:
        case str():
            return scrubbed(value)
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else _nonfinite(value)
        case Mapping():
            return {scrubbed(str(key)): _plain(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(item) for item in value]
        case _:
            return scrubbed(str(value))


def _nonfinite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
