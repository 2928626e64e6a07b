"""Which files a run looks at: the named ones, and those in named folders that git and the user do not ignore."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mlvet.core.config import Config
from mlvet.core.result import Problem

SUFFIXES = frozenset({".py", ".ipynb"})
_NEVER = frozenset(
    {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".ipynb_checkpoints", ".mypy_cache",
     ".ruff_cache", ".pytest_cache", ".tox", ".nox", ".eggs", "site-packages", "__pypackages__"}
)  # fmt: skip


@dataclass(slots=True)
class Found:
    """The files to analyse, in order and without repetition, and the paths that cannot be."""

    files: list[Path] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def discover(paths: Iterable[Path], config: Config) -> Found:
    """Expand paths to files. A named file is always taken; a folder is walked without following links to folders."""
    found = Found()
    seen: set[Path] = set()
    for path in paths:
        for file in _expand(path, config, found.problems):
            if (key := Path(os.path.abspath(file))) not in seen:
                seen.add(key)
                found.files.append(file)
    return found


def _expand(path: Path, config: Config, problems: list[Problem]) -> Iterator[Path]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        problems.append(Problem(str(path), _why(error)))
        return
    except ValueError:
        problems.append(Problem(repr(str(path)), "not a path"))
        return
    if stat.S_ISDIR(mode):
        yield from _walk(path, config, problems)
    elif not stat.S_ISREG(mode):
        problems.append(Problem(str(path), "not a regular file"))
    elif path.suffix not in SUFFIXES:
        problems.append(Problem(str(path), f"not a kind of file that mlvet reads ({', '.join(sorted(SUFFIXES))})"))
    else:
        yield path


def _why(error: OSError) -> str:
    reasons = {2: "no such file or folder", 13: "permission denied", 40: "a symbolic link that leads to itself"}
    return reasons.get(error.errno or 0, error.strerror or str(error))


def _walk(top: Path, config: Config, problems: list[Problem]) -> Iterator[Path]:
    ignored = IgnoreFiles(top)
    failures: list[OSError] = []
    for folder, folders, files in os.walk(top, onerror=failures.append):
        here = Path(folder)
        ignored.enter(here)
        folders[:] = sorted(name for name in folders if _enters(here / name, config, ignored))
        for name in sorted(files):
            path = here / name
            if (
                path.suffix in SUFFIXES
                and not config.excluded(path.absolute())
                and not ignored.ignores(path, folder=False)
            ):
                if path.is_file():
                    yield path
                elif path.is_symlink():
                    problems.append(Problem(str(path), "a symbolic link that leads nowhere"))
    problems += [Problem(error.filename or str(top), _why(error)) for error in failures]


def _enters(folder: Path, config: Config, ignored: IgnoreFiles) -> bool:
    return (
        folder.name not in _NEVER
        and not (folder / "pyvenv.cfg").exists()
        and not config.excluded(folder.absolute())
        and not ignored.ignores(folder, folder=True)
    )


class IgnoreFiles:
    """The .gitignore files from the repository's top down to the folder being walked; deeper ones decide last."""

    def __init__(self, top: Path) -> None:
        self._specs: list[tuple[str, object]] = []
        start = top.absolute()
        upward = [start, *start.parents]
        repository = next((depth for depth, folder in enumerate(upward) if (folder / ".git").exists()), 0)
        for folder in reversed(upward[1 : repository + 1]):
            self.enter(folder)

    def enter(self, folder: Path) -> None:
        """Take in the .gitignore of a folder, if it has one."""
        listing = folder / ".gitignore"
        here = os.path.abspath(folder)
        self._specs = [(base, spec) for base, spec in self._specs if here == base or here.startswith(base + os.sep)]
        if listing.is_file():
            from pathspec import GitIgnoreSpec

            try:
                lines = listing.read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                return
            self._specs.append((here, GitIgnoreSpec.from_lines(lines)))

    def ignores(self, path: Path, *, folder: bool) -> bool:
        absolute = os.path.abspath(path)
        for base, spec in reversed(self._specs):
            below = os.path.relpath(absolute, base) + ("/" if folder else "")
            include = spec.check_file(below).include  # type: ignore[attr-defined]
            if include is not None:
                return bool(include)
        return False
