"""Results with names: tuples whose parts are attributes too."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.values.objects import Object


class Record(Object):
    """A named tuple of TensorFlow."""

    def __init__(self, *parts: tuple[str, Any]) -> None:
        self.parts = tuple(part for _, part in parts)
        for name, part in parts:
            setattr(self, name, part)

    def iterate(self) -> Any:
        return self.parts

    def __getitem__(self, index: Any) -> Any:
        return self.parts[index]

    def length(self) -> int:
        return len(self.parts)
