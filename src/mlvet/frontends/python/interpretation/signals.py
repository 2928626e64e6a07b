"""Ways in which interpretation leaves an expression other than by its value."""

from __future__ import annotations

from typing import Any


class PythonRaise(Exception):
    """The program raises an exception here, whatever the inputs on this path."""

    def __init__(self, value: Any) -> None:
        self.value = value
        super().__init__(repr(value))
