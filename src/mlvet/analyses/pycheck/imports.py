"""How the project's imports resolve: which folders start them, and which folders must not see each other."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from mlvet.analyses.pycheck.environment import Environment
from mlvet.analyses.pycheck.packages import KNOWN

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
    """Files that one run of a checker can take together.

    All lie below `base`; an import may start from any folder between its file and `base`. `first` are folders that
    imports try before the standard library and the installed packages. `search` are all folders that some import of
    the group starts from.
    """

    files: tuple[Path, ...]
    base: Path
    first: tuple[Path, ...]
    search: tuple[Path, ...]


@cache
def defines(folder: Path, name: str) -> bool:
    """Whether a folder holds a top-level module or package of that name.

    A folder of scripts without `__init__.py` counts, unless it is named after a well-known package that they use.
    """
    package = folder / name
    if (folder / f"{name}.py").is_file() or (package / "__init__.py").is_file():
        return True
    return name not in KNOWN and package.is_dir() and any(entry.name.endswith(".py") for entry in os.scandir(package))


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

    Many repositories hold independent programs, each with its own `utils.py`; pyrefly resolves a name once for all
    files of a run. So two roots share a group only if every name that both import means the same module to both. A
    folder that hides a module of the standard library or of an installed package from its own files stays alone.
    """
    roots: dict[Path, Root] = {}
    for file, text in texts.items():
        root = roots.setdefault(import_root(file), Root(import_root(file)))
        root.files.append(file)
        root.imports |= imported_names(text)
    hiding: list[Root] = []
    bins: list[tuple[list[Root], dict[str, Path | None]]] = []
    for root in roots.values():
        if any(_hides(root, name, environment) for name in root.imports):
            hiding.append(root)
            continue
        means = {
            name: _folder_above(root.folder, name, project)
            for name in root.imports
            if not _elsewhere(name, environment)
        }
        home = next(
            (bin_ for bin_ in bins if all(bin_[1].get(name, place) == place for name, place in means.items())), None
        )
        if home is None:
            bins.append(([root], means))
        else:
            home[0].append(root)
            home[1].update(means)
    return [_group(members, environment, project, own=False) for members, _ in bins] + [
        _group([root], environment, project, own=True) for root in hiding
    ]


def _hides(root: Root, name: str, environment: Environment) -> bool:
    return root.defines(name) and _elsewhere(name, environment)


def _elsewhere(name: str, environment: Environment) -> bool:
    return name in sys.stdlib_module_names or environment.has(name)


def _group(roots: list[Root], environment: Environment, project: Path, *, own: bool) -> Group:
    """The group of some roots; with `own` their folders come before everything that is installed."""
    files = tuple(file for root in roots for file in root.files)
    above: dict[Path, None] = {}
    for root in roots:
        for name in root.imports:
            if not root.defines(name) and not _elsewhere(name, environment):
                folder = _folder_above(root.folder, name, project)
                above.update({folder: None} if folder else {})
    folders = dict.fromkeys(root.folder for root in roots)
    common = Path(os.path.commonpath(folders))
    base = project if common.is_relative_to(project) and not own else common
    first = [*folders, *above] if own else [folder for folder in above if not _on_the_way(folder, roots)]
    return Group(files, base, tuple(first), tuple(dict.fromkeys([*folders, *above])))


def _on_the_way(folder: Path, roots: list[Root]) -> bool:
    return all(root.folder.is_relative_to(folder) for root in roots)


def _folder_above(folder: Path, name: str, project: Path) -> Path | None:
    """The nearest folder up to the project's that defines a name, itself or in its `src`."""
    for parent in (folder, *folder.parents):
        if not parent.is_relative_to(project):
            break
        for candidate in (parent, parent / "src"):
            if defines(candidate, name):
                return candidate
    return None
