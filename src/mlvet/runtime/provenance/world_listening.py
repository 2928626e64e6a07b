"""What Python itself announces by audit events: files that are opened, folders listed, processes and threads started.

Nothing is put in the place of `open` and its like, so a traceback of the program has no line of mlvet in it.
"""

from __future__ import annotations

import os
import stat
import sys
from _blake2 import blake2b

TYPE_CHECKING = False

if TYPE_CHECKING:
    import types
    from collections.abc import Callable
    from typing import Any

    from mlvet.runtime.provenance.world import RecordingWorld

WHOLE = 64 << 20
"""Files up to that size are digested whole; of larger ones blocks at equal distances."""
BLOCK = 1 << 20
BLOCKS = 64
STORED = 256 << 20
"""Up to that size the content of a file goes into a full log."""
KEPT = 1 << 20
"""Up to that size the old content of a file goes into the log before the program changes it."""
FEW = 100
HERE = -1
"""For a folder given by descriptor: there is none."""
_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_NOT_DATA = ("/proc/", "/sys/", "/dev/")


def listening(world: RecordingWorld) -> dict[str, Callable[[types.ModuleType], None]]:
    """Hear audit events from now on; the modules to tell about when imported. Python never removes such a hook."""
    heard = _Heard(world)
    handlers: dict[str, Callable[[Any], None]] = {
        "open": heard.opened,
        "os.listdir": heard.listed,
        "os.scandir": heard.listed,
        "_thread.start_new_thread": lambda _: heard.noted("thread"),
        "_thread.start_joinable_thread": lambda _: heard.noted("thread"),
        "os.fork": lambda _: heard.noted("fork"),
        "os.forkpty": lambda _: heard.noted("fork"),
        "os.exec": lambda arguments: heard.noted("exec", os.fsdecode(arguments[0])),
        "os.posix_spawn": lambda _: heard.noted("opaque", "os.posix_spawn"),
        "os.mkdir": heard.made,
        "os.remove": heard.changed,
        "os.rmdir": heard.removed,
        "shutil.rmtree": heard.removed,
        "os.rename": heard.changed,
        "subprocess.Popen": lambda _: heard.noted("process"),
        "socket.connect": lambda _: heard.noted("opaque", "a network connection"),
        "socket.bind": lambda _: heard.noted("opaque", "a network connection"),
        "sqlite3.connect": lambda _: heard.noted("opaque", "a database"),
    }
    active = False

    def hear(event: str, arguments: Any) -> None:
        nonlocal active
        handler = handlers.get(event)
        if handler is not None and not active:
            active = True
            try:
                handler(arguments)
            except (OSError, ValueError, TypeError):
                pass
            finally:
                active = False

    sys.addaudithook(hear)
    return {"threading": heard.threads} if sys.version_info < (3, 12) else {}


