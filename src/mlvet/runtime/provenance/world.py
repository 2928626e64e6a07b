"""What a program gets from outside and can differ from run to run: recorded into a log, or taken from one."""

from __future__ import annotations

import sys
import zlib
from collections import deque

from mlvet.runtime.provenance.log_writer import EVENT

TYPE_CHECKING = False

if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from mlvet.runtime.provenance.log import Event, Log
    from mlvet.runtime.provenance.log_writer import Writer
    from mlvet.runtime.provenance.world_streams import Written

    Patch = tuple[object, str, object]
    """An object, the name of an attribute, and what takes its place."""
    Imported = Mapping[str, Callable[[types.ModuleType], None]]


class ReplayDiverged(BaseException):
    """The replay cannot follow the log. No `except Exception` of the program hides it."""


class World:
    """One of the two worlds: values are recorded, or replayed kind by kind in their order."""

    replays = False

    def __init__(self, of_program: Callable[[str], bool], full: bool = False) -> None:
        self.of_program = of_program
        self.full = full
        self._undone: list[Patch] = []
        self.closing: list[Callable[[], None]] = []

    def value(self, kind: str, real: Callable[[], Any]) -> Any:
        """A value that JSON holds."""
        raise NotImplementedError

    def data(self, kind: str, real: Callable[[], bytes]) -> bytes:
        """A value of bytes."""
        raise NotImplementedError

    def note(self, kind: str, data: Any, raw: bytes = b"") -> None:
        """Something that happened; only a recording world keeps it."""

    def next(self, kind: str) -> Event:
        """The next event of a kind; only a replaying world has it."""
        raise NotImplementedError

    def waiting(self, kind: str) -> bool:
        """Whether the log has another event of the kind."""
        del kind
        return False

    def patched(self, patches: Iterable[Patch]) -> None:
        """Put hooks in their places."""
        for owner, name, new in patches:
            self._undone.append((owner, name, getattr(owner, name)))
            setattr(owner, name, new)

    def restored(self) -> None:
        """All hooks are taken out again."""
        while self._undone:
            setattr(*self._undone.pop())
        while self.closing:
            self.closing.pop()()


class RecordingWorld(World):
    """Writes what comes from outside into a log."""

    def __init__(self, writer: Writer, of_program: Callable[[str], bool], full: bool = False) -> None:
        super().__init__(of_program, full)
        self._writer = writer
        self.noted: dict[str, int] = {}

    def value(self, kind: str, real: Callable[[], Any]) -> Any:
        found = real()
        self.note(kind, found)
        return found

    def data(self, kind: str, real: Callable[[], bytes]) -> bytes:
        found = real()
        self.note(kind, None, found)
        return found

    def note(self, kind: str, data: Any, raw: bytes = b"") -> None:
        self.noted[kind] = self.noted.get(kind, 0) + 1
        self._writer.write(EVENT, {"kind": kind, "data": data}, zlib.compress(raw, 6) if raw else b"")


class ReplayingWorld(World):
    """Takes from a log what the traced run got from outside."""

    replays = True

    def __init__(self, log: Log, of_program: Callable[[str], bool]) -> None:
        super().__init__(of_program, log.header.mode == "full")
        self.log = log
        self.diverged: str | None = None
        self.written: Written | None = None
        self._waiting: dict[str, deque[Event]] = {}
        for each in log.events:
            self._waiting.setdefault(each.kind, deque()).append(each)

    def value(self, kind: str, real: Callable[[], Any]) -> Any:
        del real
        return self.next(kind).data

    def data(self, kind: str, real: Callable[[], bytes]) -> bytes:
        del real
        return self.next(kind).raw

    def next(self, kind: str) -> Event:
        waiting = self._waiting.get(kind)
        if not waiting:
            asked = "more often than in the traced run" if waiting is not None else "which the traced run did not"
            self.fail(f"the replay asks for {_WORDS.get(kind, kind)} {asked}{place_of_program(self.of_program)}")
        return waiting.popleft()  # type: ignore[union-attr]

    def waiting(self, kind: str) -> bool:
        return bool(self._waiting.get(kind))

    def fail(self, words: str) -> None:
        """The replay cannot go on; the first reason is kept."""
        self.diverged = self.diverged or words
        raise ReplayDiverged(words)


_WORDS = {
    "urandom": "random bytes of the system",
    "random.seed": "a seed of the system",
    "clock.datetime": "the date",
    "subprocess": "the result of a process",
    "listing": "the entries of a folder",
}


def place_of_program(of_program: Callable[[str], bool]) -> str:
    """Where the program stands, as ` (file.py, line 7)`, or nothing."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if of_program(frame.f_code.co_filename):
            return f" ({frame.f_code.co_filename}, line {frame.f_lineno})"
        frame = frame.f_back
    return ""


def recording(world: RecordingWorld) -> tuple[Imported, Mapping[str, object]]:
    """Install the hooks of a production run; the modules to tell about when imported, and the marks to bind."""
    from mlvet.runtime.provenance import world_listening, world_streams

    world_streams.recorded(world)
    imported, marks = _both(world)
    threads = world_listening.listening(world)
    if "threading" in sys.modules:
        for loaded in threads.values():
            loaded(sys.modules["threading"])
    return {**imported, **threads}, marks


def replaying(world: ReplayingWorld) -> tuple[Imported, Mapping[str, object]]:
    """Install the hooks of a replay; `world.restored()` takes them out."""
    from mlvet.runtime.provenance import overlay, world_streams

    world_streams.replayed(world)
    overlay.installed(world)
    return _both(world)


def _both(world: World) -> tuple[Imported, Mapping[str, object]]:
    from mlvet.runtime.provenance import world_clock, world_processes, world_random

    world.patched(world_clock.clocks(world))
    world.patched(world_random.entropy(world))
    world.patched(world_processes.systems(world))
    imported = {**world_random.watched(world), **world_processes.watched(world)}
    for name, loaded in imported.items():
        if name in sys.modules:
            loaded(sys.modules[name])
    return imported, {world_clock.ASK: world_clock.ask(world)}
