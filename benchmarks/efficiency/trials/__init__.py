"""Suggestions for public programs, tried: each file prepares one fetched program and runs it before and after.

A trial names the suggestion by repository, file, line and rule, and has two functions beside its `trial`:
`prepare(folder)` makes the small random data that the program reads and loads what is not to be timed, `run(folder,
prepared)` is timed and returns the arrays that must stay as they are. The program lies in `folder` as it is in its
repository. Where the suggestion has an edit, mlvet's own edit is tried; where it has an example in words, `changes` are
the lines that somebody wrote after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeAlias

Place: TypeAlias = tuple[str, str, str, int]


@dataclass(frozen=True, slots=True)
class Change:
    """Lines of the program, from the first to the last, and the text that takes their place."""

    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One suggestion that is tried on so many threads; results may differ by `tolerance` of the greatest magnitude."""

    repository: str
    path: str
    line: int
    rule: str
    changes: tuple[Change, ...] = ()
    tolerance: float = 1e-4
    threads: int = 1

    @property
    def place(self) -> Place:
        return self.repository, self.path, self.rule, self.line


def trials() -> Mapping[Place, str]:
    """The module of each trial by what it tries."""
    found: dict[Place, str] = {}
    for each in iter_modules(__path__, f"{__name__}."):
        if not each.name.rpartition(".")[2].startswith("_"):
            found[import_module(each.name).trial.place] = each.name
    return found
