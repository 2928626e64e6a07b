"""What an object holds, each value that differs from path to path being what it is on the path at hand."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.trail import Cells
from mlvet.frontends.python.values.choices import Choice, resolved
from mlvet.frontends.python.values.objects import Object


class Held:
    """The attributes of an object as a mapping to read."""

    __slots__ = ("cells",)

    def __init__(self, cells: dict[Any, Any]) -> None:
        self.cells = cells

    def __getitem__(self, name: Any) -> Any:
        value = self.cells[name]
        return resolved(value, machine()) if isinstance(value, Choice) else value

    def get(self, name: Any, default: Any = None) -> Any:
        return self[name] if name in self.cells else default

    def __contains__(self, name: Any) -> bool:
        return name in self.cells


def held(it: Object) -> Held:
    return Held(it.cells)


def keep(path: Any, what: Any) -> None:
    """Remember what the program writes to a file, for when it reads that again."""
    if isinstance(path, str):
        store(machine().memory.setdefault("keras files", Cells()), path, what)


def kept(path: Any) -> Any:
    """What the program wrote to a file of this name, None if it did not."""
    return machine().memory.get("keras files", {}).get(path) if isinstance(path, str) else None
