"""The files of a replay: reads are checked against the log or served from it, changes go to a folder of their own."""

from __future__ import annotations

import builtins
import io
import os
import shutil
import stat
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from mlvet.runtime.provenance.log import Event
from mlvet.runtime.provenance.world import ReplayingWorld, place_of_program
from mlvet.runtime.provenance.world_listening import file_digest, writes

_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_FORBIDDEN = {
    "os.fork": "a forked process", "os.forkpty": "a forked process", "os.exec": "os.exec", "os.kill": "a signal",
    "os.killpg": "a signal", "signal.pthread_kill": "a signal", "os.posix_spawn": "a process", "os.spawn": "a process",
    "subprocess.Popen": "a process", "os.system": "a process", "socket.connect": "a network connection",
    "socket.bind": "a network connection", "socket.sendto": "a network connection", "sqlite3.connect": "a database",
}  # fmt: skip
_CHANGES = frozenset(
    {"os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.symlink", "os.link",
     "os.utime", "os.setxattr", "os.removexattr", "shutil.rmtree", "shutil.move"}
)  # fmt: skip
_hearing: list[ReplayingWorld] = []
_hooked: list[bool] = []


def installed(world: ReplayingWorld) -> None:
    """Put the overlay in the place of the functions of files; what goes past them is refused by an audit hook."""
    overlay = Overlay(world)
    world.patched(overlay.patches())
    world.patched([(sys, "dont_write_bytecode", True)])
    world.patched([(tempfile, "_name_sequence", None), (tempfile, "tempdir", None)])
    world.closing.append(overlay.removed_for_good)
    if not _hooked:
        sys.addaudithook(_refused)
        _hooked.append(True)
    _hearing[:] = [world]
    world.closing.append(_hearing.clear)


def _refused(event: str, arguments: Any) -> None:
    """No change of a file of the user's and no process, whatever way the program takes to it."""
    if not _hearing or (event not in _FORBIDDEN and event not in _CHANGES and event != "open"):
        return
    world = _hearing[0]
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, int) or not writes(mode, flags) or os.fsdecode(path) == os.devnull:
            return
    if event == "sqlite3.connect" and arguments[0] == ":memory:":
        return
    if _asked_by_program(world):
        what = _FORBIDDEN.get(event, f"a change of a file ({event})")
        world.fail(f"the replay cannot go past {what}{place_of_program(world.of_program)}")


