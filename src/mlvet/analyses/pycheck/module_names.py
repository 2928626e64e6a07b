"""Dividing files into runs in which every module name means one file.

A project of many small programs has a `main.py` and a `utils.py` in every folder. A type checker knows a module by
its name, so it either refuses such a project or reads the wrong `utils`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mlvet.analyses.pycheck.checker import Request
from mlvet.analyses.pycheck.imports import import_root


def home(path: Path, search: tuple[Path, ...]) -> Path:
    """The folder that a file's module name counts from: the nearest search folder, else the folder above its
    outermost package."""
    known = set(search)
    for folder in path.parents:
        if folder in known:
            return folder
    return import_root(path)


def module_name(path: Path, root: Path) -> str:
    """The dotted name of the file when imports start from `root`."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def without_clashes(request: Request) -> Iterator[Request]:
    """The request divided so that no two files of a run share a module name; the folders of a run come first in
    its search path. Folders that define different names share a run."""
    members: dict[Path, list[Path]] = {}
    for path in request.files:
        members.setdefault(home(path, request.search), []).append(path)
    groups: list[tuple[set[str], list[Path]]] = []
    for root, files in members.items():
        names = _defined(root) | {module_name(path, root).split(".")[0] for path in files}
        group = next((group for group in groups if group[0].isdisjoint(names)), None)
        if group is None:
            groups.append((names, [root]))
        else:
            group[0].update(names)
            group[1].append(root)
    for _, roots in groups:
        files = [path for root in roots for path in members[root]]
        others = [folder for folder in request.search if folder not in roots]
        yield replace(request, files=tuple(files), search=(*roots, *others))


def readable_only(request: Request) -> Request:
    """The request with the files that do not compile set apart."""
    unreadable = tuple(path for path in request.files if not _compiles(path))
    lost = set(unreadable)
    return replace(request, files=tuple(path for path in request.files if path not in lost), unreadable=unreadable)


def _defined(root: Path) -> set[str]:
    """The top-level modules and packages of a folder."""
    modules = {path.stem for path in root.glob("*.py")} - {"__init__", "conftest", "setup"}
    return modules | {path.parent.name for path in root.glob("*/__init__.py")}


def _compiles(path: Path) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        return False
    return True