class _Heard:
    def __init__(self, world: RecordingWorld) -> None:
        self._world = world
        self._seen: set[tuple[object, ...]] = set()
        self._own: set[str] = set()
        self._met: set[str] = set()

    def threads(self, module: Any) -> None:
        """Python 3.11 announces no thread."""
        real = module._start_new_thread

        def start(*arguments: Any) -> Any:
            self.noted("thread")
            return real(*arguments)

        self._world.patched([(module, "_start_new_thread", start)])

    def noted(self, kind: str, what: str | None = None) -> None:
        """An event with the place in the program where it happened."""
        place = _place(self._world.of_program)
        self._world.note(kind, {"what": what, "file": place[0], "line": place[1]})

    def opened(self, arguments: tuple[Any, Any, int]) -> None:
        given, mode, flags = arguments
        if not isinstance(given, (str, bytes, os.PathLike)):
            if given == 0:
                self.noted("opaque", "standard input opened by its number")
            return
        path = os.path.abspath(os.fsdecode(given))
        if path.startswith(_NOT_DATA):
            return
        if writes(mode, flags):
            self._changing(path)
            return
        if path in self._own or _imports():
            return
        try:
            found = os.stat(path)
        except FileNotFoundError:
            self._absent(path)
            return
        self._met.add(path)
        if not stat.S_ISREG(found.st_mode) or not self._data(path):
            return
        key = (path, found.st_size, found.st_mtime_ns)
        if key not in self._seen:
            self._seen.add(key)
            self._file(path, found, self._world.full and found.st_size <= STORED)

    def listed(self, arguments: tuple[Any, ...]) -> None:
        given = arguments[0] if arguments and arguments[0] is not None else "."
        if isinstance(given, int) or _imports():
            return
        path = os.path.abspath(os.fsdecode(given))
        if self._data(path):
            self._world.note("listing", {"path": path, "names": os.listdir(path)})

    def made(self, arguments: tuple[Any, ...]) -> None:
        if not isinstance(arguments[0], (str, bytes, os.PathLike)) or arguments[-1] != HERE:
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))
        if path not in self._met and not os.path.lexists(path):
            self._met.add(path)
            self._world.note("made", path)

    def changed(self, arguments: tuple[Any, ...]) -> None:
        if all(each == HERE for each in arguments if isinstance(each, int)):
            for each in arguments:
                if isinstance(each, (str, bytes, os.PathLike)):
                    self._changing(os.path.abspath(os.fsdecode(each)))

    def removed(self, arguments: tuple[Any, ...]) -> None:
        """A folder, with the files in it if they are few."""
        if not isinstance(arguments[0], (str, bytes, os.PathLike)) or arguments[-1] not in (HERE, None):
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))
        if path in self._met or not os.path.isdir(path):
            return
        self._met.add(path)
        self._world.note("folder", path)
        files = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
        for each in files[:FEW]:
            self._changing(each)

    def _changing(self, path: str) -> None:
        """Before the first change of a file: whether it was there, and what was in it if that may matter."""
        if path in self._own:
            return
        self._own.add(path)
        try:
            found = os.stat(path)
        except OSError:
            self._absent(path)
            return
        self._met.add(path)
        self._world.note("written", path)
        if stat.S_ISREG(found.st_mode) and found.st_size <= KEPT:
            self._file(path, found, True)

    def _file(self, path: str, found: os.stat_result, stored: bool) -> None:
        known = {
            "path": path, "size": found.st_size, "mtime": found.st_mtime_ns,
            "digest": file_digest(path, found.st_size), "stored": stored,
        }  # fmt: skip
        self._world.note("file", known, contents(path) if stored else b"")

    def _absent(self, path: str) -> None:
        if path not in self._met and self._world.of_program(path):
            self._met.add(path)
            self._world.note("absent", path)

    def _data(self, path: str) -> bool:
        """Whether a file is none of an installed library's."""
        return self._world.of_program(path) and not path.endswith((".py", ".pyc", ".so"))


def writes(mode: Any, flags: int) -> bool:
    """Whether a file is opened to be changed."""
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))


def file_digest(path: str, size: int) -> str:
    """Of a whole file, or of blocks of a large one."""
    found = blake2b(digest_size=16)
    with open(path, "rb", buffering=0) as file:
        if size <= WHOLE:
            while block := file.read(BLOCK):
                found.update(block)
        else:
            for at in range(BLOCKS):
                file.seek((size - BLOCK) * at // (BLOCKS - 1))
                found.update(file.read(BLOCK))
    return found.hexdigest()


def contents(path: str) -> bytes:
    """What a file holds."""
    with open(path, "rb") as file:
        return file.read()


def _imports() -> bool:
    """Whether the import system, or mlvet, is opening."""
    frame = sys._getframe(3)
    name = frame.f_code.co_filename
    if name.startswith(_OURS):
        return True
    return name.startswith("<frozen importlib") or name.endswith("linecache.py")


def _place(of_program: Callable[[str], bool]) -> tuple[str | None, int]:
    frame = sys._getframe(2)
    while frame is not None:
        if of_program(frame.f_code.co_filename):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None, 0
