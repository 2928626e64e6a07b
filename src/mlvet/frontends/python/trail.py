"""Every change of the program's state in order, so that a branch can be taken back and two branches compared."""

from __future__ import annotations

from itertools import count
from typing import Any


class _Missing:
    """The content of a cell that is not there."""

    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()

_BIRTHS = count()


class Cells(dict[Any, Any]):
    """Cells of the program's state that know when they came to be, so that a loop tells its own from older ones."""

    __slots__ = ("born",)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.born = next(_BIRTHS)


def now() -> int:
    """A moment later than the birth of all cells that exist."""
    return next(_BIRTHS)


class Delta:
    """What some steps changed: the cells and what they hold now, and what they held before."""

    __slots__ = ("after", "before")

    def __init__(self) -> None:
        self.after: dict[tuple[int, Any], tuple[dict[Any, Any], Any, Any]] = {}
        self.before: dict[tuple[int, Any], Any] = {}

    def __len__(self) -> int:
        return len(self.after)


class Trail:
    """The changes since the start. A cell is a key of a dictionary that holds state."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: list[tuple[dict[Any, Any], Any, Any]] = []

    def write(self, cells: dict[Any, Any], key: Any, value: Any) -> None:
        self._entries.append((cells, key, cells.get(key, MISSING)))
        cells[key] = value

    def erase(self, cells: dict[Any, Any], key: Any) -> None:
        self._entries.append((cells, key, cells.get(key, MISSING)))
        cells.pop(key, None)

    def put(self, cells: dict[Any, Any], key: Any, value: Any) -> None:
        """Write a value, or erase the cell if it is MISSING."""
        if value is MISSING:
            self.erase(cells, key)
        else:
            self.write(cells, key, value)

    def mark(self) -> int:
        return len(self._entries)

    def since(self, mark: int) -> Delta:
        """The changes since a mark."""
        delta = Delta()
        before, after = delta.before, delta.after
        for cells, key, old in self._entries[mark:]:
            place = (id(cells), key)
            if place not in before:
                before[place] = old
                after[place] = (cells, key, cells.get(key, MISSING))
        return delta

    def undo(self, mark: int) -> None:
        """Take back the changes since a mark."""
        entries = self._entries
        while len(entries) > mark:
            cells, key, old = entries.pop()
            if old is MISSING:
                cells.pop(key, None)
            else:
                cells[key] = old

    def redo(self, delta: Delta) -> None:
        """Make changes that were taken back once more."""
        for cells, key, value in delta.after.values():
            self.put(cells, key, value)
