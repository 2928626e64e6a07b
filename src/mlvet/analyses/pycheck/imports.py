"""How the project's imports resolve: which folders start them, and which folders must not see each other."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from mlvet.analyses.pycheck.environment import Environment

_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import\b|import[ \t]+([\w., \t]+))", re.MULTILINE)


@dataclass(slots=True)
class Root:
    """A folder that Python would put first on its path for the files below it."""

    folder: Path
    files: list[Path] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)

    def defines(self, name: str) -> bool:
        return defines(self.folder, name)


@dataclass(frozen=True, slots=True)
class Group:
    """Files that one run of a checker can take together, with the folders that their imports start from."""

    files: tuple[Path, ...]
    search: tuple[Path, ...]


@cache
def defines(folder: Path, name: str) -> bool:
    """Whether a folder holds a top-level module or package of that name."""
    return (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file() or _namespace(folder / name)


def _namespace(folder: Path) -> bool:
    return folder.is_dir() and any(entry.name.endswith(".py") for entry in os.scandir(folder))


def imported_names(text: str) -> set[str]:
    """Top-level names that a text imports, read line by line; a few too many do no harm."""
    names: set[str] = set()
    for match in _IMPORT.finditer(text):
        if match.group(1):
            names.add(match.group(1))
        else:
            names.update(part.strip().split(".")[0].split(" ")[0] for part in match.group(2).split(","))
    return names - {""}


def import_root(file: Path) -> Path:
    """The folder above the outermost package that holds a file."""
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


def groups(texts: Mapping[Path, str], environment: Environment, project: Path) -> list[Group]:
    """Split files into as few groups as keep every import resolving as Python would.

    Many repositories hold independent programs, each with its own `utils.py`. Two roots share a group unless
    one defines a module that the other imports and would find elsewhere: in its own folder, the standard library or
    the installed packages.
    """
    roots: dict[Path, Root] = {}
    for file, text in texts.items():
        root = roots.setdefault(import_root(file), Root(import_root(file)))
        root.files.append(file)
        root.imports |= imported_names(text)
    bins: list[list[Root]] = []
    for root in roots.values():
        home = next((bin_ for bin_ in bins if not any(_clash(root, other, environment) for other in bin_)), None)
        if home is None:
            bins.append([root])
        else:
            home.append(root)
    return [_group(bin_, environment, project) for bin_ in bins]


def _clash(one: Root, other: Root, environment: Environment) -> bool:
    return any(
        definer.defines(name) and (user.defines(name) or name in sys.stdlib_module_names or environment.has(name))
        for definer, user in ((one, other), (other, one))
        for name in user.imports
    )


def _group(roots: Iterable[Root], environment: Environment, project: Path) -> Group:
    search: dict[Path, None] = {root.folder: None for root in roots}
    files: list[Path] = []
    for root in roots:
        files += root.files
        for name in root.imports:
            known = root.defines(name) or name in sys.stdlib_module_names or environment.has(name)
            above = None if known else _folder_above(root.folder, name, project)
            if above is not None:
                search[above] = None
    return Group(tuple(files), tuple(search))


def _folder_above(folder: Path, name: str, project: Path) -> Path | None:
    """The nearest folder up to the project's that defines a name, itself or in its `src`."""
    for parent in folder.parents:
        if not parent.is_relative_to(project):
            break
        for candidate in (parent, parent / "src"):
            if defines(candidate, name):
                return candidate
    return None
