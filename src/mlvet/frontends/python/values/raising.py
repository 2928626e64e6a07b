"""An exception that a call of the program raises."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.values.unknown import Reason, Undecided


class Raised(Undecided):
    """The call raises `error`: an exception of Python, or an instance of the program's own class."""

    def __init__(self, error: Any) -> None:
        self.error = error
        super().__init__(Reason.EXCEPTION, f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
