"""Which files a run looks at: the named ones, and those in named folders that git and the user do not ignore."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mlvet.core.config import Config
from mlvet.core.result import Problem
from mlvet.frontends.models import PICKLES, is_saved_model
from mlvet.frontends.models import SUFFIXES as MODELS

SOURCES = frozenset({".py", ".ipynb"})
SUFFIXES = SOURCES | MODELS
_NEVER = frozenset(
    {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".ipynb_checkpoints", ".mypy_cache",
     ".ruff_cache", ".pytest_cache", ".tox", ".nox", ".eggs", "site-packages", "__pypackages__"}
)  # fmt: skip


@dataclass(slots=True)
class Found:
    """The files to analyse, in order and without repetition, and the paths that cannot be.

    A folder that is a SavedModel counts as one file. `named` are those that the user asked for one by one.
    """

    files: list[Path] = field(default_factory=list)
    named: set[Path] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)


def discover(paths: Iterable[Path], config: Config) -> Found:
    """Expand paths to files. A named file is always taken; a folder is walked without following links to folders."""
    found = Found()
    seen: set[Path] = set()
    for path in paths:
        for file in _expand(path, config, found.problems):
            key = Path(os.path.abspath(file))
            if key in seen:
                continue
            seen.add(key)
            if _is_text(str(key)):
                found.files.append(file)
                if file == path:
                    found.named.add(file)
            else:
                found.problems.append(Problem(str(file), "a path that is not text, which no checker can be given"))
    return found


def is_source(path: Path) -> bool:
    """Whether a file is a program: by its suffix, or a script without one that names Python in its first line."""
    return path.suffix in SOURCES or is_script(path)


def is_script(path: Path) -> bool:
    """Whether a file without a suffix begins with a line that runs it with Python."""
    if path.suffix or path.name.startswith(".") or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            first = file.readline(200)
    except OSError:
        return False
    return first.startswith(b"#!") and b"python" in first


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _expand(path: Path, config: Config, problems: list[Problem]) -> Iterator[Path]:
    mode = _mode(path, problems)
    if mode is None:
        return
    if stat.S_ISDIR(mode) and is_saved_model(path):
        yield path
    elif stat.S_ISDIR(mode):
        yield from _walk(path, config, problems)
    elif not stat.S_ISREG(mode):
        problems.append(Problem(str(path), "not a regular file"))
    elif path.suffix not in SUFFIXES | PICKLES and not is_script(path):
        problems.append(Problem(str(path), f"not a kind of file that mlvet reads ({', '.join(sorted(SUFFIXES))})"))
    else:
        yield path


def _mode(path: Path, problems: list[Problem]) -> int | None:
    """What kind of file a path is, or None and a problem if that cannot be told."""
    try:
        return path.stat().st_mode
    except OSError as error:
        dangling = error.errno == errno.ENOENT and path.is_symlink()
        problems.append(Problem(str(path), "a symbolic link that leads nowhere" if dangling else _why(error)))
    except ValueError:
        problems.append(Problem(str(path), "not a path"))
    return None


_REASONS = {
    errno.ENOENT: "no such file or folder",
    errno.ENOTDIR: "no such file or folder",
    errno.EACCES: "permission denied",
    errno.ELOOP: "a symbolic link that leads to itself",
}


def _why(error: OSError) -> str:
    return _REASONS.get(error.errno or 0) or (error.strerror or str(error)).lower()


def _walk(top: Path, config: Config, problems: list[Problem]) -> Iterator[Path]:
    ignored = IgnoreFiles(top)
    failures: list[OSError] = []
    for folder, folders, files in os.walk(top, onerror=failures.append):
        here = Path(folder)
        ignored.enter(here)
        entered = sorted(name for name in folders if _enters(here / name, config, ignored))
        models = {name for name in entered if is_saved_model(here / name)}
        folders[:] = [name for name in entered if name not in models]
        yield from (here / name for name in sorted(models))
        for name in sorted(files):
            path = here / name
            if (
                (path.suffix in SUFFIXES or is_script(path))
                and not config.excluded(path.absolute())
                and not ignored.ignores(path, folder=False)
            ):
                mode = _mode(path, problems)
                if mode is not None and stat.S_ISREG(mode):
                    yield path
    problems += [Problem(error.filename or str(top), _why(error)) for error in failures]


def _enters(folder: Path, config: Config, ignored: IgnoreFiles) -> bool:
    return (
        folder.name not in _NEVER
        and not os.path.exists(folder / "pyvenv.cfg")
        and not config.excluded(folder.absolute())
        and not ignored.ignores(folder, folder=True)
    )


def _is_pattern(line: str) -> bool:
    """Whether git takes a line for a pattern; like git, mlvet passes over the others."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


class IgnoreFiles:
    """The .gitignore files from the repository's top down to the folder being walked; deeper ones decide last."""

    def __init__(self, top: Path) -> None:
        self._specs: list[tuple[str, object]] = []
        start = top.absolute()
        upward = [start, *start.parents]
        repository = next((depth for depth, folder in enumerate(upward) if os.path.exists(folder / ".git")), 0)
        for folder in reversed(upward[1 : repository + 1]):
            self.enter(folder)

    def enter(self, folder: Path) -> None:
        """Take in the .gitignore of a folder, if it has one."""
        listing = folder / ".gitignore"
        here = os.path.abspath(folder)
        self._specs = [(base, spec) for base, spec in self._specs if here == base or here.startswith(base + os.sep)]
        if os.path.isfile(listing):
            from pathspec import GitIgnoreSpec

            try:
                lines = listing.read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                return
            self._specs.append((here, GitIgnoreSpec.from_lines(filter(_is_pattern, lines))))

    def ignores(self, path: Path, *, folder: bool) -> bool:
        absolute = os.path.abspath(path)
        for base, spec in reversed(self._specs):
            below = os.path.relpath(absolute, base) + ("/" if folder else "")
            include = spec.check_file(below).include  # type: ignore[attr-defined]
            if include is not None:
                return bool(include)
        return False