def _asked_by_program(world: ReplayingWorld) -> bool:
    """Whether the program asks, and not mlvet on its behalf."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_OURS):
            return False
        if world.of_program(name):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


class Overlay:
    """A view of the file system in which the program's changes are seen by the program alone."""

    def __init__(self, world: ReplayingWorld) -> None:
        self._world = world
        self._root = tempfile.mkdtemp(prefix="mlvet-replay-")
        self._gone = {each.data for kind in ("absent", "made") for each in world.log.of_kind(kind)}
        self._checked: set[str] = set()
        self._known: dict[str, list[Event]] = {}
        self._folders = {each.data for each in world.log.of_kind("folder")}
        self._listings: dict[str, deque[list[str]]] = {}
        for each in world.log.of_kind("file"):
            self._known.setdefault(each.data["path"], []).append(each)
        for each in world.log.of_kind("listing"):
            self._listings.setdefault(each.data["path"], deque()).append(each.data["names"])
        self._open, self._os_open, self._stat, self._lstat = io.open, os.open, os.stat, os.lstat
        self._listdir, self._scandir, self._mkdir = os.listdir, os.scandir, os.mkdir

    def removed_for_good(self) -> None:
        """The replay is over."""
        shutil.rmtree(self._root, ignore_errors=True)

    def patches(self) -> list[tuple[object, str, object]]:
        """What takes the place of what."""
        found: list[tuple[object, str, object]] = [(builtins, "open", self.open), (io, "open", self.open)]
        replaced: dict[str, Callable[..., Any]] = {
            "open": self.os_open, "stat": self._seen(os.stat), "lstat": self._seen(os.lstat),
            "access": self._seen(os.access), "listdir": self.listdir, "scandir": self.scandir,
            "remove": self.remove, "unlink": self.remove, "rename": self.rename, "replace": self.rename,
            "mkdir": self.mkdir, "rmdir": self.rmdir, "link": self.copy, "symlink": self.copy,
            "truncate": self._changed(os.truncate), "chmod": self._changed(os.chmod), "utime": self._changed(os.utime),
            "chown": self._changed(os.chown),
        }  # fmt: skip
        found += [(os, name, function) for name, function in replaced.items()]
        return [*found, (shutil, "rmtree", self.rmtree), *self._temporary()]

    def _temporary(self) -> list[tuple[object, str, object]]:
        """Temporary files are removed by a function that `tempfile` keeps as a default argument."""
        closer = tempfile._TemporaryFileCloser  # type: ignore[attr-defined]
        found: list[tuple[object, str, object]] = []
        for name in ("close", "cleanup"):
            function = getattr(closer, name, None)
            if function is not None and function.__defaults__:
                kept = tuple(self.remove if each is _real_unlink else each for each in function.__defaults__)
                found.append((function, "__defaults__", kept))
        return found

    # where a path leads

    def _inner(self, path: str) -> str:
        return os.path.join(self._root, path.lstrip(os.sep))

    def _within(self, given: Any) -> str | None:
        """The absolute path that the overlay has to do with; None for descriptors, devices and the overlay itself."""
        if isinstance(given, int) or given is None:
            return None
        path = os.path.abspath(os.fsdecode(given))
        return None if path.startswith((self._root, "/dev/", "/proc/", "/sys/")) else path

    def _found(self, path: str) -> str:
        """The file that a reader of the path gets."""
        inner = self._inner(path)
        if os.path.lexists(inner) and not (os.path.isdir(inner) and _exists(self._lstat, path)):
            return inner
        if self._is_gone(path):
            return inner
        if path in self._folders and not _exists(self._lstat, path):
            place = os.path.join(self._root, ".served", path.lstrip(os.sep))
            os.makedirs(place, exist_ok=True)
            return place
        stored = next((each for each in self._known.get(path, ()) if each.data["stored"]), None)
        return path if stored is None else self._served(path, stored)

    def _is_gone(self, path: str) -> bool:
        """Whether the path, or a folder above it, is not there for the program; what the overlay has is."""
        while path not in self._gone:
            above = os.path.dirname(path)
            if above == path:
                return False
            path = above
        return True

    def _served(self, path: str, event: Event) -> str:
        """The content that the log has of a file."""
        place = os.path.join(self._root, ".served", path.lstrip(os.sep))
        if not _exists(self._lstat, place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with self._open(place, "wb") as file:
                file.write(event.raw)
        return place

    def _to_read(self, path: str) -> str:
        found = self._found(path)
        if found == path:
            self._check(path)
        return found

    def _check(self, path: str) -> None:
        known = self._known.get(path)
        if known is None or path in self._checked:
            return
        self._checked.add(path)
        try:
            size = self._stat(path).st_size
            same = any(size == each.data["size"] and file_digest(path, size) == each.data["digest"] for each in known)
        except OSError:
            self._world.fail(f"{path} can no longer be read; the traced run read it")
        if not same:
            self._world.fail(f"{path} changed since the trace")

    def _to_write(self, path: str, keeps: bool) -> str:
        """The file in the overlay that takes changes; with the old content if that is kept."""
        inner = self._inner(path)
        if os.path.lexists(inner):
            return inner
        parent = os.path.dirname(path)
        if not _is_folder(self._stat, self._inner(parent)):
            if self._is_gone(parent) or not _is_folder(self._stat, parent):
                return inner
            os.makedirs(self._inner(parent), exist_ok=True)
        if keeps and self._seen_at(path):
            shutil.copyfile(self._to_read(path), inner)
        return inner

    # functions of files

    def open(
        self, file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None, errors: str | None = None,
        newline: str | None = None, closefd: bool = True, opener: Any = None,
    ) -> Any:  # fmt: skip
        path = self._within(file) if opener is None else None
        if file == 0 and isinstance(file, int):
            return sys.stdin.buffer if "b" in mode else sys.stdin
        if path is None or not isinstance(mode, str):
            return self._open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        if writes(mode, 0):
            place = self._to_write(path, keeps="w" not in mode)
            if "x" in mode and place != path and self._seen_at(path):
                raise FileExistsError(17, "File exists", file)
        else:
            place = self._to_read(path)
        real = self._os_open

        def elsewhere(_: Any, flags: int) -> int:
            try:
                return real(place, flags, 0o666)
            except OSError as error:
                error.filename = file
                raise

        return self._open(file, mode, buffering, encoding, errors, newline, closefd, elsewhere)

    def os_open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        within = self._within(path) if dir_fd is None else None
        if within is None:
            return self._os_open(path, flags, mode, dir_fd=dir_fd)
        if writes(None, flags):
            exclusive = flags & os.O_EXCL and self._seen_at(within)
            if exclusive:
                raise FileExistsError(17, "File exists", path)
            return self._os_open(self._to_write(within, keeps=not flags & os.O_TRUNC), flags & ~os.O_EXCL, mode)
        return self._os_open(self._to_read(within), flags, mode)

    def _seen_at(self, path: str) -> bool:
        return _exists(self._lstat, self._inner(path)) or (
            not self._is_gone(path) and _exists(self._lstat, self._found(path))
        )

    def _seen(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def seen(path: Any, *arguments: Any, **named: Any) -> Any:
            within = self._within(path) if named.get("dir_fd") is None else None
            try:
                return real(path if within is None else self._found(within), *arguments, **named)
            except OSError as error:
                error.filename = path
                raise

        return seen

    def _changed(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def changed(path: Any, *arguments: Any, **named: Any) -> Any:
            within = self._within(path)
            return real(path if within is None else self._to_write(within, keeps=True), *arguments, **named)

        return changed

    def remove(self, path: Any, *, dir_fd: int | None = None) -> None:
        within = self._within(path) if dir_fd is None else None
        if within is None:
            return _real_remove(path, dir_fd=dir_fd)
        if not self._seen_at(within):
            raise FileNotFoundError(2, "No such file or directory", path)
        inner = self._inner(within)
        self._gone.add(within)
        if os.path.lexists(inner):
            _real_remove(inner)
        return None

    def rename(self, source: Any, target: Any, **_: Any) -> None:
        old, new = self._within(source), self._within(target)
        if old is None or new is None or not self._seen_at(old):
            raise FileNotFoundError(2, "No such file or directory", source)
        place = self._to_write(old, keeps=True)
        goal = self._to_write(new, keeps=False)
        _real_replace(place, goal)
        self._gone.add(old)

    def copy(self, source: Any, target: Any, *_: Any, **__: Any) -> None:
        """A link is a copy."""
        old, new = self._within(source), self._within(target)
        if old is not None and new is not None and self._seen_at(old):
            shutil.copyfile(self._to_read(old), self._to_write(new, keeps=False))

    def mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        within = self._within(path) if dir_fd is None else None
        if within is None:
            return self._mkdir(path, mode, dir_fd=dir_fd)
        if self._seen_at(within):
            raise FileExistsError(17, "File exists", path)
        self._mkdir(self._to_write(within, keeps=False), mode)
        return None

    def rmdir(self, path: Any, *, dir_fd: int | None = None) -> None:
        within = self._within(path) if dir_fd is None else None
        if within is None:
            return _real_rmdir(path, dir_fd=dir_fd)
        return self.rmtree(path)

    def rmtree(self, path: Any, *_: Any, **__: Any) -> None:
        within = self._within(path)
        if within is None:
            return _real_rmtree(path)
        if not self._seen_at(within):
            raise FileNotFoundError(2, "No such file or directory", path)
        if _is_folder(self._stat, self._inner(within)):
            _real_rmtree(self._inner(within))
        self._gone.add(within)
        return None

    def listdir(self, path: Any = ".") -> Any:
        within = self._within(path)
        if within is None:
            return self._listdir(path)
        names = self._names(within)
        return [os.fsencode(each) for each in names] if isinstance(path, bytes) else names

    def _names(self, path: str) -> list[str]:
        waiting = self._listings.get(path)
        return waiting.popleft() if waiting else self._listdir(self._found(path))

    def scandir(self, path: Any = ".") -> Any:
        within = self._within(path)
        return self._scandir(path) if within is None else Entries(os.fsdecode(path), self._names(within))


class Entry:
    """An entry of a folder, as `os.scandir` gives it."""

    __slots__ = ("name", "path")

    def __init__(self, folder: str, name: str) -> None:
        self.name = name
        self.path = os.path.join(folder, name)

    def __fspath__(self) -> str:
        return self.path

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return os.stat(self.path) if follow_symlinks else os.lstat(self.path)

    def inode(self) -> int:
        return self.stat(follow_symlinks=False).st_ino

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(stat.S_ISDIR, follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(stat.S_ISREG, follow_symlinks)

    def is_symlink(self) -> bool:
        return self._is(stat.S_ISLNK, False)

    def _is(self, kind: Callable[[int], bool], follow: bool) -> bool:
        try:
            return kind(self.stat(follow_symlinks=follow).st_mode)
        except OSError:
            return False


class Entries:
    """What `os.scandir` gives."""

    def __init__(self, folder: str, names: list[str]) -> None:
        self._entries = iter([Entry(folder, each) for each in names])

    def __iter__(self) -> Iterator[Entry]:
        return self._entries

    def __next__(self) -> Entry:
        return next(self._entries)

    def __enter__(self) -> Entries:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._entries = iter(())


_real_remove, _real_unlink, _real_replace = os.remove, os.unlink, os.replace
_real_rmdir, _real_rmtree = os.rmdir, shutil.rmtree


def _exists(status: Callable[[str], object], path: str) -> bool:
    try:
        status(path)
    except (OSError, ValueError):
        return False
    return True


def _is_folder(status: Callable[[str], os.stat_result], path: str) -> bool:
    try:
        return stat.S_ISDIR(status(path).st_mode)
    except (OSError, ValueError):
        return False
